#include "learn_graph.h"

#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "stride/controllers/control_graph/learn_graph.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/core/log.h"

namespace stride::cli {
namespace {

struct Arguments {
  LearnGraphRequest request;
  std::vector<std::string> settings;
};

std::string Text(const LearnGraphResult& r) {
  std::string text;
  const auto line = [&](const std::string& name, const std::string& value) {
    text += fmt::format("{:<24}{}\n", name, value);
  };
  line("graph", fmt::format("{} on {}: {} nodes, {} transitions, {} fragments", r.name, r.character,
                            r.nodes, r.transitions, r.fragments));
  line("learned in", fmt::format("{:.1f} s, {} stages, {} iterations, {} threads x {} ranks",
                                 r.wall_seconds, r.stages, r.iterations, r.threads, r.ranks));
  line("random walk",
       fmt::format("{:.1f} of 100 s", r.metrics["random_walk_seconds_of_100"].get<double>()));
  line("pushed", fmt::format("{:.1f} of 60 s, 0.2 s every 4 s up to 60 N, varied ground",
                             r.metrics["random_walk_seconds_of_60_pushed_60N"].get<double>()));
  for (const auto& [name, share] : r.metrics["robustness"].items()) {
    line("  " + name, fmt::format("{:.0f} %", 100 * share.get<double>()));
  }
  line("written", r.out);
  return text;
}

}  // namespace

std::function<Output()> AddGraph(CLI::App* app, const CommonOptions* common,
                                 std::function<bool()> stop) {
  auto arguments = std::make_shared<Arguments>();
  LearnGraphRequest& r = arguments->request;
  app->add_option("graph", r.file, "Graph file: nodes and transitions (docs/formats.md)")
      ->required();
  app->add_option("-o,--out", r.out, "File to write")->required();
  app->add_option("--character", r.character,
                  "Built-in name, or an MJCF file; that of the graph file if left out");
  app->add_option("--motions", r.motions,
                  "Folder of the motion files it names; that of the graph file if left out");
  app->add_option("--picture", r.picture, "SVG file: the graph with the robustness of each node");
  app->add_flag("--resume", r.resume, "Go on from OUT.checkpoint, to the same result");
  app->add_option("--threads", r.threads, "0: all of this machine")->capture_default_str();
  app->add_option("--set", arguments->settings,
                  "KEY=VALUE: a setting such as whole_iterations=50; docs/learning.md lists them; "
                  "repeatable")
      ->take_all()
      ->allow_extra_args(false);
  return [arguments, common, stop = std::move(stop)]() -> Output {
    LearnGraphRequest request = arguments->request;
    request.seed = common->seed;
    request.quiet = !spdlog::should_log(spdlog::level::info);
    request.stop = stop;
    for (const std::string& text : arguments->settings) SetConfigValue(text, &request.options);
    const LearnGraphResult result = LearnGraph(request);
    if (!result.leader) std::exit(0);  // one of an MPI run speaks
    if (result.stopped) {
      throw InputError(
          fmt::format("stopped after {} iterations; the same command with --resume goes on",
                      result.iterations));
    }
    return {ToJson(result), Text(result), result.warnings};
  };
}

}  // namespace stride::cli
