#include "stride/app/live/live_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "stride/character/rest_pose.h"
#include "stride/core/error.h"

namespace stride {
namespace {

constexpr double kRecordedInterval = 1.0 / 60;  // s of simulated time between frames, about
constexpr double kEndlessSeconds = 24 * 3600;
constexpr double kMaxReach = 1e5;  // m; keeps what a person points at in a sane range
constexpr double kMaxThrowMass = 100, kMaxThrowSpeed = 100;
constexpr double kMaxPushSeconds = 10;
constexpr std::size_t kMaxHistoryBytes = std::size_t{32} << 20;
constexpr std::size_t kMaxRecordingBytes = std::size_t{256} << 20;

RunSetup Endless(RunSetup setup) {
  setup.scenario.seconds = kEndlessSeconds;
  setup.scenario.stop_at_fall = false;
  return setup;
}

void CheckWithin(const char* what, double value, double lower, double upper, const char* unit) {
  if (value >= lower && value <= upper) return;
  throw InputError(
      fmt::format("{} is {:g}; expected {:g} to {:g} {}", what, value, lower, upper, unit));
}

}  // namespace

LiveRun::LiveRun(const RunSetup& setup)
    : setup_(Endless(setup)), run_(setup_), header_(run_.Header()) {
  const double time_step = run_.GetWorld().time_step;
  steps_a_frame_ = std::max(1, static_cast<int>(std::lround(kRecordedInterval / time_step)));
  header_.frame_interval = steps_a_frame_ * time_step;
}

void LiveRun::SetRate(double rate) {
  CheckWithin("the rate", rate, kMinRate, kMaxRate, "times real time");
  rate_ = rate;
}

void LiveRun::Apply(const RunInput& input) {
  switch (input.kind) {
    case RunInput::Kind::kPush:
      CheckWithin("the force", Norm(input.vector), 0, kMaxPush, "N");
      CheckWithin("the push's duration", input.duration, 0, kMaxPushSeconds, "s");
      CheckWithin("the point's distance", Norm(input.point), 0, kMaxReach, "m");
      break;
    case RunInput::Kind::kThrow:
      CheckWithin("the ball's mass", input.mass, 0.01, kMaxThrowMass, "kg");
      CheckWithin("the ball's speed", Norm(input.vector), 0, kMaxThrowSpeed, "m/s");
      CheckWithin("the point's distance", Norm(input.point), 0, kMaxReach, "m");
      break;
    default: break;
  }
  run_.Apply(input);
  if (input.kind == RunInput::Kind::kFriction) setup_.scenario.world.friction = input.value;
  if (input.kind == RunInput::Kind::kCurve) {
    // The last edit of each part is all a restart needs.
    std::vector<CurveEdit>& edits = setup_.characters[input.actor].curves;
    std::erase_if(edits, [&](const CurveEdit& e) {
      return e.curve == input.edit.curve && e.part == input.edit.part;
    });
    edits.push_back(input.edit);
  }
  if (input.kind == RunInput::Kind::kSlope) setup_.scenario.world.terrain.slope = input.value;
}

void LiveRun::Drag(const DragMessage& drag) {
  const std::vector<Character>& actors = run_.GetWorld().actors;
  if (drag.actor >= static_cast<int>(actors.size()) ||
      drag.body >= actors[drag.actor].BodyCount()) {
    throw InputError(fmt::format("there is no body {} of actor {}", drag.body, drag.actor));
  }
  CheckWithin("the point's distance", Norm(drag.point), 0, kMaxReach, "m");
  CheckWithin("the target's distance", Norm(drag.target), 0, kMaxReach, "m");
  const bool same = drag_ && drag_->drag.actor == drag.actor && drag_->drag.body == drag.body &&
                    drag_->drag.point == drag.point;
  drag_ = Spring{drag, 0, same ? drag_->last : std::nullopt};
}

// The spring lifts the body's owner when it is half a metre long, and pulls with twice the weight
// at most. Its damping is critical for the owner, unless a light body at the end of a limb could
// not take that within a step; and it never pushes away from the hand, nor more aside than half of
// what it pulls: it would otherwise fight the character's own movement, and turn around with every
// step that it takes.
void LiveRun::PullOnce() {
  const World& world = run_.GetWorld();
  const DragMessage& drag = drag_->drag;
  const Character& owner = world.actors[drag.actor];
  const BodyFrames frames = FramesAt(owner, run_.ActorState(drag.actor).q);
  const Vec3d at = frames.position[drag.body] + Rotate(frames.rotation[drag.body], drag.point);
  const Vec3d velocity = drag_->last ? (at - *drag_->last) * (1 / world.time_step) : Vec3d{0, 0, 0};
  drag_->last = at;

  const double mass = TotalMass(owner);
  const double weight = mass * 9.81;
  const double stiffness = weight / 0.5;
  const double damping = std::min(2 * std::sqrt(stiffness * mass),
                                  0.5 * owner.bodies[drag.body].mass / world.time_step);
  RunInput pull;
  pull.actor = drag.actor;
  pull.body = drag.body;
  pull.point = drag.point;
  const Vec3d away = drag.target - at;
  const double distance = Norm(away);
  const Vec3d towards = distance > 0 ? away * (1 / distance) : Vec3d{0, 0, 0};
  const Vec3d damped = velocity * -damping;
  const double along = std::max(0.0, stiffness * distance + Dot(damped, towards));
  Vec3d aside = damped - towards * Dot(damped, towards);
  if (const double much = Norm(aside); much > 0.5 * along) aside = aside * (0.5 * along / much);
  pull.vector = towards * along + aside;
  const double size = Norm(pull.vector);
  const double most = std::min(2 * weight, kMaxPush);
  if (size > most) pull.vector = pull.vector * (most / size);
  pull.duration = world.time_step;
  try {
    run_.Apply(pull);
    pull_ = ToJson(pull);
  } catch (const InputError&) {  // more pushes at once than a run takes
    drag_.reset();
  }
}

void LiveRun::Step() {
  pull_ = nullptr;
  if (drag_) PullOnce();
  run_.Step();
  KeepEvents();
  if (recorder_ && run_.StepCount() % steps_a_frame_ == 0) RecordFrame();
}

void LiveRun::StepOnce() {
  if (!paused_) throw InputError("single steps are for a paused run; pause it first");
  if (!run_.Finished()) Step();
}

bool LiveRun::Advance(double wall_seconds, Clock::time_point deadline) {
  if (drag_ && (drag_->age += wall_seconds) > kDragSeconds) drag_.reset();
  if (paused_) return true;
  owed_ += rate_ * wall_seconds;
  const double time_step = run_.GetWorld().time_step;
  for (; owed_ >= time_step; owed_ -= time_step) {
    if (run_.Finished()) {
      paused_ = true;
      owed_ = 0;
      return true;
    }
    Step();
    if (Clock::now() > deadline && owed_ >= 2 * time_step) {
      owed_ = 0;
      return false;
    }
  }
  return true;
}

void LiveRun::KeepEvents() {
  for (const RecordedEvent& event : run_.TakeEvents()) {
    std::string bytes = EncodeEvent(event);
    // What says how to read the frames is kept in any case.
    const bool needed = event.kind == "actor" || event.kind == "world";
    const bool kept = needed || history_.size() < kMaxHistoryBytes;
    if (kept) history_ += bytes;
    replayable_ = replayable_ && kept;
    if (recorder_) recorder_->bytes += bytes;
    const bool of_drag =
        !pull_.is_null() && event.data.contains("input") && event.data["input"] == pull_;
    if (!of_drag) shown_events_.push_back(std::move(bytes));
  }
}

void LiveRun::RecordFrame() {
  if (RecordingFull()) return;
  recorder_->bytes += EncodeCurrentFrame();
  ++recorder_->frames;
}

bool LiveRun::RecordingFull() const {
  return recorder_ && (RecordedSeconds() >= kMaxRecordedSeconds ||
                       recorder_->bytes.size() >= kMaxRecordingBytes);
}

void LiveRun::StartRecording() {
  RecordingHeader header = header_;
  if (!replayable_) header.setup = nullptr;
  recorder_ = Recorder{
      run_.Time(),
      RecordingPreamble() + EncodeHeader(header) + EncodeSources(run_.Sources()) + history_, 0};
}

Bytes LiveRun::StopRecording() {
  if (!recorder_) return nullptr;
  Recorder recorder = std::move(*recorder_);
  recorder_.reset();
  if (recorder.frames == 0) return nullptr;
  nlohmann::ordered_json summary = ToJson(run_.Measure());
  summary["fell"] = run_.Fell();
  summary["failed"] = run_.Failed();
  recorder.bytes += EncodeDone(summary);
  return std::make_shared<const std::string>(std::move(recorder.bytes));
}

std::string LiveRun::EncodeHead() const {
  RecordingHeader header = header_;
  header.world = run_.GetWorld();
  return EncodeHeader(header);
}

std::string LiveRun::EncodeCurrentFrame() const {
  std::string bytes;
  run_.ReadFrame(&frame_);
  EncodeFrame(frame_, &bytes);
  return bytes;
}

std::vector<std::string> LiveRun::TakeEvents() { return std::exchange(shown_events_, {}); }

}  // namespace stride
