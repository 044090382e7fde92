#include "stride/app/simulate.h"

#include <memory>

#include <fmt/format.h>

#include "stride/app/option_text.h"
#include "stride/sim/world_config.h"
#include "verb.h"

namespace stride::cli {
namespace {

// What needs more than a number is text until the verb runs, so that its errors are those of bad
// input.
struct Arguments {
  SimulateOptions options;
  std::string terrain = "plane", slope;
  std::vector<std::string> pushes, loads, throws, settings;
};

SimulateOptions Resolve(const Arguments& arguments, const CommonOptions& common) {
  SimulateOptions options = arguments.options;
  options.seed = common.seed;
  options.world.terrain = ParseTerrain(arguments.terrain);
  if (!arguments.slope.empty()) ParseSlope(arguments.slope, &options.world.terrain);
  for (const std::string& text : arguments.pushes) options.pushes.push_back(ParsePush(text));
  for (const std::string& text : arguments.loads) options.loads.push_back(ParseLoad(text));
  for (const std::string& text : arguments.throws) options.throws.push_back(ParseThrow(text));
  for (const std::string& text : arguments.settings) SetConfigValue(text, &options.world);
  return options;
}

std::string Outcome(const SimulateResult& r) {
  if (r.fell) return fmt::format("fell after {:.2f} s", *r.fell_at);
  if (r.failed) return fmt::format("failed after {:.2f} s: the engine lost its numbers", r.seconds);
  return fmt::format("stood for {:.2f} s", r.seconds);
}

std::string Text(const SimulateResult& r) {
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("{:<18}{}\n", name, value);
  };
  line("character",
       fmt::format("{} ({:.1f} kg, {} degrees of freedom)", r.character, r.mass, r.dof));
  line("engine",
       fmt::format("{}, steps of {:g} ms", r.engine, 1e3 * r.settings["time_step"].get<double>()));
  line("controller", r.controller);
  line("seed", std::to_string(r.seed));
  line("result", Outcome(r));
  line("distance", fmt::format("{:.3f} m ({:.3f} m/s)", r.distance, r.speed));
  line("deepest contact", fmt::format("{:.2f} mm", 1e3 * r.max_penetration));
  line("root at the end",
       fmt::format("{:.3f} {:.3f} {:.3f} m", r.final_root.x, r.final_root.y, r.final_root.z));
  line("run time", fmt::format("{:.3f} s for {:g} s: {:.0f} times real time", r.wall_seconds,
                               r.simulated_seconds, r.realtime_factor));
  if (r.realtime_factor < 1) line("", "slower than real time");
  return text;
}

}  // namespace

Verb SimulateVerb() {
  return {
      "simulate",
      "One run of one character",
      {"stride simulate --seconds 5 --push 60,90,2,0.2",
       "stride simulate --character biped --engine mujoco --slope 5 --json",
       "stride simulate --controller passive --set contact.stiffness=30000"},
      [](CLI::App* app, const CommonOptions* common) {
        auto arguments = std::make_shared<Arguments>();
        SimulateOptions& o = arguments->options;
        const auto many = [](CLI::Option* option) { option->take_all()->allow_extra_args(false); };
        app->add_option("--character", o.character, "Built-in name, or an MJCF file")
            ->capture_default_str();
        app->add_option("--engine", o.engine, "See: stride list engines")->capture_default_str();
        app->add_option("--controller", o.controller, "See: stride list controllers")
            ->capture_default_str();
        app->add_option("--seconds", o.seconds, "How long")->capture_default_str();
        app->add_option("--time-step", o.world.time_step, "Seconds a step")->capture_default_str();
        many(
            app->add_option("--push", arguments->pushes,
                            "N,deg,at,duration: push the trunk with N newtons towards a heading (0 "
                            "forwards, 90 left) at a time for a duration; repeatable"));
        app->add_option("--disturb", o.disturbance,
                        "Random push of up to this many newtons, new every 0.2 s");
        many(app->add_option("--throw", arguments->throws,
                             "kg,m/s,at[,deg]: throw a ball at the trunk, towards a heading or a "
                             "random one; repeatable"));
        many(app->add_option("--load", arguments->loads,
                             "BODY,KG: fix a mass to a body's centre of mass; repeatable"));
        app->add_option("--terrain", arguments->terrain,
                        "plane, steps:RISE,DEPTH,COUNT[,START], or field:SEED,AMPLITUDE (m)")
            ->capture_default_str();
        app->add_option("--slope", arguments->slope,
                        "DEG[,HEADING]: the plane rises along the heading");
        app->add_option("--friction", o.world.friction, "Coulomb coefficient")
            ->capture_default_str();
        app->add_option("--gravity", o.world.gravity, "m/s^2, downwards")->capture_default_str();
        many(app->add_option("--set", arguments->settings,
                             "KEY=VALUE: a setting of the world, such as contact.stiffness; "
                             "docs/cli.md lists them; repeatable"));
        return [arguments, common]() -> Output {
          const SimulateResult result = Simulate(Resolve(*arguments, *common));
          return {ToJson(result), Text(result), result.warnings};
        };
      }};
}

}  // namespace stride::cli
