#include "stride/controllers/pendulum/learn_pendulum.h"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "stride/controllers/pendulum/defaults.h"
#include "stride/controllers/pendulum/improve_pendulum.h"
#include "stride/controllers/pendulum/learn_performance.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/hash.h"
#include "stride/core/json_node.h"
#include "stride/motion/import/import.h"
#include "stride/motion/import/motion_source.h"
#include "stride/scenario/fall.h"
#include "stride/scenario/option_syntax.h"
#include "stride/sim/engine.h"

namespace stride::pendulum_controller {
namespace {

constexpr double kTrialSeconds = 30;
constexpr double kWishedStep = 1.0 / 960;

// Settings of `learn pendulum`: the controller's own, and those of the search.
struct LearnSettings {
  PendulumConfig config;
  ImproveSettings improve;
};
template <class Visitor>
void VisitConfig(LearnSettings& s, Visitor& visit) {
  VisitConfig(s.config, visit);
  visit("improve", s.improve);
}
LearnSettings SettingsOf(const LearningRequest& request, const PendulumConfig& defaults) {
  LearnSettings settings{.config = defaults};
  for (const std::string& text : request.settings) {
    SetConfigValue(text, &settings);
    if (text.starts_with("improve.") && !request.Has("improve")) {
      throw InputError(fmt::format("'{}' has no effect without --improve", text));
    }
  }
  return settings;
}

struct Tried {
  double seconds = 0, way = 0;
  bool fell = false;
};

// In the native engine, alone on level ground.
Tried TryOut(const Character& character, const std::shared_ptr<const PendulumRig>& rig,
             const PendulumConfig& config) {
  World world;
  world.actors = {character};
  world.time_step = kWishedStep;
  PendulumController controller(world, rig, config);
  const std::unique_ptr<Engine> engine = MakeEngine("native", world);
  engine->SetState(0, controller.Start());
  const FallDetector fall(character, world.terrain, controller.Start());
  Actuation actuation = Passive(character);
  Tried tried;
  const Vec3d from = Vec3At(controller.Start().q, 0);
  while (tried.seconds < kTrialSeconds && !tried.fell) {
    controller.Step({tried.seconds, engine->GetState(0), engine->Contacts()}, {}, &actuation);
    engine->Step({&actuation, 1}, {});
    tried.seconds += world.time_step;
    tried.fell = engine->Failed(0) || fall.Fallen(engine->GetState(0));
  }
  const Vec3d way = Vec3At(engine->GetState(0).q, 0) - from;
  tried.way = std::hypot(way.x, way.y);
  return tried;
}

class AnalysisJob final : public LearningJob {
 public:
  AnalysisJob(const LearningRequest& request, MotionSource source)
      : request_(request), source_(std::move(source)) {}

  bool Done() const override { return rig_ != nullptr; }
  nlohmann::ordered_json Advance(const std::function<bool()>&) override {
    const auto begin = std::chrono::steady_clock::now();
    rig_ = std::make_shared<const PendulumRig>(source_.character, source_.motion);
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    config_ = SettingsOf(request_, DefaultConfig(rig_->reference, PendulumUse::kTorques)).config;
    tried_ = TryOut(source_.character, rig_, config_);
    history_.push_back({{"fit_error", rig_->reference.FitError()}, {"alone", tried_.seconds}});
    return history_.back();
  }
  double Progress() const override { return Done() ? 1 : 0; }
  const nlohmann::ordered_json& History() const override { return history_; }
  std::string Checkpoint() const override { return ""; }
  void Restore(const std::string&, const std::string&) override {}
  std::string InstructionSet() const override { return ""; }
  long LaneSteps() const override { return 0; }

  LearningResult Result() override {
    const PendulumReference& ref = rig_->reference;
    const double speed = tried_.way / tried_.seconds;
    Skill skill{.name = request_.name.empty() ? source_.motion.name : request_.name,
                .controller = "pendulum",
                .description = fmt::format("{} by a pendulum", source_.motion.name),
                .character = source_.character,
                .wishes = {.time_step = kWishedStep},
                .provenance = {{"method", "pendulum"},
                               {"clip", source_.motion.name},
                               {"clip_hash", HashOf(MotionText(source_.motion))},
                               {"source", source_.motion.source},
                               {"version", STRIDE_VERSION}},
                .metrics = {{"alone", tried_.seconds},
                            {"speed", speed},
                            {"speed_of_the_clip", ref.Speed()},
                            {"fit_error", ref.FitError()}},
                .payload = PayloadOf({source_.motion, config_})};
    LearningResult result;
    result.lines = {
        {"clip", fmt::format("{} on {}, {}", source_.motion.name, source_.character.name,
                             ref.Loops() ? "a loop" : "performed once")},
        {"pendulum",
         fmt::format("on a cart, {:.3f} m long; its centre is {:.1f} mm off the clip's on average",
                     ref.pole().length, 1000 * ref.FitError())},
        {"analysis", fmt::format("{:.2f} s", seconds_)},
        {"alone", fmt::format("{:.1f} of {:g} s in native", tried_.seconds, kTrialSeconds)},
        {"speed", fmt::format("{:.2f} m/s; the clip's {:.2f}", speed, ref.Speed())}};
    if (tried_.fell) {
      result.shortfall =
          fmt::format("it falls after {:.1f} of {:g} s", tried_.seconds, kTrialSeconds);
    }
    result.json = {{"clip", source_.motion.name},
                   {"character", source_.character.name},
                   {"skill", request_.out},
                   {"metrics", skill.metrics},
                   {"analysis_seconds", seconds_}};
    result.files = {{request_.out, SkillText(skill)}};
    if (request_.Has("annotate")) {
      result.files.emplace_back(
          request_.Text("annotate"),
          AnnotationText(AnnotationOf(source_.motion), source_.motion, source_.character));
    }
    return result;
  }

 private:
  LearningRequest request_;
  MotionSource source_;
  PendulumConfig config_;
  std::shared_ptr<const PendulumRig> rig_;
  double seconds_ = 0;
  Tried tried_;
  nlohmann::ordered_json history_ = nlohmann::ordered_json::array();
};

std::unique_ptr<LearningJob> MakeJob(const LearningRequest& request, const Workers& workers,
                                     std::vector<std::string>* warnings) {
  const LearnSettings checked = SettingsOf(request, {});  // before the work
  const std::string body = request.character.empty() ? "kwon17" : request.character;
  CaptureOptions capture;
  if (request.Has("range")) {
    ParseFrameRange(request.Text("range"), &capture.first_frame, &capture.last_frame);
  }
  if (request.Has("fps")) {
    const std::string text = request.Text("fps");
    capture.fps = OptionSyntax{"--fps", "RATE", "--fps 60"}.Number(text, text);
  }
  MotionSource source = LoadAnyMotion(request.input, body, capture);
  const bool captured =
      source.format != "built-in" && source.format != "motion" && source.format != "keys";
  if (captured && !source.motion.loops && !request.Has("once")) {
    capture.loop = true;
    source = LoadAnyMotion(request.input, body, capture);
  }
  // Formats know loops of their own.
  if (request.Has("once")) source.motion.loops = false;
  warnings->insert(warnings->end(), source.warnings.begin(), source.warnings.end());
  if (const std::string why = Refuses(source.character); !why.empty()) {
    throw InputError(fmt::format("'{}' cannot be driven: {}", source.character.name, why));
  }
  Annotation annotation = AnnotationOf(source.motion);
  const std::string told = request.Text("annotation");
  if (!told.empty()) {
    annotation = ParseAnnotation(ReadFile(told), told, source.motion, source.character);
    Apply(annotation, &source.motion);
  }
  if (annotation.pendulum == PendulumKind::kPivoted) {
    const auto begin = std::chrono::steady_clock::now();
    PerformancePlan plan;
    plan.told = !told.empty();
    plan.reference =
        std::make_shared<const PerformanceReference>(source.character, source.motion, plan.told);
    plan.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const auto settings_for = [&](PendulumUse use) {
      return SettingsOf(request, DefaultConfig(*plan.reference, use)).config;
    };
    plan.engine = settings_for(PendulumUse::kTorques);
    plan.program = settings_for(PendulumUse::kSimulator);
    if (request.Has("improve")) plan.improve = checked.improve;
    return MakePerformanceJob(request, std::move(source), std::move(plan), workers);
  }
  if (request.Has("improve")) {
    if (!source.motion.loops) {
      throw InputError(
          fmt::format("--improve takes loops and what is performed once (--once); '{}' is neither",
                      request.input));
    }
    if (request.Has("annotate")) {
      throw InputError("--annotate has no effect with --improve: annotate first, in a run alone");
    }
    const PendulumReference reference(source.character, source.motion);
    const LearnSettings settings =
        SettingsOf(request, DefaultConfig(reference, PendulumUse::kTorques));
    return MakeImprovement(request, source, settings.config, settings.improve, workers);
  }
  return std::make_unique<AnalysisJob>(request, std::move(source));
}

}  // namespace

nlohmann::ordered_json PayloadOf(const PendulumSkill& skill) {
  return {{"config", ConfigToJson(skill.config)},
          {"pendulum", NameOf(skill.Pivots() ? PendulumKind::kPivoted : PendulumKind::kCart)},
          {"told", skill.told},
          {"motion", nlohmann::ordered_json::parse(MotionText(skill.motion))}};
}

PendulumSkill SkillOf(const Skill& skill) {
  const JsonNode payload(skill.payload, "payload");
  PendulumSkill held;
  ConfigFromJson(payload["config"].value(), "payload.config", &held.config);
  held.motion = ParseMotion(payload["motion"].value().dump(), "payload.motion");
  held.motion.character = skill.character.name;
  if (payload.value().contains("pendulum")) {
    held.pendulum = static_cast<PendulumKind>(payload["pendulum"].Choice({"cart", "pivoted"}));
    if (held.Pivots() && held.motion.loops) {
      payload["pendulum"].Fail("\"cart\": the motion is a loop");
    }
  }
  if (payload.value().contains("told")) held.told = payload["told"].Bool();
  Validate(held.motion, skill.character);
  return held;
}

LearningMethod PendulumLearning() {
  return {.name = "pendulum",
          .summary =
              "a clip that is balanced by an inverted pendulum: analysed in a moment, improved by "
              "a search if asked for",
          .input = "CLIP",
          .input_help = "Built-in motion, motion file or motion capture",
          .examples = {"stride learn pendulum walk -o walk.skill",
                       "stride learn pendulum capture.bvh -o mine.skill --character kwon17",
                       "stride learn pendulum run --improve -o run.skill",
                       "stride learn pendulum flip.bvh --once --range 28:130 --fps 60 "
                       "--annotate flip.json -o flip.skill"},
          .options = {{"improve", "Search for landings and gains that stand longer (minutes)",
                       LearningOption::Kind::kFlag},
                      {"once", "The clip is performed once, not closed to a loop",
                       LearningOption::Kind::kFlag},
                      {"range", "Frames of a motion-capture file to take, first:last, from 0"},
                      {"fps", "True rate of a capture, frames/s, where the file is wrong"},
                      {"annotation", "File that says which limbs stand when, and the pendulum"},
                      {"annotate", "Write what was found as such a file",
                       LearningOption::Kind::kOutput}},
          .schema = [] { return ConfigSchema<LearnSettings>(); },
          .make = MakeJob};
}

}  // namespace stride::pendulum_controller
