#include "stride/app/simulate.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "stride/app/crowd_sheet.h"
#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/draw/image.h"
#include "stride/draw/sheet.h"
#include "stride/sim/world_config.h"

namespace stride {
namespace {

using Clock = std::chrono::steady_clock;
using OrderedJson = nlohmann::ordered_json;

View ViewFromName(const std::string& name) {
  constexpr std::pair<const char*, View> kViews[] = {{"side", View::kSide},
                                                     {"three-quarter", View::kThreeQuarter},
                                                     {"front", View::kFront},
                                                     {"top", View::kTop}};
  for (const auto& [each, view] : kViews) {
    if (name == each) return view;
  }
  throw InputError(
      fmt::format("--sheet-view is '{}'; expected one of: side, three-quarter, front, top", name));
}

void CheckOptions(const SimulateOptions& o) {
  if (!(o.record_every > 0 && o.record_every <= 10)) {
    throw InputError(
        fmt::format("--record-every is {}; expected more than 0 and at most 10 s", o.record_every));
  }
  if (o.sheet_cells < 1 || o.sheet_cells > 400) {
    throw InputError(fmt::format("--sheet-cells is {}; expected 1 to 400", o.sheet_cells));
  }
  ViewFromName(o.sheet_view);
  if (o.sheet.empty()) return;
  if (FileExtension(o.sheet) != ".png") {
    throw InputError(fmt::format("--sheet is '{}'; expected a name that ends in .png", o.sheet));
  }
  CheckWritable(o.sheet);
}

// Whole steps that come nearest to `seconds`.
std::uint32_t StepsIn(double seconds, double time_step) {
  return static_cast<std::uint32_t>(std::max(1.0, std::round(seconds / time_step)));
}

// The character over time, as a motion for the contact sheet; several as they are.
class SheetMotion {
 public:
  SheetMotion(const Run& run, std::uint32_t total_steps) : character_(run.GetWorld().actors[0]) {
    constexpr std::uint32_t kMaxFrames = 2000;
    const double h = run.GetWorld().time_step;
    every_ = std::min(std::max(StepsIn(1.0 / 30, h), 1 + total_steps / kMaxFrames), total_steps);
    if (run.CharacterCount() > 1) {
      crowd_.emplace(run);
      return;
    }
    motion_.name = run.Header().title;
    motion_.character = character_.name;
    motion_.fps = 1 / (every_ * h);
    Add(run);
  }

  void Add(const Run& run) {
    if (run.StepCount() % every_ != 0) return;
    if (crowd_) {
      crowd_->Add(run);
      return;
    }
    run.ReadFrame(&frame_);
    std::uint8_t flags = 0;
    for (const RecordedContact& contact : frame_.contacts) {
      if (contact.actor == 0 && contact.other_actor < 0) flags |= FlagOf(contact.body);
    }
    motion_.frames.push_back(frame_.actors[0].q);
    motion_.contacts.push_back(flags);
  }

  void Write(const SimulateOptions& options) const {
    if (crowd_) {
      crowd_->Write(ViewFromName(options.sheet_view), options.sheet_cells, options.sheet);
      return;
    }
    SheetOptions sheet;
    sheet.view = ViewFromName(options.sheet_view);
    sheet.cells = options.sheet_cells;
    sheet.title = motion_.name;
    WritePng(ContactSheet(character_, motion_, sheet), options.sheet);
  }

 private:
  std::uint8_t FlagOf(int body) const {
    const auto is = [&](Role role) { return character_.BodyOf(role) == body; };
    if (is(Role::kLeftFoot) || is(Role::kLeftToe)) return kLeftFootDown;
    if (is(Role::kRightFoot) || is(Role::kRightToe)) return kRightFootDown;
    if (is(Role::kLeftHand)) return kLeftHandDown;
    if (is(Role::kRightHand)) return kRightHandDown;
    return 0;
  }

  Character character_;
  std::uint32_t every_;
  std::optional<CrowdSheet> crowd_;
  Motion motion_;
  RecordedFrame frame_;
};

// Writes frames and events as the run goes.
class Recorder {
 public:
  Recorder(const SimulateOptions& options, Run* run)
      : every_(StepsIn(options.record_every, run->GetWorld().time_step)),
        writer_(options.record, HeaderOf(*run)) {
    AddFrame(run);
  }
  void Add(Run* run) {
    AddEvents(run);
    if (run->StepCount() % every_ == 0) AddFrame(run);
  }
  void Finish(Run* run, const SimulateResult& result) {
    AddEvents(run);
    if (run->StepCount() != frame_.step) AddFrame(run);
    writer_.Finish(ToJson(result));
  }

 private:
  RecordingHeader HeaderOf(const Run& run) const {
    RecordingHeader header = run.Header();
    header.sources = run.Sources();
    header.frame_interval = every_ * run.GetWorld().time_step;
    return header;
  }
  void AddEvents(Run* run) {
    for (const RecordedEvent& event : run->TakeEvents()) writer_.Add(event);
  }
  void AddFrame(Run* run) {
    run->ReadFrame(&frame_);
    writer_.Add(frame_);
  }

  std::uint32_t every_;
  RecordingWriter writer_;
  RecordedFrame frame_;
};

}  // namespace

SimulateResult Simulate(const SimulateOptions& options) {
  CheckOptions(options);
  Run run(options.setup);
  if (options.must_obey && !run.Unobeyed().empty()) {
    throw InputError(run.Unobeyed()[0] + ": leave the command out, or choose another controller");
  }
  const Character& character = run.GetWorld().actors[0];
  const double h = run.GetWorld().time_step;
  std::optional<Recorder> recorder;
  std::optional<SheetMotion> sheet;
  if (!options.record.empty()) recorder.emplace(options, &run);
  if (!options.sheet.empty()) sheet.emplace(run, StepsIn(options.setup.scenario.seconds, h));

  SimulateResult result;
  const Clock::time_point begin = Clock::now();
  Clock::time_point before = begin;
  while (!run.Finished()) {
    run.Step();
    const Clock::time_point now = Clock::now();
    result.missed_deadlines += std::chrono::duration<double>(now - before).count() > h;
    before = now;
    if (!recorder) run.TakeEvents();  // nobody wants them: an hour's would be megabytes
    if (!recorder && !sheet) continue;
    if (recorder) recorder->Add(&run);
    if (sheet) sheet->Add(run);
    before = Clock::now();
  }
  result.wall_seconds = std::chrono::duration<double>(before - begin).count();

  result.character = character.name;
  result.engine = options.setup.engine;
  result.controller = options.setup.characters[0].controller;
  result.controller_settings = run.Setup().characters[0].controller_config;
  result.seed = options.setup.seed;
  result.mass = TotalMass(character);
  result.dof = LayoutOf(character).nv;
  result.fell = run.Fell();
  result.failed = run.Failed();
  result.fell_at = run.FellAt();
  result.falls = run.Falls();
  result.recoveries = run.Recoveries();
  result.metrics = run.Measure();
  for (int k = 1; k < run.CharacterCount(); ++k) {
    result.others.push_back({run.GetWorld().actors[k].name, run.Setup().characters[k].controller,
                             run.FellAt(k), run.Falls(k), run.Recoveries(k), run.Failed(k),
                             run.Measure(k)});
  }
  result.simulated_seconds = run.Time();
  if (result.wall_seconds > 0) {
    result.realtime_factor = result.simulated_seconds / result.wall_seconds;
  }
  const std::vector<double>& q = run.ActorState().q;
  result.final_root = RootFrameAt(character, q).offset;
  result.settings = ConfigToJson(run.GetWorld());
  result.warnings = run.Warnings();
  for (const std::string& command : run.Unobeyed()) result.warnings.push_back(command);
  result.recording = options.record;
  result.sheet = options.sheet;
  if (recorder) recorder->Finish(&run, result);
  if (sheet) sheet->Write(options);
  return result;
}

OrderedJson ToJson(const SimulateResult& r) {
  const auto path = [](const std::string& name) {
    return name.empty() ? OrderedJson(nullptr) : OrderedJson(name);
  };
  OrderedJson json = {{"fell", r.fell}};
  json["fell_at"] = r.fell_at ? OrderedJson(*r.fell_at) : nullptr;
  json["failed"] = r.failed;
  json["falls"] = r.falls;
  json["recoveries"] = r.recoveries;
  json.update(ToJson(r.metrics));
  json.update(OrderedJson{{"simulated_seconds", r.simulated_seconds},
                          {"wall_seconds", r.wall_seconds},
                          {"realtime_factor", r.realtime_factor},
                          {"missed_deadlines", r.missed_deadlines},
                          {"engine", r.engine},
                          {"character", r.character},
                          {"controller", r.controller},
                          {"controller_settings", r.controller_settings},
                          {"seed", r.seed},
                          {"final_root", {r.final_root.x, r.final_root.y, r.final_root.z}},
                          {"mass", r.mass},
                          {"dof", r.dof},
                          {"settings", r.settings},
                          {"warnings", r.warnings}});
  if (!r.others.empty()) {
    json["others"] = OrderedJson::array();
    for (const SimulateResult::Other& other : r.others) {
      json["others"].push_back(
          {{"character", other.character},
           {"controller", other.controller},
           {"fell_at", other.fell_at ? OrderedJson(*other.fell_at) : OrderedJson(nullptr)},
           {"falls", other.falls},
           {"recoveries", other.recoveries},
           {"failed", other.failed},
           {"metrics", ToJson(other.metrics)}});
    }
  }
  json["recording"] = path(r.recording);
  json["sheet"] = path(r.sheet);
  return json;
}

ReplayResult Replay(const std::string& path) {
  const Recording recording = ReadRecording(path);
  return {path, static_cast<long>(recording.frames.size()), recording.Duration(),
          ReplayDifference(recording)};
}

OrderedJson ToJson(const ReplayResult& r) {
  OrderedJson json = {{"recording", r.recording},
                      {"frames", r.frames},
                      {"seconds", r.seconds},
                      {"same", r.difference.empty()}};
  json["difference"] = r.difference.empty() ? OrderedJson(nullptr) : OrderedJson(r.difference);
  return json;
}

}  // namespace stride
