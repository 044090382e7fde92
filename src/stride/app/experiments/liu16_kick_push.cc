#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "stride/app/experiments/experiment.h"
#include "stride/app/experiments/liu16_skills.h"
#include "stride/app/experiments/skill_trials.h"
#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/core/error.h"
#include "stride/core/random.h"

// Section 6.1: 400 N for 0.2 s at the trunk in the flight phase of the kick, and the kick goes on.
namespace stride::experiments::liu16_kick_push {
namespace {

constexpr double kForce = 400, kPushSeconds = 0.2;
constexpr double kAfterwards = 10;  // s
constexpr double kWorse = 5;        // degrees off the clip, against those without a push
constexpr int kFirstCycle = 3;      // pushed; steady by then

struct Config {
  int directions = 8;
  int rounds = 10;  // each in another cycle of the clip, at another moment of the flight
};

// The flight of a cycle, s from its beginning.
struct Flight {
  double middle = 0, seconds = 0;
};

// The longest stretch of a loop in which nothing is labelled as down; it may go over the seam.
Flight FlightOf(const Motion& loop) {
  const int frames = loop.FrameCount() - 1;  // the last is the first again
  Flight longest;
  int run = 0;
  for (int k = 0; k < 2 * frames; ++k) {
    run = loop.contacts[k % frames] == 0 ? run + 1 : 0;
    if (run >= frames || run <= longest.seconds * loop.fps) continue;
    longest = {.middle = std::fmod((k + 1 - run / 2.0) / loop.fps, loop.Duration()),
               .seconds = run / loop.fps};
  }
  return longest;
}

// Share of the push's time in which the body itself, not pushed, touches nothing.
double ShareInFlight(RunSetup setup, double at) {
  setup.scenario.pushes.clear();
  Run run(setup);
  RecordedFrame frame;
  int in_flight = 0, steps = 0;
  while (run.Time() < at + kPushSeconds) {
    run.Step();
    if (run.Time() <= at) continue;
    run.ReadFrame(&frame);
    in_flight += frame.contacts.empty();
    ++steps;
  }
  return static_cast<double>(in_flight) / steps;
}

RunSetup PushedSetup(const std::string& skill, double at, double heading) {
  RunSetup setup = PerformAlone(skill, at + kPushSeconds + kAfterwards);
  setup.scenario.pushes = {
      {.force = kForce, .heading = heading, .at = at, .duration = kPushSeconds}};
  return setup;
}

ObtainedSkill ObtainKick(const ExperimentContext& context) {
  if (!context.mocap.empty() || !context.skills.empty()) {
    return ObtainSkill(FindSkillClip("kick"), context);
  }
  // The built-in kick keeps a foot on the ground.
  return {.file = "run",
          .note =
              "the built-in skill run stands in for the kick; give --mocap the folder "
              "of the clips"};
}

}  // namespace

std::string Describe() {
  return "Section 6.1: 400 N for 0.2 s in the flight phase of the kick, from 8 directions";
}

Findings Measure(const ExperimentContext& context) {
  const Config config = context.quick ? Config{.directions = 2, .rounds = 1} : Config{};
  const ObtainedSkill kick = ObtainKick(context);
  const bool is_kick = kick.file != "run";
  const ClipSkill skill = LoadClipSkill(kick.file);
  const Flight flight = FlightOf(skill.FirstMotion());
  if (flight.seconds < kPushSeconds / 2) {
    throw InputError(
        fmt::format("{}: the clip flies for {:.2f} s at most; expected {:g} s or more, as in {}; "
                    "give --mocap the folder that holds it",
                    kick.file, flight.seconds, kPushSeconds / 2, FindSkillClip("kick").file));
  }
  // As performed: a whole number of steps.
  const double cycle = GraphOf(skill).Seconds();
  const double middle = flight.middle * cycle / skill.FirstMotion().Duration();
  const double slack = std::max(0.0, flight.seconds - kPushSeconds) / 2;

  std::vector<RunSetup> setups;
  for (int k = 0; k < config.directions; ++k) {
    for (int round = 0; round < config.rounds; ++round) {
      Random random(context.seed, static_cast<std::uint32_t>(round));
      const double at =
          (kFirstCycle + round) * cycle + middle - kPushSeconds / 2 + random.Uniform(-slack, slack);
      setups.push_back(PushedSetup(kick.file, at, k * 2 * std::numbers::pi / config.directions));
    }
  }
  const double in_flight = ShareInFlight(setups[0], setups[0].scenario.pushes[0].at);
  const TrialResult alone = PerformSkill(
      PerformAlone(kick.file, (kFirstCycle + config.rounds) * cycle + kPushSeconds + kAfterwards));
  const std::vector<TrialResult> trials = PerformSkills(setups, context.threads, !context.progress);

  Findings findings;
  Series series{.name = is_kick ? "kick" : "run"};
  int survived = 0;
  const std::string note = fmt::format("{}{}", kick.note, context.quick ? "; quick" : "");
  for (int k = 0; k < config.directions; ++k) {
    int here = 0;
    for (int round = 0; round < config.rounds; ++round) {
      const TrialResult& trial = trials[k * config.rounds + round];
      here += !trial.lost && trial.tracking_error_deg <= alone.tracking_error_deg + kWorse;
    }
    survived += here;
    series.x.push_back(k * 2 * std::numbers::pi / config.directions);
    series.y.push_back(100.0 * here / config.rounds);
    findings.rows.push_back({.name = fmt::format("towards {} deg", k * 360 / config.directions),
                             .ours = series.y.back(),
                             .unit = "%",
                             .note = fmt::format("{} of {} pushes survived", here, config.rounds)});
  }
  const int all = static_cast<int>(trials.size());
  Row total{.name = "all directions",
            .paper_text = "survived",
            .ours = 100.0 * survived / all,
            .unit = "%",
            .note = fmt::format(
                "{} of {} pushes of {:g} N for {:g} s: still performing {:g} s later, at most {:g} "
                "degrees further off the clip than without ({:.1f}; {}); flight of {:.2f} s, the "
                "body off the ground in {:.0f} % of the first push; asked: all; {}",
                survived, all, kForce, kPushSeconds, kAfterwards, kWorse, alone.tracking_error_deg,
                alone.lost ? fmt::format("lost after {:.1f} s", alone.seconds) : "never lost",
                flight.seconds, 100 * in_flight, note)};
  if (is_kick && !context.quick) total.met = survived == all;
  findings.rows.insert(findings.rows.begin(), total);
  findings.plots = {{.kind = Plot::Kind::kPolar,
                     .title = "Pushes of 400 N in flight survived",
                     .y_label = "%, drawn towards where it goes",
                     .series = {std::move(series)}}};
  findings.inputs = {{"skill " + skill.name, InputHash(SkillText(skill))}};
  findings.config = {{"force", kForce},
                     {"push_seconds", kPushSeconds},
                     {"afterwards", kAfterwards},
                     {"directions", config.directions},
                     {"rounds", config.rounds},
                     {"flight", {{"middle", middle}, {"seconds", flight.seconds}}},
                     {"cycle", cycle}};
  return findings;
}

}  // namespace stride::experiments::liu16_kick_push
