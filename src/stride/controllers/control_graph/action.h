#pragma once

#include <algorithm>

#include "stride/controllers/control_graph/features.h"

// The action of liu16's feedback: a constant offset of the target pose during a fragment.
namespace stride {

// Rotation of a rotation vector; the series of Integrate() holds to the two radians an action may
// have.
template <class S>
STRIDE_INLINE Quat<S> SmallRotation(const Vec3<S>& v) {
  return Integrate(Quat<S>::Identity(), v, S(1));
}

// The target of a ball joint is turned in the child's axes; that of a hinge takes the component
// about its axis.
template <class S, class Real>
STRIDE_INLINE void OffsetTarget(const TreeBody<Real>& body, const Vec3<S>& offset,
                                Quat<S>* target) {
  if (body.kind == JointKind::kHinge) {
    target->w +=
        S(body.axis[0]) * offset.x + S(body.axis[1]) * offset.y + S(body.axis[2]) * offset.z;
  } else {
    *target = *target * SmallRotation(offset);
  }
}

// `action`: kActionCount numbers. Knees bend about their own Y axis.
template <class S, class Real>
STRIDE_INLINE void ApplyAction(const Tree<Real>& tree, const SkillParts& parts, const S* action,
                               JointDrive<S>* drives) {
  const auto offset = [&](int body, const Vec3<S>& v) {
    OffsetTarget(tree.bodies[body], v, &drives[body].target);
  };
  offset(parts.waist, {action[0], action[1], action[2]});
  offset(parts.left_hip, {action[3], action[4], action[5]});
  offset(parts.right_hip, {action[6], action[7], action[8]});
  offset(parts.left_knee, {S(0), action[9], S(0)});
  offset(parts.right_knee, {S(0), action[10], S(0)});
}

// Features and actions seen in a mirror (left and right swapped): the second half of a symmetric
// gait uses the policies of the first.
inline void MirrorFeatures(const float* in, float* out) {
  // Tilt about x and z changes sign; of positions and velocities y; of angular momentum x and z.
  const int source[kFeatureCount] = {0,  1,  2, 3,  4,  5,  6,  7,  8, 12,
                                     13, 14, 9, 10, 11, 15, 16, 17, 18};
  const float sign[kFeatureCount] = {-1, 1, 1, 1,  -1, 1,  1, -1, 1, 1,
                                     -1, 1, 1, -1, 1,  -1, 1, -1, -1};
  for (int k = 0; k < kFeatureCount; ++k) out[k] = sign[k] * in[source[k]];
}
inline void MirrorAction(const float* in, float* out) {
  const int source[kActionCount] = {0, 1, 2, 6, 7, 8, 3, 4, 5, 10, 9};
  const float sign[kActionCount] = {-1, 1, -1, -1, 1, -1, -1, 1, -1, 1, 1};
  for (int k = 0; k < kActionCount; ++k) out[k] = sign[k] * in[source[k]];
}

// As a fragment's policy sees them: a mirrored fragment looks into the mirror.
inline void SeenFeatures(bool mirrored, const float* in, float* out) {
  if (mirrored) {
    MirrorFeatures(in, out);
  } else {
    std::copy_n(in, kFeatureCount, out);
  }
}
inline void SeenAction(bool mirrored, const float* in, float* out) {
  if (mirrored) {
    MirrorAction(in, out);
  } else {
    std::copy_n(in, kActionCount, out);
  }
}

}  // namespace stride
