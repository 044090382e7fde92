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
// about its axis, so that a chain of hinges turns as far as its axes can.
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
  const auto offset = [&](const PartChain& chain, const Vec3<S>& v) {
    for (int k = 0; k < chain.count; ++k) {
      OffsetTarget(tree.bodies[chain.body[k]], v, &drives[chain.body[k]].target);
    }
  };
  const auto rotation = [&](int at) { return Vec3<S>{action[at], action[at + 1], action[at + 2]}; };
  offset(parts.waist, rotation(action_part::kWaist));
  offset(parts.left_hip, rotation(action_part::kLeftHip));
  offset(parts.right_hip, rotation(action_part::kRightHip));
  offset(parts.left_knee, {S(0), action[action_part::kLeftKnee], S(0)});
  offset(parts.right_knee, {S(0), action[action_part::kRightKnee], S(0)});
}

// Features and actions seen in a mirror (left and right swapped): the second half of a symmetric
// gait uses the policies of the first.
inline void MirrorFeatures(const float* in, float* out) {
  // Of places and velocities y changes sign, of rotations x and z.
  constexpr float kPlace[3] = {1, -1, 1}, kRotation[3] = {-1, 1, -1};
  const auto mirror = [&](int to, int from, int count, const float* sign) {
    for (int k = 0; k < count; ++k) out[to + k] = sign[k] * in[from + k];
  };
  mirror(feature::kTilt, feature::kTilt, 2, kRotation);
  out[feature::kHeight] = in[feature::kHeight];
  mirror(feature::kCentre, feature::kCentre, 3, kPlace);
  mirror(feature::kVelocity, feature::kVelocity, 3, kPlace);
  mirror(feature::kLeftFoot, feature::kRightFoot, 3, kPlace);
  mirror(feature::kRightFoot, feature::kLeftFoot, 3, kPlace);
  mirror(feature::kSpin, feature::kSpin, 3, kRotation);
  out[feature::kHeading] = -in[feature::kHeading];
}
inline void MirrorAction(const float* in, float* out) {
  constexpr float kRotation[3] = {-1, 1, -1};
  for (int k = 0; k < 3; ++k) {
    out[action_part::kWaist + k] = kRotation[k] * in[action_part::kWaist + k];
    out[action_part::kLeftHip + k] = kRotation[k] * in[action_part::kRightHip + k];
    out[action_part::kRightHip + k] = kRotation[k] * in[action_part::kLeftHip + k];
  }
  out[action_part::kLeftKnee] = in[action_part::kRightKnee];
  out[action_part::kRightKnee] = in[action_part::kLeftKnee];
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
