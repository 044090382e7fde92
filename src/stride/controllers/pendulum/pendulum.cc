#include "stride/controllers/pendulum/pendulum.h"

#include <algorithm>
#include <cmath>

#include "stride/controllers/pendulum/pose_rates.h"
#include "stride/dynamics/rigid_body.h"

namespace stride {
namespace {

constexpr double kTurnGain = 1.5;        // rad/s for each rad that the heading is off
constexpr double kSpeedIntegral = 0.3;   // 1/s
constexpr double kMostIntegral = 0.5;    // of the speed that is asked for
constexpr double kMeanSpeed = 0.5;       // s over which it is averaged
constexpr double kTurnIntegral = 1;      // 1/s
constexpr double kMostTurnIntegral = 3;  // of the rate of turning that is asked for
// What a clip's speed can be changed to: as far as it was tried.
constexpr double kSlowest = 0.6, kFastest = 1.6;
constexpr double kTouch = 20;     // N, from which on a foot has landed; the paper does not say
constexpr double kFallen = 0.55;  // of the clip's height of the pelvis

double Turn(double from, double to) { return std::remainder(to - from, 2 * M_PI); }

// The plan's landings are the program's.
PlannerConfig OnTime(PlannerConfig config) {
  config.late = false;
  return config;
}

WholeBodyConfig WithGround(WholeBodyConfig config, bool own) {
  config.own_ground = own;
  return config;
}

}  // namespace

PlannerCommand Steering::Use(const Command& command, double heading, const Vec3d& velocity) {
  PlannerCommand use;
  if (command.heading) course_ = *command.heading;
  use.turn = std::clamp(kTurnGain * Turn(heading, course_), -most_, most_);
  use.total = std::clamp(command.speed.value_or(clip_), kSlowest * clip_, kFastest * clip_);
  const Level2 now = Turned({velocity.x, velocity.y}, -heading);
  if (!begun_) mean_ = direction_ * use.total, heading_ = heading;
  begun_ = true;
  mean_ = mean_ + (now - mean_) * (kPlanStep / kMeanSpeed);
  // In a turn it goes to the inside, too.
  const double along = mean_.x * direction_.x + mean_.y * direction_.y;
  const double speed = along > 0 ? std::hypot(mean_.x, mean_.y) : along;
  const double most = kMostIntegral * use.total;
  integral_ = std::clamp(integral_ + kSpeedIntegral * (use.total - speed) * kPlanStep, -most, most);
  use.speed = use.total - clip_ + integral_;
  // Feet lag behind a turn.
  const double turned = Turn(heading_, heading), lag = kMostTurnIntegral * std::fabs(use.turn);
  heading_ = heading;
  turn_integral_ =
      std::clamp(turn_integral_ + kTurnIntegral * (use.turn * kPlanStep - turned), -lag, lag);
  use.turn += turn_integral_;
  return use;
}

PendulumController::PendulumController(const World& world, std::shared_ptr<const PendulumRig> rig,
                                       const PendulumConfig& config)
    : rig_(std::move(rig)),
      config_(config),
      terrain_(world.terrain),
      time_step_(world.time_step),
      gravity_(world.gravity),
      friction_(world.friction),
      planner_(rig_, world.terrain, config.planner),
      program_(rig_->reference.character(), WithGround(config.body, false)),
      steering_(rig_->reference, config.turning),
      model_(rig_->reference.character()),
      reference_(planner_.Start()) {}

std::optional<SpeedRange> PendulumController::Speeds() const {
  const double clip = rig_->reference.Speed();
  return SpeedRange{.least = kSlowest * clip, .most = kFastest * clip};
}

// Targets go on between two plans as they were planned to.
void PendulumController::GoOn(double dt) {
  IntegratePose(rig_->reference.kinematics(), 1, target_.v, dt, &target_.q);
  for (WholeBodyTarget::Limb& limb : target_.limbs) {
    limb.position += limb.velocity * dt + limb.acceleration * (0.5 * dt * dt);
    limb.velocity += limb.acceleration * dt;
    limb.rotation = Exp(limb.angular_velocity * dt) * limb.rotation;
  }
}

void PendulumController::Step(const Observation& observation, const Command& command,
                              Actuation* actuation) {
  constexpr double kRounding = 1e-9;
  const State& state = observation.state;
  const bool plans = !begun_ || plan_time_ >= kPlanStep - kRounding;
  const double program_step = 1 / config_.program_rate;
  if (!plans && program_time_ < program_step - kRounding) {
    plan_time_ += time_step_;
    program_time_ += time_step_;
    return;
  }
  model_.SetState(state);
  if (plans) {
    if (begun_) planner_.Advance();
    plan_time_ = begun_ ? plan_time_ - kPlanStep : 0;
    begun_ = true;
    const PlannerCommand use = steering_.Use(command, planner_.HeadingNow(), Vec3At(state.v, 0));
    std::array<bool, 2> touches = {false, false};
    for (const Contact& contact : observation.contacts) {
      for (int limb = 0; limb < 2; ++limb) {
        const FootParts& foot = rig_->reference.feet()[limb];
        if ((contact.body == foot.foot || contact.body == foot.toe) && contact.force.z > kTouch) {
          touches[limb] = true;
        }
      }
    }
    planner_.Plan(&model_, state, use, touches, &target_);
    reference_.q = target_.q;
  } else {
    GoOn(program_time_);
  }
  const std::array<bool, 2> stands = planner_.Stands();
  program_.FindContacts(model_, terrain_, stands);
  const QpStatus status =
      program_.Solve(&model_, state, target_, {}, gravity_, config_.grip * friction_, kPlanStep);
  // One that has no solution leaves the torques as they were.
  if (status == QpStatus::kSolved) {
    actuation->torque = program_.Torque();
  } else {
    ++unsolved_;
  }
  const Character& character = rig_->reference.character();
  for (int b = 1; b < character.BodyCount(); ++b) {
    actuation->kp[b] = config_.servo * character.bodies[b].joint.kp;
    actuation->kd[b] = config_.servo * character.bodies[b].joint.kd;
  }
  actuation->target_q = target_.q;
  actuation->target_v = target_.v;
  program_time_ = time_step_;
  plan_time_ += time_step_;
}

std::vector<DebugChannel> PendulumController::Channels() const {
  using Kind = DebugChannel::Kind;
  return {{"frame", "", Kind::kScalar},
          {"lean forward", "rad", Kind::kScalar},
          {"lean left", "rad", Kind::kScalar},
          {"steps of the program", "", Kind::kScalar},
          {"programs without a solution", "", Kind::kScalar},
          {"pendulum", "", Kind::kSegment},
          {"predicted in 0.4 s", "", Kind::kSegment},
          {"predicted in 0.8 s", "", Kind::kSegment},
          {"planned left foot", "", Kind::kPoint},
          {"planned right foot", "", Kind::kPoint}};
}

void PendulumController::ReadChannels(std::span<float> values) const {
  std::size_t at = 0;
  const auto number = [&](double x) { values[at++] = static_cast<float>(x); };
  const auto point = [&](const Vec3d& p) { number(p.x), number(p.y), number(p.z); };
  const auto pole = [&](const CartPoleState& s) {
    const double ground = SurfaceAt(terrain_, s.cart.x, s.cart.y).height;
    const Vec3d base{s.cart.x, s.cart.y, ground};
    point(base);
    point(base + PoleDirection(s) * planner_.PoleModel().length);
  };
  const Level2 lean = Turned(planner_.Pole().lean, -planner_.HeadingNow());
  number(rig_->reference.Wrapped(static_cast<int>(std::lround(planner_.Frame()))));
  number(lean.x);
  number(lean.y);
  number(program_.Steps());
  number(unsolved_);
  pole(planner_.Pole());
  for (const double ahead : {0.4, 0.8}) {
    pole(planner_.Predicted()[static_cast<std::size_t>(ahead * kPlanRate)]);
  }
  for (const LimbPlace& place : planner_.Landings()) point(place.position);
}

ProgramSimulation::ProgramSimulation(std::shared_ptr<const PendulumRig> rig, const Terrain& terrain,
                                     double friction, const PendulumConfig& config)
    : rig_(std::move(rig)),
      terrain_(terrain),
      friction_(friction),
      planner_(rig_, terrain, OnTime(config.planner)),
      program_(rig_->reference.character(), WithGround(config.body, true)),
      steering_(rig_->reference, config.turning),
      model_(rig_->reference.character()),
      state_(planner_.Start()) {}

void ProgramSimulation::Step(const Command& command, std::span<const ExternalForce> pushes) {
  if (fell_) return;
  model_.SetState(state_);
  const PlannerCommand use = steering_.Use(command, planner_.HeadingNow(), Vec3At(state_.v, 0));
  // Its ground begins a margin above the real one: a foot lands when the plan says so.
  planner_.Plan(&model_, state_, use, {false, false}, &target_);
  const std::array<bool, 2> stands = planner_.Stands();
  program_.FindContacts(model_, terrain_, stands);
  const QpStatus status =
      program_.Solve(&model_, state_, target_, pushes, 9.81, friction_, kPlanStep);
  if (status != QpStatus::kSolved) ++unsolved_;
  const std::vector<double>& acceleration = program_.Acceleration();
  for (std::size_t k = 0; k < acceleration.size(); ++k) state_.v[k] += kPlanStep * acceleration[k];
  IntegratePose(rig_->reference.kinematics(), 0, state_.v, kPlanStep, &state_.q);
  planner_.Advance();
  time_ += kPlanStep;
  const double height = state_.q[2] - SurfaceAt(terrain_, state_.q[0], state_.q[1]).height;
  const int at = rig_->reference.Wrapped(static_cast<int>(std::lround(planner_.Frame())));
  fell_ = !(height > kFallen * rig_->reference.StateAt(at).q[2]);
}

}  // namespace stride
