#pragma once

#include <span>
#include <vector>

#include "stride/control/lane_program.h"
#include "stride/controllers/simbicon/joint_chain.h"

// SIMBICON (Yin, Loken, van de Panne 2007) as a lane program: a finite state machine of key poses,
// the torso and the swing hip held in the world, and a swing foot that is placed by feedback on the
// centre of mass. Two states a step: the swing leg is lifted for a time, then put down until it
// touches.
namespace stride {

STRIDE_LANE_KERNEL(LaneProgramKernel, SimbiconKernels)

// The parameters of one state, and those that all share. Angles in rad, flexion forwards; the
// paper's values for a walk in 3D are the defaults of simbicon.cc.
struct SimbiconParameter {
  enum Index : int {
    kLiftSeconds,  // of the first state
    // Pose of each state: first lifting, then putting down.
    kSwingHip,
    kSwingKnee = kSwingHip + 2,
    kSwingAnkle = kSwingKnee + 2,  // pitch of the foot in the world, toes up
    kStanceKnee = kSwingAnkle + 2,
    kStanceAnkle = kStanceKnee + 2,  // against the shank, toes up
    // Balance feedback (equation 1): swing hip += c_d d + c_v v, d from the stance ankle to the
    // centre of mass, v its velocity.
    kDistanceSagittal = kStanceAnkle + 2,
    kVelocitySagittal,
    kDistanceCoronal,
    kVelocityCoronal,
    kAnkleFeedback,  // of the stance ankle on d and v alike, as public programs have it
    kTorsoPitch,     // forwards
    kStanceWidth,    // swing hip outwards
    kArmSwing,       // of an arm, for each rad between the hips (wang09, equation 2)
    kCount,
  };
};

struct SimbiconProgram {
  std::vector<JointDrive<double>> drives;  // what the rest of the body holds
  struct Leg {
    JointChain hip, knee, ankle;
    int foot = 0, toe = -1;  // toe: -1 if there is none
    double hip_kp = 0, hip_kd = 0, knee_kp = 0, knee_kd = 0, ankle_kp = 0, ankle_kd = 0;
  };
  Leg legs[2];         // left, right
  JointChain arms[2];  // shoulders; of no count if there are none
  // Of the body's own gains.
  double stance_hip_gain = 2, ankle_gain = 0.6;
  double turn_rate = 0.5;    // rad/s
  double own_speed = 0;      // m/s, that the parameters walk at by themselves
  double most_faster = 0.8;  // m/s, or slower
  double speed_gain = 1;     // of the difference from a commanded speed, in the feedback's velocity
  double touch_load = 20;    // N on the swing foot that is a touch-down
  double least_seconds = 0.1;  // of the second state

  enum Slot : int {
    kStance,     // 0: left foot, 1: right foot
    kPhase,      // 0: lifts, 1: puts down
    kPhaseTime,  // s
    kHeading,    // rad, that it walks along
    kSteps,      // so far
    kDistance,   // feedback's d, sagittal, for plots
    kVelocity,
    kSlotCount,
  };

  int Parameters() const { return SimbiconParameter::kCount; }
  int MemorySlots() const { return kSlotCount; }
  int Values() const { return 1; }  // steps

  template <class S, class Real>
  STRIDE_INLINE void Begin(const LaneView<S, Real>&, const LaneCommand<S>&, const S*,
                           S* memory) const {
    for (int k = 0; k < kSlotCount; ++k) memory[k] = S(0);
  }

  template <class S, class Real>
  STRIDE_INLINE void Step(const LaneView<S, Real>& view, const LaneCommand<S>& command, const S* p,
                          S* memory) const {
    using P = SimbiconParameter;
    const S h = view.time_step;
    // The heading goes to the commanded one at a bounded rate.
    const S ahead = command.heading - memory[kHeading];
    memory[kHeading] +=
        Select(command.heading_given > S(0.5), Clamped(ahead, S(turn_rate) * h), S(0));
    Switch(view, p, memory);

    const Mask<S> left_stands = memory[kStance] < S(0.5);
    const Mask<S> lifts = memory[kPhase] < S(0.5);
    const auto of_state = [&](int index) { return Select(lifts, p[index], p[index + 1]); };
    S sine, cosine;
    SinCos(memory[kHeading], &sine, &cosine);
    const auto ahead_of = [&](const Vec3<S>& v) { return cosine * v.x + sine * v.y; };
    const auto left_of = [&](const Vec3<S>& v) { return cosine * v.y - sine * v.x; };

    const Momentum<S> momentum = MeasureMomentum(view.tree, view.art);
    const Vec3<S> velocity = momentum.linear * (S(1) / S(view.tree.mass));
    const Vec3<S>& left = view.Motion(legs[0].foot).o;
    const Vec3<S>& right = view.Motion(legs[1].foot).o;
    const Vec3<S> ankle{Select(left_stands, left.x, right.x), Select(left_stands, left.y, right.y),
                        S(0)};
    const Vec3<S> d = momentum.com - ankle;
    const S d_ahead = ahead_of(d), d_left = left_of(d);
    const S v_ahead = ahead_of(velocity), v_left = left_of(velocity);
    memory[kDistance] = d_ahead;
    memory[kVelocity] = v_ahead;

    // Equation 1, in both planes.
    const S most(1.2);
    // A foot that is put down less far ahead lets the body gain speed; beyond the bound it would
    // trip.
    const S faster =
        Select(command.speed_given > S(0.5),
               Clamped(S(speed_gain) * (command.speed - S(own_speed)), S(most_faster)), S(0));
    const S flexion = Clamped(of_state(P::kSwingHip) + p[P::kDistanceSagittal] * d_ahead +
                                  p[P::kVelocitySagittal] * (v_ahead - faster),
                              most);
    const S sideways =
        Clamped(p[P::kDistanceCoronal] * d_left + p[P::kVelocityCoronal] * v_left, S(0.6));
    const S lean = p[P::kAnkleFeedback] * (d_ahead + v_ahead);

    const JointDrive<double>* rest = drives.data();
    for (int i = 0; i < view.Bodies(); ++i) {
      const JointDrive<double>& r = rest[i];
      view.drives[i] = {{S(r.target.w), S(r.target.x), S(r.target.y), S(r.target.z)},
                        {S(0), S(0), S(0)},
                        {S(0), S(0), S(0)},
                        S(r.kp),
                        S(r.kd)};
    }
    const Quat<S> heading = About(2, memory[kHeading]);
    const Quat<S>& pelvis_now = view.Joint(0).rot;
    const Quat<S> pelvis_wanted = heading * About(1, p[P::kTorsoPitch]);
    S hip_flexion[2];
    for (int side = 0; side < 2; ++side) {
      const Leg& leg = legs[side];
      const Mask<S> stands = side == 0 ? left_stands : !left_stands;
      const S out = side == 0 ? p[P::kStanceWidth] : -p[P::kStanceWidth];
      // Swing: the thigh in the world. Stance: the thigh stays where it is, and the pelvis comes to
      // where it is wanted: the torso's torque goes through the hip of the foot on the ground.
      const Quat<S> thigh_now = pelvis_now * Rotation(view, leg.hip);
      hip_flexion[side] = -RotationVector(Conjugate(heading) * thigh_now).y;
      const Quat<S> thigh_wanted = heading * About(0, sideways + out) * About(1, -flexion);
      const S gain = Select(stands, S(stance_hip_gain), S(1));
      Aim(view, leg.hip,
          Choose(stands, Conjugate(pelvis_wanted) * thigh_now,
                 Conjugate(pelvis_now) * thigh_wanted),
          gain * S(leg.hip_kp), gain * S(leg.hip_kd));

      const S bend = Select(stands, of_state(P::kStanceKnee), of_state(P::kSwingKnee));
      Aim(view, leg.knee, About(1, bend), S(leg.knee_kp), S(leg.knee_kd));

      // Swing: the foot in the world. Stance: against the shank.
      const Quat<S> shank_now = thigh_now * Rotation(view, leg.knee);
      const Quat<S> foot_wanted = heading * About(1, -of_state(P::kSwingAnkle));
      Aim(view, leg.ankle,
          Choose(stands, About(1, lean - of_state(P::kStanceAnkle)),
                 Conjugate(shank_now) * foot_wanted),
          S(ankle_gain * leg.ankle_kp), S(ankle_gain * leg.ankle_kd));
    }
    // An arm goes with the other leg.
    const S swing = p[P::kArmSwing] * (hip_flexion[1] - hip_flexion[0]);
    for (int side = 0; side < 2; ++side) {
      if (arms[side].count == 0) continue;
      const JointDrive<S>& shoulder = view.drives[arms[side].body[0]];
      Aim(view, arms[side], About(1, side == 0 ? -swing : swing), S(shoulder.kp), S(shoulder.kd));
    }
  }

  // From lifting to putting down by time, then to the other leg when the foot touches.
  template <class S, class Real>
  STRIDE_INLINE void Switch(const LaneView<S, Real>& view, const S* p, S* memory) const {
    memory[kPhaseTime] += view.time_step;
    const auto load = [&](const Leg& leg) {
      const S foot = view.ContactForce(leg.foot).z;
      return leg.toe < 0 ? foot : foot + view.ContactForce(leg.toe).z;
    };
    const Mask<S> left_stands = memory[kStance] < S(0.5);
    const S swing_load = Select(left_stands, load(legs[1]), load(legs[0]));
    const Mask<S> lifts = memory[kPhase] < S(0.5);
    // Half a step early or late: a sum of steps is not exact.
    const S late = memory[kPhaseTime] + S(0.5) * view.time_step;
    const Mask<S> lifted = lifts & (late > p[SimbiconParameter::kLiftSeconds]);
    const Mask<S> puts_down = !lifts;
    const Mask<S> landed = puts_down & (swing_load > S(touch_load)) & (late > S(least_seconds));
    memory[kPhase] = Select(lifted, S(1), Select(landed, S(0), memory[kPhase]));
    memory[kPhaseTime] = Select(lifted | landed, S(0), memory[kPhaseTime]);
    memory[kStance] = Select(landed, S(1) - memory[kStance], memory[kStance]);
    memory[kSteps] += Select(landed, S(1), S(0));
  }

  template <class S, class Real>
  STRIDE_INLINE void Measure(const LaneView<S, Real>&, const S* memory, S* values) const {
    values[0] = memory[kSteps];
  }

  std::vector<DebugChannel> Channels() const;
  void ReadChannels(const double* memory, std::span<float> values) const;
  static const LaneKernels<LaneProgramKernel>& Kernels() { return SimbiconKernels(); }
};

template <class Visitor>
void VisitConfig(SimbiconProgram& p, Visitor& visit) {
  visit("turn_rate", p.turn_rate, {0, 10, "rad/s"}, "how fast a commanded heading is taken up");
  visit("speed_gain", p.speed_gain, {0, 10},
        "how much of the difference from a commanded speed the feedback is told");
}

}  // namespace stride
