#include "stride/app/experiments/wang09_walkers.h"

#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "stride/controllers/registry.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/learn/learning_run.h"
#include "stride/run/run.h"

namespace stride::experiments {
namespace {

const std::vector<std::string> kQuick = {
    "iterations=2",    "population=16",        "seconds=2",           "steady_iterations=1",
    "steady_trials=1", "stage_iterations=1",   "robust_iterations=1", "robust_population=8",
    "robust_trials=1", "command_iterations=1", "command_population=8"};

}  // namespace

double ObtainedWalker::Metric(const std::string& path) const {
  const nlohmann::ordered_json* at = &metrics;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t end = std::min(path.find('.', from), path.size());
    const std::string key = path.substr(from, end - from);
    if (!at->is_object() || !at->contains(key)) return std::numeric_limits<double>::quiet_NaN();
    at = &(*at)[key];
    from = end + 1;
  }
  return at->is_number() ? at->get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::string> Join(const std::vector<std::string>& a,
                              const std::vector<std::string>& b) {
  std::vector<std::string> all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

ObtainedWalker ObtainWalker(const WalkerRequest& request, const ExperimentContext& context) {
  ObtainedWalker walker{.file = fmt::format("{}/{}.skill", context.folder, request.name)};
  const std::string before = fmt::format("{}/{}.skill", context.skills, request.name);
  if (!context.skills.empty() && std::filesystem::exists(before)) {
    context.Tell(fmt::format("{}: taken from {}", request.name, before));
    walker.metrics = ReadSkill(before).metrics;
    WriteFileWhole(walker.file, ReadFile(before));
    walker.learn_seconds = std::numeric_limits<double>::quiet_NaN();
    return walker;
  }
  for (const LearningMethod& method : LearningMethods()) {
    if (method.name != request.method) continue;
    const LearningRequest asked{
        .input = request.input,
        .character = request.character,
        .out = walker.file,
        .name = request.name,
        .seed = request.seed,
        .options = request.options,
        .settings = context.quick
                        ? Join(request.settings, request.quick.empty() ? kQuick : request.quick)
                        : request.settings};
    const Workers workers(context.threads);
    std::vector<std::string> warnings;
    const std::unique_ptr<LearningJob> job = method.make(asked, workers, &warnings);
    const LearningOutcome outcome =
        RunToEnd({.out = walker.file, .quiet = true}, workers, job.get());
    std::filesystem::remove(walker.file + ".checkpoint");
    walker.learn_seconds = outcome.wall_seconds;
    walker.shortfall = outcome.result.shortfall;
    walker.metrics = ReadSkill(walker.file).metrics;
    context.Tell(fmt::format("{}: learned in {:.0f} s{}", request.name, walker.learn_seconds,
                             walker.shortfall.empty() ? "" : "; " + walker.shortfall));
    return walker;
  }
  throw InputError(fmt::format("there is no learning method '{}'", request.method));
}

RunSetup WalkSetup(const std::string& skill, double seconds) {
  RunSetup setup;
  setup.characters[0].skill = skill;
  setup.characters[0].controller = ControllerOfSkill(skill);
  setup.scenario.seconds = seconds;
  setup.scenario.stop_at_fall = true;
  return setup;
}

WalkRun Walk(const RunSetup& setup) {
  Run run(setup);
  while (!run.Finished()) run.Step();
  const Metrics metrics = run.Measure();
  return {.seconds = run.FellAt().value_or(run.Time()),
          .fell = run.Fell() || run.Failed(),
          .speed = metrics.speed,
          .step_length = metrics.speed * metrics.step_seconds};
}

}  // namespace stride::experiments
