#include "stride/app/simulate.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/run/crowd.h"
#include "stride/scenario/option_text.h"
#include "verb.h"

namespace stride::cli {
namespace {

// What needs more than a number is text until the verb runs, so that its errors are those of bad
// input. What is not given stays as the scenario has it.
struct Arguments {
  SimulateOptions options;
  const CLI::App* app = nullptr;  // which options are given
  std::string scenario, protocol, terrain, slope, others, replay;
  std::optional<int> crowd;
  std::optional<double> seconds, time_step, disturbance, friction, gravity;
  bool stop_at_fall = false;
  std::vector<std::string> pushes, loads, changes, throws, commands, places, styles, settings;
};

template <class Item>
void AddAll(const std::vector<std::string>& texts, Item (*parse)(const std::string&),
            std::vector<Item>* items) {
  for (const std::string& text : texts) items->push_back(parse(text));
}

// Events at a time, which is to come before the run's end.
template <class Item>
void AddEvents(const char* option, const std::vector<std::string>& texts,
               Item (*parse)(const std::string&), double seconds, std::vector<Item>* items) {
  for (const std::string& text : texts) {
    items->push_back(parse(text));
    if (items->back().at < seconds) continue;
    throw InputError(
        fmt::format("{} '{}' has no effect: it comes at {:g} s, and the run ends at {:g} s; give "
                    "an earlier time, or more --seconds",
                    option, text, items->back().at, seconds));
  }
}

SimulateOptions Resolve(const Arguments& arguments, const CommonOptions& common) {
  SimulateOptions options = arguments.options;
  options.setup.seed = common.seed;
  CharacterSetup& first = options.setup.characters[0];
  if (!first.skill.empty()) {
    if (arguments.app->count("--character") > 0) CheckBodyOfSkill(first.skill, first.character);
    first.controller = ControllerOfSkill(
        first.skill, arguments.app->count("--controller") > 0 ? first.controller : "");
  }
  Scenario& scenario = options.setup.scenario;
  World& world = scenario.world;
  if (!arguments.scenario.empty()) scenario = ReadScenario(arguments.scenario);
  if (!arguments.protocol.empty()) ApplyPushProtocol(arguments.protocol, &scenario);
  if (arguments.seconds) scenario.seconds = *arguments.seconds;
  if (arguments.stop_at_fall) scenario.stop_at_fall = true;
  if (arguments.disturbance) scenario.disturbance = *arguments.disturbance;
  if (arguments.time_step) {
    world.time_step = *arguments.time_step;
    scenario.chosen.emplace_back("time_step");
  }
  if (arguments.friction) {
    world.friction = *arguments.friction;
    scenario.chosen.emplace_back("friction");
  }
  if (arguments.gravity) world.gravity = *arguments.gravity;
  if (!arguments.terrain.empty()) world.terrain = ParseTerrain(arguments.terrain);
  if (!arguments.slope.empty()) ParseSlope(arguments.slope, &world.terrain);
  if (!arguments.terrain.empty() || !arguments.slope.empty()) {
    scenario.chosen.emplace_back(kChosenGround);
  }
  // A scenario may be meant for others; who asks by an option means this one.
  options.must_obey =
      !arguments.commands.empty() || !arguments.places.empty() || !arguments.styles.empty();
  AddEvents("--push", arguments.pushes, ParsePush, scenario.seconds, &scenario.pushes);
  AddAll(arguments.loads, ParseLoad, &scenario.loads);
  AddAll(arguments.changes, ParseChange, &scenario.changes);
  AddEvents("--throw", arguments.throws, ParseThrow, scenario.seconds, &scenario.throws);
  AddEvents("--command", arguments.commands, ParseCommand, scenario.seconds, &scenario.commands);
  AddEvents("--go-to", arguments.places, ParseGoTo, scenario.seconds, &scenario.commands);
  AddEvents("--style", arguments.styles, ParseStyle, scenario.seconds, &scenario.commands);
  std::stable_sort(scenario.commands.begin(), scenario.commands.end(),
                   [](const TimedCommand& a, const TimedCommand& b) { return a.at < b.at; });
  for (const std::string& text : arguments.settings) {
    ParseSetting(text, &scenario, &first.controller_config);
  }
  if (!arguments.others.empty()) {
    std::vector<CharacterSetup>& all = options.setup.characters;
    const std::vector<CharacterSetup> others = ReadCharacters(arguments.others);
    all.insert(all.end(), others.begin(), others.end());
  }
  if (arguments.crowd) AddCrowd(*arguments.crowd, &options.setup);
  SeedControllers(&options.setup);
  return options;
}

// Options that change nothing without another one, or beside it.
void RefuseWhatHasNoEffect(const Arguments& arguments) {
  const CLI::App& app = *arguments.app;
  constexpr std::pair<const char*, const char*> kNeeds[] = {
      {"--record-every", "--record"}, {"--sheet-view", "--sheet"}, {"--sheet-cells", "--sheet"}};
  for (const auto& [option, needed] : kNeeds) {
    if (app.count(option) == 0 || app.count(needed) > 0) continue;
    throw InputError(fmt::format("{} has no effect without {}", option, needed));
  }
  if (arguments.replay.empty()) return;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || name == "--replay" || name == "--json" || name == "--quiet") {
      continue;
    }
    throw InputError(fmt::format(
        "{} has no effect with --replay, which takes everything from the recording", name));
  }
}

std::string Outcome(const SimulateResult& r) {
  if (r.fell && r.falls > 1) {
    return fmt::format("fell after {:.2f} s, {} times in all, and got up {} times", *r.fell_at,
                       r.falls, r.recoveries);
  }
  if (r.fell) {
    return fmt::format("fell after {:.2f} s{}", *r.fell_at,
                       r.recoveries > 0 ? " and got up again" : "");
  }
  if (r.failed) {
    return fmt::format("failed after {:.2f} s: the engine lost its numbers", r.metrics.seconds);
  }
  if (!(r.settings["gravity"].get<double>() > 0)) {
    return fmt::format("ran for {:.2f} s; gravity does not pull down, so that nothing falls",
                       r.metrics.seconds);
  }
  return fmt::format("stayed up for {:.2f} s", r.metrics.seconds);
}

// "12", "0.84": three digits where there are none before the point.
std::string TimesText(double factor) {
  return factor < 10 ? fmt::format("{:.2g}", factor) : fmt::format("{:.0f}", factor);
}

std::string Text(const SimulateResult& r) {
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("{:<18}{}\n", name, value);
  };
  const Metrics& m = r.metrics;
  line("character",
       fmt::format("{} ({:.1f} kg, {} degrees of freedom)", r.character, r.mass, r.dof));
  line("engine",
       fmt::format("{}, steps of {:g} ms", r.engine, 1e3 * r.settings["time_step"].get<double>()));
  line("controller", r.controller);
  for (const auto& [key, value] : r.controller_settings.items()) {
    line("", fmt::format("{} = {}", key, value.dump()));
  }
  line("seed", std::to_string(r.seed));
  line("result", Outcome(r));
  for (std::size_t k = 0; k < r.others.size(); ++k) {
    const SimulateResult::Other& other = r.others[k];
    line(k == 0 ? "others" : "",
         other.failed    ? fmt::format("{}: the engine lost its numbers", other.character)
         : other.fell_at ? fmt::format("{}: fell after {:.2f} s", other.character, *other.fell_at)
                         : fmt::format("{}: stayed up", other.character));
  }
  line("distance",
       fmt::format("{:.3f} m; path {:.3f} m at {:.3f} m/s", m.distance, m.path, m.speed));
  if (m.steps > 0) {
    line("steps",
         fmt::format("{}, {:.3f} m and {:.3f} s each", m.steps, m.step_length, m.step_seconds));
  }
  if (m.tracking_error_deg) {
    line("tracking error", fmt::format("{:.2f} degrees a joint", *m.tracking_error_deg));
  }
  line("joint power",
       fmt::format("{:.1f} W; hip, knee, ankle {:.2f} {:.2f} {:.2f}", m.joint_power,
                   m.leg_power_ratio[0], m.leg_power_ratio[1], m.leg_power_ratio[2]));
  line("centre of mass", fmt::format("{:.3f} m high, bounce {:.4f} m, sway {:.4f} m", m.com_height,
                                     m.com_bounce, m.com_sway));
  line("foot slip", fmt::format("{:.4f} m/s", m.foot_slip));
  line("peak force", fmt::format("{:.2f} body weights", m.peak_force));
  line("deepest contact", fmt::format("{:.2f} mm", 1e3 * m.max_penetration));
  line("root at the end",
       fmt::format("{:.3f} {:.3f} {:.3f} m", r.final_root.x, r.final_root.y, r.final_root.z));
  line("run time", fmt::format("{:.3f} s for {:g} s: {} times real time", r.wall_seconds,
                               r.simulated_seconds, TimesText(r.realtime_factor)));
  if (r.missed_deadlines > 0) {
    line("", fmt::format("{} steps took longer than the time they simulate", r.missed_deadlines));
  }
  if (!r.recording.empty()) line("recording", r.recording);
  if (!r.sheet.empty()) line("sheet", r.sheet);
  return text;
}

std::string Text(const ReplayResult& r) {
  const std::string what = fmt::format("{}: {} frames, {:g} s: ", r.recording, r.frames, r.seconds);
  return what + (r.difference.empty() ? "the same bit for bit" : "differs: " + r.difference) + "\n";
}

void AddScenarioOptions(CLI::App* app, Arguments* a) {
  const auto many = [](CLI::Option* option) { option->take_all()->allow_extra_args(false); };
  app->add_option("--scenario", a->scenario,
                  "JSON file (docs/scenarios.md); the options below change or add to it");
  app->add_option("--seconds", a->seconds, "How long")->default_str("10");
  app->add_flag("--stop-at-fall", a->stop_at_fall, "End there");
  app->add_option("--time-step", a->time_step, "Seconds a step")->default_str("0.005");
  many(app->add_option("--push", a->pushes,
                       "N,deg,at,duration: push the trunk with N newtons towards a heading (0 "
                       "forwards, 90 left) at a time for a duration; repeatable"));
  app->add_option("--pushes", a->protocol,
                  "NAME[:N]: a paper's push protocol, such as lee10-front or lee10-front:100; "
                  "docs/scenarios.md lists them");
  app->add_option("--disturb", a->disturbance,
                  "Random push of up to this many newtons, new every 0.2 s");
  many(app->add_option("--throw", a->throws,
                       "kg,m/s,at[,deg]: throw a ball at the trunk, towards a heading or a "
                       "random one; repeatable"));
  many(app->add_option("--load", a->loads,
                       "BODY,KG: fix a mass to a body's centre of mass; repeatable"));
  many(app->add_option("--change", a->changes,
                       "BODY,LENGTH[,MASS]: factors for a body, a role, left_leg, right_leg, legs, "
                       "arms or all; repeatable"));
  many(app->add_option("--command", a->commands,
                       "at,[m/s][,deg]: speed and heading asked for from a time on; repeatable"));
  many(app->add_option("--go-to", a->places,
                       "at,x,y: a place to go to from a time on, m; repeatable"));
  many(
      app->add_option("--style", a->styles,
                      "at,NAME: what to perform from a time on, such as a node of a control graph; "
                      "repeatable"));
  app->add_option("--terrain", a->terrain,
                  "plane, steps:RISE,DEPTH,COUNT[,START], or field:SEED,AMPLITUDE (m)")
      ->default_str("plane");
  app->add_option("--slope", a->slope, "DEG[,HEADING]: the plane rises along the heading");
  app->add_option("--friction", a->friction, "Coulomb coefficient")->default_str("0.9");
  app->add_option("--gravity", a->gravity, "m/s^2, downwards")->default_str("9.81");
  many(app->add_option("--set", a->settings,
                       "KEY=VALUE: a setting of the world, such as contact.stiffness (docs/cli.md "
                       "lists them), or of the controller: controller.KEY; repeatable"));
}

}  // namespace

Verb SimulateVerb() {
  return {
      "simulate",
      "One run of a character, or several",
      {"stride simulate --seconds 5 --push 60,90,2,0.2",
       "stride simulate --character biped --engine mujoco --slope 5 --json",
       "stride simulate --skill walk --crowd 4 --sheet crowd.png --sheet-view three-quarter",
       "stride simulate --controller passive --record fall.stride --sheet fall.png",
       "stride simulate --replay fall.stride"},
      [](CLI::App* app, const CommonOptions* common) {
        auto arguments = std::make_shared<Arguments>();
        SimulateOptions& o = arguments->options;
        CharacterSetup& first = o.setup.characters[0];
        arguments->app = app;
        app->add_option("--character", first.character, "Built-in name, or an MJCF or URDF file")
            ->capture_default_str();
        app->add_option("--engine", o.setup.engine, "See: stride list engines")
            ->capture_default_str();
        app->add_option("--controller", first.controller, "See: stride list controllers")
            ->capture_default_str();
        app->add_option("--skill", first.skill,
                        "Perform a learned skill, on its own character and with its own "
                        "controller: a built-in name or a file");
        app->add_option("--graph", first.graph,
                        "Motion graph for the controller, a file (docs/formats.md)");
        app->add_option("--motion", first.motions,
                        "What the controller follows: a built-in motion or a file; repeatable")
            ->take_all()
            ->allow_extra_args(false);
        app->add_option("--crowd", arguments->crowd,
                        "This many copies of the character in all, on a circle and facing its "
                        "middle");
        app->add_option("--others", arguments->others,
                        "JSON file: further characters in the same world "
                        "(docs/scenarios.md)");
        AddScenarioOptions(app, arguments.get());
        app->add_option("--record", o.record, "File for a recording (.stride)");
        app->add_option("--record-every", o.record_every,
                        "Simulated seconds between its frames, in whole steps")
            ->capture_default_str();
        app->add_option("--sheet", o.sheet, "PNG file: the character, or all of them, over time");
        app->add_option("--sheet-view", o.sheet_view, "side, three-quarter, front or top")
            ->capture_default_str();
        app->add_option("--sheet-cells", o.sheet_cells, "Poses on the sheet")
            ->capture_default_str();
        app->add_option("--replay", arguments->replay,
                        "Run a recording again and say whether it is the same bit for bit; takes "
                        "everything from it");
        return [arguments, common]() -> Output {
          RefuseWhatHasNoEffect(*arguments);
          if (!arguments->replay.empty()) {
            const ReplayResult result = Replay(arguments->replay);
            return {ToJson(result),
                    Text(result),
                    {},
                    result.difference.empty()
                        ? ""
                        : fmt::format("{}: the run differs from the recording", result.recording)};
          }
          const SimulateResult result = Simulate(Resolve(*arguments, *common));
          return {ToJson(result), Text(result), result.warnings};
        };
      }};
}

}  // namespace stride::cli
