#include "stride/controllers/control_graph/learn_graph.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "stride/character/library.h"
#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/controllers/control_graph/graph_picture.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/learn/learning_run.h"
#include "stride/motion/edit/edit.h"
#include "stride/motion/edit/seam.h"
#include "stride/motion/edit/symmetry.h"
#include "stride/motion/import/motion_source.h"

namespace stride {
namespace {

// To a tenth of a micrometre: a skill file holds all its clips.
void Round(Motion* motion) {
  for (std::vector<double>& frame : motion->frames) {
    for (double& x : frame) x = std::round(x * 1e7) / 1e7;
  }
}

Motion LoadNode(const GraphNodeSource& source, const std::string& folder,
                const Character& character, const std::string& character_name,
                std::vector<std::string>* warnings) {
  const bool is_file = !FileExtension(source.motion).empty();
  if (is_file) {
    const std::string path = (std::filesystem::path(folder) / source.motion).string();
    MotionSource loaded = LoadAnyMotion(
        path, character_name, {source.first_frame, source.last_frame, source.fps, source.loop});
    warnings->insert(warnings->end(), loaded.warnings.begin(), loaded.warnings.end());
    return loaded.motion;
  }
  Motion motion = LoadAnyMotion(source.motion, character_name).motion;
  if (source.first_frame < 0) return motion;
  if (source.last_frame >= motion.FrameCount()) {
    throw InputError(fmt::format("the range ends at frame {}; '{}' has the frames 0 to {}",
                                 source.last_frame, source.motion, motion.FrameCount() - 1));
  }
  if (source.loop) return MakeLoop(character, motion, source.first_frame, source.last_frame);
  motion = Cut(motion, source.first_frame, source.last_frame);
  motion.loops = false;
  return motion;
}

}  // namespace

GraphFile ReadGraphFile(const std::string& path, const std::string& motions,
                        const std::string& character_name, const ClipOptions& clip,
                        std::vector<std::string>* warnings) {
  const std::string folder =
      motions.empty() ? std::filesystem::path(path).parent_path().string() : motions;
  std::string name = character_name;
  Character character;
  GraphFile file =
      ParseGraphFile(ReadFile(path), path, [&](const std::string& of_file) -> GraphMotionLoader {
        if (name.empty()) name = of_file.empty() ? kDefaultHuman : of_file;
        character = LoadCharacter(name, warnings);
        return [&](const GraphNodeSource& source) {
          return LoadNode(source, folder, character, name, warnings);
        };
      });
  file.character = name;
  if (file.name.empty()) file.name = std::filesystem::path(path).stem().string();
  for (GraphClip& node : file.plan.clips) {
    if (node.symmetric) node.motion = MakeSymmetric(character, node.motion);
    Round(&node.motion);
  }
  try {
    ChooseCrossings(character, clip, &file.plan);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
  return file;
}

LearnGraphResult LearnGraph(const LearnGraphRequest& request) {
  if (request.out.empty()) throw InputError("-o: the skill needs a file to be written to");
  const Workers workers(request.threads);
  LearnGraphResult result;
  const ClipOptions clip = {request.options.stage.fragment, request.options.stage.lead, false};
  const GraphFile file =
      ReadGraphFile(request.file, request.motions, request.character, clip, &result.warnings);
  Skill skill;
  skill.name = file.name;
  skill.character = LoadCharacter(file.character);
  skill.plan = file.plan;
  skill.clip = clip;
  skill.time_step = World().time_step;
  skill.keep_heading = request.options.stage.keep_heading;
  const ControlGraph graph = GraphOf(skill);
  GraphLearner learner(graph, request.options, request.seed, workers);
  GoOnFrom(request.out, request.resume, &learner);
  constexpr int kParts = 1000;
  const LearningRun run = RunToEnd(
      request.out, workers, request.quiet, request.stop,
      [&] { return std::pair(static_cast<int>(kParts * learner.Progress()), kParts); },
      [&]() -> const nlohmann::ordered_json& { return learner.History(); }, &learner);
  result.stopped = run.stopped;
  result.wall_seconds = run.wall_seconds;
  result.lane_steps_per_second = run.lane_steps_per_second;
  result.leader = workers.Leader();
  result.name = file.name;
  result.character = file.character;
  result.out = request.out;
  result.seed = request.seed;
  result.nodes = static_cast<int>(file.plan.clips.size());
  result.transitions = static_cast<int>(file.plan.transitions.size());
  result.fragments = graph.Fragments();
  result.policies = graph.policies;
  result.stages = learner.TotalStages();
  result.iterations = static_cast<int>(learner.History().size());
  result.threads = workers.Threads();
  result.ranks = workers.Ranks();
  result.settings = ConfigToJson(request.options);
  if (result.stopped) return result;

  result.metrics = {{"random_walk_seconds_of_100", learner.RandomWalkSeconds(100, 0, 32)},
                    {"random_walk_seconds_of_60_pushed_60N", learner.RandomWalkSeconds(60, 60, 32)},
                    {"robustness", nlohmann::ordered_json::object()}};
  // Under pushes of up to 100 N, since all of them stand without.
  const std::vector<double> robustness = learner.Robustness(6, 100, 32);
  for (std::size_t k = 0; k < robustness.size(); ++k) {
    result.metrics["robustness"][graph.segments[k].name] = std::round(robustness[k] * 1000) / 1000;
  }
  if (!workers.Leader()) return result;
  skill.policies = learner.Known().policies;
  skill.start = learner.Start();
  skill.provenance = {{"method", "liu16"},
                      {"seed", request.seed},
                      {"stride", STRIDE_VERSION},
                      {"settings", result.settings}};
  skill.metrics = result.metrics;
  WriteSkill(skill, request.out);
  if (!request.picture.empty()) WriteFileWhole(request.picture, GraphSvg(skill));
  return result;
}

nlohmann::ordered_json ToJson(const LearnGraphResult& r) {
  return {{"graph", r.name},
          {"character", r.character},
          {"skill", r.out},
          {"stopped", r.stopped},
          {"seed", r.seed},
          {"nodes", r.nodes},
          {"transitions", r.transitions},
          {"fragments", r.fragments},
          {"policies", r.policies},
          {"stages", r.stages},
          {"iterations", r.iterations},
          {"wall_seconds", r.wall_seconds},
          {"lane_steps_per_second", r.lane_steps_per_second},
          {"threads", r.threads},
          {"ranks", r.ranks},
          {"metrics", r.metrics},
          {"settings", r.settings},
          {"warnings", r.warnings}};
}

}  // namespace stride
