#pragma once

#include <span>
#include <vector>

#include "stride/control/lane_program.h"
#include "stride/controllers/simbicon/gait_meter.h"
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
    // Beyond the paper, while it is off its speed or moves sideways (`off`, 0 to 1).
    kOffLift,       // more bend of the swing knee, rad
    kOffSeconds,    // less time to lift, s
    kOffTorso,      // pitch for each m/s too fast
    kAnkleCoronal,  // roll of the stance ankle on d and v alike
    kWalkCount,     // what stops and stands comes after
    kStopLiftSeconds = kWalkCount,
    kStopHip,  // lifting, putting down
    kStopKnee = kStopHip + 2,
    kStopStanceKnee = kStopKnee + 2,
    kStopDistanceSagittal,
    kStopVelocitySagittal,
    kStopDistanceCoronal,
    kStopVelocityCoronal,
    kStandDistance,  // of both ankles on d and v, standing
    kStandVelocity,
    kStandCoronal,  // of both hips on d and v, standing
    kCount,
  };
};

struct SimbiconProgram {
  std::vector<JointDrive<double>> drives;  // what the rest of the body holds
  struct Leg {
    JointChain hip, knee, ankle;
    int foot = 0, toe = -1;  // toe: -1 if there is none
    double hip_kp = 0, hip_kd = 0, knee_kp = 0, knee_kd = 0, ankle_kp = 0, ankle_kd = 0;
    Quatd knee_rest, ankle_rest;  // in a stand
  };
  Leg legs[2];                    // left, right
  JointChain arms[2], elbows[2];  // of no count if there are none
  double elbow_bend = 0;          // rad; 0: as in the stand
  // Of the body's own gains.
  double stance_hip_gain = 2, ankle_gain = 0.6;
  double turn_rate = 0.5;  // rad/s
  // Whether it measures what the objective of wang09 needs (gait_meter.h): costs time.
  bool measures = false;
  GaitMeter meter;
  double own_speed = 0;      // m/s, that the parameters walk at by themselves
  double most_faster = 0.5;  // m/s, or slower
  double speed_rate = 0.3;   // m/s in a second, that a commanded speed is taken up at
  double speed_gain = 1;     // of the difference from a commanded speed, in the feedback's velocity
  double touch_load = 20;    // N on the swing foot that is a touch-down
  double least_seconds = 0.1;  // of the second state
  double halt_speed = 0.1;     // m/s; commanded less, it stops
  double stand_ahead = 0;      // m, of the centre of mass before the ankles in a stand
  // How far the hips share the torso's torque by the load of their feet; 0: the leg of the state
  // carries it.
  double load_sharing = 0;
  double torque_limit = 0;  // of a joint, for each N m/rad of the body's own kp; 0: none
  double most_change = 3;   // rad/s in a step, of a joint; up to it a limit holds exactly

  enum Slot : int {
    kStance,     // 0: left foot, 1: right foot
    kPhase,      // 0: lifts, 1: puts down
    kPhaseTime,  // s
    kHeading,    // rad, that it walks along
    kMode,       // 0 walks, 1 stops step by step, 2 stands
    kShare,      // of the torso's torque that a hip carries by its foot's load, left and right
    kDistance = kShare + 2,  // feedback's d, sagittal, for plots
    kVelocity,
    kFaster,     // m/s than by itself, on its way to what is commanded
    kBeyond,     // m/s of the commanded speed that it cannot do, for plots
    kMeanSpeed,  // m/s ahead, over the last second or so
    kValues,
    kSteps = kValues,  // so far
    kFlight,           // s without load on either foot
    kStanding,         // s
    kSpeedOff,         // m, between the mean speed and the wanted one
    kLean,             // rad s, of the pelvis ahead, either way
    kMeter,            // where `measures`
    kSlotCount = kMeter + GaitMeter::kSlots,
  };

  int Parameters() const { return SimbiconParameter::kCount; }
  int MemorySlots() const { return kSlotCount; }
  int Values() const { return kMeter - kValues + (measures ? int{GaitMeter::kValues} : 0); }

  template <class S>
  STRIDE_INLINE Mask<S> Halts(const LaneCommand<S>& command) const {
    return (command.speed_given > S(0.5)) & (command.speed < S(halt_speed));
  }

  template <class S, class Real>
  STRIDE_INLINE void Begin(const LaneView<S, Real>&, const LaneCommand<S>& command, const S*,
                           S* memory) const {
    for (int k = 0; k < kSlotCount; ++k) memory[k] = S(0);
    memory[kMode] = Select(Halts(command), S(2), S(0));
    memory[kShare] = memory[kShare + 1] = S(0.5);
  }

  // What a step of the controller knows before it aims.
  template <class S>
  struct Moment {
    S sine, cosine;  // of the heading
    S load[2];       // N on each foot
    Vec3<S> com, ankles[2];
    S d_ahead, d_left;  // from the stance ankle (standing: from between them) to the centre of mass
    S v_ahead, v_left;  // of the centre of mass
    S faster;           // m/s than by itself, as commanded
    S too_fast;         // m/s ahead, beyond what is wanted
    S off;              // 0: as it should be, 1: far from it
    Mask<S> left_stands, lifts, walks, stands, landed;

    STRIDE_INLINE S AheadOf(const Vec3<S>& v) const { return cosine * v.x + sine * v.y; }
    STRIDE_INLINE S LeftOf(const Vec3<S>& v) const { return cosine * v.y - sine * v.x; }
  };

  template <class S, class Real>
  STRIDE_INLINE void Step(const LaneView<S, Real>& view, const LaneCommand<S>& command, const S* p,
                          S* memory) const {
    const S h = view.time_step;
    // The heading goes to the commanded one at a bounded rate.
    const S turn = command.heading - memory[kHeading];
    memory[kHeading] +=
        Select(command.heading_given > S(0.5), Clamped(turn, S(turn_rate) * h), S(0));
    Moment<S> m;
    SinCos(memory[kHeading], &m.sine, &m.cosine);
    const Momentum<S> momentum = MeasureMomentum(view.tree, view.art);
    const Vec3<S> velocity = momentum.linear * (S(1) / S(view.tree.mass));
    m.com = momentum.com;
    m.v_ahead = m.AheadOf(velocity), m.v_left = m.LeftOf(velocity);
    for (int side = 0; side < 2; ++side) {
      const Leg& leg = legs[side];
      m.load[side] = view.ContactForce(leg.foot).z;
      if (leg.toe >= 0) m.load[side] += view.ContactForce(leg.toe).z;
      m.ankles[side] = view.Motion(leg.foot).o;
    }

    // A foot that is put down less far ahead lets the body gain speed; beyond the bound it would
    // trip.
    const Mask<S> given = command.speed_given > S(0.5), halt = Halts(command);
    const S asked = S(speed_gain) * (command.speed - S(own_speed));
    const S can = Select(given, Clamped(asked, S(most_faster)), S(0));
    memory[kBeyond] = Select(given & !halt, asked - can, S(0));
    memory[kFaster] =
        Select(memory[kMode] < S(0.5),
               memory[kFaster] + Clamped(can - memory[kFaster], S(speed_rate) * h), S(0));
    m.faster = memory[kFaster];
    m.too_fast = m.v_ahead - S(own_speed) - m.faster;
    const S least(0.3);  // of an even walk
    m.off = Min(Max(Abs(m.too_fast) - least, S(0)) + Max(Abs(m.v_left) - least, S(0)), S(1));

    Switch(view, p, halt, &m, memory);
    Share(h, m, memory);
    if (measures) {
      GaitMoment<S> gait;
      gait.left_stands = m.left_stands, gait.landed = m.landed, gait.stands = m.stands;
      gait.second_state = !m.lifts;
      const Vec3<S> step =
          Choose(m.left_stands, m.ankles[0] - m.ankles[1], m.ankles[1] - m.ankles[0]);
      gait.step_length = m.AheadOf(step);
      gait.step_width = Abs(m.LeftOf(step));
      gait.sine = m.sine, gait.cosine = m.cosine;
      gait.speed_off = S(0);
      gait.momentum = momentum;
      // Feet are kept flat and have no push-off: nothing to stub or to plant.
      gait.pushes_off_unplanted = gait.stubbed = m.v_ahead > S(1e9);
      meter.Add(view, gait, memory + kMeter);
    }
    AimAll(view, p, m, memory);
    if (torque_limit > 0) LimitTorques(view);

    memory[kDistance] = m.d_ahead;
    memory[kVelocity] = m.v_ahead;
    memory[kMeanSpeed] += (m.v_ahead - memory[kMeanSpeed]) * h;
    memory[kFlight] += Select((m.load[0] + m.load[1]) > S(0), S(0), h);
    memory[kStanding] += Select(m.stands, h, S(0));
    const S wanted = Select(given, command.speed, S(own_speed));
    memory[kSpeedOff] += Abs(memory[kMeanSpeed] - wanted) * h;
    const Mat3<S>& pelvis = view.Motion(0).r;
    memory[kLean] += Abs(m.AheadOf({pelvis.xz, pelvis.yz, S(0)})) * h;
  }

  // From lifting to putting down by time, then to the other leg when the foot touches; and what
  // stops and stands.
  template <class S, class Real>
  STRIDE_INLINE void Switch(const LaneView<S, Real>& view, const S* p, const Mask<S>& halt,
                            Moment<S>* m, S* memory) const {
    using P = SimbiconParameter;
    const S h = view.time_step;
    memory[kPhaseTime] += h;
    const Mask<S> left_stood = memory[kStance] < S(0.5);
    const Mask<S> walks = memory[kMode]<S(0.5), stood = memory[kMode]> S(1.5);
    const Mask<S> steps = !stood;
    const Mask<S> lifts = memory[kPhase] < S(0.5);
    const S swing_load = Select(left_stood, m->load[1], m->load[0]);
    // Half a step early or late: a sum of steps is not exact.
    const S late = memory[kPhaseTime] + S(0.5) * h;
    const S lift_seconds =
        Select(walks, p[P::kLiftSeconds] - p[P::kOffSeconds] * m->off, p[P::kStopLiftSeconds]);
    const Mask<S> lifted = steps & lifts & (late > lift_seconds);
    const Mask<S> landed =
        steps & (!lifts) & (swing_load > S(touch_load)) & (late > S(least_seconds));

    // Stands once it hardly moves with its feet together; steps again if it is pushed.
    const S speed = Sqrt(m->v_ahead * m->v_ahead + m->v_left * m->v_left);
    const S apart = Abs(m->AheadOf(m->ankles[0] - m->ankles[1]));
    const Mask<S> settles = landed & (!walks) & (speed < S(0.4)) & (apart < S(0.2));
    const Vec3<S> middle = (m->ankles[0] + m->ankles[1]) * S(0.5);
    const S lean = Abs(m->AheadOf(m->com - middle) - S(stand_ahead)) + S(0.3) * speed;
    const Mask<S> starts = stood & !halt;
    const Mask<S> stumbles = stood & halt & (lean > S(0.2));
    memory[kMode] = Select(landed, Select(halt, Select(settles, S(2), S(1)), S(0)),
                           Select(starts, S(0), Select(stumbles, S(1), memory[kMode])));
    const Mask<S> anew = landed | starts | stumbles;
    memory[kPhase] = Select(anew, S(0), Select(lifted, S(1), memory[kPhase]));
    memory[kPhaseTime] = Select(anew | lifted, S(0), memory[kPhaseTime]);
    // A stand begins to walk on the foot that bears more.
    const S bearing = Select(m->load[0] > m->load[1], S(0), S(1));
    memory[kStance] =
        Select(landed, S(1) - memory[kStance], Select(starts | stumbles, bearing, memory[kStance]));
    memory[kSteps] += Select(landed, S(1), S(0));

    m->landed = landed;
    m->left_stands = memory[kStance] < S(0.5);
    m->lifts = memory[kPhase] < S(0.5);
    m->walks = memory[kMode] < S(0.5);
    m->stands = memory[kMode] > S(1.5);
    const Vec3<S> ankle = Choose(m->left_stands, m->ankles[0], m->ankles[1]);
    const S ahead(stand_ahead);
    const Vec3<S> from{Select(m->stands, middle.x + ahead * m->cosine, ankle.x),
                       Select(m->stands, middle.y + ahead * m->sine, ankle.y), S(0)};
    m->d_ahead = m->AheadOf(m->com - from);
    m->d_left = m->LeftOf(m->com - from);
  }

  // Public programs give the torso's torque to the hips in proportion to the load of their feet,
  // and none where neither bears any. Loads are noisy: a mean over some steps.
  template <class S>
  STRIDE_INLINE void Share(const S& h, const Moment<S>& m, S* memory) const {
    const S total = m.load[0] + m.load[1];
    const S one = Select(total > S(touch_load), S(1), S(0)) / Max(total, S(1));
    const S rate = Min(h * S(50), S(1));
    for (int side = 0; side < 2; ++side) {
      memory[kShare + side] += (m.load[side] * one - memory[kShare + side]) * rate;
    }
  }

  template <class S, class Real>
  STRIDE_INLINE void AimAll(const LaneView<S, Real>& view, const S* p, const Moment<S>& m,
                            const S* memory) const {
    using P = SimbiconParameter;
    const auto of_state = [&](int index) { return Select(m.lifts, p[index], p[index + 1]); };
    const auto either = [&](const S& walking, const S& stopping) {
      return Select(m.walks, walking, stopping);
    };
    // Equation 1, in both planes.
    const S flexion =
        Clamped(either(of_state(P::kSwingHip), of_state(P::kStopHip)) +
                    either(p[P::kDistanceSagittal], p[P::kStopDistanceSagittal]) * m.d_ahead +
                    either(p[P::kVelocitySagittal] * (m.v_ahead - m.faster),
                           p[P::kStopVelocitySagittal] * m.v_ahead),
                S(1.2));
    const S sideways =
        Clamped(either(p[P::kDistanceCoronal], p[P::kStopDistanceCoronal]) * m.d_left +
                    either(p[P::kVelocityCoronal], p[P::kStopVelocityCoronal]) * m.v_left,
                S(0.7));
    const S lean = p[P::kAnkleFeedback] * (m.d_ahead + m.v_ahead);
    const S stand_lean =
        Clamped(p[P::kStandDistance] * m.d_ahead + p[P::kStandVelocity] * m.v_ahead, S(0.5));
    const S roll = either(Clamped(p[P::kAnkleCoronal] * (m.d_left + m.v_left), S(0.3)), S(0));
    // In a stand thighs and pelvis could lean aside together.
    const S sway = Select(
        m.stands, Clamped(p[P::kStandCoronal] * (m.d_left + S(0.3) * m.v_left), S(0.3)), S(0));
    const S more_lift = Select(m.lifts, p[P::kOffLift] * m.off, S(0));
    const S torso_pitch =
        either(p[P::kTorsoPitch] + Clamped(p[P::kOffTorso] * m.too_fast, S(0.3)), S(0));
    const S swing_bend = either(of_state(P::kSwingKnee) + more_lift, of_state(P::kStopKnee));
    const S stance_bend = either(of_state(P::kStanceKnee), p[P::kStopStanceKnee]);
    const S stance_ankle = either(lean - of_state(P::kStanceAnkle), stand_lean);
    const S swing_ankle = either(of_state(P::kSwingAnkle), S(0));

    HoldRest(view, drives.data());
    const Quat<S> heading = About(2, memory[kHeading]);
    const Quat<S>& pelvis_now = view.Joint(0).rot;
    const Quat<S> pelvis_wanted = heading * About(1, torso_pitch);
    const Quat<S> upright = heading * About(0, sway) * Conjugate(heading);
    S hip_flexion[2];
    for (int side = 0; side < 2; ++side) {
      const Leg& leg = legs[side];
      const Mask<S> stance = side == 0 ? m.left_stands : !m.left_stands;
      const Mask<S> bears = stance | m.stands;
      const S out = side == 0 ? p[P::kStanceWidth] : -p[P::kStanceWidth];
      // Swing: the thigh in the world. Stance: the thigh stays where it is, and the pelvis comes to
      // where it is wanted: the torso's torque goes through the hip of the foot on the ground. With
      // feet that share the load, a hip does some of both; what a stance leg does not carry, it
      // only damps.
      const Quat<S> hip_now = Rotation(view, leg.hip);
      const Quat<S> thigh_now = pelvis_now * hip_now;
      hip_flexion[side] = -RotationVector(Conjugate(heading) * thigh_now).y;
      const Quat<S> thigh_wanted = heading * About(0, sideways + out) * About(1, -flexion);
      const S alone = Select(m.stands, S(0.5), Select(stance, S(1), S(0)));
      const S carries = alone + S(load_sharing) * (memory[kShare + side] - alone);
      const S torso = S(stance_hip_gain) * carries;
      const S free = S(1) - carries, swing = Select(bears, S(0), free);
      const S gain = torso + swing;
      const Vec3<S> to_torso =
          RotationVector(Conjugate(hip_now) * Conjugate(pelvis_wanted) * upright * thigh_now);
      const Vec3<S> to_swing =
          RotationVector(Conjugate(hip_now) * Conjugate(pelvis_now) * thigh_wanted);
      const S each = S(1) / Max(gain, S(1e-3));
      Aim(view, leg.hip,
          hip_now * FromRotationVector(to_torso * (torso * each) + to_swing * (swing * each)),
          gain * S(leg.hip_kp), (torso + free) * S(leg.hip_kd));

      const S bend = Select(stance, stance_bend, swing_bend);
      Aim(view, leg.knee, Choose(m.stands, Broadcast<S>(leg.knee_rest), About(1, bend)),
          S(leg.knee_kp), S(leg.knee_kd));

      // Swing: the foot in the world. Stance: against the shank.
      const Quat<S> shank_now = thigh_now * Rotation(view, leg.knee);
      const Quat<S> foot_wanted = heading * About(1, -swing_ankle);
      const Quat<S> borne = About(1, stance_ankle) * About(0, roll);
      Aim(view, leg.ankle,
          Choose(m.stands, Broadcast<S>(leg.ankle_rest) * borne,
                 Choose(stance, borne, Conjugate(shank_now) * foot_wanted)),
          S(ankle_gain * leg.ankle_kp), S(ankle_gain * leg.ankle_kd));
    }
    // An arm goes with the other leg.
    const S swing = p[P::kArmSwing] * (hip_flexion[1] - hip_flexion[0]);
    for (int side = 0; side < 2; ++side) {
      if (arms[side].count == 0) continue;
      const JointDrive<S>& shoulder = view.drives[arms[side].body[0]];
      Aim(view, arms[side], About(1, side == 0 ? -swing : swing), S(shoulder.kp), S(shoulder.kd));
      if (elbow_bend == 0 || elbows[side].count == 0) continue;
      const JointDrive<S>& elbow = view.drives[elbows[side].body[0]];
      Aim(view, elbows[side], About(1, S(-elbow_bend)), S(elbow.kp), S(elbow.kd));
    }
  }

  // The implicit servo (sim/servo.h) gives t = F - r dv with F = kp error - r v, r = kd + h kp and
  // dv what the joint's velocity changes by in the step, which nobody knows before. Gains shrink to
  // s = limit / (|F| + r most_change), so that s |F - r dv| stays within whatever dv is up to
  // most_change, and all of it stays implicit.
  template <class S, class Real>
  STRIDE_INLINE void LimitTorques(const LaneView<S, Real>& view) const {
    const JointDrive<double>* rest = drives.data();
    const S h = view.time_step;
    for (int i = 0; i < view.Bodies(); ++i) {
      const JointKind kind = view.tree.bodies[i].kind;
      if (kind == JointKind::kFree) continue;
      JointDrive<S>& drive = view.drives[i];
      const JointState<S>& joint = view.Joint(i);
      const S rate = drive.kd + h * drive.kp;
      const S limit(torque_limit * rest[i].kp);
      const bool hinge = kind == JointKind::kHinge;
      const Vec3<S> error = hinge ? Vec3<S>{drive.target.w - joint.angle, S(0), S(0)}
                                  : RotationVector(Conjugate(joint.rot) * drive.target);
      const Vec3<S> rates = hinge ? Vec3<S>{joint.w.x, S(0), S(0)} : joint.w;
      const Vec3<S> force = error * drive.kp - rates * rate;
      const S scale = Min(limit / (Norm(force) + rate * S(most_change) + S(1e-6)), S(1));
      drive.kp *= scale, drive.kd *= scale;
    }
  }

  template <class S, class Real>
  STRIDE_INLINE void Measure(const LaneView<S, Real>&, const S* memory, S* values) const {
    for (int k = 0; k < Values(); ++k) values[k] = memory[kValues + k];
  }

  std::optional<SpeedRange> Speeds() const {
    const double reach = speed_gain > 0 ? most_faster / speed_gain : 0;
    return SpeedRange{own_speed - reach, own_speed + reach, true};
  }
  std::vector<DebugChannel> Channels() const;
  void ReadChannels(const double* memory, std::span<float> values) const;
  static const LaneKernels<LaneProgramKernel>& Kernels() { return SimbiconKernels(); }
};

template <class Visitor>
void VisitConfig(SimbiconProgram& p, Visitor& visit) {
  visit("turn_rate", p.turn_rate, {0, 10, "rad/s"}, "how fast a commanded heading is taken up");
  visit("speed_rate", p.speed_rate, {0.01, 10, "m/s2"}, "how fast a commanded speed is taken up");
  visit("speed_gain", p.speed_gain, {0, 10},
        "how much of the difference from a commanded speed the feedback is told");
  visit("load_sharing", p.load_sharing, {0, 1},
        "how far the hips share the torso's torque by the load of their feet");
  visit("torque_limit", p.torque_limit, {0, 10, "rad"},
        "largest torque of a joint, for each N m/rad of its stiffness; 0: none");
  visit("most_change", p.most_change, {0, 100, "rad/s"},
        "of a joint's velocity in a step: up to it the torque limit holds exactly");
}

}  // namespace stride
