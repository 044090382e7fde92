#include "stride/controllers/pendulum/planner.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "stride/controllers/pendulum/pose_rates.h"
#include "stride/dynamics/rigid_body.h"

namespace stride {
namespace {

constexpr Vec3d kUp{0, 0, 1};
constexpr int kHorizon =
    160;  // steps that are predicted, 1.3 s: past the middle of the next support

double SoftClamp(double x, double most) { return most * std::tanh(x / most); }
Vec3d SoftClamp(const Vec3d& v, double most) {
  const double size = Norm(v);
  return size > 0 ? v * (SoftClamp(size, most) / size) : v;
}
double Turn(double from, double to) { return std::remainder(to - from, 2 * M_PI); }

}  // namespace

PendulumRig::PendulumRig(const Character& character, const Motion& motion)
    : reference(character, motion) {
  for (const FootParts& foot : reference.feet()) legs.emplace_back(reference.kinematics(), foot);
}

PendulumPlanner::PendulumPlanner(std::shared_ptr<const PendulumRig> rig, const Terrain& terrain,
                                 const PlannerConfig& config)
    : rig_(std::move(rig)), terrain_(terrain), config_(config) {
  predicted_.resize(kHorizon);
  predicted_heading_.resize(kHorizon);
  clip_at_.resize(kHorizon);
  Begin();
}

State PendulumPlanner::Start(int at) const {
  State start = rig_->reference.StateAt(at);
  start.q[0] = start.q[1] = 0;
  double lowest = HUGE_VAL;
  BodyFrames frames;
  rig_->reference.kinematics().Frames(start.q, &frames);
  for (const ContactPoint& point : rig_->reference.character().contact_points) {
    const Vec3d p = PointAt(frames, point);
    lowest = std::min(lowest, p.z - SurfaceAt(terrain_, p.x, p.y).height);
  }
  start.q[2] -= lowest;
  return start;
}

void PendulumPlanner::Begin(int at) {
  const PendulumReference& ref = rig_->reference;
  frame_ = at;
  const std::vector<double>& q = ref.StateAt(at).q;
  const Level2 shift = Level2{} - Level2{q[0], q[1]};
  // Supports where the clip has them, before the first plan.
  for (int limb = 0; limb < 2; ++limb) {
    stands_[limb] = ref.Stands(limb, at);
    const Support before = ref.SupportBefore(limb, at);
    support_[limb] = ref.FrameOf(before);
    support_[limb].base = support_[limb].base + shift;
    support_until_[limb] = before.last;
  }
}

// Section 5.1.
void PendulumPlanner::Estimate(Model<double>* model, const State& state) {
  const PendulumReference& ref = rig_->reference;
  const int at = ref.Wrapped(static_cast<int>(std::lround(frame_)));
  ref.kinematics().Frames(state.q, &frames_);
  const State& clip = ref.StateAt(at);
  yaw_ = Turn(NearestHeading(QuatAt(clip.q, 3)), NearestHeading(QuatAt(state.q, 3)));
  const Quatd turn = AxisAngle(kUp, yaw_);
  // On the ground as it is there: a difference in height, with a turn, would be one aside.
  const Vec3d from{clip.q[0], clip.q[1], 0},
      to{state.q[0], state.q[1], SurfaceAt(terrain_, state.q[0], state.q[1]).height};
  const BodyFrames& clip_frames = ref.Frames(at);
  aligned_ = clip_frames;
  for (std::size_t b = 0; b < aligned_.position.size(); ++b) {
    aligned_.position[b] = to + Rotate(turn, clip_frames.position[b] - from);
    aligned_.rotation[b] = turn * clip_frames.rotation[b];
  }
  const CartPole& pole = ref.pole();
  CartPoleState moved = ref.PoleState(at);
  const Level2 shift{to.x, to.y};
  moved.cart = shift + Turned(moved.cart - Level2{from.x, from.y}, yaw_);
  moved.speed = Turned(moved.speed, yaw_);
  moved.lean = Turned(moved.lean, yaw_);
  moved.lean_rate = Turned(moved.lean_rate, yaw_);

  const WholeBody whole = MeasureWhole(ref.masses(), frames_);
  // The pole knows no height: what the body is too high or too low moves it along the vertical.
  const Twist v = AlignmentBetween(ref.masses(), frames_, aligned_);
  const RigidFrame frame =
      MovedBack(v, whole.com, FrameOf(pole, moved, ref.HeadingAt(at) + yaw_, to.z));
  SetFrame(pole, frame, &pole_, &heading_);

  // Eq. 5.
  const Quatd facing = AxisAngle(kUp, Turn(ref.HeadingAt(at), heading_));
  const Quatd to_facing = facing * Conjugate(turn);
  const Twist reference = VelocityOf(pole, moved);
  const Momentum<double> momentum = GetMomentum(model);
  const Vec3d angular = momentum.angular - Rotate(facing, ref.AngularMomentum(at));
  const Vec3d linear = momentum.linear - Rotate(facing, ref.LinearMomentum(at));
  SetVelocity(pole,
              {Rotate(to_facing, reference.angular) + Inverse(whole.inertia) * angular,
               Rotate(to_facing, reference.linear) + linear * (1 / whole.mass)},
              &pole_);
}

Level2 PendulumPlanner::WantedAt(int at, double heading, const PlannerCommand& command) const {
  const PendulumReference& ref = rig_->reference;
  Level2 wanted = ref.Wanted(ref.Wrapped(at));
  wanted = wanted + ref.Direction() * command.speed;
  // Inwards, so that it leans into the turn.
  const double size = std::hypot(wanted.x, wanted.y);
  wanted.y += config_.lateral * command.turn * wanted.x;
  const double now = std::hypot(wanted.x, wanted.y);
  if (now > 0 && command.turn != 0) wanted = wanted * (size / now);
  return Turned(wanted, heading);
}

void PendulumPlanner::Predict(const PlannerCommand& command) {
  const PendulumReference& ref = rig_->reference;
  CartPoleState state = pole_;
  double heading = heading_;
  for (int k = 0; k < kHorizon; ++k) {
    predicted_[k] = state;
    predicted_heading_[k] = heading;
    const int at = static_cast<int>(std::lround(frame_)) + k;
    stride::Advance(ref.pole(), WantedAt(at, heading, command), kPlanStep, &state);
    heading += (ref.TurnRate(ref.Wrapped(at)) + command.turn) * kPlanStep;
  }
}

// Section 5.2, timing: who will go further than the clip until its next support steps faster.
void PendulumPlanner::Pace() {
  const PendulumReference& ref = rig_->reference;
  const int now = static_cast<int>(std::lround(frame_));
  double middle = HUGE_VAL;
  for (int limb = 0; limb < 2; ++limb) {
    const Support here = ref.SupportAfter(limb, now);
    const Support next = here.first > now ? here : ref.SupportAfter(limb, here.last + 1);
    middle = std::min(middle, next.Middle());
  }
  const int ahead = std::clamp(static_cast<int>(std::lround(middle)) - now, 1, kHorizon - 1);
  const Level2 way = predicted_[ahead].cart - predicted_[0].cart;
  const double ratio = std::hypot(way.x, way.y) / ref.WayOf(now, now + ahead);
  const double wanted = std::clamp(std::pow(ratio, config_.haste), 1.0, config_.most_haste);
  rate_ += (wanted - rate_) * config_.haste_share;
  // Frames of the clip at the steps that were predicted.
  double at = frame_;
  for (int k = 0; k < kHorizon; ++k) {
    clip_at_[k] = at;
    at += RateAt(at);
  }
}

// Where landings are to be other than the pole says.
void PendulumPlanner::Adapt(const PlannerCommand& command) {
  constexpr double kMean = 0.5;                        // s over which speeds are averaged
  constexpr double kMostAhead = 0.4, kMostSide = 0.2;  // m; the authors' found shifts: to 0.4
  const Level2 wanted = rig_->reference.Direction() * command.total;
  if (!planned_) mean_speed_ = wanted;
  planned_ = true;
  mean_speed_ = mean_speed_ + (Turned(pole_.speed, -heading_) - mean_speed_) * (kPlanStep / kMean);
  const Level2 off = mean_speed_ - wanted;
  learned_ =
      std::clamp(learned_ + off.x * config_.shift_integral * kPlanStep, -kMostAhead, kMostAhead);
  shift_ = Turned({std::clamp(learned_ + config_.shift_gain * off.x, -kMostAhead, kMostAhead),
                   std::clamp(config_.shift_gain_side * off.y, -kMostSide, kMostSide)},
                  heading_);
}

Level2 PendulumPlanner::ShiftOf(int limb) const {
  return shift_ + Turned({config_.shift_ahead, limb == 0 ? config_.shift_out : -config_.shift_out},
                         heading_);
}

// Frames of the clip a step. A body that flies cannot be hurried.
double PendulumPlanner::RateAt(double at) const {
  const PendulumReference& ref = rig_->reference;
  const int frame = static_cast<int>(std::lround(at));
  return ref.Stands(0, frame) || ref.Stands(1, frame) ? rate_ : 1;
}

// Steps until a frame of the clip.
int PendulumPlanner::StepsUntil(double frame) const {
  const auto found = std::lower_bound(clip_at_.begin(), clip_at_.end(), frame);
  return std::min(static_cast<int>(found - clip_at_.begin()), kHorizon - 1);
}

// The frame for a support that begins now or later.
ShearedFrame PendulumPlanner::PredictedFrame(const Support& support) const {
  const int middle = StepsUntil(support.Middle());
  return ShearOf(predicted_[middle], predicted_heading_[middle]);
}

// No landing farther from the centre of mass than a leg takes it.
void PendulumPlanner::Bound(int limb, const Support& support, ShearedFrame* frame) const {
  const Vec3d lands = ToWorld(*frame, rig_->reference.LocalAt(limb, support.first).position);
  const Vec3d center = PoleCenter(PoleModel(), predicted_[StepsUntil(support.first)]);
  const Level2 off{lands.x - center.x, lands.y - center.y};
  const double size = std::hypot(off.x, off.y);
  if (size > config_.most_step) frame->base = frame->base - off * (1 - config_.most_step / size);
}

// Where a limb's end should be at a frame of the clip: eq. 6.
LimbPlace PendulumPlanner::Place(int limb, double at) const {
  const PendulumReference& ref = rig_->reference;
  ShearedFrame frame = support_[limb];
  double lift = 0;
  if (!stands_[limb] || at > support_until_[limb]) {
    const int lifted = support_until_[limb];
    const Support after =
        ref.SupportAfter(limb, std::max(static_cast<int>(std::ceil(at)), lifted + 1));
    const double t =
        after.first > lifted ? std::clamp((at - lifted) / (after.first - lifted), 0.0, 1.0) : 1;
    lift = config_.clearance * std::pow(std::sin(M_PI * t), 2);
    ShearedFrame next = PredictedFrame(after);
    next.base = next.base + ShiftOf(limb);
    Bound(limb, after, &next);
    frame = Between(support_[limb], next, t);
  }
  LimbPlace local = ref.LocalAt(limb, at);
  local.position.z += lift;
  LimbPlace place{ToWorld(frame, local.position), AxisAngle(kUp, frame.yaw) * local.rotation};
  const Surface ground = SurfaceAt(terrain_, place.position.x, place.position.y);
  place.position.z += ground.height;
  place.rotation = RotationBetween(kUp, ground.normal) * place.rotation;
  return place;
}

// As low as it takes for the legs to reach feet that stand.
void PendulumPlanner::Lower(const std::array<LimbPlace, 2>& places, Pose* pose) const {
  const PendulumReference& ref = rig_->reference;
  ref.kinematics().Frames(pose->q, &pose->frames);
  double lower = 0;
  for (int limb = 0; limb < 2; ++limb) {
    if (!stands_[limb]) continue;
    const LegIk& leg = rig_->legs[limb];
    const Vec3d way = leg.Hip(pose->frames) - places[limb].position;
    const double reach = config_.reach * leg.Reach(), level = std::hypot(way.x, way.y);
    const double wanted = level < reach ? std::sqrt(reach * reach - level * level) : 0;
    lower = std::max(lower, way.z - wanted);
  }
  lower = std::min(lower, config_.most_lowering);
  pose->q[2] -= lower;
  pose->lowered = lower;
}

void PendulumPlanner::SolveLegs(const std::array<LimbPlace, 2>& places, Pose* pose) const {
  rig_->reference.kinematics().Frames(pose->q, &pose->frames);
  for (int limb = 0; limb < 2; ++limb) {
    rig_->legs[limb].Solve(pose->frames, places[limb].position, places[limb].rotation,
                           rig_->legs[limb].ToeAngle(pose->frames), &pose->q);
  }
  rig_->reference.kinematics().Frames(pose->q, &pose->frames);
}

// Eq. 8: moves and turns the root until the pose's own pole is the planned one, feet staying where
// they are planned: Gauss and Newton with differences.
void PendulumPlanner::SolveRoot(const RigidFrame& wanted, const std::array<LimbPlace, 2>& places,
                                int at, Pose* pose) {
  const PendulumReference& ref = rig_->reference;
  const std::vector<double> base = pose->q;
  const CartPole& pole = ref.pole();
  const RigidFrame clip_pole = FrameOf(pole, ref.PoleState(at), ref.HeadingAt(at));
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  const auto displaced = [&](const Vector6& x, Pose* p) {
    p->q = base;
    Put(Vec3At(base, 0) + Vec3d{x[0], x[1], x[2]}, 0, &p->q);
    Put(Exp(Vec3d{x[3], x[4], x[5]}) * QuatAt(base, 3), 3, &p->q);
    SolveLegs(places, p);
  };
  // How far the pose's pole is from the planned one, with the clip moved to it rigidly: the pole of
  // a pose is the clip's, moved as the pose is.
  const Quatd turn = wanted.rotation * Conjugate(clip_pole.rotation);
  aligned_ = ref.Frames(at);
  for (std::size_t b = 0; b < aligned_.position.size(); ++b) {
    aligned_.position[b] =
        wanted.position + Rotate(turn, aligned_.position[b] - clip_pole.position);
    aligned_.rotation[b] = turn * aligned_.rotation[b];
  }
  const auto residual = [&](const Vector6& x, Pose* p) -> Vector6 {
    displaced(x, p);
    const Twist off = AlignmentBetween(ref.masses(), p->frames, aligned_);
    Vector6 r;
    r << off.linear.x, off.linear.y, off.linear.z, off.angular.x, off.angular.y, off.angular.z;
    return r;
  };
  Vector6 x = Vector6::Zero();
  constexpr double kStep = 1e-4, kKeep = 0.05;
  for (int iteration = 0; iteration < 2; ++iteration) {
    const Vector6 r = residual(x, pose);
    Eigen::Matrix<double, 6, 6> jacobian;
    for (int k = 0; k < 6; ++k) {
      Vector6 nudged = x;
      nudged[k] += kStep;
      jacobian.col(k) = (residual(nudged, &scratch_) - r) / kStep;
    }
    const Eigen::Matrix<double, 6, 6> normal =
        jacobian.transpose() * jacobian + kKeep * kKeep * Eigen::Matrix<double, 6, 6>::Identity();
    x -= normal.ldlt().solve(jacobian.transpose() * r + kKeep * kKeep * x);
    for (int k = 0; k < 6; ++k) x[k] = std::clamp(x[k], -0.3, 0.3);
  }
  displaced(x, pose);
}

// The whole body's pose some steps ahead: the clip's, moved with the pole, feet as planned.
void PendulumPlanner::Reconstruct(int ahead, Pose* pose) {
  const PendulumReference& ref = rig_->reference;
  const double when = clip_at_[ahead];
  const int at = ref.Wrapped(static_cast<int>(std::lround(when)));
  const CartPole& pole = ref.pole();
  const Level2& cart = predicted_[ahead].cart;
  const double ground = SurfaceAt(terrain_, cart.x, cart.y).height;
  const RigidFrame wanted = FrameOf(pole, predicted_[ahead], predicted_heading_[ahead], ground);
  ref.PoseAt(when, &pose->q);
  Put(wanted.position + Rotate(wanted.rotation, Vec3At(pose->q, 0)), 0, &pose->q);
  Put(Normalized(wanted.rotation * QuatAt(pose->q, 3)), 3, &pose->q);
  const std::array<LimbPlace, 2> places = {Place(0, when), Place(1, when)};
  if (config_.most_lowering > 0) Lower(places, pose);
  SolveLegs(places, pose);
  if (config_.solve_root) SolveRoot(wanted, places, at, pose);
}

// A foot stands: its frame becomes that which puts it where it is.
void PendulumPlanner::Land(int limb, int at) {
  const PendulumReference& ref = rig_->reference;
  const Support support = ref.SupportAfter(limb, at);
  ShearedFrame frame = PredictedFrame(support);
  frame.base = frame.base + ShiftOf(limb);
  const Vec3d there = ToWorld(frame, ref.Local(limb, ref.Wrapped(at)).position);
  const Vec3d foot = frames_.position[ref.feet()[limb].foot];
  frame.base = frame.base + Level2{foot.x - there.x, foot.y - there.y};
  support_[limb] = frame;
  support_until_[limb] = support.last;
  stands_[limb] = true;
}

void PendulumPlanner::Plan(Model<double>* model, const State& state, const PlannerCommand& command,
                           std::array<bool, 2> touches, WholeBodyTarget* target) {
  const PendulumReference& ref = rig_->reference;
  Synchronise(touches);
  Estimate(model, state);
  Predict(command);
  Pace();
  Adapt(command);
  const int now = static_cast<int>(std::lround(frame_)), at = ref.Wrapped(now);
  for (int limb = 0; limb < 2; ++limb) {
    const bool stands = ref.Stands(limb, now);
    // Until it is down, a foot that is late stands where it has got to.
    if (stands && (!stands_[limb] || late_[limb])) {
      if (!stands_[limb]) late_[limb] = config_.late;
      Land(limb, now);
    }
    if (!stands) stands_[limb] = false;
    if (!stands || touches[limb]) late_[limb] = false;
  }
  Reconstruct(0, &desired_[0]);
  Reconstruct(1, &desired_[1]);

  target->q = desired_[0].q;
  target->v.resize(ref.kinematics().layout().nv);
  RateBetween(ref.kinematics(), desired_[0].q, desired_[1].q, kPlanRate, &target->v);
  const double rate = RateAt(frame_);
  target->acceleration = ref.Acceleration(at);
  for (double& a : target->acceleration) a *= rate * rate;
  for (int k = 0; k < 6; ++k) target->acceleration[k] = 0;
  const Quatd facing = AxisAngle(kUp, Turn(ref.HeadingAt(at), heading_));
  const auto of_pole = [&](const CartPoleRates& rates) {
    // Leaning towards +X turns about +Y, towards +Y about -X.
    return Vec3d{-rates.lean_acceleration.y, rates.lean_acceleration.x, 0} * ref.pole().inertia;
  };
  const CartPoleRates rates = RatesOf(ref.pole(), pole_, WantedAt(now, heading_, command));
  const Momentum<double> momentum = GetMomentum(model);
  target->angular_rate =
      SoftClamp(
          (Rotate(facing, ref.AngularMomentum(at)) - momentum.angular) * config_.momentum_damping,
          config_.most_momentum) +
      SoftClamp(Rotate(facing, ref.AngularRate(at)) +
                    (of_pole(rates) - Rotate(facing, of_pole(ref.PoleRates(at)))) *
                        config_.momentum_share,
                config_.most_momentum);
  const auto push_of = [&](const CartPoleState& state, const CartPoleRates& r) {
    const Level2 a = CenterAcceleration(ref.pole(), state, r);
    return Vec3d{a.x, a.y, 0} * ref.pole().mass;
  };
  target->linear_rate = Rotate(facing, ref.LinearRate(at)) +
                        SoftClamp(push_of(pole_, rates) -
                                      Rotate(facing, push_of(ref.PoleState(at), ref.PoleRates(at))),
                                  config_.most_force);
  // The mass on a spring that keeps the height.
  const WholeBody whole = MeasureWhole(ref.masses(), frames_);
  const double ground = SurfaceAt(terrain_, pole_.cart.x, pole_.cart.y).height;
  target->linear_rate.z +=
      config_.height_stiffness *
          (ref.Whole(at).com.z - desired_[0].lowered + ground - whole.com.z) +
      config_.height_damping * (ref.LinearMomentum(at).z - momentum.linear.z) / whole.mass;
  for (int limb = 0; limb < 2; ++limb) {
    WholeBodyTarget::Limb& end = target->limbs[limb];
    end.body = ref.feet()[limb].foot;
    // Central differences of the plan, eq. 24; the paper has no accelerations here, which makes the
    // whole body give way to a swinging foot.
    const LimbPlace before = Place(limb, frame_ - rate), here = Place(limb, frame_),
                    after = Place(limb, frame_ + rate);
    end.position = here.position;
    end.rotation = here.rotation;
    end.velocity = (after.position - before.position) * (0.5 * kPlanRate);
    end.acceleration =
        (after.position - here.position * 2.0 + before.position) * (kPlanRate * kPlanRate);
    const Vec3d turned = Log(here.rotation * Conjugate(before.rotation)) * kPlanRate,
                turns = Log(after.rotation * Conjugate(here.rotation)) * kPlanRate;
    end.angular_velocity = (turned + turns) * 0.5;
    end.angular_acceleration = (turns - turned) * kPlanRate;
    end.weight = 1;
    landings_[limb] = stands_[limb] ? here : Place(limb, ref.SupportAfter(limb, now + 1).first);
  }
}

// Who lands early goes on from the landing. For who is late the clip does not wait: its body would
// fall on over the foot that stands while the other hangs in the air.
void PendulumPlanner::Synchronise(std::array<bool, 2> touches) {
  const PendulumReference& ref = rig_->reference;
  const int now = static_cast<int>(std::lround(frame_));
  for (int limb = 0; limb < 2; ++limb) {
    if (stands_[limb]) continue;
    const int lifted = support_until_[limb];
    const int lands = ref.SupportAfter(limb, std::max(now, lifted + 1)).first;
    if (!ref.Loops() && lands >= ref.Count() - 1) continue;
    const double done = lands > lifted ? static_cast<double>(now - lifted) / (lands - lifted) : 1;
    if (touches[limb] && done > config_.early && now < lands) frame_ = lands;
  }
}

std::array<bool, 2> PendulumPlanner::Stands() const {
  const int now = static_cast<int>(std::lround(frame_));
  return {rig_->reference.Stands(0, now), rig_->reference.Stands(1, now)};
}

void PendulumPlanner::Advance() { frame_ += RateAt(frame_); }

}  // namespace stride
