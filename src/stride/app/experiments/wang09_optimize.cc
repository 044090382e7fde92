#include <fmt/format.h>

#include "stride/app/experiments/wang09_walkers.h"

// How long the paper's optimisation takes, and what a minute buys with a population of our choice.
namespace stride::experiments::wang09_optimize {

std::string Describe() {
  return "1000 CMA-ES iterations of 19 ten-second walks from Table 2: time, and what it finds";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  const std::vector<std::string> base = Join(kNaturalOnly, {"start=paper", "free=true"});
  const auto learn = [&](const std::string& name, const std::vector<std::string>& settings) {
    return ObtainWalker({.name = name,
                         .character = "wang09-stocky",
                         .settings = Join(base, settings),
                         .seed = context.seed},
                        context);
  };
  const auto add = [&](const ObtainedWalker& walker, const std::string& name,
                       std::optional<double> paper, bool judged) {
    const WalkRun walk = Walk(WalkSetup(walker.file, context.quick ? 2 : 100));
    findings.rows.push_back(
        {.name = name,
         .paper = paper,
         .ours = walker.learn_seconds,
         .unit = "s",
         .met = judged && !context.quick ? std::optional<bool>(walker.learn_seconds <= 120)
                                         : std::nullopt,
         .note = fmt::format("paper: on 19 CPUs; objective {:.4f}, walks {:.0f} of 100 s in native "
                             "at {:.2f} m/s",
                             walker.Metric("objective.total"), walk.seconds, walk.speed)});
  };
  add(learn("paper_configuration", {"population=19", "iterations=1000", "covariance=full"}),
      "1000 iterations x 19 x 10 s", 3 * 3600, true);
  add(learn("minute", {"population=64", "iterations=900"}), "900 iterations x 64 x 10 s",
      std::nullopt, false);
  return findings;
}

}  // namespace stride::experiments::wang09_optimize
