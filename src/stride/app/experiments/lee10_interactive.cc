#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "stride/app/experiments/lee10_walks.h"
#include "stride/core/parallel.h"
#include "stride/core/random.h"

// Section 5, "Interactive control": heading and speed change on the fly (the built-in skill has one
// style). Here a stream of
// random commands takes the place of the user.
namespace stride::experiments::lee10_interactive {
namespace {

constexpr const char* kSkill = "live_walk";       // built in, of built-in motions
constexpr double kSlowest = 0.3, kFastest = 0.9;  // m/s
constexpr double kEvery = 3;                      // s between commands

RunSetup RandomCommands(std::uint64_t seed, double seconds) {
  RunSetup setup;
  setup.characters[0].skill = kSkill;
  setup.characters[0].controller = ControllerOfSkill(kSkill);
  setup.seed = seed;
  setup.scenario.seconds = seconds;
  setup.scenario.stop_at_fall = true;
  Random random(seed);
  for (double at = kEvery; at < seconds; at += kEvery) {
    setup.scenario.commands.push_back(
        {.at = at,
         .speed = random.Uniform(kSlowest, kFastest),
         .heading = random.Uniform(-std::numbers::pi, std::numbers::pi)});
  }
  return setup;
}

}  // namespace

std::string Describe() { return "five minutes of random commands of heading and speed, ten seeds"; }

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  const int seeds = context.quick ? 1 : 10;
  const double seconds = context.quick ? 3 : 300;
  std::vector<double> stood(seeds);
  ForEachInParallel(seeds, context.threads, [&](int k) {
    stood[k] = Follow(RandomCommands(1000 * context.seed + k + 1, seconds)).seconds;
  });
  double mean = 0;
  for (const double s : stood) mean += s / seeds;
  const int whole = static_cast<int>(
      std::count_if(stood.begin(), stood.end(), [&](double s) { return s >= seconds; }));
  findings.rows.push_back(
      {.name = "five minutes without a fall",
       .paper_text = "steers, changes speed and gait",
       .ours = 1.0 * whole,
       .unit = fmt::format("of {}", seeds),
       .met = context.quick ? std::nullopt : std::optional<bool>(whole == seeds),
       .note = fmt::format("a new heading, speed (0.3 to 0.9 m/s) every {:g} s; {:.0f} s "
                           "on average",
                           kEvery, mean)});
  return findings;
}

}  // namespace stride::experiments::lee10_interactive
