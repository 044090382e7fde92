#include "stride/controllers/control_graph/skill_tryout.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/character/rest_pose.h"
#include "stride/controllers/registry.h"
#include "stride/math/rotation.h"
#include "stride/motion/kinematics.h"
#include "stride/scenario/fall.h"
#include "stride/scenario/push.h"
#include "stride/sim/batch.h"
#include "stride/sim/batch_contacts.h"

namespace stride {
namespace {

constexpr double kPi = std::numbers::pi;
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
constexpr double kTold = 3, kSeconds = 12;

// Told at different moments of a round to turn this far, and pushed on the way by `push` N: s until
// the way of the last round is within 10 degrees of what was told, on average. None if one of them
// falls.
std::optional<double> SecondsToTurn(const ClipSkill& skill, double push) {
  constexpr double kTurn[] = {1.57, -1.57, 3.1, -3.1, 2.2, -2.2, 0.8, -0.8};
  constexpr double kThere = 0.17;                     // rad
  constexpr double kPushFor = 0.2, kPushEvery = 1.3;  // N, s
  const World world = WorldOf(skill);
  const auto first = PerformerOf(skill, world, nlohmann::json::object());
  const double round = skill.FirstMotion().Duration();
  const int steps_of_round = static_cast<int>(std::lround(round / world.time_step));
  Batch batch(world);
  Actuation actuation = Passive(skill.character);
  State state = first->Start();
  const int trunk = PushedBody(skill.character);
  const Vec3d trunk_com = skill.character.bodies[trunk].com;
  double seconds = 0;
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
    std::vector<std::vector<Vec3d>> way(count);
    std::vector<char> there(count, 0);
    const int steps = static_cast<int>(std::lround(kSeconds / world.time_step));
    for (int step = 0; step < steps; ++step) {
      const double time = step * world.time_step;
      batch.ClearForces();
      for (int lane = 0; lane < count; ++lane) {
        const int trial = begin + lane;
        const double told = kTold + round * trial / kTurns, heading = kTurn[trial % 8];
        batch.GetState(lane, &state);
        Command command;
        if (time >= told) command.heading = heading;
        controllers[lane]->Step({time, state, {}}, command, &actuation);
        batch.SetActuation(lane, actuation);
        const double since = time - told;
        if (since >= 0 && std::fmod(since, kPushEvery) < kPushFor) {
          const double to = 2.4 * (trial + std::floor(since / kPushEvery));  // from all sides
          batch.SetForce(lane, {.body = trunk,
                                .force = Vec3d{std::cos(to), std::sin(to), 0} * push,
                                .point = trunk_com});
        }
        way[lane].push_back(Vec3At(state.q, 0));
        if (time < told || there[lane] || step < steps_of_round) continue;
        const Vec3d last = way[lane][step] - way[lane][step - steps_of_round];
        const double off = std::remainder(std::atan2(last.y, last.x) - heading, 2 * kPi);
        there[lane] = std::fabs(off) < kThere;
        seconds += world.time_step / kTurns;
      }
      batch.Step();
    }
    for (int lane = 0; lane < count; ++lane) {
      if (batch.Failed(lane)) return {};
      batch.GetState(lane, &state);
      if (Lost(state, *controllers[lane]->Reference())) return {};
    }
  }
  return seconds;
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

void FindTurns(ClipSkill* skill) {
  constexpr double kRates[] = {2, 1.5, 1.1, 0.8, 0.6, 0.4}, kMargin = 0.8;
  constexpr double kShown[] = {2, 1.5, 1}, kActions[] = {1.4, 1.1, kCautiousTurn};
  constexpr double kPush = 40;  // N
  const ClipSkill base = *skill;
  double soonest = kSeconds;
  const auto take_if_sooner = [&](double shown, double action, double rate) {
    ClipSkill tried = base;
    tried.turn_shown = shown;
    tried.turn_action = action;
    tried.turn_rate = rate;
    if (!SecondsToTurn(tried, 0)) return false;
    tried.turn_rate = kMargin * rate;
    const std::optional<double> seconds = SecondsToTurn(tried, 0);
    // As cautious as can be: what most were taught. All else has to bear pushes as well.
    const bool cautious = shown == 1 && action == kCautiousTurn;
    if (!seconds || (!cautious && !SecondsToTurn(tried, kPush))) return false;
    if (*seconds < soonest) {
      soonest = *seconds;
      *skill = tried;
    }
    return true;
  };
  for (const double shown : kShown) {
    for (const double action : kActions) {
      for (const double rate : kRates) {
        if (take_if_sooner(shown, action, rate)) break;
      }
    }
  }
}

}  // namespace stride
