#include "stride/run/scenario_acts.h"

#include <cmath>
#include <numbers>

#include "stride/core/random.h"
#include "stride/run/balls.h"

namespace stride {
namespace {

void ReportPush(int actor, int body, const Vec3d& force, double duration, RunStage* stage) {
  stage->Report("push", {{"actor", actor},
                         {"body", body},
                         {"force", {force.x, force.y, force.z}},
                         {"duration", duration}});
}

}  // namespace

ScenarioActs::ScenarioActs(const RunStage& stage)
    : random_body_(PushedBody(stage.world.actors[0])),
      thrown_(stage.setup.scenario.throws.size(), false) {
  for (const ::stride::Push& push : stage.setup.scenario.pushes) {
    const Character& pushed = stage.world.actors[push.actor];
    pushes_.push_back({push, push.body.empty()
                                 ? PushedBody(pushed)
                                 : ScenarioBody(pushed, push.body, "pushes (--push)")});
  }
}

void ScenarioActs::Throw(RunStage* stage) {
  const RunSetup& setup = stage->setup;
  for (std::size_t k = 0; k < thrown_.size(); ++k) {
    const ::stride::Throw& each = setup.scenario.throws[k];
    if (thrown_[k] || stage->Time() + kRounding < each.at) continue;
    thrown_[k] = true;
    Random random(setup.seed, 0, static_cast<std::uint32_t>(k));
    const double heading = each.heading.value_or(random.Uniform(0, 2 * std::numbers::pi));
    const Character& target = stage->world.actors[each.actor];
    const int body = PushedBody(target);
    const State ball =
        AimedBall(each, stage->PointInWorld(each.actor, body, target.bodies[body].com), heading,
                  stage->world.gravity);
    const std::size_t actor = stage->characters.size() + k;
    stage->engine->SetState(static_cast<int>(actor), ball);
    stage->Report("throw", {{"actor", actor},
                            {"mass", each.mass},
                            {"from", {ball.q[0], ball.q[1], ball.q[2]}},
                            {"velocity", {ball.v[0], ball.v[1], ball.v[2]}}});
  }
}

void ScenarioActs::Push(RunStage* stage) {
  for (PushOnItsWay& each : pushes_) {
    const ::stride::Push& push = each.push;
    const bool acted = each.acts;
    each.acts = ActsAt(push, stage->Time());
    if (!each.acts) continue;
    const Vec3d force = Vec3d{std::cos(push.heading), std::sin(push.heading), 0} * push.force;
    stage->AddForce(push.actor, each.body, stage->world.actors[push.actor].bodies[each.body].com,
                    force);
    if (!acted) ReportPush(push.actor, each.body, force, push.duration, stage);
  }
  PushAtRandom(stage);
}

// Of the first character: random pushes and the disturbance name no other.
void ScenarioActs::PushAtRandom(RunStage* stage) {
  const Scenario& scenario = stage->setup.scenario;
  const std::uint64_t seed = stage->setup.seed;
  const double time = stage->Time();
  const Vec3d middle = stage->world.actors[0].bodies[random_body_].com;
  if (scenario.random_pushes) {
    const Vec3d force = RandomPushAt(*scenario.random_pushes, time, seed);
    const bool acts = force != Vec3d{};
    if (acts) stage->AddForce(0, random_body_, middle, force);
    if (acts && !random_push_acts_) {
      ReportPush(0, random_body_, force, scenario.random_pushes->duration, stage);
    }
    random_push_acts_ = acts;
  }
  if (scenario.disturbance > 0) {
    const Disturbance disturbance{.amplitude = scenario.disturbance, .seed = seed};
    const int interval = static_cast<int>((time + kRounding) / disturbance.interval);
    stage->AddForce(0, random_body_, middle, DisturbanceAt(disturbance, interval));
  }
}

}  // namespace stride
