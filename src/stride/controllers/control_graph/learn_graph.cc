#include "stride/controllers/control_graph/learn_graph.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "stride/character/library.h"
#include "stride/controllers/control_graph/graph_picture.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/motion/edit/edit.h"
#include "stride/motion/edit/seam.h"
#include "stride/motion/edit/symmetry.h"
#include "stride/motion/import/motion_source.h"
#include "stride/sim/batch.h"

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
        path, character_name,
        {source.first_frame, source.last_frame, source.fps, source.loop, source.in_place});
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

namespace {

class GraphJob final : public LearningJob {
 public:
  GraphJob(const LearnGraphRequest& request, ClipSkill skill, const Workers& workers)
      : request_(request),
        skill_(std::move(skill)),
        learner_(GraphOf(skill_), request.options, request.seed, workers) {}

  bool Done() const override { return learner_.Done(); }
  nlohmann::ordered_json Advance(const std::function<bool()>& stop) override {
    return learner_.Advance(stop);
  }
  double Progress() const override { return learner_.Progress(); }
  const nlohmann::ordered_json& History() const override { return learner_.History(); }
  std::string Checkpoint() const override { return learner_.Checkpoint(); }
  void Restore(const std::string& bytes, const std::string& file_name) override {
    learner_.Restore(bytes, file_name);
  }
  std::string InstructionSet() const override { return learner_.InstructionSet(); }
  long LaneSteps() const override { return learner_.LaneSteps(); }

  LearningResult Result() override {
    const ControlGraph& graph = learner_.Graph();
    const nlohmann::ordered_json settings = ConfigToJson(request_.options);
    const double alone = learner_.RandomWalkSeconds(100, 0, 32),
                 pushed = learner_.RandomWalkSeconds(60, 60, 32);
    skill_.metrics = {{"random_walk_seconds_of_100", alone},
                      {"random_walk_seconds_of_60_pushed_60N", pushed}};
    // Under pushes of up to 100 N, since all of them stand without.
    const std::vector<double> robustness = learner_.Robustness(6, 100, 32);
    for (std::size_t k = 0; k < robustness.size(); ++k) {
      skill_.robustness[graph.segments[k].name] = std::round(robustness[k] * 1000) / 1000;
    }
    skill_.policies = learner_.Known().policies;
    skill_.start = learner_.Start();
    skill_.provenance = {{"method", "liu16"},
                         {"seed", request_.seed},
                         {"stride", STRIDE_VERSION},
                         {"instruction_set", Batch::ChosenInstructionSet()},
                         {"settings", settings}};
    const std::size_t nodes = skill_.plan.clips.size(),
                      transitions = skill_.plan.transitions.size();
    LearningResult result;
    result.lines = {
        {"graph", fmt::format("{} on {}: {} nodes, {} transitions, {} fragments", skill_.name,
                              skill_.character.name, nodes, transitions, graph.Fragments())},
        {"stages", fmt::format("{}", learner_.TotalStages())},
        {"random walk", fmt::format("{:.1f} of 100 s", alone)},
        {"pushed",
         fmt::format("{:.1f} of 60 s, 0.2 s every 4 s up to 60 N, varied ground", pushed)}};
    for (const auto& [name, share] : skill_.robustness.items()) {
      result.lines.emplace_back("  " + name, fmt::format("{:.0f} %", 100 * share.get<double>()));
    }
    result.json = {{"graph", skill_.name},
                   {"character", skill_.character.name},
                   {"skill", request_.out},
                   {"seed", request_.seed},
                   {"nodes", nodes},
                   {"transitions", transitions},
                   {"fragments", graph.Fragments()},
                   {"policies", graph.policies},
                   {"stages", learner_.TotalStages()},
                   {"metrics", skill_.metrics},
                   {"robustness", skill_.robustness},
                   {"settings", settings}};
    result.files = {{request_.out, SkillText(skill_)}};
    if (!request_.picture.empty()) result.files.emplace_back(request_.picture, GraphSvg(skill_));
    return result;
  }

 private:
  LearnGraphRequest request_;
  ClipSkill skill_;
  GraphLearner learner_;
};

}  // namespace

std::unique_ptr<LearningJob> MakeGraphJob(const LearnGraphRequest& request, const Workers& workers,
                                          std::vector<std::string>* warnings) {
  const ClipOptions clip = {request.options.stage.fragment, request.options.stage.lead, false};
  const GraphFile file =
      ReadGraphFile(request.file, request.motions, request.character, clip, warnings);
  ClipSkill skill{.name = file.name,
                  .character = LoadCharacter(file.character),
                  .plan = file.plan,
                  .clip = clip,
                  .time_step = World().time_step,
                  .keep_heading = request.options.stage.keep_heading};
  return std::make_unique<GraphJob>(request, std::move(skill), workers);
}

LearningMethod GraphMethod() {
  return {.name = "graph",
          .summary = "One skill from a graph of clips and transitions between them",
          .input = "graph",
          .input_help = "Graph file: nodes and transitions (docs/formats.md)",
          .examples = {"stride learn graph data/graphs/locomotion.json -o mine.skill --picture "
                       "graph.svg"},
          .options = {{"motions",
                       "Folder of the motion files it names; that of the graph file if left out"},
                      {"picture", "SVG file: the graph with the robustness of each node",
                       LearningOption::Kind::kOutput}},
          .schema = ConfigSchema<GraphLearnOptions>,
          .make = [](const LearningRequest& r, const Workers& workers,
                     std::vector<std::string>* warnings) {
            LearnGraphRequest request{.file = r.input,
                                      .motions = r.Text("motions"),
                                      .character = r.character,
                                      .picture = r.Text("picture"),
                                      .seed = r.seed,
                                      .out = r.out};
            for (const std::string& text : r.settings) SetConfigValue(text, &request.options);
            return MakeGraphJob(request, workers, warnings);
          }};
}

}  // namespace stride
