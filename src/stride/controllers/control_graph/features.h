#pragma once

#include "stride/dynamics/step.h"

// What the feedback of liu16 sees, and the cost its sampling is judged by. Generic over the scalar:
// the same code runs in lanes when learning and in double when a skill is performed.
namespace stride {

// Where each feature begins: 18 numbers of the paper (Section 4), and the heading. All in axes that
// are upright and turned with the character.
namespace feature {
inline constexpr int kTilt = 0;      // x, y: rotation of the root away from the reference's, planar
inline constexpr int kHeight = 2;    // of the root above the ground
inline constexpr int kCentre = 3;    // of mass, relative to the root: x, y, z
inline constexpr int kVelocity = 6;  // of the centre of mass: x, y, z
inline constexpr int kLeftFoot = 9;  // from the centre of mass: x, y, z
inline constexpr int kRightFoot = 12;
inline constexpr int kSpin = 15;     // angular momentum about the centre of mass, over the mass
inline constexpr int kHeading = 18;  // away from the one commanded (ours: the paper's drifts)
}  // namespace feature
constexpr int kFeatureCount = feature::kHeading + 1;
// Offsets of the target pose (Section 4), where each begins: rotation vectors, and angles of the
// knees.
namespace action_part {
inline constexpr int kWaist = 0, kLeftHip = 3, kRightHip = 6, kLeftKnee = 9, kRightKnee = 10;
}  // namespace action_part
constexpr int kActionCount = action_part::kRightKnee + 1;

// The bodies whose joints together make one: a ball joint, or hinges one after the other, without
// mass in between; the one farthest from the root first. None where a character has no such joint.
struct PartChain {
  int body[3], count = 0;
};

// Bodies by their part.
struct SkillParts {
  PartChain waist, left_hip, right_hip, left_knee, right_knee;  // joints that take the actions
  int left_foot, right_foot;
  int ends[8], end_count = 0;  // end effectors: feet, hands, head
  float foot_com[2][3];        // in the foot's frame
  float end_com[8][3];
  float height = 1.7f;  // of the character, m
};

constexpr int kMaxBodies = 64;

// The reference at the border of two fragments, in axes turned with the clip's own beginning.
struct BorderReference {
  Quat<float> root;               // orientation
  Quat<float> joint[kMaxBodies];  // ball: rotation; hinge: w is the angle
  float features[kFeatureCount];
  float end_height[8];     // of the end effectors above the ground
  float end_planar[8][2];  // from the centre of mass
};

// How far the character has turned away from where the reference would be looking, about the
// vertical; both unit quaternions, world.
template <class S>
struct Facing {
  S c, s;           // cosine and sine of the upright axes' heading
  S heading_error;  // 2 sin(half of it): monotone to half a turn
  Vec3<S> tilt;     // rotation vector of the rest, in the upright axes
};

// `base`: heading of the clip's beginning in the world, as (cosine, sine) of its half.
template <class S>
STRIDE_INLINE Facing<S> FacingOf(const Quat<S>& root, const Quat<S>& reference, const S& base_c,
                                 const S& base_s) {
  const Quat<S> base{base_c, S(0), S(0), base_s};
  const Quat<S> error = root * Conjugate(base * reference);
  // Twist about the vertical, then what is left (swing): error = twist * swing.
  const S n = Sqrt(error.w * error.w + error.z * error.z + S(1e-12));
  const S inverse = Select(error.w < S(0), S(-1), S(1)) / n;
  const Quat<S> twist{error.w * inverse, S(0), S(0), error.z * inverse};
  const Quat<S> swing = Conjugate(twist) * error;
  Facing<S> f;
  f.heading_error = S(2) * twist.z;
  const Quat<S> heading = twist * base;
  f.c = heading.w * heading.w - heading.z * heading.z;
  f.s = S(2) * heading.w * heading.z;
  const Vec3<S> v = RotationVector(swing);
  const S bc = base_c * base_c - base_s * base_s, bs = S(2) * base_c * base_s;
  f.tilt = {bc * v.x + bs * v.y, bc * v.y - bs * v.x, v.z};
  return f;
}

template <class S>
STRIDE_INLINE Vec3<S> ToUpright(const Facing<S>& f, const Vec3<S>& v) {
  return {f.c * v.x + f.s * v.y, f.c * v.y - f.s * v.x, v.z};
}

template <class S, class Real>
STRIDE_INLINE Vec3<S> PointOf(const Articulation<S>& art, int body, const Real* point) {
  return art.motion[body].o + art.motion[body].r * Vec3<S>{S(point[0]), S(point[1]), S(point[2])};
}

// `ground`: height of the ground below the root.
template <class S, class Real>
STRIDE_INLINE void ComputeFeatures(const Tree<Real>& tree, const Articulation<S>& art,
                                   const SkillParts& parts, const Facing<S>& facing,
                                   const S& ground, S* features) {
  const Momentum<S> m = MeasureMomentum(tree, art);
  const S mass_inverse = S(1) / S(tree.mass);
  const auto put = [&](int at, const Vec3<S>& world) {
    const Vec3<S> v = ToUpright(facing, world);
    features[at] = v.x, features[at + 1] = v.y, features[at + 2] = v.z;
  };
  features[feature::kTilt] = facing.tilt.x;
  features[feature::kTilt + 1] = facing.tilt.y;
  features[feature::kHeight] = art.root->position.z - ground;
  put(feature::kCentre, m.com);
  put(feature::kVelocity, m.linear * mass_inverse);
  put(feature::kLeftFoot, PointOf(art, parts.left_foot, parts.foot_com[0]) - m.com);
  put(feature::kRightFoot, PointOf(art, parts.right_foot, parts.foot_com[1]) - m.com);
  put(feature::kSpin, m.angular * mass_inverse);
  features[feature::kHeading] = facing.heading_error;
}

// As IsFallen() takes it.
template <class S>
STRIDE_INLINE S TiltSquared(const S* features) {
  const S x = features[feature::kTilt], y = features[feature::kTilt + 1];
  return x * x + y * y;
}

// Published weights of the cost (equation 20): pose, root, end effectors, balance, centroid,
// velocity, angular momentum; and ours for the heading. That of the action is added by the caller.
// The paper's weight of the velocity is 0.1: a run then slows down to a jog, which is safer.
struct CostWeights {
  float pose = 4, root = 4, ends = 10, balance = 1, centroid = 3, velocity = 1, momentum = 0.03f,
        action = 0.5f;
  float heading = 4;
};

// Equation 20 at the end of a fragment, `features` being those against the same border.
template <class S, class Real>
STRIDE_INLINE S ComputeCost(const Tree<Real>& tree, const Articulation<S>& art,
                            const SkillParts& parts, const BorderReference& reference,
                            const CostWeights& weights, const Facing<S>& facing, const S& ground,
                            const S* features) {
  const auto from = [&](int at) {
    return Vec3<S>{features[at] - S(reference.features[at]),
                   features[at + 1] - S(reference.features[at + 1]),
                   features[at + 2] - S(reference.features[at + 2])};
  };
  const int n = static_cast<int>(tree.bodies.size());
  S pose(0);
  for (int i = 1; i < n; ++i) {
    const Quat<float>& target = reference.joint[i];
    if (tree.bodies[i].kind == JointKind::kHinge) {
      pose += Abs(art.joints[i].angle - S(target.w));
      continue;
    }
    const Quat<S>& q = art.joints[i].rot;
    const S dot =
        Abs(q.w * S(target.w) + q.x * S(target.x) + q.y * S(target.y) + q.z * S(target.z));
    // 2 acos(dot) to a percent below half a radian, and growing beyond: enough to compare samples.
    pose += Sqrt(S(8) * Max(S(1) - dot, S(0)));
  }
  const S tilt = Sqrt(TiltSquared(features));
  S ends(0), balance(0);
  const Vec3<S> com = {features[feature::kCentre], features[feature::kCentre + 1],
                       features[feature::kCentre + 2]};
  for (int k = 0; k < parts.end_count; ++k) {
    const Vec3<S> p = ToUpright(facing, PointOf(art, parts.ends[k], parts.end_com[k]));
    ends += Abs(p.z + art.root->position.z - ground - S(reference.end_height[k]));
    const S dx = p.x - com.x - S(reference.end_planar[k][0]);
    const S dy = p.y - com.y - S(reference.end_planar[k][1]);
    balance += Sqrt(dx * dx + dy * dy);
  }
  Vec3<S> centroid = from(feature::kCentre);
  centroid.z += features[feature::kHeight] -
                S(reference.features[feature::kHeight]);  // its height above the ground
  const S count = S(1.0 / parts.end_count);
  return S(weights.pose / static_cast<float>(n - 1)) * pose + S(weights.root) * tilt +
         S(weights.heading) * Abs(features[feature::kHeading]) + S(weights.ends) * ends * count +
         S(weights.balance / parts.height) * balance * count +
         S(weights.centroid) * Norm(centroid) +
         S(weights.velocity) * Norm(from(feature::kVelocity)) +
         S(weights.momentum) * S(tree.mass) * Norm(from(feature::kSpin));
}

}  // namespace stride
