#include "stride/controllers/control_graph/push_turns.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stride/controllers/control_graph/fragment_runner.h"
#include "stride/learn/rollout_block.h"

namespace stride {
namespace {

constexpr double kPush = 20;                             // N, "gentle"
constexpr double kSettle = 4, kRecord = 16, kTurn = 10;  // s
constexpr double kMostTimes = 4;                         // of the recorded actions, tried at most
constexpr double kLeastRate = 0.02;                      // rad/s: less is no turn

using Actions = std::vector<std::array<float, kActionCount>>;

// Of the trials of a block.
struct Turning {
  std::array<bool, kTrialBlock> stood;
  std::array<double, kTrialBlock> rate{};  // rad/s, after kSettle
  Turning() { stood.fill(true); }
};
// The trials from `first` on, one a lane, perform round after round, facing where they go.
template <class Prepare>
void PerformPart(const ControlGraph& graph, const Policies& policies, const State& start,
                 double seconds, int first, FragmentRunner* runner, const Prepare& prepare,
                 Turning* turned) {
  const int lanes = runner->Lanes();
  for (int lane = 0; lane < lanes; ++lane) {
    Random unused(0);
    runner->Load(lane, start);
    runner->SetBase(lane, 0);
    runner->SetPush(lane, 0, 0);
    runner->SetConditions(lane, kSameWorld, &unused);
  }
  runner->Refresh();
  runner->Judge(graph.borders[graph.fragments[0].border], {}, false);
  double time = 0;
  for (int f = 0; time < seconds; f = graph.fragments[f].next[0]) {
    const Fragment& now = graph.fragments[f];
    const BorderReference& end = graph.borders[now.end_border];
    for (int lane = 0; lane < lanes; ++lane) {
      float features[kFeatureCount], action[kActionCount];
      for (int k = 0; k < kFeatureCount; ++k) features[k] = runner->Feature(lane, k);
      features[feature::kHeading] = 0;
      Act(policies[now.policy], now.mirrored, features, action);
      prepare(first + lane, lane, f, time, action);
      for (int k = 0; k < kActionCount; ++k) runner->Action(lane, k) = action[k];
    }
    runner->Run(graph, f);
    runner->Judge(end, {}, false);
    for (int lane = 0; lane < lanes; ++lane) {
      if (runner->Fallen(lane, end) || runner->Failed(lane)) turned->stood[first + lane] = false;
      const double turn =
          2 * std::asin(std::clamp(
                  static_cast<double>(runner->Feature(lane, feature::kHeading)) / 2, -1.0, 1.0));
      runner->SetBase(lane, runner->Base(lane) + now.turn + turn);
      if (time >= kSettle) turned->rate[first + lane] += turn / (seconds - kSettle);
    }
    time += graph.Seconds(f);
  }
}
// `prepare` may change a trial's action, and the push of its lane, before each fragment.
template <class Prepare>
Turning Perform(const ControlGraph& graph, const Policies& policies, const State& start,
                double seconds, FragmentRunner* runner, const Prepare& prepare) {
  Turning turned;
  for (int first = 0; first < kTrialBlock; first += runner->Lanes()) {
    PerformPart(graph, policies, start, seconds, first, runner, prepare, &turned);
  }
  return turned;
}

}  // namespace

PushTurns RecordPushTurns(const ControlGraph& graph, const Policies& policies, const State& start) {
  World world;
  world.actors = {graph.character};
  world.time_step = graph.time_step;
  FragmentRunner runner(world, graph.parts);
  const int fragments = graph.Fragments();
  // Even trials are pushed to the left, odd ones to the right.
  const auto side = [](int trial) { return trial % 2 == 0 ? 1.0 : -1.0; };
  Actions sums(fragments);
  std::vector<int> rounds(fragments, 0);
  const Turning pushed =
      Perform(graph, policies, start, kSettle + kRecord, &runner,
              [&](int trial, int lane, int f, double time, const float* action) {
                const double across =
                    runner.Base(lane) + graph.segments[0].travel_heading + std::numbers::pi / 2;
                runner.SetPush(lane, side(trial) * kPush * std::cos(across),
                               side(trial) * kPush * std::sin(across));
                if (time < kSettle) return;
                rounds[f] += trial == 0;
                for (int k = 0; k < kActionCount; ++k) {
                  sums[f][k] += static_cast<float>(side(trial)) * action[k];
                }
              });
  for (int f = 0; f < fragments; ++f) {
    for (float& a : sums[f]) a /= static_cast<float>(std::max(1, rounds[f]) * kTrialBlock);
  }
  if (std::find(pushed.stood.begin(), pushed.stood.end(), false) != pushed.stood.end()) return {};

  // The same actions by themselves, the trials from little to much of them.
  const auto times = [&](int trial) {
    return side(trial) * kMostTimes * (1.0 + std::floor(trial / 2.0)) / (kTrialBlock / 2.0);
  };
  const Turning alone = Perform(graph, policies, start, kSettle + kTurn, &runner,
                                [&](int trial, int, int f, double, float* action) {
                                  for (int k = 0; k < kActionCount; ++k) {
                                    action[k] += static_cast<float>(times(trial)) * sums[f][k];
                                  }
                                });
  // Half as much as it can just take.
  int taken = 0;  // pairs
  while (2 * taken + 1 < kTrialBlock && alone.stood[2 * taken] && alone.stood[2 * taken + 1])
    ++taken;
  if (taken == 0) return {};
  const int trial = (taken - 1) / 2 * 2;
  const double rate = (alone.rate[trial] - alone.rate[trial + 1]) / 2;
  if (std::fabs(rate) < kLeastRate) return {};
  PushTurns turns{.actions = sums, .rate = std::fabs(rate)};
  const float strength = static_cast<float>(std::copysign(times(trial), rate));
  for (auto& action : turns.actions) {
    for (float& a : action) a *= strength;
  }
  return turns;
}

}  // namespace stride
