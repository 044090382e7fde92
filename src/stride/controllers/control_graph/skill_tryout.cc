#include "stride/controllers/control_graph/skill_tryout.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/character/rest_pose.h"
#include "stride/controllers/registry.h"
#include "stride/math/rotation.h"
#include "stride/scenario/fall.h"
#include "stride/sim/batch.h"
#include "stride/sim/batch_contacts.h"

namespace stride {
namespace {

constexpr int kLane = 0;
constexpr double kSettled = 10;  // s, after which its pace has come to rest

// Lower than its reference, or tilted away from it: what turns upside down on purpose stands.
bool Lost(const State& state, const State& reference) {
  const auto root = [](const State& s) { return Quatd{s.q[3], s.q[4], s.q[5], s.q[6]}; };
  const double tilt = TiltBetween(root(state), root(reference));
  return IsFallen(kFallFromReference, state.q[2], reference.q[2], tilt * tilt);
}

World WorldOf(const ClipSkill& skill) {
  World world;
  world.actors = {skill.character};
  world.time_step = skill.time_step;
  return world;
}

std::unique_ptr<Controller> PerformerOf(const ClipSkill& skill, const World& world,
                                        const nlohmann::json& config) {
  return MakeController(kSkillController,
                        {.world = world,
                         .stand = RestState(skill.character),
                         .skill = std::make_shared<const Skill>(ToEnvelope(skill)),
                         .config = config});
}

constexpr int kTurns = 16;  // trials: a block, whatever the lanes

// Whether all of them stand: told at different moments of a round to turn this far.
bool TurnsStanding(const ClipSkill& skill, double rate) {
  constexpr double kTold = 3, kSeconds = 12;  // s
  constexpr double kTurn[] = {1.57, -1.57, 3.1, -3.1, 2.2, -2.2, 0.8, -0.8};
  const World world = WorldOf(skill);
  const auto first = PerformerOf(skill, world, {{"turn_rate", rate}});
  const double round = skill.FirstMotion().Duration();
  Batch batch(world);
  Actuation actuation = Passive(skill.character);
  State state = first->Start();
  for (int begin = 0; begin < kTurns; begin += batch.Lanes()) {
    const int count = std::min(batch.Lanes(), kTurns - begin);
    std::vector<std::unique_ptr<Controller>> controllers;
    for (int lane = 0; lane < batch.Lanes(); ++lane) {
      batch.SetState(lane, first->Start());
      if (lane < count) {
        controllers.push_back(first->Clone());
      } else {
        batch.Freeze(lane);
      }
    }
    batch.BeginAnew();
    for (double time = 0; time < kSeconds; time += world.time_step) {
      for (int lane = 0; lane < count; ++lane) {
        const int trial = begin + lane;
        batch.GetState(lane, &state);
        Command command;
        if (time >= kTold + round * trial / kTurns) command.heading = kTurn[trial % 8];
        controllers[lane]->Step({time, state, {}}, command, &actuation);
        batch.SetActuation(lane, actuation);
      }
      batch.Step();
    }
    for (int lane = 0; lane < count; ++lane) {
      if (batch.Failed(lane)) return false;
      batch.GetState(lane, &state);
      if (Lost(state, *controllers[lane]->Reference())) return false;
    }
  }
  return true;
}

}  // namespace

SkillTryout TryOut(const ClipSkill& skill, double seconds) {
  const World world = WorldOf(skill);
  const std::unique_ptr<Controller> controller =
      PerformerOf(skill, world, nlohmann::json::object());
  Batch batch(world);
  State before = controller->Start(), after = before;
  for (int lane = 0; lane < batch.Lanes(); ++lane) {
    batch.SetState(lane, before);
    if (lane != kLane) batch.Freeze(lane);
  }
  batch.BeginAnew();
  Actuation actuation = Passive(skill.character);
  std::vector<Contact> contacts;
  std::optional<MetricsMeter> meter;
  const double settled = std::min(kSettled, seconds / 2);
  SkillTryout result;
  constexpr double kLostFor = 0.2;  // s: a flip that is a little late is off for a moment
  double lost = 0;
  const long steps = std::lround(seconds / world.time_step);
  for (long step = 0; step < steps; ++step) {
    const double time = static_cast<double>(step) * world.time_step;
    controller->Step({time, before, contacts}, {}, &actuation);
    batch.SetActuation(kLane, actuation);
    batch.Step();
    if (batch.Failed(kLane)) break;
    batch.GetState(kLane, &after);
    lost = Lost(after, *controller->Reference()) ? lost + world.time_step : 0;
    if (lost > kLostFor) break;
    if (lost == 0) result.seconds = step + 1 == steps ? seconds : time + world.time_step;
    ReadContacts(batch, kLane, skill.character, &contacts);
    if (meter) {
      meter->Add(before, after, actuation, contacts, controller->Reference());
    } else if (time >= settled) {
      meter.emplace(world, after);
    }
    std::swap(before, after);
  }
  if (meter) result.metrics = meter->Result();
  if (result.metrics.seconds > 0) result.speed = result.metrics.distance / result.metrics.seconds;
  return result;
}

double FindTurnRate(const ClipSkill& skill) {
  constexpr double kRates[] = {2, 1.5, 1.1, 0.8, 0.6, 0.4}, kMargin = 0.8;
  for (const double rate : kRates) {
    if (TurnsStanding(skill, rate)) return kMargin * rate;
  }
  return 0;
}

}  // namespace stride
