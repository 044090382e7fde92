#include <chrono>

#include <fmt/format.h>

#include "stride/app/experiments/experiment.h"
#include "stride/app/experiments/skill_trials.h"
#include "stride/character/library.h"
#include "stride/motion/library.h"

// Clips performed at once by sampling ahead of the simulation (controllers/sampling), with as many
// samples as this machine makes in real time. No paper has this.
namespace stride::experiments::stride_online {
namespace {

constexpr double kPush = 50, kPushEvery = 3;  // N, s

struct Clip {
  const char* motion;
  bool pushed;
};
constexpr Clip kClips[] = {{"walk", false}, {"walk", true},       {"run", false},
                           {"kick", false}, {"cartwheel", false}, {"backflip", false}};

RunSetup SetupOf(const Clip& clip, double seconds, std::uint64_t seed) {
  RunSetup setup{.characters = {{.controller = "sampling", .motions = {clip.motion}}},
                 .seed = seed};
  setup.characters[0].controller_config["seed"] = seed % 1000000007;
  setup.scenario.seconds = seconds;
  if (!clip.pushed) return setup;
  for (int k = 0; kPushEvery * (k + 1) < seconds; ++k) {
    setup.scenario.pushes.push_back({.force = kPush,
                                     .heading = 1.5707963267948966 * k,
                                     .at = kPushEvery * (k + 1),
                                     .duration = 0.2});
  }
  return setup;
}

}  // namespace

std::string Describe() {
  return "clips performed on line with nothing learned: seconds kept, real-time factor";
}

Findings Measure(const ExperimentContext& context) {
  using Clock = std::chrono::steady_clock;
  const double seconds = context.quick ? 2 : 20;
  Findings findings;
  // One after the other: each takes all cores.
  for (const Clip& clip : kClips) {
    const std::string name =
        fmt::format("{}{}", clip.motion, clip.pushed ? fmt::format(", {:g} N pushes", kPush) : "");
    context.Tell(name);
    RunSetup setup = SetupOf(clip, seconds, context.seed);
    nlohmann::json& config = setup.characters[0].controller_config;
    config["threads"] = context.threads;
    if (context.quick) config["samples"] = 64;
    setup = Run(setup).Setup();  // with the samples it chose
    const Clock::time_point begin = Clock::now();
    const TrialResult trial = PerformSkill(setup);
    const double wall = std::chrono::duration<double>(Clock::now() - begin).count();
    const int samples = setup.characters[0].controller_config["samples"];
    const std::string quick = context.quick ? "; quick" : "";
    Row kept{.name = name,
             .ours = trial.seconds,
             .unit = "s",
             .note = fmt::format("of {:g} s, {} samples a fragment{}{}", seconds, samples,
                                 trial.lost ? ""
                                            : fmt::format("; {:.1f} degrees off the clip",
                                                          trial.tracking_error_deg),
                                 quick)};
    Row factor{.name = name + ": real-time factor",
               .ours = trial.seconds / wall,
               .unit = "x",
               .note = "asked: 1" + quick};
    if (!context.quick) {
      kept.met = !trial.lost;
      factor.met = factor.ours >= 1;
    }
    findings.rows.push_back(kept);
    findings.rows.push_back(factor);
    findings.config["samples"][name] = samples;
  }
  findings.config["seconds"] = seconds;
  findings.config["push"] =
      fmt::format("{:g} N, 0.2 s, every {:g} s, a quarter turn on each", kPush, kPushEvery);
  const Character character = LoadCharacter("liu16");
  for (const char* motion : {"walk", "run", "kick", "cartwheel", "backflip"}) {
    findings.inputs.push_back(
        {std::string("motion ") + motion, InputHash(MotionText(LoadMotion(motion, character)))});
  }
  return findings;
}

}  // namespace stride::experiments::stride_online
