#include "stride/app/bench/bench.h"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "stride/core/log.h"
#include "verb.h"

namespace stride::cli {
namespace {

std::string Text(const BenchResult& r) {
  std::string text = fmt::format(
      "Disturbed stand of {}, steps of {:g} ms, one core, median of {} rounds in turns\n",
      r.character, 1e3 * r.time_step, r.rounds);
  const auto stand = [&](const std::string& name, const BenchResult::Stand& s) {
    text += fmt::format(
        "  {:<24}{:>12.0f} steps/s{:>10.1f} times real time{:>9.1f} x mujoco   {} resets in {:.0f} "
        "s\n",
        name, s.steps_per_second, s.realtime_factor, s.steps_per_second / r.mujoco.steps_per_second,
        s.resets, s.simulated_seconds);
  };
  stand(fmt::format("batch ({} x {})", r.instruction_set, r.lanes), r.batch);
  stand("native", r.native);
  stand("mujoco", r.mujoco);
  stand("mujoco as an engine", r.mujoco_engine);
  text += fmt::format("  mujoco: {}\n\nInstruction sets\n", r.mujoco_settings);
  for (const BenchResult::Lanes& set : r.instruction_sets) {
    text += fmt::format("  {:<8}{:>3} lanes{:>12.0f} lane steps/s\n", set.instruction_set,
                        set.lanes, set.steps_per_second);
  }
  text += "\nGrowth with bodies (snakes)\n";
  for (const BenchResult::Growth& g : r.growth) {
    text += fmt::format(
        "  {:>4} links   batch {:>9.0f} steps/s, {:>5.1f} ns a link   native {:>8.0f} steps/s, "
        "{:>5.0f} ns a link\n",
        g.links, g.batch_steps_per_second, g.batch_ns_per_link, g.native_steps_per_second,
        g.native_ns_per_link);
  }
  text += "\nGrowth with threads (wall time)\n";
  for (const BenchResult::Threads& t : r.threads) {
    text += fmt::format("  {:>4} thread{} {:>12.0f} lane steps/s\n", t.threads,
                        t.threads == 1 ? " " : "s", t.steps_per_second);
  }
  text += "\nDynamics in double\n";
  for (const BenchResult::Layer& layer : r.layers) {
    text += fmt::format("  {:<22}{:>8.2f} us\n", layer.name, layer.microseconds);
  }
  text += fmt::format(
      "\nImport of a BVH with {} joints, {} frames, one core\n"
      "  read and retarget     {:>8.0f} frames/s\n  and feet on the ground{:>8.0f} frames/s\n",
      r.import_joints, r.import_frames, r.retarget_frames_per_second, r.import_frames_per_second);
  text += fmt::format(
      "\nA controller in lanes, with the physics, one core\n"
      "  lane program          {:>8.0f} lane steps/s\n  clones                {:>8.0f} lane "
      "steps/s\n",
      r.lane_program_steps_per_second, r.lane_adapter_steps_per_second);
  for (const MethodSpeed& method : r.methods) text += method.text;
  return text;
}

}  // namespace

Verb BenchVerb() {
  return {"bench",
          "Speed of every layer, with MuJoCo measured in the same run",
          {"stride bench --quick", "stride bench --json"},
          [](CLI::App* app, const CommonOptions* common) {
            auto options = std::make_shared<BenchOptions>();
            app->add_flag("--quick", options->quick, "A few seconds instead of a minute");
            return [options, common]() -> Output {
              options->seed = common->seed;
              std::error_code unknown;
              options->program = std::filesystem::read_symlink("/proc/self/exe", unknown).string();
              options->progress = [](const std::string& what) {
                spdlog::info("measuring {}", what);
              };
              const BenchResult result = RunBench(*options);
              return {ToJson(result), Text(result), {}};
            };
          }};
}

}  // namespace stride::cli
