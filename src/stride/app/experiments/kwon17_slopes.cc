#include <fmt/format.h>

#include "stride/app/experiments/bisect.h"
#include "stride/app/experiments/kwon17_runs.h"

// Section 7: walks from +10 to -25 degrees, runs from +5 to -15.
namespace stride::experiments::kwon17_slopes {

std::string Describe() { return "slopes up and down for 30 s, limits by bisection, in both modes"; }

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  struct Case {
    const char* gait;
    double degrees;
  };
  for (const Case& c : {Case{"walk", 10}, Case{"walk", -25}, Case{"run", 5}, Case{"run", -15}}) {
    const auto rig = Kwon17Clip(c.gait, context, &findings);
    for (const Kwon17Mode mode : kKwon17Modes) {
      const double seconds = context.quick ? 1 : 30;
      const Limit limit =
          FindLimit({.easy = 0,
                     .hard = c.degrees,
                     .tolerance = context.quick ? 100.0 : 0.5,
                     .samples = 1,
                     .share = 1,
                     .threads = context.threads},
                    [&](double slope, int) {
                      return !Perform(mode, rig, {.seconds = seconds, .slope = slope}).fell;
                    });
      findings.rows.push_back(
          {.name = fmt::format("{} {}, {}", c.gait, c.degrees > 0 ? "uphill" : "downhill",
                               NameOf(mode)),
           .paper = c.degrees,
           .ours = limit.holds.value_or(0),
           .unit = "degrees",
           .met = context.quick ? std::nullopt : std::optional(!limit.fails.has_value()),
           .note = limit.holds ? "largest that is walked for 30 s" : "falls on level ground"});
      context.Tell(fmt::format("{}: {:.1f}", findings.rows.back().name, findings.rows.back().ours));
    }
  }
  return findings;
}

}  // namespace stride::experiments::kwon17_slopes
