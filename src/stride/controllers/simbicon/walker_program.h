#pragma once

#include <span>
#include <vector>

#include "stride/control/lane_program.h"
#include "stride/controllers/simbicon/gait_meter.h"
#include "stride/controllers/simbicon/joint_chain.h"
#include "stride/controllers/simbicon/walker_parameters.h"

// The walking controller of Wang, Fleet and Hertzmann (2009) as a lane program: SIMBICON with toes,
// ankles in the world, arms that go with the legs, and four states, two a step: the first begins
// when a foot lands and ends when the centre of mass has passed the stance ankle; the second pushes
// off and ends when the other foot lands.
namespace stride {

STRIDE_LANE_KERNEL(LaneProgramKernel, WalkerKernels)

struct WalkerProgram {
  struct Side {
    JointChain hip, knee, ankle, toe, arm, elbow;
    int foot = 0, toe_body = -1;
    int foot_points = 0, toe_points = 0;  // contact points
  };
  Side sides[2];  // left, right
  JointChain back, neck;
  std::vector<JointDrive<double>> drives;  // what the rest of the body holds
  GaitMeter meter;
  double gain_share = 1;  // of the table's gains: mass / 70 kg
  double weight = 0;      // N

  double turn_rate = 0.5;  // rad/s
  double own_speed = 0;    // m/s, that the parameters walk at by themselves; 0: not known
  double most_faster = 0.5;    // m/s, or slower
  double touch_load = 20;      // N on a foot that is a contact
  double landing_pitch = 0.1;  // rad, toes up against the ground (paper: 0.1)
  // A foot that carries so much of the weight has landed, however it came down: after a push there
  // is no time to wait for a heel (the paper waits).
  double loaded_share = 0.5;
  double least_seconds0 = 0.25, least_seconds1 = 0.1;  // before that, in each state

  enum Slot : int {
    kStance,     // 0: left foot, 1: right foot
    kPhase,      // 0, 1: state of the step
    kPhaseTime,  // s
    kHeading,    // rad, that it walks along
    kCleared,    // 1 once the swing foot has left the ground
    kLanding,    // x and y of the ankle when its foot landed, world
    kDistance = kLanding + 2,  // d, for plots
    kVelocity,
    kMeter,
    kSlotCount = kMeter + GaitMeter::kSlots,
  };

  int Parameters() const { return WalkerParameter::kCount; }
  int MemorySlots() const { return kSlotCount; }
  int Values() const { return GaitMeter::kValues; }

  template <class S, class Real>
  STRIDE_INLINE void Begin(const LaneView<S, Real>& view, const LaneCommand<S>&, const S*,
                           S* memory) const {
    for (int k = 0; k < kSlotCount; ++k) memory[k] = S(0);
    const Vec3<S> ankle =
        view.origin + view.Root().position + view.Motion(sides[1].foot).o;
    memory[kLanding] = ankle.x, memory[kLanding + 1] = ankle.y;
    memory[kStance] = S(1);  // the left leg swings
    memory[kCleared] = S(1);
    GaitMeter::Begin(memory + kMeter);
  }

  // Load of a foot with its toes, and how many of its points touch.
  template <class S>
  struct FootContact {
    S load, foot_points, toe_points;
  };
  template <class S, class Real>
  STRIDE_INLINE FootContact<S> ContactOf(const LaneView<S, Real>& view, const Side& side) const {
    FootContact<S> contact{S(0), S(0), S(0)};
    for (int k = 0; k < view.contact_count; ++k) {
      const int body = view.contact_bodies[k];
      if (body != side.foot && body != side.toe_body) continue;
      const S force = view.contacts[kContactSlots * k + 2];
      contact.load += force;
      const S touches = Select(force > S(1), S(1), S(0));
      (body == side.foot ? contact.foot_points : contact.toe_points) += touches;
    }
    return contact;
  }
  template <class S>
  STRIDE_INLINE Mask<S> Planted(const FootContact<S>& contact) const {
    const Mask<S> foot = contact.foot_points > S(2.5);
    // Our toes have fewer points than the paper's boxes: all of them.
    const Mask<S> toes = contact.toe_points > S(sides[0].toe_points > 0
                                                    ? sides[0].toe_points - 0.5
                                                    : 1e9);
    return foot | toes;
  }

  template <class S, class Real>
  STRIDE_INLINE void Step(const LaneView<S, Real>& view, const LaneCommand<S>& command, const S* p,
                          S* memory) const {
    using P = WalkerParameter;
    const S h = view.time_step;
    const S turn = command.heading - memory[kHeading];
    memory[kHeading] +=
        Select(command.heading_given > S(0.5), Clamped(turn, S(turn_rate) * h), S(0));
    GaitMoment<S> moment;
    SinCos(memory[kHeading], &moment.sine, &moment.cosine);
    const S sine = moment.sine, cosine = moment.cosine;
    const auto ahead_of = [&](const Vec3<S>& v) { return cosine * v.x + sine * v.y; };
    const auto left_of = [&](const Vec3<S>& v) { return cosine * v.y - sine * v.x; };
    moment.momentum = MeasureMomentum(view.tree, view.art);
    const Vec3<S> velocity = moment.momentum.linear * (S(1) / S(view.tree.mass));
    const S v_ahead = ahead_of(velocity), v_left = left_of(velocity);
    const S faster =
        Select(command.speed_given > S(0.5),
               Clamped(command.speed - S(own_speed), S(most_faster)), S(0));
    const Quat<S> heading = About(2, memory[kHeading]);

    // The state machine.
    const FootContact<S> contacts[2] = {ContactOf(view, sides[0]), ContactOf(view, sides[1])};
    Mask<S> left_stands = memory[kStance] < S(0.5);
    const Vec3<S>& left_ankle = view.Motion(sides[0].foot).o;
    const Vec3<S>& right_ankle = view.Motion(sides[1].foot).o;
    const S ground_pitch = ahead_of(view.ground_normal);  // downhill positive, about
    // Toes up against the ground: a foot's x axis.
    const auto pitch_of = [&](int body) { return view.Motion(body).r.zx + ground_pitch; };
    memory[kPhaseTime] += h;
    {
      const Mask<S> second = memory[kPhase] > S(0.5);
      const S swing_load = Select(left_stands, contacts[1].load, contacts[0].load);
      const S pitch = Select(left_stands, pitch_of(sides[1].foot), pitch_of(sides[0].foot));
      const Vec3<S> ankle = Choose(left_stands, left_ankle, right_ankle);
      const S d = ahead_of(moment.momentum.com - ankle);
      const Mask<S> touches = swing_load > S(touch_load);
      memory[kCleared] = Select(swing_load > S(0), memory[kCleared], S(1));
      const Mask<S> cleared = memory[kCleared] > S(0.5);
      const Mask<S> late = memory[kPhaseTime] >
                           Select(second, S(least_seconds1), S(least_seconds0)) - S(0.5) * h;
      const Mask<S> landed = (touches & cleared & (pitch > S(landing_pitch))) |
                             (late & (swing_load > S(loaded_share * weight)));
      const Mask<S> stays = !landed;
      const Mask<S> passed = stays & (!second) &
                             (d > p[P::kTransition] + p[P::kFasterTransition] * faster);
      moment.stubbed = stays & cleared & (swing_load > S(0));
      moment.landed = landed;
      // From where the other foot landed: its ankle has rolled on since.
      const Vec3<S> landing = view.origin + view.Root().position +
                              Choose(left_stands, right_ankle, left_ankle);
      const Vec3<S> step = landing - Vec3<S>{memory[kLanding], memory[kLanding + 1], S(0)};
      moment.step_length = ahead_of(step);
      moment.step_width = Abs(left_of(step));
      memory[kLanding] = Select(landed, landing.x, memory[kLanding]);
      memory[kLanding + 1] = Select(landed, landing.y, memory[kLanding + 1]);
      memory[kPhase] = Select(landed, S(0), Select(passed, S(1), memory[kPhase]));
      memory[kPhaseTime] = Select(landed | passed, S(0), memory[kPhaseTime]);
      memory[kStance] = Select(landed, S(1) - memory[kStance], memory[kStance]);
      memory[kCleared] = Select(landed, S(0), memory[kCleared]);
    }
    left_stands = memory[kStance] < S(0.5);
    const Mask<S> second = memory[kPhase] > S(0.5);
    const Mask<S> planted[2] = {Planted(contacts[0]), Planted(contacts[1])};
    const Mask<S> stance_planted = (left_stands & planted[0]) | ((!left_stands) & planted[1]);
    moment.left_stands = left_stands;
    moment.second_state = second;
    moment.pushes_off_unplanted = second & !stance_planted;
    meter.Add(view, moment, memory + kMeter);

    // Targets of the state, and balance feedback (SIMBICON's equation 1).
    const auto target = [&](int t) { return Select(second, p[P::kTargets1 + t], p[P::kTargets0 + t]); };
    const auto kp = [&](int dof) {
      return Max(Select(second, p[P::kStiffness1 + dof], p[P::kStiffness0 + dof]), S(0)) *
             S(gain_share);
    };
    const auto kd = [&](int dof) {
      return Max(Select(second, p[P::kDamping1 + dof], p[P::kDamping0 + dof]), S(0)) *
             S(gain_share);
    };
    const auto gains3 = [&](int dof) {
      return AxisGains<S>{{kp(dof), kp(dof + 1), kp(dof + 2)}, {kd(dof), kd(dof + 1), kd(dof + 2)}};
    };
    const auto choose = [&](const Mask<S>& mask, const AxisGains<S>& a, const AxisGains<S>& b) {
      return AxisGains<S>{Choose(mask, a.kp, b.kp), Choose(mask, a.kd, b.kd)};
    };
    // About y alone, with what a hinge has no use for.
    const auto gains1 = [&](int dof) {
      const S k = kp(dof), d = kd(dof);
      return AxisGains<S>{{k, k, k}, {d, d, d}};
    };
    const auto gains_xy = [&](int dof) {
      return AxisGains<S>{{kp(dof), kp(dof + 1), kp(dof)}, {kd(dof), kd(dof + 1), kd(dof)}};
    };
    const auto gains_yz = [&](int dof) {
      return AxisGains<S>{{kp(dof), kp(dof), kp(dof + 1)}, {kd(dof), kd(dof), kd(dof + 1)}};
    };

    const Vec3<S> ankle = Choose(left_stands, left_ankle, right_ankle);
    const Vec3<S> d = moment.momentum.com - ankle;
    const S d_ahead = ahead_of(d), d_left = left_of(d);
    memory[kDistance] = d_ahead;
    memory[kVelocity] = v_ahead;
    const S too_fast = own_speed > 0 ? v_ahead - S(own_speed) - faster : S(0);
    const S swing_pitch =
        target(P::kSwingHipPitch) -
        Clamped(p[P::kDistanceSagittal] * d_ahead + p[P::kVelocitySagittal] * v_ahead, S(1)) +
        Select(second, p[P::kFasterSwingHip1], p[P::kFasterSwingHip0]) * faster;
    const S sideways =
        Clamped(p[P::kDistanceCoronal] * d_left + p[P::kVelocityCoronal] * v_left, S(0.6));
    const S torso_pitch = target(P::kTorsoPitch) + p[P::kFasterTorso] * faster +
                          Clamped(p[P::kOffTorso] * too_fast, S(0.3));
    const S lift = p[P::kOffLift] * (Abs(too_fast) + Abs(v_left));
    const S swing_knee = target(P::kSwingKneePitch) + p[P::kFasterKnee] * faster +
                         Select(second, S(0), Clamped(lift, S(0.6)));
    const S stance_ankle = target(P::kStanceAnklePitch) +
                           Select(second, p[P::kFasterPushOff] * faster, S(0)) +
                           Clamped(p[P::kOffAnkle] * too_fast, S(0.3));
    const S ankle_roll = Clamped(
        p[P::kAnkleDistanceCoronal] * d_left + p[P::kAnkleVelocityCoronal] * v_left, S(0.3));
    const S stance_toe = Select(second, p[P::kTargets1 + static_cast<int>(P::kStanceToePitch)], S(0));

    const JointDrive<double>* rest = drives.data();
    for (int i = 0; i < view.Bodies(); ++i) {
      const JointDrive<double>& r = rest[i];
      view.drives[i] = {{S(r.target.w), S(r.target.x), S(r.target.y), S(r.target.z)},
                        {S(0), S(0), S(0)},
                        {S(0), S(0), S(0)},
                        S(r.kp),
                        S(r.kd)};
    }
    const Quat<S>& pelvis = view.Joint(0).rot;
    const Quat<S> pelvis_wanted = heading * About(1, torso_pitch);
    // The back's yaw is mirrored with the sides.
    const S yaw = target(P::kBackYaw);
    Aim(view, back,
        About(2, Select(left_stands, -yaw, yaw)) * About(1, target(P::kBackPitch)),
        gains3(P::kBack));
    Aim(view, neck, About(1, target(P::kNeckPitch)), gains3(P::kNeck));

    S hip_pitch[2];
    for (int side = 0; side < 2; ++side) {
      const Side& leg = sides[side];
      const Mask<S> stands = side == 0 ? left_stands : !left_stands;
      const Quat<S> hip = Rotation(view, leg.hip);
      const Quat<S> thigh = pelvis * hip;
      hip_pitch[side] = RotationVector(hip).y;
      const S out = side == 0 ? p[P::kWidth] : -p[P::kWidth];
      const Quat<S> thigh_wanted = heading * About(0, sideways + out) * About(1, swing_pitch);
      // Stance: the thigh stays where it is, and the pelvis comes to where it is wanted: the
      // torso's torque goes through the hip of the foot on the ground.
      const Quat<S> hip_wanted =
          Choose(stands, Conjugate(pelvis_wanted) * thigh, Conjugate(pelvis) * thigh_wanted);
      const AxisGains<S> hip_gains = choose(stands, gains3(P::kTorso), gains3(P::kSwingHip));
      if (leg.hip.count == 1 && leg.hip.axis[0] < 0) {
        Vec3<S> error = RotationVector(Conjugate(hip) * hip_wanted);
        // The stance hip turns the body only on a foot that is firmly planted (footnote 1).
        const Mask<S> loose = stands & !planted[side];
        error.z = Select(loose, -RotationVector(hip).z, error.z);
        AimByError(view, leg.hip.body[0], error, hip_gains);
      } else {
        Aim(view, leg.hip, hip_wanted, hip_gains);
      }
      Aim(view, leg.knee, About(1, Select(stands, target(P::kStanceKneePitch), swing_knee)),
          choose(stands, gains1(P::kStanceKnee), gains1(P::kSwingKnee)));
      const Quat<S> shank = thigh * Rotation(view, leg.knee);
      const Quat<S> foot_wanted =
          heading * About(0, Select(stands, ankle_roll, S(0))) *
          About(1, Select(stands, stance_ankle, target(P::kSwingAnklePitch)));
      Aim(view, leg.ankle, Conjugate(shank) * foot_wanted,
          choose(stands, gains_xy(P::kStanceAnkle), gains_xy(P::kSwingAnkle)));
      Aim(view, leg.toe, About(1, Select(stands, stance_toe, S(0))),
          choose(stands, gains1(P::kStanceToe), gains1(P::kSwingToe)));
      Aim(view, leg.elbow,
          About(1, Select(stands, target(P::kStanceElbowPitch), target(P::kSwingElbowPitch))),
          choose(stands, gains_yz(P::kStanceElbow), gains_yz(P::kSwingElbow)));
    }
    // Equation 2: an arm goes with the other leg.
    const S swing = p[P::kArmSwing] * (hip_pitch[1] - hip_pitch[0]);
    for (int side = 0; side < 2; ++side) {
      const Mask<S> stands = side == 0 ? left_stands : !left_stands;
      Aim(view, sides[side].arm, About(1, side == 0 ? swing : -swing),
          choose(stands, gains3(P::kStanceArm), gains3(P::kSwingArm)));
    }
  }

  template <class S, class Real>
  STRIDE_INLINE void Measure(const LaneView<S, Real>&, const S* memory, S* values) const {
    for (int k = 0; k < GaitMeter::kValues; ++k) values[k] = memory[kMeter + k];
  }

  std::vector<DebugChannel> Channels() const;
  void ReadChannels(const double* memory, std::span<float> values) const;
  static const LaneKernels<LaneProgramKernel>& Kernels() { return WalkerKernels(); }
};

template <class Visitor>
void VisitConfig(WalkerProgram& p, Visitor& visit) {
  visit("turn_rate", p.turn_rate, {0, 10, "rad/s"}, "how fast a commanded heading is taken up");
}

}  // namespace stride
