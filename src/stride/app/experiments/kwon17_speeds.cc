#include <cmath>

#include <fmt/format.h>

#include "stride/app/experiments/kwon17_runs.h"

// Section 7: walks of 1 to 2 m/s, runs of 3 to 5 m/s and turns of up to 1.5 rad/s, from one clip
// each.
namespace stride::experiments::kwon17_speeds {

std::string Describe() { return "speeds and turns of one walk and one run, in both modes"; }

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  struct Gait {
    const char* name;
    double slowest, fastest;
  };
  for (const Gait& gait : {Gait{"walk", 1, 2}, Gait{"run", 3, 5}}) {
    const auto rig = Kwon17Clip(gait.name, context, &findings);
    for (const Kwon17Mode mode : kKwon17Modes) {
      const int count = context.quick ? 1 : 5;
      for (int k = 0; k < count; ++k) {
        const double asked = gait.slowest + 0.25 * k * (gait.fastest - gait.slowest);
        const Kwon17Result r =
            Perform(mode, rig, {.seconds = context.quick ? 2.0 : 60.0, .speed = asked});
        findings.rows.push_back(
            {.name = fmt::format("{} at {:g} m/s, {}", gait.name, asked, NameOf(mode)),
             .paper = asked,
             .ours = r.speed,
             .unit = "m/s",
             .met = context.quick
                        ? std::nullopt
                        : std::optional(!r.fell && std::fabs(r.speed - asked) < 0.05 * asked),
             .note = fmt::format("{:.1f} s of 60; asked: within 5 %; the clip's {:.2f} m/s",
                                 r.seconds, rig->reference.Speed())});
        context.Tell(
            fmt::format("{}: {:.2f} m/s, {:.0f} s", findings.rows.back().name, r.speed, r.seconds));
      }
      for (const double turn : {0.5, 1.0, 1.5}) {
        if (context.quick && turn > 0.5) continue;
        const Kwon17Result r =
            Perform(mode, rig, {.seconds = context.quick ? 2.0 : 60.0, .turn = turn});
        findings.rows.push_back(
            {.name = fmt::format("{}, turning at {:g} rad/s, {}", gait.name, turn, NameOf(mode)),
             .paper = turn,
             .ours = r.turn,
             .unit = "rad/s",
             .met = context.quick ? std::nullopt
                                  : std::optional(!r.fell && std::fabs(r.turn - turn) < 0.1 * turn),
             .note = fmt::format("{:.1f} s of 60; asked: within 10 %", r.seconds)});
        context.Tell(fmt::format("{}: {:.2f} rad/s, {:.0f} s", findings.rows.back().name, r.turn,
                                 r.seconds));
      }
    }
  }
  return findings;
}

}  // namespace stride::experiments::kwon17_speeds
