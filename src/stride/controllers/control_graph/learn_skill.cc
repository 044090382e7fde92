#include "stride/controllers/control_graph/learn_skill.h"

#include <algorithm>

#include <fmt/format.h>

#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/learn/learning_run.h"
#include "stride/motion/edit/symmetry.h"

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
  return json;
}

}  // namespace

void FillResult(const LearningRun& run, const Learner& learner, const Workers& workers,
                std::uint64_t seed, LearnSkillResult* result) {
  result->stopped = run.stopped;
  result->wall_seconds = run.wall_seconds;
  result->lane_steps_per_second = run.lane_steps_per_second;
  result->seed = seed;
  result->leader = workers.Leader();
  result->iterations = static_cast<int>(learner.Known().history.size());
  result->threads = workers.Threads();
  result->ranks = workers.Ranks();
}

nlohmann::ordered_json MeasureSkill(const Learner& learner) {
  const Learner::Trial alone = learner.Try(100, 0, false, 32),
                       pushed = learner.Try(60, 60, true, 32);
  return {{"seconds_of_100", alone.seconds},
          {"cost", alone.cost},
          {"seconds_of_60_pushed_60N", pushed.seconds}};
}

LearnSkillResult LearnSkill(const LearnSkillRequest& request) {
  if (request.out.empty()) throw InputError("-o: the skill needs a file to be written to");
  const Workers workers(request.threads);
  LearnSkillResult result;
  MotionSource source = LoadAnyMotion(request.clip, request.character, request.capture);
  result.warnings = source.warnings;
  LearnOptions options = request.options;
  if (MakeGaitSymmetric(source.character, request.symmetry, &source.motion)) {
    options.symmetric = true;
  }
  const ClipOptions clip = {options.fragment, options.lead, options.symmetric};
  const ControlGraph graph =
      MakeControlGraph(source.motion, source.character, clip, World().time_step);
  Learner learner(graph, options, request.seed, workers);
  GoOnFrom(request.out, request.resume, &learner);

  const LearningRun run = RunToEnd(
      request.out, workers, request.quiet, request.stop,
      [&] { return std::pair(learner.DoneIterations(), learner.TotalIterations()); },
      [&]() -> const nlohmann::ordered_json& { return learner.Known().history; }, &learner);
  FillResult(run, learner, workers, request.seed, &result);
  result.clip = source.motion.name;
  result.character = source.character.name;
  result.out = request.out;
  result.symmetric = options.symmetric;
  result.settings = ConfigToJson(options);
  if (result.stopped) return result;

  result.metrics = MeasureSkill(learner);
  if (workers.Leader()) {
    Skill skill;
    skill.name = request.name.empty() ? source.motion.name : request.name;
    skill.character = source.character;
    skill.plan = PlanOf(source.motion, options.symmetric);
    skill.clip = clip;
    skill.time_step = graph.time_step;
    skill.keep_heading = options.keep_heading;
    skill.policies = learner.Known().policies;
    skill.start = learner.Start();
    RecordTurns(&skill);
    skill.provenance = {{"method", "liu16"},
                        {"seed", request.seed},
                        {"stride", STRIDE_VERSION},
                        {"source", source.motion.source},
                        {"capture", CaptureJson(request.capture)},
                        {"settings", result.settings}};
    skill.metrics = result.metrics;
    WriteSkill(skill, request.out);
  }
  return result;
}

nlohmann::ordered_json ToJson(const LearnSkillResult& r) {
  return {{"clip", r.clip},
          {"character", r.character},
          {"skill", r.out},
          {"stopped", r.stopped},
          {"seed", r.seed},
          {"wall_seconds", r.wall_seconds},
          {"lane_steps_per_second", r.lane_steps_per_second},
          {"iterations", r.iterations},
          {"threads", r.threads},
          {"ranks", r.ranks},
          {"symmetric", r.symmetric},
          {"metrics", r.metrics},
          {"settings", r.settings},
          {"warnings", r.warnings}};
}

}  // namespace stride
