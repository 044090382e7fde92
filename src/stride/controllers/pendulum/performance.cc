#include "stride/controllers/pendulum/performance.h"

#include <algorithm>
#include <cmath>

#include "stride/controllers/pendulum/pose_rates.h"
#include "stride/dynamics/rigid_body.h"

namespace stride {
namespace {

constexpr double kGravity = 9.81;
constexpr double kTouch = 20;  // N, from which on a limb has landed; the paper does not say

PerformanceConfig WithoutOwnGround(PerformanceConfig config) {
  config.body.own_ground = false;
  config.body.weight_held = config.body.weight_feet;
  return config;
}

}  // namespace

PerformanceController::PerformanceController(const World& world,
                                             std::shared_ptr<const PerformanceReference> reference,
                                             const PendulumConfig& config)
    : config_(config),
      terrain_(world.terrain),
      time_step_(world.time_step),
      gravity_(world.gravity),
      friction_(world.friction),
      planner_(reference, world.terrain, WithoutOwnGround(config.once)),
      program_(reference->character(), WithoutOwnGround(config.once).body),
      model_(reference->character()),
      reference_(planner_.Start()),
      limb_of_body_(LimbOfBodies(reference->character())) {}

void PerformanceController::ChangeGround(const Terrain& terrain) {
  terrain_ = terrain;
  planner_.ChangeGround(terrain);
}

// Targets go on between two plans as they were planned to.
void PerformanceController::GoOn(double dt) {
  IntegratePose(planner_.reference().kinematics(), 1, target_.v, dt, &target_.q);
  for (WholeBodyTarget::Limb& limb : target_.limbs) {
    if (limb.body < 0) continue;
    limb.position += limb.velocity * dt + limb.acceleration * (0.5 * dt * dt);
    limb.velocity += limb.acceleration * dt;
    limb.rotation = Exp(limb.angular_velocity * dt) * limb.rotation;
  }
}

void PerformanceController::Step(const Observation& observation, const Command&,
                                 Actuation* actuation) {
  constexpr double kRounding = 1e-9;
  const State& state = observation.state;
  const bool plans = !begun_ || plan_time_ >= kPlanStep - kRounding;
  if (!plans && program_time_ < 1 / config_.program_rate - kRounding) {
    plan_time_ += time_step_;
    program_time_ += time_step_;
    return;
  }
  model_.SetState(state);
  if (plans) {
    if (begun_) planner_.Advance();
    plan_time_ = begun_ ? plan_time_ - kPlanStep : 0;
    begun_ = true;
    std::array<bool, kMostLimbs> touches = {};
    for (const Contact& contact : observation.contacts) {
      const int limb = limb_of_body_[contact.body];
      if (limb >= 0 && contact.force.z > kTouch) touches[limb] = true;
    }
    planner_.Plan(&model_, state, touches, &target_);
    reference_.q = target_.q;
  } else {
    GoOn(program_time_);
  }
  const std::array<bool, kMostLimbs> carries = planner_.Stands();
  program_.Use(planner_.Body());
  program_.FindContacts(model_, terrain_, carries);
  const QpStatus status =
      program_.Solve(&model_, state, target_, {}, gravity_, config_.grip * friction_, kPlanStep);
  // One that has no solution leaves the torques as they were.
  if (status == QpStatus::kSolved) {
    actuation->torque = program_.Torque();
  } else {
    ++unsolved_;
  }
  const Character& character = planner_.reference().character();
  for (int b = 1; b < character.BodyCount(); ++b) {
    actuation->kp[b] = config_.servo * character.bodies[b].joint.kp;
    actuation->kd[b] = config_.servo * character.bodies[b].joint.kd;
  }
  actuation->target_q = target_.q;
  actuation->target_v = target_.v;
  program_time_ = time_step_;
  plan_time_ += time_step_;
}

std::vector<DebugChannel> PerformanceController::Channels() const {
  using Kind = DebugChannel::Kind;
  return {{"frame", "", Kind::kScalar},
          {"off forward", "m", Kind::kScalar},
          {"off left", "m", Kind::kScalar},
          {"off up", "m", Kind::kScalar},
          {"turned off", "rad", Kind::kScalar},
          {"steps of the program", "", Kind::kScalar},
          {"programs without a solution", "", Kind::kScalar},
          {"pendulum", "", Kind::kSegment}};
}

void PerformanceController::ReadChannels(std::span<float> values) const {
  std::size_t at = 0;
  const auto number = [&](double x) { values[at++] = static_cast<float>(x); };
  const auto point = [&](const Vec3d& p) { number(p.x), number(p.y), number(p.z); };
  const Vec3d off = Rotate(AxisAngle({0, 0, 1}, -planner_.HeadingNow()), planner_.OffCenter());
  number(planner_.Frame());
  number(off.x);
  number(off.y);
  number(off.z);
  number(Norm(planner_.OffTurn()));
  number(program_.Steps());
  number(unsolved_);
  point(planner_.Pivot());
  point(planner_.Center());
}

PerformanceSimulation::PerformanceSimulation(std::shared_ptr<const PerformanceReference> reference,
                                             const Terrain& terrain, double friction,
                                             const PerformanceConfig& config)
    : reference_(std::move(reference)),
      terrain_(terrain),
      friction_(friction),
      planner_(reference_, terrain, config),
      program_(reference_->character(), config.body),
      model_(reference_->character()),
      state_(planner_.Start()),
      limb_of_point_(LimbOfPoints(reference_->character())) {}

void PerformanceSimulation::Step(std::span<const ExternalForce> pushes) {
  const Character& character = reference_->character();
  model_.SetState(state_);
  program_.FindContacts(model_, terrain_);
  std::array<bool, kMostLimbs> touches = {};
  for (const TouchingPoint& contact : program_.Contacts()) {
    const int limb = limb_of_point_[contact.index];
    if (limb >= 0) touches[limb] = true;
  }
  planner_.Plan(&model_, state_, touches, &target_);
  program_.Use(planner_.Body());
  const QpStatus status =
      program_.Solve(&model_, state_, target_, pushes, kGravity, friction_, kPlanStep);
  if (status != QpStatus::kSolved) ++unsolved_;

  // The momentum that the forces make.
  const Momentum<double> before = GetMomentum(&model_);
  const Vec3d com = CenterOfMass(&model_);
  const double mass = reference_->Whole(0).mass;
  Vec3d linear = before.linear - Vec3d{0, 0, kGravity * mass * kPlanStep}, angular = before.angular;
  const auto push = [&](const Vec3d& force, const Vec3d& at) {
    linear += force * kPlanStep;
    angular += Cross(at - com, force) * kPlanStep;
  };
  for (std::size_t k = 0; k < program_.Contacts().size(); ++k) {
    const TouchingPoint& contact = program_.Contacts()[k];
    const ContactPoint& point = character.contact_points[contact.index];
    push(program_.Forces()[k],
         model_.PointPosition(point.body, point.position) - contact.normal * point.radius);
  }
  for (const ExternalForce& force : pushes) {
    push(force.force, model_.PointPosition(force.body, force.point));
  }

  const std::vector<double>& acceleration = program_.Acceleration();
  for (std::size_t k = 0; k < acceleration.size(); ++k) state_.v[k] += kPlanStep * acceleration[k];
  IntegratePose(reference_->kinematics(), 0, state_.v, kPlanStep, &state_.q);
  model_.SetState(state_);
  const Momentum<double> now = GetMomentum(&model_);
  const Vec3d spin = Inverse(now.locked) * (angular - now.angular);
  const Vec3d speed =
      (linear - now.linear) * (1 / mass) + Cross(spin, Vec3At(state_.q, 0) - CenterOfMass(&model_));
  Put(Vec3At(state_.v, 0) + speed, 0, &state_.v);
  Put(Vec3At(state_.v, 3) + Rotate(Conjugate(QuatAt(state_.q, 3)), spin), 3, &state_.v);
  planner_.Advance();
  time_ += kPlanStep;
}

}  // namespace stride
