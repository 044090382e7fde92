#include <chrono>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "stride/app/crowd.h"
#include "stride/app/experiment.h"
#include "stride/app/experiments/skill_trials.h"
#include "stride/core/random.h"
#include "stride/learn/skill_library.h"

// Section 6 and Figure 11: characters that always try to run into each other, in one world.
namespace stride::experiments::liu16_crowd {
namespace {

// Who performs. One that rises by itself is put in here by name.
constexpr const char* kController = "control_graph";
constexpr const char* kSkill = "walk";

constexpr int kCrowds[] = {2, 4, 8};
constexpr double kSteerEvery = 0.5;  // s between commands
constexpr double kTargetEvery = 8;   // s after which each chooses another one to walk into

struct Outcome {
  double seconds = 0, wall = 0;
  int falls = 0, upright = 0;  // upright: who never fell
  double touched = 0;          // share of the steps with contact between characters
};

Outcome Perform(int count, double seconds, std::uint64_t seed) {
  using Clock = std::chrono::steady_clock;
  RunSetup setup = PerformAlone(kSkill, seconds);
  setup.controller = kController;
  setup.seed = seed;
  AddCrowd(count, &setup);
  Run run(setup);
  std::vector<int> target(count);
  RecordedFrame frame;
  Outcome outcome;
  const double h = run.GetWorld().time_step;
  const int steer_every = static_cast<int>(std::lround(kSteerEvery / h));
  const int target_every = static_cast<int>(std::lround(kTargetEvery / h));
  Clock::duration wall{};
  while (!run.Finished()) {
    const int step = static_cast<int>(run.StepCount());
    for (int k = 0; k < count && step % steer_every == 0; ++k) {
      if (step % target_every == 0) {
        Random random(seed, static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(k));
        target[k] = (k + 1 + random.Index(count - 1)) % count;
      }
      const std::vector<double>&me = run.ActorState(k).q, &it = run.ActorState(target[k]).q;
      run.Apply({.kind = RunInput::Kind::kCommand,
                 .actor = k,
                 .command = {.heading = std::atan2(it[1] - me[1], it[0] - me[0])}});
    }
    const Clock::time_point begin = Clock::now();
    run.Step();
    wall += Clock::now() - begin;
    run.TakeEvents();
    run.ReadFrame(&frame);
    for (const RecordedContact& contact : frame.contacts) {
      if (contact.other_actor < 0) continue;
      outcome.touched += 1;
      break;
    }
  }
  outcome.touched /= run.StepCount();
  outcome.seconds = run.Time();
  outcome.wall = std::chrono::duration<double>(wall).count();
  for (int k = 0; k < count; ++k) {
    outcome.falls += run.Falls(k);
    outcome.upright += !run.Fell(k);
  }
  return outcome;
}

}  // namespace

std::string Describe() {
  return "Figure 11: 2, 4 and 8 characters that steer at each other: real-time factor, falls";
}

Findings Measure(const ExperimentContext& context) {
  const double seconds = context.quick ? 2 : 120;
  const std::string quick = context.quick ? "; quick" : "";
  Findings findings;
  Series series{.name = "measured"};
  // One after the other: they are timed.
  for (const int count : kCrowds) {
    context.Tell(fmt::format("{} characters", count));
    const Outcome outcome = Perform(count, seconds, context.seed);
    Row factor{.name = fmt::format("{} characters: real-time factor", count),
               .paper_text = count <= 4 ? "real time" : "",
               .ours = outcome.seconds / outcome.wall,
               .unit = "x",
               .note = fmt::format("one thread, {:g} s; some touch each other in {:.0f} % of the "
                                   "steps; asked: 1{}",
                                   outcome.seconds, 100 * outcome.touched, quick)};
    if (!context.quick) factor.met = factor.ours >= 1;
    findings.rows.push_back(factor);
    findings.rows.push_back(
        {.name = fmt::format("{} characters: falls", count),
         .ours = static_cast<double>(outcome.falls),
         .unit = "falls",
         .note = fmt::format("{} of {} never fell; who falls stays down, since '{}' with the skill "
                             "{} does not rise{}",
                             outcome.upright, count, kController, kSkill, quick)});
    series.x.push_back(count);
    series.y.push_back(factor.ours);
  }
  findings.plots = {{.title = "Speed of a crowd",
                     .x_label = "characters",
                     .y_label = "times real time",
                     .zero_y = true,
                     .series = {std::move(series)}}};
  findings.inputs = {{std::string("skill ") + kSkill, InputHash(SkillText(LoadSkill(kSkill)))}};
  findings.config = {{"controller", kController},
                     {"skill", kSkill},
                     {"seconds", seconds},
                     {"steer_every", kSteerEvery},
                     {"target_every", kTargetEvery}};
  return findings;
}

}  // namespace stride::experiments::liu16_crowd
