#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stride/app/experiments/lee10_walks.h"
#include "stride/app/simulate.h"
#include "stride/character/library.h"
#include "stride/core/parallel.h"
#include "stride/motion/import/motion_source.h"
#include "stride/motion/travel.h"

// Section 5, Figure 6: eight walks that reach stable cycles.
namespace stride::experiments::lee10_gaits {

std::string Describe() {
  return "eight walks from motion capture, 100 s each from perturbed starts: stable, at the clip's "
         "speed, close to its joint angles";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  const double seconds = context.quick ? 3 : 100;
  const int seeds = context.quick ? 1 : 5;
  const std::vector<Lee10Clip> walks = Lee10Walks(context);
  for (const Lee10Clip& clip : walks) {
    const std::string motion = Lee10Motion(clip, true, "lee10-round", context, &findings);
    const MotionSource source = LoadAnyMotion(motion, "lee10-round");
    const double clip_speed = MeasureTravel(source.character, source.motion).speed;
    struct Outcome {
      double seconds = 0, speed = 0, error = 0, slip = 0;
    };
    std::vector<Outcome> outcomes(seeds);
    ForEachInParallel(seeds, context.threads, [&](int k) {
      RunSetup setup = Lee10Setup(clip, motion, "lee10-round", GainsFor(clip.name), seconds);
      PerturbStart(1000 * context.seed + k + 1, &setup);
      const Lee10Run run = Follow(setup);
      outcomes[k] = {run.seconds, run.metrics.speed, run.metrics.tracking_error_deg.value_or(0),
                     run.metrics.foot_slip};
    });
    double least = seconds, speed = 0, error = 0, slip = 0;
    for (const Outcome& o : outcomes) {
      least = std::min(least, o.seconds);
      speed += o.speed / seeds, error += o.error / seeds, slip += o.slip / seeds;
    }
    const Lee10Run published = Follow(
        Lee10Setup(clip, motion, "lee10-round", clip.file.empty() ? "normal" : clip.name, seconds));
    const auto judged = [&](bool met) {
      return context.quick ? std::nullopt : std::optional<bool>(met);
    };
    findings.rows.push_back(
        {.name = clip.name + ": stands",
         .paper_text = "stable cycles",
         .ours = least,
         .unit = "s",
         .met = judged(least >= seconds),
         .note = fmt::format("least of {} perturbed starts, gains {}; with the paper's own gains "
                             "{:.1f} s",
                             seeds, GainsFor(clip.name), published.seconds)});
    findings.rows.push_back(
        {.name = clip.name + ": speed to the clip's",
         .ours = speed / clip_speed,
         .unit = "",
         .met = judged(std::fabs(speed / clip_speed - 1) <= 0.05),
         .note = fmt::format("{:.3f} m/s; the clip's {:.3f}; within 5 %", speed, clip_speed)});
    findings.rows.push_back({.name = clip.name + ": joint error",
                             .ours = error,
                             .unit = "degrees",
                             .met = judged(error < 8),
                             .note = fmt::format("below 8; feet slip {:.3f} m/s", slip)});
    Simulate({.setup = Lee10Setup(clip, motion, "lee10-round", GainsFor(clip.name),
                                  std::min(seconds, 6.0)),
              .sheet = fmt::format("{}/{}.png", context.folder, clip.name)});
    context.Tell(fmt::format("{}: {:.1f} of {:g} s", clip.name, least, seconds));
  }
  return findings;
}

}  // namespace stride::experiments::lee10_gaits
