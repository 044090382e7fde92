#include <fmt/format.h>

#include "stride/app/experiments/kwon17_runs.h"

// Section 7: pushes of 0.2 s at chest height. Eight directions at eight phases of a stride; the
// paper gives forces and no counts.
namespace stride::experiments::kwon17_pushes {
namespace {

struct Case {
  const char* gait;
  double newtons;
  bool sides;  // only from the sides
  int pushes;  // in a row
};
constexpr Case kCases[] = {{"walk", 300, false, 3},
                           {"walk", 500, true, 1},
                           {"run", 700, false, 1},
                           {"run", 1000, true, 1}};

}  // namespace

std::string Describe() {
  return "pushes of 0.2 s from eight directions at eight phases, known to the program and unknown";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  for (const Case& c : kCases) {
    const auto rig = Kwon17Clip(c.gait, context, &findings);
    const double stride = rig->reference.Count() * kPlanStep;
    for (const Kwon17Mode mode : kKwon17Modes) {
      int tried = 0, stood = 0;
      for (int direction = 0; direction < 8; ++direction) {
        if (c.sides && direction != 2 && direction != 6) continue;
        for (int phase = 0; phase < (context.quick ? 1 : 8); ++phase) {
          Kwon17Trial trial{.seconds = context.quick ? 2.0 : 6.0 + 4 * c.pushes};
          for (int k = 0; k < c.pushes; ++k) {
            trial.pushes.push_back({.newtons = c.newtons,
                                    .degrees = 45.0 * direction,
                                    .at = 2 + 4 * k + phase * stride / 8});
          }
          ++tried;
          if (!Perform(mode, rig, trial).fell) ++stood;
        }
        if (context.quick) break;
      }
      findings.rows.push_back(
          {.name = fmt::format("{}, {:g} N{}{}, {}", c.gait, c.newtons,
                               c.pushes > 1 ? fmt::format(" x {}", c.pushes) : "",
                               c.sides ? " from the side" : " from any side", NameOf(mode)),
           .paper_text = "stands",
           .ours = 100.0 * stood / tried,
           .unit = "%",
           .met = context.quick ? std::nullopt : std::optional(stood == tried),
           .note = fmt::format("{} of {} stand; asked: all{}", stood, tried,
                               mode == Kwon17Mode::kProgram ? "; the push is known" : "")});
      context.Tell(fmt::format("{}: {} of {}", findings.rows.back().name, stood, tried));
    }
  }
  return findings;
}

}  // namespace stride::experiments::kwon17_pushes
