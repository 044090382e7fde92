#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "stride/app/experiments/experiment.h"
#include "stride/app/experiments/graph_watch.h"
#include "stride/app/experiments/transition_sheet.h"
#include "stride/core/error.h"
#include "stride/core/parallel.h"
#include "stride/core/random.h"
#include "stride/scenario/push.h"

// Section 6.2: pushed over while it walks and runs, it lies, gets up and goes on.
namespace stride::experiments::liu16_rising {
namespace {

constexpr const char* kNodes[] = {"walk", "run"};
constexpr double kAtLeast = 1, kSpread = 2;  // s in the node before the push
constexpr double kArrives = 40;              // s in which it is in the node
constexpr double kDuration = 0.2;            // s
constexpr double kFirstForce = 150, kRaise = 1.2, kMostForce = 3000;  // N
constexpr double kFalls = 2;      // s after the push in which it falls
constexpr double kUpWithin = 15;  // s

struct Trial {
  double force = 0, heading = 0;  // N, rad; of the push that brought it down
  std::optional<GraphFall> fall;
  // Its picture is drawn if it is shown.
  std::optional<PoseLog> log;
  double begin = 0, end = 0;  // s
  std::string title;
};

Trial Perform(const GraphSkill& skill, const std::string& node, std::uint64_t seed) {
  RunSetup setup = PerformGraph(skill, {.style = skill.StyleOf(node)},
                                kArrives + kFalls + kUpWithin + kUpFor + 1);
  setup.seed = seed;
  Run walking(setup);
  GraphWatch seen(walking, skill);
  Random random(seed, 4);
  const double wait = kAtLeast + random.Uniform(0, kSpread);
  Trial trial{.heading = random.Uniform(0, 2 * std::numbers::pi)};
  double in_node = 0;
  while (in_node < wait) {
    if (walking.Time() > kArrives) return trial;
    walking.Step();
    seen.Look(walking);
    const bool there =
        !seen.InTransition() && skill.skill.plan.clips[seen.Node()].name == node && !seen.IsDown();
    in_node = there ? in_node + walking.GetWorld().time_step : 0;
  }
  const Character& character = walking.GetWorld().actors[0];
  const int trunk = PushedBody(character);
  const std::size_t before = seen.Falls().size();
  for (trial.force = kFirstForce; trial.force < kMostForce; trial.force *= kRaise) {
    Run run = walking.Branch();
    GraphWatch watch = seen;
    PoseLog log(run);
    const double pushed_at = run.Time();
    run.Apply({.kind = RunInput::Kind::kPush,
               .body = trunk,
               .point = character.bodies[trunk].com,
               .vector = Vec3d{std::cos(trial.heading), std::sin(trial.heading), 0} * trial.force,
               .duration = kDuration});
    double end = run.Time() + kDuration + kFalls;
    while (run.Time() < end && (watch.Falls().size() == before || watch.IsDown()) &&
           !run.Finished()) {
      const bool was_up = !watch.IsDown();
      run.Step();
      watch.Look(run);
      log.Look(run);
      if (was_up && watch.IsDown()) end = run.Time() + kUpWithin + kUpFor;
    }
    if (watch.Falls().size() == before) continue;
    trial.fall = watch.Falls()[before];
    // One that caught itself without lying was no fall to rise from: harder.
    if (trial.fall->tries > 0 || watch.IsDown()) {
      trial.log = std::move(log);
      trial.begin = pushed_at, trial.end = run.Time();
      trial.title =
          fmt::format("{}, {:.0f} N towards {:.0f} deg", node, trial.force,
                      std::remainder(trial.heading, 2 * std::numbers::pi) * 180 / std::numbers::pi);
      return trial;
    }
    trial.fall.reset();
  }
  return trial;
}

}  // namespace

std::string Describe() {
  return "Section 6.2: 20 falls from walking and running, each followed by getting up";
}

Findings Measure(const ExperimentContext& context) {
  const int trials_each = context.quick ? 1 : 10;
  const std::string quick = context.quick ? "; quick" : "";
  Findings findings;
  try {
    const GraphSkill skill = FindGraphSkill(kLocomotion, context);
    std::vector<Trial> trials(trials_each * std::size(kNodes));
    constexpr std::uint64_t kSeedsApart = 1000;
    context.Tell(fmt::format("{} falls", trials.size()));
    ForEachInParallel(static_cast<int>(trials.size()), context.threads, [&](int k) {
      trials[k] = Perform(skill, kNodes[k / trials_each], context.seed * kSeedsApart + k);
    });
    Plot plot{.kind = Plot::Kind::kBars,
              .title = "From the fall back into the graph",
              .y_label = "seconds"};
    std::map<std::string, int> ways;
    for (std::size_t n = 0; n < std::size(kNodes); ++n) {
      Series series{.name = kNodes[n]};
      int up = 0, again = 0;
      double mean = 0, longest = 0, force = 0;
      std::string missed;
      for (int k = 0; k < trials_each; ++k) {
        const Trial& trial = trials[n * trials_each + k];
        const bool rose = trial.fall && trial.fall->seconds && *trial.fall->seconds <= kUpWithin;
        series.y.push_back(rose ? *trial.fall->seconds : NAN);
        if (n == 0) plot.categories.push_back(std::to_string(k + 1));
        force += trial.force / trials_each;
        if (!rose) {
          missed += fmt::format("; {}: {}", k + 1, trial.fall ? "not up" : "did not fall");
          continue;
        }
        ++up;
        again += trial.fall->tries > 1;
        mean += *trial.fall->seconds;
        longest = std::max(longest, *trial.fall->seconds);
        ++ways[trial.fall->way < 0 ? "none" : skill.skill.plan.clips[trial.fall->way].name];
      }
      Row row{.name = fmt::format("{}: up again", kNodes[n]),
              .paper_text = "gets up",
              .ours = static_cast<double>(up),
              .unit = fmt::format("of {}", trials_each),
              .note = fmt::format(
                  "upright and back in the graph for {:g} s, within {:g} s; pushed for {:g} s "
                  "towards a random heading with {:.0f} N on average, raised until "
                  "it fell; {} lay down more than once{}; asked: all{}",
                  kUpFor, kUpWithin, kDuration, force, again, missed, quick)};
      if (!context.quick) row.met = up == trials_each;
      findings.rows.push_back(row);
      findings.rows.push_back({.name = fmt::format("{}: seconds to get up", kNodes[n]),
                               .ours = up > 0 ? mean / up : NAN,
                               .unit = "s",
                               .note = fmt::format("mean; {:.1f} s at most{}", longest, quick)});
      plot.series.push_back(std::move(series));
    }
    for (const auto& [way, count] : ways) {
      findings.rows.push_back({.name = "rose by " + way,
                               .ours = static_cast<double>(count),
                               .unit = fmt::format("of {}", trials.size()),
                               .note = "the last way taken" + quick});
    }
    // One for each way to rise.
    std::vector<Image> pictures;
    std::set<int> shown;
    for (const Trial& trial : trials) {
      constexpr int kCells = 12;
      if (trial.fall && shown.insert(trial.fall->way).second) {
        pictures.push_back(trial.log->Row(trial.title, trial.begin, trial.end, kCells));
      }
    }
    WriteRows(pictures, context.folder + "/falls.png");
    findings.plots = {std::move(plot)};
    findings.inputs = {{"skill " + skill.name, skill.hash}};
  } catch (const InputError& error) {
    findings.rows = {NotMeasured("up again", error.what())};
  }
  findings.config = {{"trials", trials_each}, {"first_force", kFirstForce}, {"raise", kRaise},
                     {"duration", kDuration}, {"up_within", kUpWithin},     {"up_for", kUpFor}};
  return findings;
}

}  // namespace stride::experiments::liu16_rising
