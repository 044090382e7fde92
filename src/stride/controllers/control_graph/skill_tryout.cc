#include "stride/controllers/control_graph/skill_tryout.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

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

}  // namespace

SkillTryout TryOut(const ClipSkill& skill, double seconds) {
  World world;
  world.actors = {skill.character};
  world.time_step = skill.time_step;
  const std::unique_ptr<Controller> controller =
      MakeController(kSkillController, {.world = world,
                                        .stand = RestState(skill.character),
                                        .skill = std::make_shared<const Skill>(ToEnvelope(skill))});
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

}  // namespace stride
