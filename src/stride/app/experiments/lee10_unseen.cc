#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>

#include <fmt/format.h>

#include "stride/app/experiments/lee10_walks.h"
#include "stride/app/experiments/wang09_walkers.h"
#include "stride/core/error.h"
#include "stride/core/parallel.h"

// A walk that the controller has never seen: gains are learned with the default settings, then it
// walks for a minute. Not in the paper, whose gains were tuned by hand.
namespace stride::experiments::lee10_unseen {
namespace {

constexpr double kSeconds = 60;
constexpr double kTuning = 60;  // s on two cores
constexpr int kAsked = 15;      // of the nineteen captured walks that must stand

struct Clip {
  std::string name, input;
};

// The captured walks of many people, or built-in ones.
std::vector<Clip> Clips(const ExperimentContext& context) {
  std::vector<Clip> clips;
  if (context.mocap.empty()) {
    for (const char* name : {"walk", "walk_slow", "walk_fast"}) clips.push_back({name, name});
    if (context.quick) clips.resize(1);
    return clips;
  }
  const std::string folder = context.mocap + "/walks";
  if (!std::filesystem::is_directory(folder)) {
    throw InputError(fmt::format("{}: there is no such folder of captured walks", folder));
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bvh") continue;
    clips.push_back({entry.path().stem().string(), entry.path().string()});
  }
  std::sort(clips.begin(), clips.end(),
            [](const Clip& a, const Clip& b) { return a.name < b.name; });
  return clips;
}

double ProcessorSeconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

std::string Describe() {
  return "walks that nobody tuned to: gains learned with the default settings, then 60 s from five "
         "perturbed starts";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  const int seeds = context.quick ? 1 : 5;
  const double seconds = context.quick ? 2 : kSeconds;
  int held = 0, near = 0, count = 0;
  double longest = 0;
  for (const Clip& clip : Clips(context)) {
    if (!context.only.empty() &&
        std::find(context.only.begin(), context.only.end(), clip.name) == context.only.end()) {
      continue;
    }
    ++count;
    const double before = ProcessorSeconds();
    const ObtainedWalker walker =
        ObtainWalker({.name = clip.name,
                      .input = clip.input,
                      .seed = context.seed,
                      .method = "gains",
                      .quick = {"starts=1", "alone_iterations=1", "iterations=1", "population=4",
                                "trials=1", "seconds=2"}},
                     context);
    const double tuning = ProcessorSeconds() - before;
    if (!std::isnan(walker.learn_seconds)) longest = std::max(longest, tuning);
    std::vector<Lee10Run> runs(seeds);
    ForEachInParallel(seeds, context.threads, [&](int k) {
      RunSetup setup = WalkSetup(walker.file, seconds);
      setup.scenario.world.time_step = 1.0 / 900;
      setup.scenario.chosen = {"time_step"};
      PerturbStart(1000 * context.seed + k + 1, &setup);
      runs[k] = Follow(setup);
    });
    double least = seconds, speed = 0, error = 0, slip = 0;
    int stood = 0;
    for (const Lee10Run& run : runs) {
      least = std::min(least, run.seconds);
      stood += run.fell ? 0 : 1;
      speed += run.metrics.speed / seeds, slip += run.metrics.foot_slip / seeds;
      error += run.metrics.tracking_error_deg.value_or(0) / seeds;
    }
    const double asked = std::fabs(walker.Metric("speed_of_the_clip"));
    const bool stands = stood == seeds;
    held += stands ? 1 : 0;
    near += stands && std::fabs(speed / asked - 1) <= 0.15 ? 1 : 0;
    findings.rows.push_back(
        {.name = clip.name,
         .ours = least,
         .unit = "s",
         .note = fmt::format("least of {} perturbed starts, {} stand {:g} s; {:.2f} m/s, the "
                             "clip's {:.2f}; {:.1f} degrees off it; feet slip {:.3f} m/s; tuned in "
                             "{:.0f} s of processor time",
                             seeds, stood, seconds, speed, asked, error, slip, tuning)});
    context.Tell(findings.rows.back().name + ": " + findings.rows.back().note);
  }
  const bool all = !context.quick && context.only.empty() && !context.mocap.empty();
  findings.rows.push_back({.name = "walks that stand 60 s from every start",
                           .ours = 1.0 * held,
                           .unit = fmt::format("of {}", count),
                           .met = all ? std::optional<bool>(held >= kAsked) : std::nullopt,
                           .note = fmt::format("{} asked", kAsked)});
  findings.rows.push_back({.name = "and go within 15 % of the clip's speed",
                           .ours = 1.0 * near,
                           .unit = fmt::format("of {}", count)});
  findings.rows.push_back(
      {.name = "longest tuning",
       .ours = longest,
       .unit = "s of processor time",
       .met = all && longest > 0 ? std::optional<bool>(longest <= 2 * kTuning) : std::nullopt,
       .note = fmt::format("at most {:g}: {:g} s on two cores", 2 * kTuning, kTuning)});
  return findings;
}

}  // namespace stride::experiments::lee10_unseen
