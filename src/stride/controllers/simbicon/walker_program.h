#pragma once

#include <optional>
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

// The joints that it moves.
struct WalkerJoints {
  struct Side {
    JointChain hip, knee, ankle, toe, arm, elbow;
    int foot = 0, toe_body = -1;
    int toe_points = 0;  // contact points
  };
  Side sides[2];  // left, right
  JointChain back, neck;
};

struct WalkerProgram : WalkerJoints {
  std::vector<JointDrive<double>> drives;  // what the rest of the body holds
  GaitMeter meter;
  double gain_share = 1;  // of the table's gains: mass / 70 kg
  double weight = 0;      // N

  double turn_rate = 0.35;   // rad/s; at 0.5 the built-in short one falls in a turn by 180 degrees
  double own_speed = 0;      // m/s, that the parameters walk at by themselves; 0: not known
  double most_faster = 0.4;  // m/s, or slower: what is learned
  double halt_speed = 0.1;   // m/s; commanded less, it stops
  double stand_ahead = 0;    // m, of the centre of mass before the ankles in a stand
  double touch_load = 20;    // N on a foot that is a contact
  double landing_pitch = 0.1;  // rad, toes up against the ground (paper: 0.1)
  // A foot that carries so much of the weight has landed, however it came down: after a push there
  // is no time to wait for a heel (the paper waits).
  double loaded_share = 0.5;
  double least_seconds0 = 0.2, least_seconds1 = 0.1;  // before that, in each state

  enum Slot : int {
    kStance,                   // 0: left foot, 1: right foot
    kPhase,                    // 0, 1: state of the step
    kPhaseTime,                // s
    kHeading,                  // rad, that it walks along
    kCleared,                  // 1 once the swing foot has left the ground
    kMode,                     // 0 walks, 1 stops step by step, 2 stands
    kLanding,                  // x and y of the ankle when its foot landed, world
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
    const Vec3<S> ankle = view.origin + view.Root().position + view.Motion(sides[1].foot).o;
    memory[kLanding] = ankle.x, memory[kLanding + 1] = ankle.y;
    // Begun at rest, it stands.
    const Vec3<S>& velocity = view.Root().velocity;
    memory[kMode] = Select(SquaredNorm(velocity) < S(0.01), S(2), S(0));
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
    const Mask<S> toes =
        contact.toe_points > S(sides[0].toe_points > 0 ? sides[0].toe_points - 0.5 : 1e9);
    return foot | toes;
  }

  // What a step of the controller knows before it aims.
  template <class S>
  struct Moment {
    GaitMoment<S> gait;
    Quat<S> heading;
    S d_ahead, d_left;      // from the stance ankle to the centre of mass
    S v_ahead, v_left;      // of the centre of mass
    S faster;               // m/s than it walks by itself, as commanded
    Mask<S> stops, stands;  // steps in place; stands on both feet
    Mask<S> goes;           // of those that step in place: to walk again
    Mask<S> planted[2];
  };

  template <class S, class Real>
  STRIDE_INLINE void Step(const LaneView<S, Real>& view, const LaneCommand<S>& command, const S* p,
                          S* memory) const {
    const S turn = command.heading - memory[kHeading];
    memory[kHeading] +=
        Select(command.heading_given > S(0.5), Clamped(turn, S(turn_rate) * view.time_step), S(0));
    Moment<S> m;
    GaitMoment<S>& gait = m.gait;
    SinCos(memory[kHeading], &gait.sine, &gait.cosine);
    m.heading = About(2, memory[kHeading]);
    gait.momentum = MeasureMomentum(view.tree, view.art);
    const Vec3<S> velocity = gait.momentum.linear * (S(1) / S(view.tree.mass));
    m.v_ahead = gait.cosine * velocity.x + gait.sine * velocity.y;
    m.v_left = gait.cosine * velocity.y - gait.sine * velocity.x;
    m.faster = Select(command.speed_given > S(0.5),
                      Clamped(command.speed - S(own_speed), S(most_faster)), S(0));
    gait.speed_off = Select(command.speed_given > S(0.5), m.v_ahead - command.speed, S(0));
    const Mask<S> halt = (command.speed_given > S(0.5)) & (command.speed < S(halt_speed));
    Switch(view, p, halt, &m, memory);
    gait.stands = m.stands;
    meter.Add(view, gait, memory + kMeter);
    AimAll(view, p, m);
    memory[kDistance] = m.d_ahead;
    memory[kVelocity] = m.v_ahead;
  }

  // The state machine: Figure 2 of the paper, and what stops and stands.
  template <class S, class Real>
  STRIDE_INLINE void Switch(const LaneView<S, Real>& view, const S* p, const Mask<S>& halt,
                            Moment<S>* m, S* memory) const {
    using P = WalkerParameter;
    GaitMoment<S>& gait = m->gait;
    const auto ahead_of = [&](const Vec3<S>& v) { return gait.cosine * v.x + gait.sine * v.y; };
    const auto left_of = [&](const Vec3<S>& v) { return gait.cosine * v.y - gait.sine * v.x; };
    const S h = view.time_step;
    const FootContact<S> contacts[2] = {ContactOf(view, sides[0]), ContactOf(view, sides[1])};
    const Vec3<S>& left_ankle = view.Motion(sides[0].foot).o;
    const Vec3<S>& right_ankle = view.Motion(sides[1].foot).o;
    // Toes up against the ground: of a foot's x axis.
    const S ground = ahead_of(view.ground_normal);
    const auto pitch_of = [&](int body) { return view.Motion(body).r.zx + ground; };

    const Mask<S> left_stood = memory[kStance] < S(0.5);
    const Mask<S> walks = memory[kMode]<S(0.5), stood = memory[kMode]> S(1.5);
    const Mask<S> stopped = (!walks) & !stood;
    const Mask<S> second = memory[kPhase] > S(0.5);
    memory[kPhaseTime] += h;
    const S time = memory[kPhaseTime] + S(0.5) * h;  // a sum of steps is not exact
    const S swing_load = Select(left_stood, contacts[1].load, contacts[0].load);
    const S pitch = Select(left_stood, pitch_of(sides[1].foot), pitch_of(sides[0].foot));
    const S d = ahead_of(gait.momentum.com - Choose(left_stood, left_ankle, right_ankle));
    const Mask<S> touches = swing_load > S(touch_load);
    memory[kCleared] = Select(swing_load > S(0), memory[kCleared], S(1));
    const Mask<S> cleared = memory[kCleared] > S(0.5);
    const Mask<S> heavy = swing_load > S(loaded_share * weight);
    const Mask<S> late = time > Select(second, S(least_seconds1), S(least_seconds0));
    const Mask<S> walk_lands =
        walks & ((touches & cleared & (pitch > S(landing_pitch))) | (late & heavy));
    const Mask<S> stop_lands = stopped & second & touches & (time > S(least_seconds1));
    const Mask<S> lands = walk_lands | stop_lands;
    const Mask<S> passes = walks & (!lands) & (!second) &
                           (d > p[P::kTransition] + p[P::kFasterTransition] * m->faster +
                                    p[P::kOffTransition] * Abs(m->v_left));
    const Mask<S> lifted = stopped & (!second) & (time > p[P::kStopLiftSeconds]);
    // From where the other foot landed: its ankle has rolled on since.
    const Vec3<S> landing =
        view.origin + view.Root().position + Choose(left_stood, right_ankle, left_ankle);
    const Vec3<S> step = landing - Vec3<S>{memory[kLanding], memory[kLanding + 1], S(0)};
    gait.step_length = ahead_of(step);
    gait.step_width = Abs(left_of(step));
    gait.landed = lands;
    gait.stubbed = walks & (!lands) & cleared & (swing_load > S(0));
    memory[kLanding] = Select(lands, landing.x, memory[kLanding]);
    memory[kLanding + 1] = Select(lands, landing.y, memory[kLanding + 1]);

    // Stands once it hardly moves with its feet together; steps again if it is pushed.
    const S speed = Sqrt(m->v_ahead * m->v_ahead + m->v_left * m->v_left);
    const S apart = Abs(ahead_of(left_ankle - right_ankle));
    const Mask<S> settles = stop_lands & halt & (speed < S(0.4)) & (apart < S(0.2));
    const Vec3<S> middle = (left_ankle + right_ankle) * S(0.5);
    const S off = Abs(ahead_of(gait.momentum.com - middle) - S(stand_ahead)) +
                  Abs(left_of(gait.momentum.com - middle)) + S(0.3) * speed;
    const Mask<S> starts = stood & !halt;
    // It steps until it is fast enough to walk.
    const Mask<S> slow = stop_lands & (m->v_ahead < S(own_speed > 0 ? 0.5 * own_speed : 0.4));
    const Mask<S> stumbles = stood & halt & (off > S(0.2));
    memory[kMode] =
        Select(lands, Select(halt, Select(settles, S(2), S(1)), Select(slow, S(1), S(0))),
               Select(starts | stumbles, S(1), memory[kMode]));
    const Mask<S> anew = lands | starts | stumbles;
    memory[kPhase] = Select(anew, S(0), Select(passes | lifted, S(1), memory[kPhase]));
    memory[kPhaseTime] = Select(anew | passes | lifted, S(0), memory[kPhaseTime]);
    // A stand begins to walk on the foot that bears more.
    const S bearing = Select(contacts[0].load > contacts[1].load, S(0), S(1));
    memory[kStance] =
        Select(lands, S(1) - memory[kStance], Select(starts | stumbles, bearing, memory[kStance]));
    memory[kCleared] = Select(anew, S(0), memory[kCleared]);

    gait.left_stands = memory[kStance] < S(0.5);
    gait.second_state = memory[kPhase] > S(0.5);
    m->stands = memory[kMode] > S(1.5);
    m->stops = (memory[kMode] > S(0.5)) & !m->stands;
    m->goes = m->stops & !halt;
    m->planted[0] = Planted(contacts[0]);
    m->planted[1] = Planted(contacts[1]);
    const Mask<S> unplanted =
        (gait.left_stands & !m->planted[0]) | ((!gait.left_stands) & !m->planted[1]);
    gait.pushes_off_unplanted = unplanted & gait.second_state & (memory[kMode] < S(0.5));
    const Vec3<S> ankle = Choose(gait.left_stands, left_ankle, right_ankle);
    const Vec3<S> from =
        gait.momentum.com -
        Vec3<S>{Select(m->stands, middle.x + S(stand_ahead) * gait.cosine, ankle.x),
                Select(m->stands, middle.y + S(stand_ahead) * gait.sine, ankle.y), S(0)};
    m->d_ahead = ahead_of(from);
    m->d_left = left_of(from);
  }

  template <class S, class Real>
  STRIDE_INLINE void AimAll(const LaneView<S, Real>& view, const S* p, const Moment<S>& m) const {
    using P = WalkerParameter;
    const Mask<S>& second = m.gait.second_state;
    const Mask<S>& left_stands = m.gait.left_stands;
    const Mask<S> walks = (!m.stops) & !m.stands;
    const auto target = [&](int t) {
      return Select(second, p[P::kTargets1 + t], p[P::kTargets0 + t]);
    };
    const auto kp = [&](int dof) {
      return Select(second, p[P::kStiffness1 + dof], p[P::kStiffness0 + dof]) * S(gain_share);
    };
    const auto kd = [&](int dof) {
      return Select(second, p[P::kDamping1 + dof], p[P::kDamping0 + dof]) * S(gain_share);
    };
    const auto gains = [&](int x, int y, int z) {
      return AxisGains<S>{{kp(x), kp(y), kp(z)}, {kd(x), kd(y), kd(z)}};
    };
    const auto gains3 = [&](int dof) { return gains(dof, dof + 1, dof + 2); };
    const auto choose = [&](const Mask<S>& mask, const AxisGains<S>& a, const AxisGains<S>& b) {
      return AxisGains<S>{Choose(mask, a.kp, b.kp), Choose(mask, a.kd, b.kd)};
    };
    // The body's own, for what is not the paper's: stopping and standing.
    const JointDrive<double>* rest = drives.data();
    const auto or_own = [&](const AxisGains<S>& walking, const JointChain& chain, double share) {
      const JointDrive<double>& r = rest[chain.body[0]];
      const S own_kp(share * r.kp), own_kd(share * r.kd);
      return choose(walks, walking, {{own_kp, own_kp, own_kp}, {own_kd, own_kd, own_kd}});
    };

    // Balance feedback (SIMBICON's equation 1), and what is added to it beyond the paper.
    const S too_fast = own_speed > 0 ? m.v_ahead - S(own_speed) - m.faster : S(0);
    const S walk_hip =
        target(P::kSwingHipPitch) -
        Clamped(p[P::kDistanceSagittal] * m.d_ahead + p[P::kVelocitySagittal] * m.v_ahead, S(1)) +
        Select(second, p[P::kFasterSwingHip1], p[P::kFasterSwingHip0]) * m.faster;
    const S stop_hip = Select(second, p[P::kStopHip1], p[P::kStopHip0]) -
                       Clamped(p[P::kStopDistanceSagittal] * m.d_ahead +
                                   p[P::kStopVelocitySagittal] *
                                       (m.v_ahead - Select(m.goes, p[P::kGoFaster], S(0))),
                               S(1));
    const S swing_hip = Select(walks, walk_hip, stop_hip);
    const S sideways =
        Clamped(Select(walks, p[P::kDistanceCoronal], p[P::kStopDistanceCoronal]) * m.d_left +
                    Select(walks, p[P::kVelocityCoronal], p[P::kStopVelocityCoronal]) * m.v_left,
                S(0.8));
    const S torso_pitch = Select(walks,
                                 target(P::kTorsoPitch) + p[P::kFasterTorso] * m.faster +
                                     Clamped(p[P::kOffTorso] * too_fast, S(0.3)),
                                 Select(m.goes, p[P::kGoTorso], S(0)));
    const S lift = p[P::kOffLift] * (Abs(too_fast) + Abs(m.v_left));
    const S swing_knee = Select(walks,
                                target(P::kSwingKneePitch) + p[P::kFasterKnee] * m.faster +
                                    Select(second, S(0), Clamped(lift, S(0.6))),
                                Select(second, p[P::kStopKnee1], p[P::kStopKnee0]));
    const S stance_knee =
        Select(walks, target(P::kStanceKneePitch) + p[P::kFasterStanceKnee] * m.faster,
               p[P::kStopStanceKnee]);
    const S lean = p[P::kStandDistance] * m.d_ahead + p[P::kStandVelocity] * m.v_ahead;
    const S stance_ankle = Select(walks,
                                  target(P::kStanceAnklePitch) +
                                      Select(second, p[P::kFasterPushOff] * m.faster, S(0)) +
                                      Clamped(p[P::kOffAnkle] * too_fast, S(0.3)),
                                  Clamped(lean, S(0.5)));
    const S swing_ankle =
        Select(walks, target(P::kSwingAnklePitch) + p[P::kFasterSwingAnkle] * m.faster, S(0));
    const S roll = Select(
        walks, p[P::kAnkleDistanceCoronal] * m.d_left + p[P::kAnkleVelocityCoronal] * m.v_left,
        -(p[P::kStandDistance] * m.d_left + p[P::kStandVelocity] * m.v_left));
    const S ankle_roll = Clamped(roll, S(0.3));
    const S stance_toe =
        Select(second & walks, p[P::kTargets1 + static_cast<int>(P::kStanceToePitch)], S(0));

    HoldRest(view, rest);
    const Quat<S>& pelvis = view.Joint(0).rot;
    const S torso_roll = Select(walks, Clamped(p[P::kOffRoll] * m.v_left, S(0.3)), S(0));
    const Quat<S> pelvis_wanted = m.heading * About(0, torso_roll) * About(1, torso_pitch);
    const S sway = Select(
        m.stands, Clamped(p[P::kStandCoronal] * (m.d_left + S(0.3) * m.v_left), S(0.3)), S(0));
    const Quat<S> upright = m.heading * About(0, sway) * Conjugate(m.heading);
    // The back's yaw is mirrored with the sides.
    const S yaw = target(P::kBackYaw);
    Aim(view, back, About(2, Select(left_stands, -yaw, yaw)) * About(1, target(P::kBackPitch)),
        gains3(P::kBack));
    Aim(view, neck, About(1, target(P::kNeckPitch)), gains3(P::kNeck));

    S hip_pitch[2];
    for (int side = 0; side < 2; ++side) {
      const Side& leg = sides[side];
      const Mask<S> stands = (side == 0 ? left_stands : !left_stands) | m.stands;
      const Quat<S> hip = Rotation(view, leg.hip);
      const Quat<S> thigh = pelvis * hip;
      hip_pitch[side] = RotationVector(hip).y;
      const S out = side == 0 ? p[P::kWidth] : -p[P::kWidth];
      const Quat<S> thigh_wanted = m.heading * About(0, sideways + out) * About(1, swing_hip);
      // Stance: the thigh stays where it is, and the pelvis comes to where it is wanted: the
      // torso's torque goes through the hip of the foot on the ground.
      const Quat<S> hip_wanted = Choose(stands, Conjugate(pelvis_wanted) * upright * thigh,
                                        Conjugate(pelvis) * thigh_wanted);
      const AxisGains<S> hip_gains =
          or_own(choose(stands, gains3(P::kTorso), gains3(P::kSwingHip)), leg.hip, 1.5);
      if (leg.hip.count == 1 && leg.hip.axis[0] < 0) {
        Vec3<S> error = RotationVector(Conjugate(hip) * hip_wanted);
        // The stance hip turns the body only on a foot that is firmly planted (footnote 1).
        const Mask<S> loose = stands & !m.planted[side];
        error.z = Select(loose, -RotationVector(hip).z, error.z);
        AimByError(view, leg.hip.body[0], error, hip_gains);
      } else {
        Aim(view, leg.hip, hip_wanted, hip_gains);
      }
      Aim(view, leg.knee, About(1, Select(stands, stance_knee, swing_knee)),
          or_own(choose(stands, gains(P::kStanceKnee, P::kStanceKnee, P::kStanceKnee),
                        gains(P::kSwingKnee, P::kSwingKnee, P::kSwingKnee)),
                 leg.knee, 1));
      const Quat<S> shank = thigh * Rotation(view, leg.knee);
      const Quat<S> foot_wanted = m.heading * About(0, Select(stands, ankle_roll, S(0))) *
                                  About(1, Select(stands, stance_ankle, swing_ankle));
      Aim(view, leg.ankle, Conjugate(shank) * foot_wanted,
          or_own(choose(stands, gains(P::kStanceAnkle, P::kStanceAnkle + 1, P::kStanceAnkle),
                        gains(P::kSwingAnkle, P::kSwingAnkle + 1, P::kSwingAnkle)),
                 leg.ankle, 1));
      Aim(view, leg.toe, About(1, Select(stands, stance_toe, S(0))),
          choose(stands, gains(P::kStanceToe, P::kStanceToe, P::kStanceToe),
                 gains(P::kSwingToe, P::kSwingToe, P::kSwingToe)));
      Aim(view, leg.elbow,
          About(1, Select(stands, target(P::kStanceElbowPitch), target(P::kSwingElbowPitch))),
          choose(stands, gains(P::kStanceElbow, P::kStanceElbow, P::kStanceElbow + 1),
                 gains(P::kSwingElbow, P::kSwingElbow, P::kSwingElbow + 1)));
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

  std::optional<SpeedRange> Speeds() const {
    return SpeedRange{own_speed - most_faster, own_speed + most_faster, true};
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
