#include "stride/app/live/live.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <numbers>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/app/catalog.h"
#include "stride/character/library.h"
#include "stride/controllers/registry.h"
#include "stride/controllers/skill_library.h"
#include "stride/core/error.h"
#include "stride/motion/formats/export.h"
#include "stride/motion/formats/formats.h"
#include "stride/motion/import/motion_source.h"

namespace stride {
namespace {

using Clock = LiveRun::Clock;
using Kind = LiveOutput::Kind;

constexpr double kStatusSeconds = 0.25;
constexpr double kMinStatusSeconds = 0.05;  // between changes, of a slider for instance
constexpr double kCurvesSeconds = 0.2;      // the same, of curves under somebody's hand
constexpr double kMaxTickSeconds = 0.1;     // after a stall the run goes on instead of racing after
constexpr double kPaceSeconds = 1;          // over which the real-time factor is measured
constexpr double kKeepsUp = 0.95;
constexpr double kPlayedSeconds = 10;  // of a motion that loops

Clock::duration Seconds(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}
double SecondsBetween(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

double ThreadCpuSeconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

nlohmann::ordered_json OrNull(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json ToJson(const CurvePoints& points) {
  return {{"times", points.times}, {"values", points.values}};
}

nlohmann::ordered_json ToJson(const ControlCurve& curve) {
  return {{"name", curve.name},
          {"unit", curve.unit},
          {"body", curve.body},
          {"axis", curve.axis},
          {"low", curve.low},
          {"high", curve.high},
          {"rest", curve.rest},
          {"mirror", curve.mirror},
          {"mirror_sign", curve.mirror_sign},
          {"mirror_shift", curve.mirror_shift},
          {"mirror_reverses", curve.mirror_reverses},
          {"sensor", curve.sensor},
          {"layers", curve.layers},
          {"seconds",
           {{"blend_in", curve.in_seconds},
            {"cycle", curve.cycle_seconds},
            {"blend_out", curve.out_seconds}}},
          {"blend_in", ToJson(curve.blend_in)},
          {"cycle", ToJson(curve.cycle)},
          {"blend_out", ToJson(curve.blend_out)}};
}

nlohmann::ordered_json ToJson(const Command& command) {
  return {{"speed", OrNull(command.speed)},
          {"heading", OrNull(command.heading)},
          {"style", command.style},
          {"point", command.point ? nlohmann::ordered_json{command.point->x, command.point->y}
                                  : nlohmann::ordered_json(nullptr)}};
}

nlohmann::ordered_json Obeys(const Controller& controller) {
  return {{"speed", controller.TakesSpeed()}, {"heading", controller.Turns()}};
}

// Names from the page are looked up here and nowhere else, so that none is taken for a file's.
// `current` may be a file that the command line named.
void CheckListed(const std::string& kind, const std::string& name, const std::string& current) {
  if (name == current) return;
  std::vector<std::string> names;
  const std::vector<CatalogSection> sections = ListCatalog(kind);
  for (const CatalogEntry& entry : sections[0].entries) names.push_back(entry.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  throw InputError(
      fmt::format("there is no '{}' among the {}; expected one of: {}", name, kind,
                  names.empty() ? "none there yet" : fmt::format("{}", fmt::join(names, ", "))));
}

// A skill brings its controller, which goes with it.
void TakeSkill(const std::string& skill, CharacterSetup* setup) {
  const std::string before = std::exchange(setup->skill, skill);
  if (skill.empty()) {
    if (before.empty() || ControllerOfSkill(before) != setup->controller) return;
    setup->controller = CharacterSetup().controller;
    setup->controller_config = nlohmann::json::object();
    return;
  }
  const Skill envelope = EnvelopeOf(skill);
  if (setup->controller != envelope.controller) {
    setup->controller = envelope.controller;
    setup->controller_config = nlohmann::json::object();
  }
  // Who leaves the skill later keeps its body, if it has a name.
  for (const CharacterInfo& info : BuiltInCharacters()) {
    if (info.name == envelope.character.name) setup->character = info.name;
  }
}

// A skill is performed on its own body: on another it is left. Says so; empty: it stays.
std::string LeaveSkillOfOthers(CharacterSetup* setup) {
  if (setup->skill.empty()) return "";
  const std::string body = EnvelopeOf(setup->skill).character.name;
  if (LoadCharacter(setup->character).name == body) return "";
  const std::string skill = std::filesystem::path(setup->skill).stem().string();
  TakeSkill("", setup);
  return fmt::format("'{}' is a skill of the body '{}': '{}' is driven by '{}' instead", skill,
                     body, setup->character, setup->controller);
}

// Follows any clip without having learned it.
std::string ClipPerformer() {
  for (const ControllerInfo& info : Controllers()) {
    if (info.follows_any_clip) return info.name;
  }
  throw InputError("no controller follows a clip without learning it");
}

std::string Text(const nlohmann::ordered_json& json) {
  // A name from a foreign file may not be UTF-8.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

LiveSession::LiveSession(const RunSetup& setup, Bytes opened)
    : opened_(std::move(opened)), characters_(setup.characters), setup_(setup) {
  if (!opened_) run_.emplace(setup);
}

LiveSession::~LiveSession() { Stop(); }

void LiveSession::Start(std::function<void(LiveOutput)> sink) {
  STRIDE_CHECK(!thread_.joinable());
  sink_ = std::move(sink);
  thread_ = std::thread([this] { Loop(); });
}

void LiveSession::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void LiveSession::Join(int client) {
  const std::lock_guard lock(mutex_);
  queue_.Add({client, JoinRequest{}});
}

bool LiveSession::Post(int client, LiveMessage message) {
  const std::lock_guard lock(mutex_);
  return queue_.Add({client, std::move(message)});
}

void LiveSession::Leave(int client) {
  const std::lock_guard lock(mutex_);
  queue_.Drop(client);
}

bool LiveSession::Perform(Performance what, std::function<void(const std::string&)> done) {
  const std::lock_guard lock(mutex_);
  return queue_.Add({0, PerformRequest{std::move(what), std::move(done)}});
}

Bytes LiveSession::Opened() const {
  const std::lock_guard lock(mutex_);
  return opened_;
}

Bytes LiveSession::Recorded() const {
  const std::lock_guard lock(mutex_);
  return recorded_;
}

std::string LiveSession::EditedSkill(int actor) const {
  CharacterSetup setup;
  {
    const std::lock_guard lock(mutex_);
    if (actor < 0 || actor >= static_cast<int>(characters_.size())) {
      throw InputError(fmt::format("there is no character {}", actor));
    }
    setup = characters_[actor];
  }
  if (setup.skill.empty()) throw InputError("it performs no skill that could be saved");
  Skill skill = LoadSkill(setup.skill);
  const ControllerInfo& controller = FindController(skill.controller);
  if (!controller.edit_skill) {
    throw InputError(fmt::format("a skill of '{}' has no curves to edit", skill.controller));
  }
  for (const CurveEdit& edit : setup.curves) controller.edit_skill(edit, &skill);
  const std::string ending = "-edited";
  const bool named =
      skill.name.size() > ending.size() &&
      skill.name.compare(skill.name.size() - ending.size(), ending.size(), ending) == 0;
  if (!setup.curves.empty() && !named) skill.name += ending;
  // What it was found to do, it did before.
  if (!setup.curves.empty()) skill.provenance["edited_by_hand"] = true;
  return SkillText(skill);
}

std::string LiveSession::Performer() const {
  CharacterSetup first;
  {
    const std::lock_guard lock(mutex_);
    first = characters_[0];
  }
  return LoadCharacter(first.character).IsHuman() ? first.character : kDefaultHuman;
}

void LiveSession::ReportServer(int clients, double load) {
  clients_ = clients;
  server_load_ = load;
}

void LiveSession::Loop() {
  Clock::time_point due = Clock::now(), last = due;
  for (;;) {
    due += Seconds(kTickSeconds);
    {
      std::unique_lock lock(mutex_);
      if (wake_.wait_until(lock, due, [&] { return stopping_; })) return;
    }
    const Clock::time_point now = Clock::now();
    const double wall = std::min(SecondsBetween(last, now), kMaxTickSeconds);
    last = now;
    rebuilt_ = false;
    Tick(wall);
    const double late = SecondsBetween(due, Clock::now());
    if (late > kTickSeconds) {
      if (run_ && !run_->Paused() && !rebuilt_) ++missed_;
      due = Clock::now();
    }
  }
}

void LiveSession::Tick(double wall_seconds) {
  const double cpu_begin = ThreadCpuSeconds();
  ServeQueue();
  double simulation_cpu = 0;
  if (run_ && watched_) {
    const double cpu_before = ThreadCpuSeconds();
    const double time_before = run_->GetRun().Time();
    const bool paused = run_->Paused();
    try {
      run_->Advance(wall_seconds, Clock::now() + Seconds(kTickSeconds));
    } catch (const InputError& error) {  // a changed world that the engine does not take
      run_->Pause(true);
      Send(Kind::kText, Text({{"type", "refused"}, {"message", error.what()}}));
    }
    const double advanced = run_->GetRun().Time() - time_before;
    if (!paused) {
      const double kept = std::exp(-wall_seconds / kPaceSeconds);
      asked_ = kept * asked_ + run_->Rate() * wall_seconds;
      done_ = kept * done_ + advanced;
    }
    frame_due_ = frame_due_ || advanced > 0;
    status_due_ = status_due_ || run_->Paused() != paused;
    simulation_cpu = ThreadCpuSeconds() - cpu_before;
    if (run_->RecordingFull()) EndRecording();
    for (std::string& event : run_->TakeEvents()) {
      Send(Kind::kEvent, std::move(event));
      frame_due_ = true;  // clients drop frames from before an event
    }
    if (frame_due_) Send(Kind::kFrame, run_->EncodeCurrentFrame());
    frame_due_ = false;
  }
  since_curves_ += wall_seconds;
  if (run_ && !curves_due_.empty() && since_curves_ >= kCurvesSeconds) {
    for (const int actor : std::exchange(curves_due_, {})) SendCurves(actor);
    since_curves_ = 0;
  }
  since_status_ += wall_seconds;
  if (since_status_ >= (status_due_ ? kMinStatusSeconds : kStatusSeconds)) {
    Send(Kind::kStatus, Text(Status()));
    status_due_ = false;
    since_status_ = 0;
  }
  const double kept = std::exp(-wall_seconds / kPaceSeconds);
  load_cpu_ = kept * load_cpu_ + ThreadCpuSeconds() - cpu_begin - simulation_cpu;
  load_wall_ = kept * load_wall_ + wall_seconds;
}

// As many as a tick has time for, and one run; the rest waits for the next.
void LiveSession::ServeQueue() {
  const Clock::time_point end = Clock::now() + Seconds(kTickSeconds / 2);
  bool begun = false;
  for (Clock::time_point now = Clock::now(); now < end;) {
    std::optional<LiveRequest> request;
    {
      const std::lock_guard lock(mutex_);
      request = queue_.Next(now, !begun);
    }
    if (!request) return;
    Serve(*request);
    begun = begun || Begins(*request);
    const Clock::time_point done = Clock::now();
    const std::lock_guard lock(mutex_);
    queue_.Took(*request, SecondsBetween(now, done), done);
    now = done;
  }
}

void LiveSession::Welcome(int client) {
  watched_ = true;
  Send(Kind::kText, Text(LiveCatalog()), client);
  Send(Kind::kStatus, Text(Status()), client);
  if (!run_) return;
  Send(Kind::kHead, run_->EncodeHead(), client);
  Send(Kind::kFrame, run_->EncodeCurrentFrame(), client);
  SendAllCurves(client);
}

void LiveSession::Serve(const LiveRequest& request) {
  if (std::holds_alternative<JoinRequest>(request.what)) return Welcome(request.client);
  if (const auto* perform = std::get_if<PerformRequest>(&request.what)) {
    std::string failure;
    try {
      Handle(perform->what);
      status_due_ = true;
    } catch (const InputError& error) {
      failure = error.what();
    }
    return perform->done(failure);
  }
  const LiveMessage& asked = std::get<LiveMessage>(request.what);
  try {
    std::visit([this](const auto& message) { Handle(message); }, asked);
    status_due_ = status_due_ || !std::holds_alternative<DragMessage>(asked);
  } catch (const InputError& error) {
    Send(Kind::kText, Text({{"type", "refused"}, {"message", error.what()}}), request.client);
  }
}

void LiveSession::Note(const std::string& message) {
  Send(Kind::kText, Text({{"type", "note"}, {"message", message}}));
}

LiveRun& LiveSession::Live() {
  if (!run_) throw InputError("a recording is open; go back to the simulation first");
  return *run_;
}

void LiveSession::Handle(const PauseMessage& message) { Live().Pause(message.on); }
void LiveSession::Handle(const StepMessage&) {
  Live().StepOnce();
  frame_due_ = true;
}
void LiveSession::Handle(const RateMessage& message) { Live().SetRate(message.value); }
void LiveSession::Handle(const RestartMessage&) { Begin(Live().Setup()); }
void LiveSession::Handle(const RunInput& input) {
  Live().Apply(input);
  if (input.kind != RunInput::Kind::kCurve) return;
  KeepCharacters();
  curves_due_.insert(input.actor);
}
void LiveSession::Handle(const DragMessage& message) { Live().Drag(message); }
void LiveSession::Handle(const ReleaseMessage&) { Live().Release(); }
void LiveSession::Handle(const GoLiveMessage&) { Begin(setup_); }

// Of the characters it is the first that the page sets up.
void LiveSession::Handle(const SetupMessage& message) {
  RunSetup setup = run_ ? run_->Setup() : setup_;
  CharacterSetup& first = setup.characters[0];
  std::string note;
  if (message.character || message.controller || message.skill) first.curves.clear();
  if (message.character) {
    CheckListed("characters", *message.character, first.character);
    first.character = *message.character;
    if (!message.skill) note = LeaveSkillOfOthers(&first);
  }
  if (message.engine) {
    CheckListed("engines", *message.engine, setup.engine);
    setup.engine = *message.engine;
  }
  if (message.controller) {
    CheckListed("controllers", *message.controller, first.controller);
    if (*message.controller != first.controller) {
      first.controller_config = nlohmann::json::object();
      if (!message.skill) first.skill.clear();  // it was the other one's
    }
    first.controller = *message.controller;
  }
  if (message.motion) {
    const std::string current = first.motions.empty() ? "" : first.motions[0];
    if (message.motion->empty()) {
      first.motions.clear();
    } else if (*message.motion != current) {
      CheckListed("motions", *message.motion, current);
      first.motions = {*message.motion};
    }
  }
  if (message.skill) {
    if (!message.skill->empty()) CheckListed("skills", *message.skill, first.skill);
    TakeSkill(*message.skill, &first);
  }
  // Motions of the controller before may be more than this one takes.
  const std::size_t most = FindController(first.controller).max_motions;
  if (first.motions.size() > most) first.motions.resize(most);
  Begin(setup);
  if (!note.empty()) Note(note);
}

void LiveSession::Handle(const Performance& performance) {
  RunSetup setup = run_ ? run_->Setup() : setup_;
  CharacterSetup& first = setup.characters[0];
  first.curves.clear();
  first.controller_config = nlohmann::json::object();
  first.graph.clear();
  if (!performance.skill.empty()) {
    first.motions.clear();
    TakeSkill(performance.skill, &first);
  } else {
    first.skill.clear();
    first.controller = ClipPerformer();
    first.motions = {performance.motion};
    if (!LoadCharacter(first.character).IsHuman()) first.character = kDefaultHuman;
  }
  Begin(setup);
}

void LiveSession::Handle(const RecordMessage& message) {
  if (!message.on) {
    EndRecording();
  } else if (!Live().Recording()) {
    Live().StartRecording();
  }
}

void LiveSession::Handle(const PlayMessage& message) {
  CheckListed("motions", message.motion, "");
  const std::string& character = setup_.characters[0].character;
  const bool human = LoadCharacter(character).IsHuman();
  const MotionSource source = LoadAnyMotion(message.motion, human ? character : "");
  auto bytes = std::make_shared<const std::string>(
      EncodeRecording(RecordingFromMotion(source.motion, source.character, kPlayedSeconds)));
  EndRecording();
  run_.reset();
  ++opened_count_;
  const std::lock_guard lock(mutex_);
  opened_ = std::move(bytes);
}

// The new run first: if it cannot be made, the old one goes on.
void LiveSession::Begin(const RunSetup& setup) {
  LiveRun next(setup);
  EndRecording();
  if (run_) {
    next.SetRate(run_->Rate());
    next.Pause(run_->Paused() && !run_->GetRun().Finished());
  }
  setup_ = setup;
  run_.emplace(std::move(next));
  {
    const std::lock_guard lock(mutex_);
    opened_.reset();
  }
  rebuilt_ = true;
  missed_ = 0;
  asked_ = done_ = 0;
  KeepCharacters();
  Send(Kind::kHead, run_->EncodeHead());
  SendAllCurves();
  frame_due_ = true;
}

void LiveSession::KeepCharacters() {
  const std::lock_guard lock(mutex_);
  characters_ = run_->Setup().characters;
}

// What a person may edit of a character's controller, as it is now.
void LiveSession::SendCurves(int actor, int client) {
  nlohmann::ordered_json curves = nlohmann::ordered_json::array();
  for (const ControlCurve& curve : run_->GetRun().ControllerOf(actor).Curves()) {
    curves.push_back(ToJson(curve));
  }
  Send(Kind::kText, Text({{"type", "curves"}, {"actor", actor}, {"curves", std::move(curves)}}),
       client);
}

// The first character's always; of others those that have some.
void LiveSession::SendAllCurves(int client) {
  if (client == 0) curves_due_.clear();
  const Run& run = run_->GetRun();
  for (int k = 0; k < run.CharacterCount(); ++k) {
    if (k == 0 || !run.ControllerOf(k).Curves().empty()) SendCurves(k, client);
  }
}

void LiveSession::EndRecording() {
  if (!run_) return;
  Bytes bytes = run_->StopRecording();
  status_due_ = true;
  if (!bytes) return;
  const std::lock_guard lock(mutex_);
  recorded_ = std::move(bytes);
}

void LiveSession::Send(LiveOutput::Kind kind, std::string bytes, int client) {
  sink_({kind, client, std::make_shared<const std::string>(std::move(bytes))});
}

nlohmann::ordered_json LiveSession::Status() const {
  const RunSetup& setup = run_ ? run_->Setup() : setup_;
  const CharacterSetup& first = setup.characters[0];
  const double realtime = asked_ > kPaceSeconds / 2 ? done_ / asked_ : 1;
  const bool running = run_ && !run_->Paused();
  const double own_load = load_wall_ > 0 ? load_cpu_ / load_wall_ : 0;
  nlohmann::ordered_json json = {
      {"type", "status"},
      {"mode", run_ ? "live" : "recording"},
      {"opened", opened_count_},
      {"paused", run_ && run_->Paused()},
      {"rate", run_ ? run_->Rate() : 1},
      {"time", run_ ? run_->GetRun().Time() : 0},
      {"realtime", realtime},
      {"late", running && realtime < kKeepsUp},
      {"missed", missed_},
      {"fell", run_ && run_->GetRun().Lies()},
      {"falls", run_ ? run_->GetRun().Falls() : 0},
      {"failed", run_ && run_->GetRun().Failed()},
      {"recording", run_ && run_->Recording()},
      {"recorded_seconds", run_ ? run_->RecordedSeconds() : 0},
      {"downloadable", Recorded() != nullptr},
      {"setup",
       {{"character", first.character},
        {"engine", setup.engine},
        {"controller", first.controller},
        {"motions", first.motions},
        {"skill", first.skill.empty() ? nlohmann::ordered_json(nullptr)
                                      : nlohmann::ordered_json(first.skill)},
        {"friction", setup.scenario.world.friction},
        {"slope_deg", setup.scenario.world.terrain.slope * 180 / std::numbers::pi},
        {"seed", setup.seed}}}};
  json["takes_files"] = takes_files_;
  json["obeys"] = run_ ? Obeys(run_->GetRun().ControllerOf()) : nlohmann::ordered_json(nullptr);
  json["command"] = ToJson(run_ ? run_->GetRun().CurrentCommand() : Command{});
  json["others"] = nlohmann::ordered_json::array();
  for (int k = 1; run_ && k < run_->GetRun().CharacterCount(); ++k) {
    json["others"].push_back({{"command", ToJson(run_->GetRun().CurrentCommand(k))},
                              {"obeys", Obeys(run_->GetRun().ControllerOf(k))},
                              {"fell", run_->GetRun().Lies(k)},
                              {"falls", run_->GetRun().Falls(k)},
                              {"metrics", ToJson(run_->GetRun().Measure(k))}});
  }
  json["styles"] = run_ ? run_->GetRun().ControllerOf().Styles() : std::vector<std::string>();
  json["metrics"] = run_ ? ToJson(run_->GetRun().Measure()) : nlohmann::ordered_json::object();
  json["server_load"] = own_load + server_load_;
  json["clients"] = clients_.load();
  return json;
}

nlohmann::ordered_json LiveCatalog() {
  nlohmann::ordered_json json = {{"type", "catalog"}};
  json.update(ToJson(ListCatalog()));
  auto& controllers = json["controllers"] = nlohmann::ordered_json::array();
  for (const ControllerInfo& info : Controllers()) {
    controllers.push_back({{"name", info.name},
                           {"description", info.description},
                           {"min_motions", info.min_motions},
                           {"max_motions", info.max_motions}});
  }
  return json;
}

std::string ExportRecordingBytes(const Bytes& bytes, const std::string& format) {
  if (format == "recording") return *bytes;
  const Recording recording = ParseRecording(*bytes, "the recording");
  if (format == "csv") return RecordingCsv(recording);
  const std::string extension = "." + format;
  for (const FormatInfo& info : Formats()) {
    const auto& endings = info.write_extensions;
    if (!info.write || std::find(endings.begin(), endings.end(), extension) == endings.end()) {
      continue;
    }
    return info.write(
        ClipFromMotion(MotionFromRecording(recording), recording.header.world.actors.at(0)));
  }
  throw InputError("a recording is not exported as '" + format + "'");
}

}  // namespace stride
