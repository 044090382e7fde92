#include "stride/run/run_character.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/character/rest_pose.h"
#include "stride/controllers/registry.h"
#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/scenario/placement.h"

namespace stride {
namespace {

constexpr double kUpSeconds = 1;  // on its feet again, before another fall counts
constexpr double kRounding = 1e-9;

Quatd RootOf(const State& state) { return {state.q[3], state.q[4], state.q[5], state.q[6]}; }

bool Follows(const Character& character, const State& state, const State& reference,
             const Terrain& terrain) {
  if (!RootMoves(character)) return false;
  const auto height = [&](const JointPlace& root) {
    return root.offset.z - SurfaceAt(terrain, root.offset.x, root.offset.y).height;
  };
  const JointPlace now = RootFrameAt(character, state.q);
  const JointPlace wanted = RootFrameAt(character, reference.q);
  const double tilt = TiltBetween(now.turn, wanted.turn);
  return !IsFallen(kFollowsReference, height(now), height(wanted), tilt * tilt);
}

void Move(const Quatd& turn, const Vec3d& position, State* state) {
  const Quatd root = turn * RootOf(*state);
  const Vec3d v = Rotate(turn, Vec3d{state->v[0], state->v[1], state->v[2]});
  state->q[0] = position.x, state->q[1] = position.y, state->q[2] = position.z;
  state->q[3] = root.w, state->q[4] = root.x, state->q[5] = root.y, state->q[6] = root.z;
  state->v[0] = v.x, state->v[1] = v.y, state->v[2] = v.z;  // the angular one has body axes
}

std::unique_ptr<Controller> MakeControllerOf(const LoadedCharacter& loaded, const World& world,
                                             CharacterSetup* setup,
                                             std::vector<std::string>* warnings) {
  ControllerInput input;
  input.world = world;
  input.config = setup->controller_config;
  input.skill = loaded.skill;
  input.motions = loaded.motions;
  input.graph = loaded.graph;
  input.stand = StandOn(world.actors[0], world.terrain);
  setup->controller_config = input.config = ResolveConfig(setup->controller, input, warnings);
  return MakeController(setup->controller, input);
}

}  // namespace

Viewpoint::Viewpoint(double x, double y, double heading, const Terrain& terrain)
    : is_world_(x == 0 && y == 0 && heading == 0),
      origin_{x, y, 0},
      heading_(heading),
      turn_(AxisAngle({0, 0, 1}, heading)) {
  Raise(terrain);
}

void Viewpoint::Raise(const Terrain& terrain) {
  if (terrain.kind == Terrain::Kind::kPlane) {
    origin_.z = SurfaceAt(terrain, origin_.x, origin_.y).height;
  }
}

Terrain Viewpoint::See(Terrain terrain) const {
  terrain.slope_heading -= heading_;
  terrain.x0 -= origin_.x, terrain.y0 -= origin_.y;
  terrain.step_start -= origin_.x;
  return terrain;
}

void Viewpoint::See(const State& world, State* seen) const {
  *seen = world;
  Move(Conjugate(turn_),
       Rotate(Conjugate(turn_), Vec3d{world.q[0], world.q[1], world.q[2]} - origin_), seen);
}

State Viewpoint::ToWorld(State seen) const {
  if (is_world_) return seen;
  Move(turn_, origin_ + Rotate(turn_, Vec3d{seen.q[0], seen.q[1], seen.q[2]}), &seen);
  return seen;
}

Contact Viewpoint::See(const Contact& world) const {
  const Quatd back = Conjugate(turn_);
  Contact seen = world;
  seen.position = Rotate(back, world.position - origin_);
  seen.normal = Rotate(back, world.normal);
  seen.force = Rotate(back, world.force);
  return seen;
}

RunCharacter::RunCharacter(int actor, const LoadedCharacter& loaded, const World& world,
                           std::vector<TimedCommand> commands, CharacterSetup* setup,
                           std::vector<std::string>* warnings)
    : viewpoint_(setup->x, setup->y, setup->heading, world.terrain),
      character_(loaded.character),
      layout_(LayoutOf(character_)),
      time_step_(world.time_step),
      terrain_(viewpoint_.See(world.terrain)),
      model_(loaded.character),
      fall_(loaded.character, terrain_, RestState(loaded.character)),
      commands_(std::move(commands)) {
  if ((!viewpoint_.IsWorld() || setup->z != 0) &&
      character_.bodies[0].joint.kind != JointKind::kFree) {
    throw InputError(fmt::format("the root of '{}' is not free; expected x, y, z and heading 0",
                                 character_.name));
  }
  if (setup->heading != 0 && world.terrain.kind != Terrain::Kind::kPlane) {
    throw InputError(fmt::format(
        "heading is {:g} rad; on ground that is no plane every character starts towards 0",
        setup->heading));
  }
  World seen_world = world;
  seen_world.actors = {loaded.character};
  seen_world.terrain = terrain_;
  controller_ = OwnedController(MakeControllerOf(loaded, seen_world, setup, warnings));
  for (const CurveEdit& edit : setup->curves) controller_->Edit(edit);
  channels_ = controller_->Channels();
  for (const DebugChannel& channel : channels_) channel_values_ += ValueCount(channel.kind);
  const std::vector<std::string> styles = controller_->Styles();
  for (TimedCommand& each : commands_) {
    if (each.style_name.empty()) continue;
    const auto found = std::find(styles.begin(), styles.end(), each.style_name);
    if (found == styles.end()) {
      throw InputError(fmt::format("there is no style '{}' (--style); expected one of: {}",
                                   each.style_name,
                                   styles.empty() ? "none, this controller has no styles"
                                                  : fmt::format("{}", fmt::join(styles, ", "))));
    }
    each.style = static_cast<int>(found - styles.begin());
  }
  seen_start_ = controller_->Start();
  RaiseFromGround(character_, terrain_, &seen_start_);
  if (setup->z != 0) seen_start_.q[2] += setup->z;  // the root is free: checked above
  seen_ = seen_start_;
  start_ = viewpoint_.ToWorld(seen_start_);
  fall_ = FallDetector(character_, terrain_, seen_start_);
  meter_.emplace(world, start_, actor);
  contacts_.reserve(64);
  seen_contacts_.reserve(64);
}

bool RunCharacter::TakeCommand(double time) {
  if (next_command_ == commands_.size() || commands_[next_command_].at > time + kRounding) {
    return false;
  }
  const TimedCommand& next = commands_[next_command_++];
  if (next.speed) command.speed = next.speed;
  if (next.heading) command.heading = next.heading, command.point.reset();
  if (next.point) command.point = next.point, command.heading.reset();
  if (next.style) command.style = *next.style;
  return true;
}

const Model<double>& RunCharacter::ModelAt(const State& state) const {
  model_.SetState(state);
  return model_;
}

const State& RunCharacter::See(const State& state) {
  if (viewpoint_.IsWorld()) return state;
  viewpoint_.See(state, &seen_);
  return seen_;
}

void RunCharacter::UseCommand(const State& state) {
  constexpr double kThere = 0.6, kAway = 2;  // m; in between it stays as it was
  if (command.point != used_command_.point) arrived_ = false;
  used_command_ = command;
  if (!command.point) return;
  const Vec3d root = RootFrameAt(character_, state.q).offset;
  const double x = command.point->x - root.x, y = command.point->y - root.y;
  const double distance = std::hypot(x, y);
  if (distance < kThere) arrived_ = true;
  if (distance > kAway) arrived_ = false;
  if (arrived_) {
    used_command_.speed = 0;
    used_command_.heading.reset();
  } else {
    used_command_.heading = std::atan2(y, x);
  }
}

void RunCharacter::Act(double time, const State& state, Actuation* actuation) {
  UseCommand(state);
  before_ = state;
  Command seen = used_command_;
  std::span<const Contact> contacts = contacts_;
  if (!viewpoint_.IsWorld()) {
    if (seen.heading) *seen.heading -= viewpoint_.Heading();
    seen_contacts_.clear();
    for (const Contact& contact : contacts_) seen_contacts_.push_back(viewpoint_.See(contact));
    contacts = seen_contacts_;
  }
  controller_->Step({time, See(state), contacts}, seen, actuation);
}

void RunCharacter::Measure(const State& state, const Actuation& actuation) {
  if (fell_at_) return;
  meter_->Add(*before_, state, actuation, contacts_, controller_->Reference());
}

void RunCharacter::ReadControl(const State& state, const Actuation& actuation,
                               RecordedControl* control) const {
  const auto number = [](const std::optional<double>& value) {
    return value ? static_cast<float>(*value) : std::numeric_limits<float>::quiet_NaN();
  };
  control->target_q.clear();
  const std::vector<double>& kp = actuation.kp;
  if (std::any_of(kp.begin(), kp.end(), [](double gain) { return gain > 0; })) {
    control->target_q = actuation.target_q;
  }
  control->reference.clear();
  if (const State* reference = controller_->Reference()) {
    State placed = *reference;
    placed.v.resize(layout_.nv);  // a reference may be a pose alone
    control->reference = viewpoint_.ToWorld(std::move(placed)).q;
  }
  ReadTorques(state, actuation, &control->torques);
  control->speed = number(used_command_.speed);
  control->heading = number(used_command_.heading);
  control->style = used_command_.style;
  ReadChannels(&control->channels);
}

void RunCharacter::ReadTorques(const State& state, const Actuation& actuation,
                               std::vector<float>* torques) const {
  torques->clear();
  if (!before_ || failed_) return;
  std::vector<double> exact(layout_.nv);
  ServoTorques(character_, layout_, actuation, *before_, state, time_step_, exact);
  torques->assign(exact.begin(), exact.end());
}

void RunCharacter::ReadChannels(std::vector<float>* values) const {
  values->assign(channel_values_, std::numeric_limits<float>::quiet_NaN());
  controller_->ReadChannels(*values);
  if (viewpoint_.IsWorld()) return;
  float* at = values->data();
  for (const DebugChannel& channel : channels_) {
    const int count = ValueCount(channel.kind);
    // Points and the ends of segments are places; a number is what it is.
    for (int k = 0; k + 3 <= count; k += 3) {
      const Vec3d place = viewpoint_.ToWorld(Vec3d{at[k], at[k + 1], at[k + 2]});
      at[k] = static_cast<float>(place.x);
      at[k + 1] = static_cast<float>(place.y);
      at[k + 2] = static_cast<float>(place.z);
    }
    at += count;
  }
}

RunCharacter::Balance RunCharacter::Watch(double time, const State& state) {
  const State& seen = See(state);
  const State* reference = controller_->Reference();
  // Where a clip leads upside down, following it is no fall.
  const bool lies =
      fall_.Fallen(seen) && !(reference && Follows(character_, seen, *reference, terrain_));
  if (!down_) {
    if (!lies) return Balance::kAsBefore;
    down_ = true;
    up_since_.reset();
    ++fall_count_;
    if (!fell_at_) fell_at_ = time;
    return Balance::kFalls;
  }
  if (lies) {
    up_since_.reset();
  } else if (!up_since_) {
    up_since_ = time;
  } else if (time - *up_since_ >= kUpSeconds) {
    down_ = false;
    ++recovery_count_;
    return Balance::kRises;
  }
  return Balance::kAsBefore;
}

void RunCharacter::ChangeGround(const Terrain& terrain) {
  viewpoint_.Raise(terrain);
  terrain_ = viewpoint_.See(terrain);
  fall_ = FallDetector(character_, terrain_, seen_start_);
  meter_->ChangeGround(terrain);
  controller_->ChangeGround(terrain_);
}

}  // namespace stride
