#include <fmt/format.h>

#include "stride/app/experiments/wang09_walkers.h"

// The objective on SIMBICON's parameterisation, against the new one: same body, no wanted speed.
namespace stride::experiments::wang09_simbicon {

std::string Describe() {
  return "SIMBICON's parameters optimised for the same objective: effort and speed beside a "
         "walker's";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  const auto verdict = [&](bool met) {
    return context.quick ? std::nullopt : std::optional<bool>(met);
  };
  std::vector<std::string> settings = {"objective=natural", "stop_iterations=0", "iterations=600",
                                       "trials=1", "load_sharing=0"};
  if (context.quick)
    settings = {"objective=natural", "stop_iterations=0", "iterations=2",
                "trials=1",          "population=16",     "seconds=2"};
  ExperimentContext unchanged = context;
  unchanged.quick = false;  // its settings are another method's
  const ObtainedWalker simbicon = ObtainWalker({.name = "simbicon",
                                                .character = "wang09-stocky",
                                                .settings = settings,
                                                .seed = context.seed,
                                                .method = "simbicon"},
                                               unchanged);
  const ObtainedWalker walker =
      ObtainWalker({.name = "walker",
                    .character = "wang09-stocky",
                    .settings = Join(kNaturalOnly, {"start=paper", "free=true", "iterations=600"}),
                    .seed = context.seed},
                   context);
  const double seconds = context.quick ? 2 : 100;
  const auto add = [&](const std::string& name, const ObtainedWalker& of, double paper_power,
                       double paper_speed) {
    const WalkRun walk = Walk(WalkSetup(of.file, seconds));
    findings.rows.push_back(
        {.name = name + ": E_power",
         .paper = paper_power,
         .ours = of.Metric("figures.squared_torque"),
         .unit = "(N m)^2",
         .note = fmt::format("stands {:.0f} of {:g} s in native", walk.seconds, seconds)});
    findings.rows.push_back({.name = name + ": speed",
                             .paper = paper_speed,
                             .ours = of.Metric("figures.speed"),
                             .unit = "m/s",
                             .note = fmt::format("in native {:.2f} m/s", walk.speed)});
    return walk;
  };
  add("SIMBICON", simbicon, 33392, 1.36);
  add("walker", walker, 12059, 1.48);
  const double share =
      walker.Metric("figures.squared_torque") / simbicon.Metric("figures.squared_torque");
  findings.rows.push_back({.name = "E_power of the walker against SIMBICON's",
                           .paper = 12059.0 / 33392,
                           .ours = share,
                           .met = verdict(share <= 0.5 && walker.Metric("figures.speed") >=
                                                              simbicon.Metric("figures.speed")),
                           .note = "asked: at most half, at no lower speed"});
  return findings;
}

}  // namespace stride::experiments::wang09_simbicon
