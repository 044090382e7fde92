#include "stride/run/hand_inputs.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/record/world_json.h"
#include "stride/run/balls.h"

namespace stride {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr int kMaxBalls = 8;
constexpr std::size_t kMaxPushes = 64;
constexpr std::size_t kMaxWaiting = 256;
constexpr double kMaxSlope = 80 * std::numbers::pi / 180;

void Expect(bool good, const std::string& what) {
  if (!good) throw InputError(what);
}

bool Within(const Vec3d& v, double most) { return Norm(v) <= most; }  // false for NaN

// Height of the lowest contact point above the ground; of the root where there is none.
double Clearance(const Model<double>& model, const Character& character, const Terrain& terrain) {
  double lowest = HUGE_VAL;
  const auto add = [&](const Vec3d& at, double radius) {
    lowest = std::min(lowest, at.z - radius - SurfaceAt(terrain, at.x, at.y).height);
  };
  for (const ContactPoint& point : character.contact_points) {
    add(model.PointPosition(point.body, point.position), point.radius);
  }
  if (character.contact_points.empty()) add(model.Position(0), 0);
  return lowest;
}

void SetFriction(double friction, RunStage* stage) {
  World changed = stage->world;
  changed.friction = friction;
  stage->ChangeWorld(changed, stage->States());
}

// The plane turns about the origin: who stands on it is lifted with it.
void SetSlope(double slope, RunStage* stage) {
  const World& world = stage->world;
  World changed = world;
  changed.terrain.slope = slope;
  std::vector<State> states = stage->States();
  for (std::size_t k = 0; k < states.size(); ++k) {
    const Character& actor = world.actors[k];
    if (!RootMoves(actor)) continue;
    Model<double> placed(actor);
    placed.SetState(states[k]);
    RaiseRoot(actor,
              Clearance(placed, actor, world.terrain) - Clearance(placed, actor, changed.terrain),
              &states[k].q);
  }
  stage->ChangeWorld(changed, states);
  for (RunCharacter& character : stage->characters) character.ChangeGround(world.terrain);
}

}  // namespace

void HandInputs::Add(const RunInput& input, RunStage* stage) {
  Check(input, *stage);
  Expect(waiting_.size() < kMaxWaiting,
         fmt::format("more than {} inputs before the next step", kMaxWaiting));
  if (input.kind == RunInput::Kind::kCurve) stage->characters[input.actor].Edit(input.edit);
  waiting_.push_back(input);
  if (input.kind == RunInput::Kind::kCommand) {
    stage->characters[input.actor].command = input.command;
  }
}

void HandInputs::Check(const RunInput& input, const RunStage& stage) const {
  switch (input.kind) {
    case RunInput::Kind::kPush: CheckPush(input, stage); return;
    case RunInput::Kind::kThrow: {
      Expect(Within(input.point, 1e4) && Within(input.vector, 100) && input.mass >= 1e-3 &&
                 input.mass <= 1e3,
             "throw: expected a place within 10000 m, at most 100 m/s and 0.001 to 1000 kg");
      const EngineInfo& info = FindEngine(stage.setup.engine);
      Expect(info.Has(Feature::kSeveralActors) && info.Has(Feature::kActorContact),
             fmt::format("throw: the engine '{}' cannot do several actors; use another one",
                         stage.setup.engine));
      return;
    }
    case RunInput::Kind::kCommand:
      Expect(input.actor >= 0 && stage.IsCharacter(input.actor),
             fmt::format("command: actor {} is no character; expected 0 to {}", input.actor,
                         stage.characters.size() - 1));
      Expect(std::fabs(input.command.speed.value_or(0)) <= 100 &&
                 std::fabs(input.command.heading.value_or(0)) <= 1e6 &&
                 std::fabs(input.command.point.value_or(GroundPoint{}).x) <= 1e4 &&
                 std::fabs(input.command.point.value_or(GroundPoint{}).y) <= 1e4,
             "command: expected a speed of at most 100 m/s, a finite heading, a point within "
             "10000 m");
      return;
    case RunInput::Kind::kFriction:
      Expect(input.value >= 0 && input.value <= 100,
             fmt::format("friction is {}; expected 0 to 100", input.value));
      return;
    case RunInput::Kind::kSlope:
      Expect(stage.world.terrain.kind == Terrain::Kind::kPlane,
             "slope: the ground is no plane; start with a plane to tilt it");
      Expect(std::fabs(input.value) <= kMaxSlope,
             fmt::format("slope is {} rad; expected at most 80 degrees", input.value));
      return;
    case RunInput::Kind::kCurve:
      Expect(input.actor >= 0 && stage.IsCharacter(input.actor),
             fmt::format("curve: actor {} is no character; expected 0 to {}", input.actor,
                         stage.characters.size() - 1));
      return;
  }
}

void HandInputs::CheckPush(const RunInput& input, const RunStage& stage) const {
  const int actors = static_cast<int>(stage.world.actors.size());
  Expect(input.actor >= 0 && input.actor < actors,
         fmt::format("push: there is no actor {}; expected 0 to {}", input.actor, actors - 1));
  const int bodies = stage.world.actors[input.actor].BodyCount();
  Expect(input.body >= 0 && input.body < bodies,
         fmt::format("push: there is no body {}; expected 0 to {}", input.body, bodies - 1));
  Expect(Within(input.vector, 1e6) && Within(input.point, 100) && input.duration > 0 &&
             input.duration <= 3600,
         "push: expected a force of at most 1e6 N, a point within 100 m of the body and a "
         "duration of more than 0 and at most 3600 s");
  Expect(pushes_.size() + waiting_.size() < kMaxPushes,
         fmt::format("push: more than {} at once; wait for some to end", kMaxPushes));
}

void HandInputs::Take(RunStage* stage) {
  for (const RunInput& input : waiting_) TakeOne(input, stage);
  waiting_.clear();
}

void HandInputs::TakeOne(const RunInput& input, RunStage* stage) {
  const OrderedJson data = {{"input", ToJson(input)}};
  const World& world = stage->world;
  switch (input.kind) {
    case RunInput::Kind::kPush: {
      const double steps = std::max(1.0, std::ceil(input.duration / world.time_step - kRounding));
      pushes_.push_back({input, stage->step + static_cast<std::uint32_t>(std::min(steps, 1e9))});
      stage->Report("push", data);
      return;
    }
    case RunInput::Kind::kThrow:
      Throw(input, stage);
      stage->Report("throw", data);
      return;
    case RunInput::Kind::kCommand: stage->Report("command", data); return;  // taken by Add
    case RunInput::Kind::kCurve: stage->Report("curve", data); return;      // taken by Add
    case RunInput::Kind::kFriction: SetFriction(input.value, stage); break;
    case RunInput::Kind::kSlope: SetSlope(input.value, stage); break;
  }
  stage->Report(
      "world",
      {{"input", data["input"]}, {"friction", world.friction}, {"terrain", ToJson(world.terrain)}});
}

// When there are as many as may be, the one thrown longest ago is thrown again.
void HandInputs::Throw(const RunInput& input, RunStage* stage) {
  const State state = FlyingBall(input.point, input.vector);
  if (balls_ < kMaxBalls) {
    ++balls_;
    stage->AddBall(MakeThrownBall(input.mass), state);
    return;
  }
  const std::size_t first = stage->characters.size() + stage->setup.scenario.throws.size();
  stage->engine->SetState(static_cast<int>(first) + next_ball_, state);
  next_ball_ = (next_ball_ + 1) % kMaxBalls;
}

void HandInputs::Push(RunStage* stage) {
  std::erase_if(pushes_, [&](const HandPush& push) { return push.end_step <= stage->step; });
  for (const HandPush& push : pushes_) {
    stage->AddForce(push.input.actor, push.input.body, push.input.point, push.input.vector);
  }
}

}  // namespace stride
