#include "stride/app/experiments/lee10_walks.h"

#include <cmath>
#include <ctime>
#include <filesystem>
#include <numbers>

#include <fmt/format.h>

#include "stride/controllers/data_driven/gains.h"
#include "stride/core/random.h"
#include "stride/motion/import/import.h"
#include "stride/motion/motion.h"

namespace stride::experiments {

std::vector<Lee10Clip> Lee10Walks(const ExperimentContext& context) {
  if (context.mocap.empty()) {
    return {{"walk", "", 0, 0, 1},
            {"walk_slow", "", 0, 0, 1},
            {"walk_fast", "", 0, 0, 2},
            {"march", "", 0, 0, 1},
            {"walk_backward", "", 0, 0, 1}};
  }
  return {{"normal", "wd2_WalkSameSame01.bvh", 77, 118, 1},
          {"slow", "wd2_WalkForwardSlow01.bvh", 64, 106, 1},
          {"fast", "wd2_WalkForwardVFast00.bvh", 53, 82, 2},
          {"gentle", "wd2_WalkForwardNormal00.bvh", 92, 136, 1},
          {"wide_swing", "wd2_WalkHandWav00.bvh", 61, 97, 1},
          {"brisk", "wd2_WalkAzuma01.bvh", 75, 113, 2},
          {"march", "wd2_WalkSoldier00.bvh", 100, 142, 1},
          {"backward", "wd2_WalkBackward00.bvh", 86, 134, 1}};
}

std::vector<Lee10Clip> Lee10Turns(const ExperimentContext& context) {
  if (context.mocap.empty()) return {};
  return {{"left_45", "walk_left_45degree.bvh", 27, 140, 2},
          {"left_90", "walk_left_90degree.bvh", 26, 154, 2},
          {"u_turn", "wd2_u-turn_1.bvh", 148, 302, 2},
          {"spin", "wd2_2foot_walk_turn2.bvh", 36, 178, 3}};
}

std::string Lee10Motion(const Lee10Clip& clip, bool loop, const std::string& character,
                        const ExperimentContext& context, Findings* findings) {
  if (clip.file.empty()) return clip.name;
  ImportOptions options;
  options.file = context.mocap + "/snumrl/" + clip.file;
  options.output = fmt::format("{}/{}-{}.motion", context.folder, clip.name, character);
  options.character = character;
  options.first_frame = clip.first;
  options.last_frame = clip.last;
  options.closing = loop ? Closing::kYes : Closing::kNo;
  if (!std::filesystem::exists(options.output)) {
    const ImportResult imported = Import(options);
    findings->inputs.push_back({clip.file, InputHash(MotionText(imported.motion))});
  }
  return options.output;
}

RunSetup Lee10Setup(const Lee10Clip& clip, const std::string& motion, const std::string& character,
                    const std::string& gains, double seconds) {
  RunSetup setup;
  setup.characters[0].character = character;
  setup.characters[0].controller = "data_driven";
  setup.characters[0].motions = {motion};
  setup.characters[0].controller_config = {{"row", gains}};
  setup.scenario.seconds = seconds;
  setup.scenario.stop_at_fall = true;
  setup.scenario.world.friction = clip.friction;
  return setup;
}

void PerturbStart(std::uint64_t seed, RunSetup* setup) {
  Random random(seed);
  setup->seed = seed;
  setup->scenario.pushes.push_back({.force = 20 * random.Normal(),
                                    .heading = 2 * std::numbers::pi * random.Uniform(),
                                    .at = random.Uniform(),
                                    .duration = 0.2});
}

Lee10Run Follow(const RunSetup& setup) {
  Run run(setup);
  while (!run.Finished()) run.Step();
  return {.seconds = run.FellAt().value_or(run.Time()),
          .fell = run.Fell() || run.Failed(),
          .metrics = run.Measure()};
}

double RealTimeFactor(const Lee10Mode& mode, double seconds) {
  RunSetup setup =
      Lee10Setup({"walk", "", 0, 0, 1}, "walk", "lee10-round", GainsFor("walk"), seconds);
  setup.characters[0].controller_config["tracking"] = mode.tracking;
  setup.scenario.stop_at_fall = false;
  setup.scenario.world.time_step = mode.time_step;
  setup.scenario.chosen = {"time_step"};
  Run run(setup);
  const auto processor_seconds = [] {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double start = processor_seconds();
  while (!run.Finished()) run.Step();
  return run.Time() / (processor_seconds() - start);
}

std::string GainsFor(const std::string& clip) {
  for (const GainRow& row : TunedGains()) {
    if ("tuned_" + clip == row.name) return row.name;
  }
  for (const GainRow& row : PublishedGains()) {
    if (clip == row.name) return row.name;
  }
  return "normal";
}

}  // namespace stride::experiments
