#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "stride/app/experiments/experiment.h"
#include "stride/app/experiments/graph_watch.h"
#include "stride/core/error.h"
#include "stride/core/random.h"
#include "stride/run/crowd.h"

// Section 6 and Figure 11: characters that always try to run into each other, in one world; who
// falls gets up and goes on.
namespace stride::experiments::liu16_crowd {
namespace {

constexpr const char* kWalk = "walk";  // node whose speed is asked for
constexpr int kCrowds[] = {2, 4, 8};
constexpr double kSteerEvery = 0.5;  // s between commands
constexpr double kTargetEvery = 8;   // s after which each chooses another one to walk into
                                     // (at once if that one falls: nobody tramples)
constexpr double kUpWithin = 20;     // s; others fall over who lies

struct Outcome {
  double seconds = 0, wall = 0;
  int falls = 0, upright = 0, failed = 0;  // upright: who never fell
  Risings risings;
  double touched = 0;  // share of the steps with contact between characters
};

// Another one, who stands if anybody does.
int Target(const std::vector<GraphWatch>& watches, int me, int step, std::uint64_t seed) {
  std::vector<int> others, standing;
  for (int k = 0; k < static_cast<int>(watches.size()); ++k) {
    if (k == me) continue;
    others.push_back(k);
    if (!watches[k].IsDown()) standing.push_back(k);
  }
  const std::vector<int>& among = standing.empty() ? others : standing;
  Random random(seed, static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(me));
  return among[random.Index(static_cast<int>(among.size()))];
}

Outcome Perform(const GraphSkill& skill, int count, double seconds, std::uint64_t seed) {
  using Clock = std::chrono::steady_clock;
  const double speed = skill.SpeedOf(kWalk);
  RunSetup setup = PerformGraph(skill, {.speed = speed}, seconds);
  setup.seed = seed;
  AddCrowd(count, &setup);
  Run run(setup);
  std::vector<GraphWatch> watches;
  for (int k = 0; k < count; ++k) watches.emplace_back(run, skill, k);
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
      if (step % target_every == 0 || watches[target[k]].IsDown()) {
        target[k] = Target(watches, k, step, seed);
      }
      const std::vector<double>&me = run.ActorState(k).q, &it = run.ActorState(target[k]).q;
      run.Apply({.kind = RunInput::Kind::kCommand,
                 .actor = k,
                 .command = {.speed = speed, .heading = std::atan2(it[1] - me[1], it[0] - me[0])}});
    }
    const Clock::time_point begin = Clock::now();
    run.Step();
    wall += Clock::now() - begin;
    run.TakeEvents();
    for (GraphWatch& watch : watches) watch.Look(run);
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
  std::vector<GraphFall> falls;
  for (int k = 0; k < count; ++k) {
    const std::vector<GraphFall>& his = watches[k].Falls();
    falls.insert(falls.end(), his.begin(), his.end());
    outcome.upright += his.empty();
    outcome.failed += run.Failed(k);
  }
  outcome.falls = static_cast<int>(falls.size());
  outcome.risings = RisingsOf(falls, kUpWithin, seconds - kUpWithin);
  return outcome;
}

}  // namespace

std::string Describe() {
  return "Figure 11: 2, 4 and 8 characters that steer at each other: real-time factor, falls, "
         "risings";
}

Findings Measure(const ExperimentContext& context) {
  const double seconds = context.quick ? 1 : 120;
  const std::string quick = context.quick ? "; quick" : "";
  Findings findings;
  Series series{.name = "measured"};
  try {
    const GraphSkill skill = FindGraphSkill(kLocomotion, context);
    // One after the other: they are timed.
    for (const int count : kCrowds) {
      context.Tell(fmt::format("{} characters", count));
      const Outcome outcome = Perform(skill, count, seconds, context.seed);
      const Risings& risings = outcome.risings;
      Row factor{.name = fmt::format("{} characters: real-time factor", count),
                 .paper_text = count <= 4 ? "real time" : "",
                 .ours = outcome.seconds / outcome.wall,
                 .unit = "x",
                 .note = fmt::format("one thread, {:g} s; some touch each other in {:.0f} % of the "
                                     "steps; asked: 1{}",
                                     outcome.seconds, 100 * outcome.touched, quick)};
      Row up{.name = fmt::format("{} characters: up again after falls", count),
             .ours = static_cast<double>(risings.up),
             .unit = fmt::format("of {}", risings.falls),
             .note = fmt::format("back in the graph within {:g} s: {:.1f} s on average, "
                                 "{:.1f} s at most; falls in the last {:g} s count only if they "
                                 "are; asked: all{}",
                                 kUpWithin, risings.mean, risings.longest, kUpWithin, quick)};
      if (!context.quick) {
        factor.met = factor.ours >= 1;
        up.met = risings.up == risings.falls && outcome.failed == 0;
      }
      findings.rows.push_back(factor);
      findings.rows.push_back(
          {.name = fmt::format("{} characters: falls", count),
           .ours = static_cast<double>(outcome.falls),
           .unit = "falls",
           .note = fmt::format("{} of {} never fell{}", outcome.upright, count, quick)});
      findings.rows.push_back(up);
      series.x.push_back(count);
      series.y.push_back(factor.ours);
    }
    findings.inputs = {{"skill " + skill.name, skill.hash}};
    findings.plots = {{.title = "Speed of a crowd",
                       .x_label = "characters",
                       .y_label = "times real time",
                       .zero_y = true,
                       .series = {std::move(series)}}};
  } catch (const InputError& error) {
    findings.rows = {NotMeasured("real-time factor", error.what())};
  }
  findings.config = {{"skill", kLocomotion},
                     {"seconds", seconds},
                     {"steer_every", kSteerEvery},
                     {"target_every", kTargetEvery},
                     {"up_within", kUpWithin}};
  return findings;
}

}  // namespace stride::experiments::liu16_crowd
