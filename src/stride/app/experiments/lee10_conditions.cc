#include <algorithm>
#include <functional>
#include <numbers>

#include <fmt/format.h>

#include "stride/app/experiments/bisect.h"
#include "stride/app/experiments/lee10_walks.h"
#include "stride/core/parallel.h"

// Section 5, "Robustness under various conditions", Figure 7: the same clip and the same gains on
// other bodies and grounds. Two rows of gains: the authors' program too has others than Figure 5's
// where legs are loaded or longer.
namespace stride::experiments::lee10_conditions {
namespace {

double Radians(double degrees) { return degrees * std::numbers::pi / 180; }

struct Condition {
  const char* name;
  const char* unit;
  double paper;       // where the paper's walker still walks
  double easy, hard;  // between which the limit is sought
  double tolerance;
  void (*apply)(double value, Scenario* scenario);
  bool other_legs = false;  // walked with the row "tuned_bodies"
};
void Slope(double degrees, Scenario* s) { s->world.terrain.slope = Radians(degrees); }
constexpr Condition kConditions[] = {
    {"load on one leg", "kg", 15, 0.5, 40, 1,
     [](double x, Scenario* s) {
       s->loads = {{"left_shank", x}};
     },
     true},
    {"longer legs", "of their length", 1.5, 1, 2, 0.05,
     [](double x, Scenario* s) {
       s->changes = {{"legs", x}};
     },
     true},
    {"shorter legs", "of their length", 0.5, 1, 0.3, 0.05,
     [](double x, Scenario* s) {
       s->changes = {{"legs", x}};
     }},
    {"one leg shorter", "of its length", 0.97, 1, 0.8, 0.01,
     [](double x, Scenario* s) {
       s->changes = {{"left_leg", x}};
     }},
    {"uphill", "degrees", 6, 0, 20, 0.5, [](double x, Scenario* s) { Slope(x, s); }},
    {"downhill", "degrees", 4, 0, 20, 0.5, [](double x, Scenario* s) { Slope(-x, s); }},
    {"less friction", "", 0.6, 1, 0.05, 0.05, [](double x, Scenario* s) { s->world.friction = x; }},
    {"more friction", "", 12, 1, 24, 1, [](double x, Scenario* s) { s->world.friction = x; }},
    {"shorter, same weight", "of its size", 0.8, 1, 0.4, 0.05,
     [](double x, Scenario* s) {
       s->changes = {{"all", x, 1}};
     }},
    {"shorter and lighter", "of size and weight", 0.8, 1, 0.4, 0.05,
     [](double x, Scenario* s) {
       s->changes = {{"all", x, x}};
     }},
};

}  // namespace

std::string Describe() {
  return "the normal walk, same clip and gains, on other bodies, slopes and frictions; limits by "
         "bisection";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  const int seeds = context.quick ? 1 : 5;
  const Lee10Clip clip = Lee10Walks(context)[0];
  const std::string motion = Lee10Motion(clip, true, "lee10-round", context, &findings);
  for (const Condition& condition : kConditions) {
    const bool captured = !context.mocap.empty();
    const std::string gains =
        captured && condition.other_legs ? "tuned_bodies" : GainsFor(clip.name);
    const auto survives = [&](double value, int sample) {
      RunSetup setup = Lee10Setup(clip, motion, "lee10-round", gains, context.quick ? 2 : 60);
      condition.apply(value, &setup.scenario);
      PerturbStart(1000 * context.seed + sample + 1, &setup);
      return !Follow(setup).fell;
    };
    int held = 0;
    std::vector<char> each(seeds);
    ForEachInParallel(seeds, context.threads,
                      [&](int k) { each[k] = survives(condition.paper, k) ? 1 : 0; });
    held = static_cast<int>(std::count(each.begin(), each.end(), 1));
    const Limit limit = FindLimit({.easy = condition.easy,
                                   .hard = condition.hard,
                                   .tolerance = context.quick ? 100 : condition.tolerance,
                                   .samples = seeds,
                                   .share = 1,
                                   .threads = context.threads},
                                  survives);
    findings.rows.push_back(
        {.name = condition.name,
         .paper = condition.paper,
         .ours = limit.holds.value_or(condition.easy),
         .unit = condition.unit,
         .met = context.quick ? std::nullopt : std::optional<bool>(held == seeds),
         .note = fmt::format(
             "limit at which all {} starts walk 60 s; at the paper's value {} of {} "
             "do; gains {}{}",
             seeds, held, seeds, gains, limit.holds ? "" : "; falls even at the easy end")});
    context.Tell(fmt::format("{}: {} of {} at {:g}, limit {:.2f}", condition.name, held, seeds,
                             condition.paper, limit.holds.value_or(condition.easy)));
  }
  return findings;
}

}  // namespace stride::experiments::lee10_conditions
