#include "stride/controllers/control_graph/learn_skill.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "stride/controllers/control_graph/skill_tryout.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/motion/edit/blend.h"
#include "stride/motion/edit/symmetry.h"
#include "stride/motion/import/import.h"
#include "stride/scenario/option_syntax.h"
#include "stride/sim/batch.h"

namespace stride {
namespace {

// Mean angle of a joint between two loops over a cycle, rad.
double Difference(const Character& character, const Motion& a, const Motion& b) {
  constexpr int kPoses = 16;
  double sum = 0;
  for (int k = 0; k < kPoses; ++k) {
    const auto at = [&](const Motion& m) {
      return SampleMotion(m, character, m.Duration() * k / kPoses);
    };
    sum += MeanJointAngle(character, at(a), at(b)) / kPoses;
  }
  return sum;
}

// The clip made symmetric, if asked or if it hardly changes it; returns whether it was.
bool MakeGaitSymmetric(const Character& character, Symmetry symmetry, Motion* motion) {
  constexpr double kAlike = 8 * 3.14159265358979 / 180;
  if (symmetry == Symmetry::kNo || !motion->loops) return false;
  if (symmetry == Symmetry::kYes) {
    *motion = MakeSymmetric(character, *motion);
    return true;
  }
  try {
    const Motion symmetric = MakeSymmetric(character, *motion);
    if (Difference(character, *motion, symmetric) > kAlike) return false;
    ClipOptions options;
    options.symmetric = true;
    MakeControlGraph(symmetric, character, options, World().time_step);
    *motion = symmetric;
    return true;
  } catch (const InputError&) {
    return false;  // the character's sides differ, or the clip turns
  }
}

// What was asked for; null: all frames, the file's own rate.
nlohmann::ordered_json CaptureJson(const CaptureOptions& capture) {
  const auto frame = [](int k) { return k < 0 ? "" : fmt::format("{}", k); };
  const std::string range =
      fmt::format("{}:{}", frame(capture.first_frame), frame(capture.last_frame));
  nlohmann::ordered_json json = {{"range", nullptr}, {"fps", nullptr}, {"loop", capture.loop}};
  if (range != ":") json["range"] = range;
  if (capture.fps > 0) json["fps"] = capture.fps;
  if (capture.in_place != InPlace::kAuto) {
    json["in_place"] = capture.in_place == InPlace::kYes ? "yes" : "no";
  }
  return json;
}

constexpr double kAlone = 100;      // s, that a skill is to stand undisturbed
constexpr double kSpeedOff = 0.03;  // of the clip's speed
constexpr double kJointsOff = 10;   // degrees

// What a skill does not do that its clip asks for; empty: nothing.
std::string Shortfall(const SkillTryout& tried, double clip_speed, double joint_error) {
  if (tried.seconds < kAlone) {
    return fmt::format("it falls after {:.1f} of {:g} s alone", tried.seconds, kAlone);
  }
  if (clip_speed > 0 && std::fabs(tried.speed / clip_speed - 1) > kSpeedOff) {
    return fmt::format("it goes at {:.2f} m/s, its clip at {:.2f}", tried.speed, clip_speed);
  }
  if (joint_error > kJointsOff) {
    return fmt::format("its joints are {:.1f} degrees off the clip's on average", joint_error);
  }
  return "";
}

class SkillJob final : public LearningJob {
 public:
  SkillJob(ClipSkill skill, const LearnOptions& options, std::uint64_t seed, const Workers& workers,
           const LearnStart& start, std::string out)
      : skill_(std::move(skill)),
        settings_(ConfigToJson(options)),
        seed_(seed),
        out_(std::move(out)),
        learner_(GraphOf(skill_), options, seed, workers, start) {}

  bool Done() const override { return learner_.Done(); }
  nlohmann::ordered_json Advance(const std::function<bool()>& stop) override {
    return learner_.Advance(stop);
  }
  double Progress() const override {
    return static_cast<double>(learner_.DoneIterations()) / std::max(1, learner_.TotalIterations());
  }
  const nlohmann::ordered_json& History() const override { return learner_.Known().history; }
  std::string Checkpoint() const override { return learner_.Checkpoint(); }
  void Restore(const std::string& bytes, const std::string& file_name) override {
    learner_.Restore(bytes, file_name);
  }
  std::string InstructionSet() const override { return learner_.InstructionSet(); }
  long LaneSteps() const override { return learner_.LaneSteps(); }

  LearningResult Result() override {
    const Learner::Trial alone = learner_.Try(100, 0, false, 32),
                         pushed = learner_.Try(60, 60, true, 32);
    const Segment& segment = learner_.Graph().segments[0];
    const double clip_speed = segment.travels ? MeanSpeed(segment.motion) : 0;
    skill_.pace = learner_.FindPace();
    skill_.policies = learner_.Known().policies;
    skill_.start = learner_.Start();
    RecordTurns(&skill_);
    if (clip_speed > 0 && skill_.keep_heading) FindTurns(&skill_);
    const SkillTryout tried = TryOut(skill_, kAlone);
    const double joint_error = tried.metrics.tracking_error_deg.value_or(0);
    skill_.metrics = {{"seconds_of_100", tried.seconds},
                      {"policies_seconds_of_100", alone.seconds},
                      {"cost", alone.cost},
                      {"seconds_of_60_pushed_60N", pushed.seconds},
                      {"joint_error_deg", joint_error},
                      {"foot_slip", tried.metrics.foot_slip},
                      {"peak_force", tried.metrics.peak_force}};
    if (clip_speed > 0) {
      skill_.metrics["speed"] = tried.speed;
      skill_.metrics["speed_of_the_clip"] = clip_speed;
    }
    skill_.provenance["seed"] = seed_;
    skill_.provenance["stride"] = STRIDE_VERSION;
    skill_.provenance["instruction_set"] = Batch::ChosenInstructionSet();
    skill_.provenance["settings"] = settings_;
    const GraphClip& clip = skill_.plan.clips[0];
    LearningResult result;
    result.lines = {
        {"skill", fmt::format("{} on {}{}", clip.motion.name, skill_.character.name,
                              clip.symmetric ? ", symmetric" : "")},
        {"alone", fmt::format("{:.1f} of {:g} s", tried.seconds, kAlone)},
        {"pushed",
         fmt::format("{:.1f} of 60 s, 0.2 s every 4 s up to 60 N, varied ground", pushed.seconds)},
        {"joint error", fmt::format("{:.1f} degrees a joint", joint_error)},
        {"foot slip", fmt::format("{:.3f} m/s", tried.metrics.foot_slip)},
        {"peak force", fmt::format("{:.2f} body weights", tried.metrics.peak_force)}};
    if (clip_speed > 0) {
      result.lines.push_back({"speed over ground", fmt::format("{:.2f} m/s", tried.speed)});
      result.lines.push_back({"speed of the clip", fmt::format("{:.2f} m/s", clip_speed)});
      result.lines.push_back(
          {"speeds it takes", fmt::format("{:.2f} to {:.2f} m/s", clip_speed + skill_.pace.slowest,
                                          clip_speed + skill_.pace.fastest)});
    }
    if (skill_.turn_rate > 0) {
      result.lines.push_back(
          {"turns", fmt::format("at up to {:.0f} degrees a second", skill_.turn_rate * 57.29578)});
    }
    result.shortfall = Shortfall(tried, clip_speed, joint_error);
    result.json = {{"clip", clip.motion.name},
                   {"character", skill_.character.name},
                   {"skill", out_},
                   {"seed", seed_},
                   {"symmetric", clip.symmetric},
                   {"metrics", skill_.metrics},
                   {"settings", settings_}};
    result.files = {{out_, SkillText(skill_)}};
    return result;
  }

 private:
  ClipSkill skill_;
  nlohmann::ordered_json settings_;
  std::uint64_t seed_;
  std::string out_;
  Learner learner_;
};

Symmetry ParseSymmetry(const std::string& text) {
  if (text.empty() || text == "auto") return Symmetry::kAuto;
  if (text == "yes") return Symmetry::kYes;
  if (text == "no") return Symmetry::kNo;
  throw InputError("--symmetric is '" + text + "'; expected auto, yes or no");
}

}  // namespace

std::unique_ptr<LearningJob> MakeSkillJob(const ClipSkill& skill, const LearnOptions& options,
                                          std::uint64_t seed, const Workers& workers,
                                          const LearnStart& start, const std::string& out) {
  return std::make_unique<SkillJob>(skill, options, seed, workers, start, out);
}

std::unique_ptr<LearningJob> MakeSkillJob(const LearnSkillRequest& request, const Workers& workers,
                                          std::vector<std::string>* warnings) {
  MotionSource source = LoadAnyMotion(request.clip, request.character, request.capture);
  warnings->insert(warnings->end(), source.warnings.begin(), source.warnings.end());
  LearnOptions options = request.options;
  if (MakeGaitSymmetric(source.character, request.symmetry, &source.motion)) {
    options.symmetric = true;
  }
  const ClipSkill skill{.name = request.name.empty() ? source.motion.name : request.name,
                        .character = source.character,
                        .plan = PlanOf(source.motion, options.symmetric),
                        .clip = {options.fragment, options.lead, options.symmetric},
                        .time_step = World().time_step,
                        .keep_heading = options.keep_heading,
                        .provenance = {{"method", "liu16"},
                                       {"seed", nullptr},
                                       {"stride", nullptr},
                                       {"source", source.motion.source},
                                       {"capture", CaptureJson(request.capture)}}};
  return MakeSkillJob(skill, options, request.seed, workers, {}, request.out);
}

LearningOutcome LearnSkill(const LearnSkillRequest& request, const LearningRunOptions& run,
                           int threads) {
  const Workers workers(threads);
  std::vector<std::string> warnings;
  const std::unique_ptr<LearningJob> job = MakeSkillJob(request, workers, &warnings);
  return RunToEnd(run, workers, job.get());
}

CaptureOptions CaptureOf(const LearningRequest& request) {
  CaptureOptions capture;
  if (request.Has("range")) {
    ParseFrameRange(request.Text("range"), &capture.first_frame, &capture.last_frame);
  }
  if (request.Has("fps")) {
    const std::string text = request.Text("fps");
    capture.fps = OptionSyntax{"--fps", "RATE", "--fps 120"}.Number(text, text);
  }
  capture.loop = request.Has("loop");
  if (request.Has("in-place")) capture.in_place = InPlaceFromName(request.Text("in-place"));
  return capture;
}

std::vector<LearningOption> CaptureOptionList() {
  using Kind = LearningOption::Kind;
  return {
      {"range", "Frames of a motion-capture file to take, first:last, from 0"},
      {"fps", "True rate of a capture, frames/s, where the file is wrong"},
      {"loop",
       "Close a capture to a loop: the range; else the whole file, if it says that it wraps; "
       "else the best cycle found",
       Kind::kFlag},
      {"in-place",
       "A capture whose root stays while feet slide: recover its way; yes, no, or auto (default)"}};
}

LearningMethod SkillMethod() {
  LearningMethod method{
      .name = "skill",
      .summary = "A robust skill from a clip that loops",
      .input = "clip",
      .input_help = "Built-in motion, motion file, or motion capture",
      .examples = {"stride learn skill walk -o walk.skill",
                   "stride learn skill run --character liu16-strong -o mine.skill --seed 3",
                   "stride learn skill kick.bvh --range 28:130 --loop --character liu16-strong -o "
                   "k.skill",
                   "mpirun -n 4 stride learn skill run -o run.skill --resume"},
      .options = CaptureOptionList(),
      .schema = ConfigSchema<LearnOptions>,
      .make = [](const LearningRequest& r, const Workers& workers,
                 std::vector<std::string>* warnings) {
        LearnSkillRequest request{.clip = r.input,
                                  .capture = CaptureOf(r),
                                  .name = r.name,
                                  .symmetry = ParseSymmetry(r.Text("symmetric")),
                                  .seed = r.seed,
                                  .out = r.out};
        if (!r.character.empty()) request.character = r.character;
        for (const std::string& text : r.settings) SetConfigValue(text, &request.options);
        return MakeSkillJob(request, workers, warnings);
      }};
  method.options.push_back({"symmetric",
                            "auto, yes, no: half a cycle and its mirror image make the clip",
                            LearningOption::Kind::kText, "auto"});
  return method;
}

}  // namespace stride
