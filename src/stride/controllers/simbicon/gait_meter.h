#pragma once

#include <numbers>
#include <vector>

#include "stride/controllers/simbicon/human_gait.h"
#include "stride/controllers/simbicon/joint_chain.h"

// What the objective of wang09 needs to know of a walk, summed up step by step inside a lane
// program.
namespace stride {

// What the state machine knows before each step.
template <class S>
struct GaitMoment {
  Mask<S> left_stands, second_state, landed;
  Mask<S> stands;                // on both feet
  S step_length, step_width;     // m, of the step that ends where `landed`
  S sine, cosine;                // of the heading
  S speed_off;                   // m/s, beyond what was commanded; 0: nothing was
  Momentum<S> momentum;          // of the whole body
  Mask<S> pushes_off_unplanted;  // stance_t of equation 6
  Mask<S> stubbed;               // stubbed_t
};

struct GaitMeter {
  // Numbers a lane remembers; sums are over time (s) unless said otherwise.
  enum Slot : int {
    kSeconds,
    kTorqueAll,  // squares, N^2 m^2 s
    kTorqueHips,
    kTorqueKnees,
    kTorqueAnkles,
    kSpinRate,   // squares of the vertical angular momentum's rate
    kHeadSpeed,  // ahead, m
    kHeadSpeedSquare,
    kHeadTilted,  // s with the head turned by more than 0.1 rad
    kHeadShake,   // squares of its acceleration
    kHeadTwist,   // squares of its angular acceleration
    kHeadJerk,    // squares of its acceleration as seen: kSeenSeconds
    kStartX,      // centre of mass, world
    kStartY,
    kStartZ,
    kNowX,
    kNowY,
    kNowZ,
    kStartSpeed,                 // m/s ahead
    kUnplanted,                  // s
    kStubbed,                    // s
    kStateSeconds,               // left foot stands: first, second state; right foot: first, second
    kSteps = kStateSeconds + 4,  // onto the left foot, the right
    kStepLengths = kSteps + 2,   // sums over steps, m
    kStepWidths,
    kArmLeg,  // arms' swing times legs'
    kArmSquare,
    kLegSquare,
    kSpeedOff,  // ahead, beyond what was commanded, m
    kStanding,  // s
    kCurves,    // squares of the angle to what people do: thigh, knee, foot of both legs, rad^2 s
    kCurveSeconds = kCurves + kHumanCurves,
    kImpact,  // squares of what the ground bears beyond kSoftLoad, in weights
    kValues,
    // Memory only.
    kSpin = kValues,                // of the step before
    kHeadVelocity,                  // 3
    kHeadSpin = kHeadVelocity + 3,  // 3
    kHeadSeen = kHeadSpin + 3,      // 3, its velocity, smoothed
    kStepTime = kHeadSeen + 3,      // s since a foot landed
    kStepBefore,                    // s that the step before took
    kSlots,
  };

  static constexpr int kGroups = 4;
  std::vector<int> group;  // of a body's joint: 1 hip, 2 knee, 3 ankle, 0 any other
  int head = -1;           // or trunk, or pelvis
  JointChain hips[2], arms[2];
  int thigh[2] = {0, 0}, shank[2] = {0, 0}, foot[2] = {0, 0};  // bodies, left and right
  double weight = 0;                                           // N
  // An eye or a camera sees no shock of some milliseconds: a frame's time.
  static constexpr double kSeenSeconds = 1.0 / 30;
  // A walking person's two feet bear up to some 1.2 weights.
  static constexpr double kSoftLoad = 1.3;

  template <class S>
  static STRIDE_INLINE void Begin(S* slots) {
    for (int k = 0; k < kSlots; ++k) slots[k] = S(0);
  }

  // Before the drives are aimed anew.
  template <class S, class Real>
  STRIDE_INLINE void Add(const LaneView<S, Real>& view, const GaitMoment<S>& moment,
                         S* slots) const {
    const S h = view.time_step;
    const auto ahead_of = [&](const Vec3<S>& v) { return moment.cosine * v.x + moment.sine * v.y; };
    const Mask<S> first = slots[kSeconds] < S(0.5) * h;
    const S once = Select(first, S(0), S(1));

    S torques[kGroups] = {S(0), S(0), S(0), S(0)};
    for (int i = 0; i < view.Bodies(); ++i) {
      if (view.tree.bodies[i].kind == JointKind::kFree) continue;
      torques[group[i]] += SquaredNorm(ServoTorque(view, i));
    }
    // The first step has not been driven yet.
    const S driven = once * h;
    slots[kTorqueAll] += driven * (torques[0] + torques[1] + torques[2] + torques[3]);
    for (int k = 1; k < kGroups; ++k) slots[kTorqueAll + k] += driven * torques[k];

    const S rate = S(1) / h;
    const S spin = moment.momentum.angular.z;
    const S spin_rate = (spin - slots[kSpin]) * rate;
    slots[kSpinRate] += once * h * spin_rate * spin_rate;
    slots[kSpin] = spin;

    const BodyMotion<S>& head_motion = view.Motion(head);
    const S head_speed = ahead_of(head_motion.v);
    slots[kHeadSpeed] += h * head_speed;
    slots[kHeadSpeedSquare] += h * head_speed * head_speed;
    const Vec3<S> before{slots[kHeadVelocity], slots[kHeadVelocity + 1], slots[kHeadVelocity + 2]};
    slots[kHeadShake] += once * h * SquaredNorm((head_motion.v - before) * rate);
    slots[kHeadVelocity] = head_motion.v.x;
    slots[kHeadVelocity + 1] = head_motion.v.y;
    slots[kHeadVelocity + 2] = head_motion.v.z;
    const Vec3<S> turned{slots[kHeadSpin], slots[kHeadSpin + 1], slots[kHeadSpin + 2]};
    slots[kHeadTwist] += once * h * SquaredNorm((head_motion.w - turned) * rate);
    slots[kHeadSpin] = head_motion.w.x;
    slots[kHeadSpin + 1] = head_motion.w.y;
    slots[kHeadSpin + 2] = head_motion.w.z;
    const Vec3<S> smooth{slots[kHeadSeen], slots[kHeadSeen + 1], slots[kHeadSeen + 2]};
    const Vec3<S> change = Choose(first, Vec3<S>{S(0), S(0), S(0)}, head_motion.v - smooth);
    const S seen(1 / kSeenSeconds);
    slots[kHeadJerk] += h * SquaredNorm(change * seen);
    const Vec3<S> now = Choose(first, head_motion.v, smooth + change * Min(S(1), h * seen));
    slots[kHeadSeen] = now.x, slots[kHeadSeen + 1] = now.y, slots[kHeadSeen + 2] = now.z;
    // Angle between the head's axes and the heading's: trace = 1 + 2 cos.
    const Mat3<S>& r = head_motion.r;
    const S trace = moment.cosine * r.xx + moment.sine * r.yx + moment.cosine * r.yy -
                    moment.sine * r.xy + r.zz;
    const S tilted_cosine(0.99500417);  // of 0.1 rad
    slots[kHeadTilted] += Select((trace - S(1)) * S(0.5) < tilted_cosine, h, S(0));

    const Vec3<S> com = view.origin + view.Root().position + moment.momentum.com;
    slots[kStartX] = Select(first, com.x, slots[kStartX]);
    slots[kStartY] = Select(first, com.y, slots[kStartY]);
    slots[kStartZ] = Select(first, com.z, slots[kStartZ]);
    slots[kNowX] = com.x, slots[kNowY] = com.y, slots[kNowZ] = com.z;
    slots[kStartSpeed] = Select(first, ahead_of(moment.momentum.linear) * S(1.0 / view.tree.mass),
                                slots[kStartSpeed]);

    slots[kUnplanted] += Select(moment.pushes_off_unplanted, h, S(0));
    slots[kStubbed] += Select(moment.stubbed, h, S(0));
    const S left = Select(moment.left_stands, h, S(0)), right = h - left;
    slots[kStateSeconds] += Select(moment.second_state, S(0), left);
    slots[kStateSeconds + 1] += Select(moment.second_state, left, S(0));
    slots[kStateSeconds + 2] += Select(moment.second_state, S(0), right);
    slots[kStateSeconds + 3] += Select(moment.second_state, right, S(0));
    const S step = Select(moment.landed, S(1), S(0));
    slots[kSteps] += Select(moment.left_stands, step, S(0));
    slots[kSteps + 1] += Select(moment.left_stands, S(0), step);
    // The first one begins in the middle of a step.
    const S whole = Select(slots[kSteps] + slots[kSteps + 1] > S(1.5), step, S(0));
    slots[kStepLengths] += whole * moment.step_length;
    slots[kStepWidths] += whole * moment.step_width;

    if (arms[0].count > 0 && arms[1].count > 0) {
      const auto swing = [&](const JointChain(&chains)[2]) {
        return RotationVector(Rotation(view, chains[0])).y -
               RotationVector(Rotation(view, chains[1])).y;
      };
      const S arm = swing(arms), leg = swing(hips);
      slots[kArmLeg] += h * arm * leg;
      slots[kArmSquare] += h * arm * arm;
      slots[kLegSquare] += h * leg * leg;
    }
    AddCurves(view, moment, slots);
    slots[kSpeedOff] += h * moment.speed_off;
    slots[kStanding] += Select(moment.stands, h, S(0));
    slots[kSeconds] += h;
  }

 private:
  // The legs beside people's at the same share of the cycle. How long a step will be is known from
  // the one before.
  template <class S, class Real>
  STRIDE_INLINE void AddCurves(const LaneView<S, Real>& view, const GaitMoment<S>& moment,
                               S* slots) const {
    const S h = view.time_step;
    slots[kStepBefore] = Select(moment.landed, slots[kStepTime], slots[kStepBefore]);
    slots[kStepTime] = Select(moment.landed, S(0), slots[kStepTime]) + h;
    // The first landing ends no whole step.
    const Mask<S> known = slots[kSteps] + slots[kSteps + 1] > S(1.5);
    const S time = Select(known, h, S(0));
    slots[kCurveSeconds] += time;
    const S share = Min(S(1), slots[kStepTime] / Max(slots[kStepBefore], h));
    S sine, cosine;
    SinCos(S(std::numbers::pi) * share, &sine, &cosine);
    for (int side = 0; side < 2; ++side) {
      // The other leg is half a cycle further.
      const Mask<S> stands = side == 0 ? moment.left_stands : !moment.left_stands;
      const S s = Select(stands, sine, -sine), c = Select(stands, cosine, -cosine);
      const Mat3<S>&t = view.Motion(thigh[side]).r, &k = view.Motion(shank[side]).r,
            &f = view.Motion(foot[side]).r;
      // Of an angle, given by two sides of a triangle, to people's: 2 (1 - cos).
      const auto add = [&](int curve, const HumanCurve& human, const S& y, const S& x) {
        S sine_wanted, cosine_wanted;
        SinCos(human.At(s, c), &sine_wanted, &cosine_wanted);
        const S length = Sqrt(Max(x * x + y * y, S(1e-6)));
        const S off = S(1) - (x * cosine_wanted + y * sine_wanted) / length;
        slots[kCurves + curve] += time * off;  // half of each leg's
      };
      add(0, kHumanThigh, -(moment.cosine * t.xz + moment.sine * t.yz), t.zz);
      add(1, kHumanKnee, t.xx * k.xz + t.yx * k.yz + t.zx * k.zz,
          t.xz * k.xz + t.yz * k.yz + t.zz * k.zz);
      add(2, kHumanFoot, f.zx, moment.cosine * f.xx + moment.sine * f.yx);
    }
    S load(0);
    for (int i = 0; i < view.contact_count; ++i) load += view.contacts[kContactSlots * i + 2];
    const S beyond = Max(S(0), load * S(1 / weight) - S(kSoftLoad));
    slots[kImpact] += h * beyond * beyond;
  }
};

GaitMeter GaitMeterOf(const Character& character);

}  // namespace stride
