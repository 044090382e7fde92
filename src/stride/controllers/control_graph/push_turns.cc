#include "stride/controllers/control_graph/push_turns.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stride/controllers/control_graph/fragment_runner.h"

namespace stride {
namespace {

constexpr double kPush = 20;                             // N, "gentle"
constexpr double kSettle = 4, kRecord = 16, kTurn = 10;  // s
constexpr double kMostTimes = 4;                         // of the recorded actions, tried at most
constexpr double kLeastRate = 0.02;                      // rad/s: less is no turn

using Actions = std::vector<std::array<float, kActionCount>>;

struct Turning {
  std::vector<char> stood;
  std::vector<double> rate;  // rad/s, after kSettle
};
// All lanes perform round after round, facing where they go; `prepare` may change a lane's action
// and push before each fragment.
template <class Prepare>
Turning Perform(const ControlGraph& graph, const Policies& policies, const State& start,
                double seconds, FragmentRunner* runner, const Prepare& prepare) {
  const int lanes = runner->Lanes();
  Turning turned{std::vector<char>(lanes, 1), std::vector<double>(lanes, 0.0)};
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
      features[18] = 0;
      Act(policies[now.policy], now.mirrored, features, action);
      prepare(lane, f, time, action);
      for (int k = 0; k < kActionCount; ++k) runner->Action(lane, k) = action[k];
    }
    runner->Run(graph, f);
    runner->Judge(end, {}, false);
    for (int lane = 0; lane < lanes; ++lane) {
      if (runner->Fallen(lane, end) || runner->Failed(lane)) turned.stood[lane] = 0;
      const double turn =
          2 * std::asin(std::clamp(static_cast<double>(runner->Feature(lane, 18)) / 2, -1.0, 1.0));
      runner->SetBase(lane, runner->Base(lane) + now.turn + turn);
      if (time >= kSettle) turned.rate[lane] += turn / (seconds - kSettle);
    }
    time += graph.Seconds(f);
  }
  return turned;
}

}  // namespace

PushTurns RecordPushTurns(const ControlGraph& graph, const Policies& policies, const State& start) {
  World world;
  world.actors = {graph.character};
  world.time_step = graph.time_step;
  FragmentRunner runner(world, graph.parts);
  const int lanes = runner.Lanes(), fragments = graph.Fragments();
  // Even lanes are pushed to the left, odd ones to the right.
  const auto side = [](int lane) { return lane % 2 == 0 ? 1.0 : -1.0; };
  Actions sums(fragments);
  std::vector<int> rounds(fragments, 0);
  const Turning pushed =
      Perform(graph, policies, start, kSettle + kRecord, &runner,
              [&](int lane, int f, double time, const float* action) {
                const double across =
                    runner.Base(lane) + graph.segments[0].travel_heading + std::numbers::pi / 2;
                runner.SetPush(lane, side(lane) * kPush * std::cos(across),
                               side(lane) * kPush * std::sin(across));
                if (time < kSettle) return;
                rounds[f] += lane == 0;
                for (int k = 0; k < kActionCount; ++k) {
                  sums[f][k] += static_cast<float>(side(lane)) * action[k];
                }
              });
  for (int f = 0; f < fragments; ++f) {
    for (float& a : sums[f]) a /= static_cast<float>(std::max(1, rounds[f]) * lanes);
  }
  if (std::find(pushed.stood.begin(), pushed.stood.end(), 0) != pushed.stood.end()) return {};

  // The same actions by themselves, the lanes from little to much of them.
  const auto times = [&](int lane) {
    return side(lane) * kMostTimes * (1.0 + std::floor(lane / 2.0)) / (lanes / 2.0);
  };
  const Turning alone = Perform(graph, policies, start, kSettle + kTurn, &runner,
                                [&](int lane, int f, double, float* action) {
                                  for (int k = 0; k < kActionCount; ++k) {
                                    action[k] += static_cast<float>(times(lane)) * sums[f][k];
                                  }
                                });
  // Half as much as it can just take.
  int taken = 0;  // pairs
  while (2 * taken + 1 < lanes && alone.stood[2 * taken] && alone.stood[2 * taken + 1]) ++taken;
  if (taken == 0) return {};
  const int lane = (taken - 1) / 2 * 2;
  const double rate = (alone.rate[lane] - alone.rate[lane + 1]) / 2;
  if (std::fabs(rate) < kLeastRate) return {};
  PushTurns turns{.actions = sums, .rate = std::fabs(rate)};
  const float strength = static_cast<float>(std::copysign(times(lane), rate));
  for (auto& action : turns.actions) {
    for (float& a : action) a *= strength;
  }
  return turns;
}

}  // namespace stride
