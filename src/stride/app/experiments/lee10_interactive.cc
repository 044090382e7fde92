#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "stride/app/experiments/lee10_walks.h"
#include "stride/app/simulate.h"
#include "stride/core/file.h"
#include "stride/core/parallel.h"
#include "stride/core/random.h"

// Section 5, "Interactive control": heading, speed and style change on the fly, stacked boxes are
// in the way. Here a stream of random commands takes the place of the user.
namespace stride::experiments::lee10_interactive {
namespace {

constexpr const char* kSkill = "live_walk";  // built in, of built-in motions
constexpr const char* kStyles[] = {"walk_slow", "march"};
constexpr double kSlowest = 0.3, kFastest = 0.9;  // m/s
constexpr double kEvery = 3;                      // s between commands

RunSetup Walk(std::uint64_t seed, double seconds) {
  RunSetup setup;
  setup.characters[0].skill = kSkill;
  setup.characters[0].controller = ControllerOfSkill(kSkill);
  setup.seed = seed;
  setup.scenario.seconds = seconds;
  setup.scenario.stop_at_fall = true;
  return setup;
}

RunSetup RandomCommands(std::uint64_t seed, double seconds) {
  RunSetup setup = Walk(seed, seconds);
  Random random(seed);
  for (double at = kEvery; at < seconds; at += kEvery) {
    setup.scenario.commands.push_back(
        {.at = at,
         .speed = random.Uniform(kSlowest, kFastest),
         .heading = random.Uniform(-std::numbers::pi, std::numbers::pi),
         .style_name = kStyles[random.Uniform() < 0.5 ? 0 : 1]});
  }
  return setup;
}

// Stacks of boxes in its way.
constexpr double kBox = 0.3, kBoxMass = 1;  // m, kg; our reading
constexpr int kStacks = 5, kHigh = 3;
RunSetup Course(std::uint64_t seed, const std::string& box) {
  RunSetup setup = Walk(seed, 20);
  Random random(seed);
  for (int k = 0; k < kStacks; ++k) {
    const double x = 2 + 1.2 * k, y = random.Uniform(-0.15, 0.15);
    for (int level = 0; level < kHigh; ++level) {
      setup.characters.push_back(
          {.character = box, .controller = "passive", .x = x, .y = y, .z = kBox * level});
    }
  }
  return setup;
}

}  // namespace

std::string Describe() {
  return "five minutes of random commands of heading, speed and style, ten seeds; a course of "
         "stacked boxes";
}

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
       .note = fmt::format("a new heading, speed (0.3 to 0.9 m/s) and style (walk or march) "
                           "every {:g} s; {:.0f} s on average",
                           kEvery, mean)});

  const std::string box = context.folder + "/box.xml";
  WriteFileWhole(box, fmt::format("<mujoco model=\"box\"><worldbody><body name=\"box\" pos=\"0 0 "
                                  "{0}\"><freejoint/><geom type=\"box\" size=\"{0} {0} {0}\" "
                                  "mass=\"{1}\"/></body></worldbody></mujoco>\n",
                                  0.5 * kBox, kBoxMass));
  const int courses = context.quick ? 1 : 5;
  std::vector<char> through(courses);
  ForEachInParallel(courses, context.threads, [&](int k) {
    RunSetup setup = Course(1000 * context.seed + k + 1, box);
    if (context.quick) setup.scenario.seconds = 1;
    Run run(setup);
    while (!run.Finished()) run.Step();
    through[k] = !run.Fell() && run.ActorState().q[0] > 2 + 1.2 * kStacks;
  });
  const int done = static_cast<int>(std::count(through.begin(), through.end(), 1));
  RunSetup shown = Course(1000 * context.seed + 1, box);
  if (context.quick) shown.scenario.seconds = 1;
  Simulate({.setup = shown, .sheet = context.folder + "/boxes.png"});
  findings.rows.push_back(
      {.name = "through a course of stacked boxes",
       .paper_text = "walks into stacked boxes",
       .ours = 1.0 * done,
       .unit = fmt::format("of {}", courses),
       .met = context.quick ? std::nullopt : std::optional<bool>(done == courses),
       .note = fmt::format("{} stacks of {} boxes of {:g} m and {:g} kg, each up to 15 cm beside "
                           "its way; past all of them without a fall",
                           kStacks, kHigh, kBox, kBoxMass)});
  return findings;
}

}  // namespace stride::experiments::lee10_interactive
