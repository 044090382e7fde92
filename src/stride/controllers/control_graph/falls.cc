#include "stride/controllers/control_graph/falls.h"

#include <cmath>
#include <numbers>

#include "stride/learn/rollout_block.h"
#include "stride/math/rotation.h"

namespace stride {
namespace {

constexpr double kPush = 500;  // N
constexpr double kPushSeconds = 0.4;
constexpr double kFallSeconds = 1.2;  // performing on, pushed over
constexpr double kLieSeconds = 1.5;   // aiming at the first pose

Quatd RootOf(const State& state) { return {state.q[3], state.q[4], state.q[5], state.q[6]}; }

Facing<double> FacingFrom(const Quatd& root, const Quat<float>& r) {
  return FacingOf(root, Quatd{r.w, r.x, r.y, r.z}, 1.0, 0.0);
}

}  // namespace

double TiltFrom(const Quatd& root, const Quat<float>& reference) {
  return Norm(FacingFrom(root, reference).tilt);
}

int NearestRising(const ControlGraph& graph, const State& state) {
  int nearest = -1;
  double least = 0;
  for (int s = 0; s < static_cast<int>(graph.segments.size()); ++s) {
    if (!graph.segments[s].rises) continue;
    const int border = graph.fragments[graph.segments[s].first].border;
    const double tilt = TiltFrom(RootOf(state), graph.borders[border].root);
    if (nearest < 0 || tilt < least) nearest = s, least = tilt;
  }
  return nearest;
}

namespace {

// Trials of a block that are in the lanes now: performed alike from `begun` on while they are
// pushed over, then aimed at the pose in which a way to rise begins.
void FallAndLie(const ControlGraph& graph, const LearnState& known, int begun, int rising_step,
                FragmentRunner* runner) {
  const int lanes = runner->Lanes();
  runner->Refresh();
  double time = 0;
  for (int fragment = begun; time < kFallSeconds; fragment = graph.fragments[fragment].next[0]) {
    const Fragment& now = graph.fragments[fragment];
    runner->Judge(graph.borders[now.border], {}, false);
    for (int lane = 0; lane < lanes; ++lane) {
      float features[kFeatureCount], action[kActionCount];
      for (int k = 0; k < kFeatureCount; ++k) features[k] = runner->Feature(lane, k);
      Act(known.policies[now.policy], now.mirrored, features, action);
      for (int k = 0; k < kActionCount; ++k) runner->Action(lane, k) = action[k];
      if (time >= kPushSeconds) runner->SetPush(lane, 0, 0);
      runner->SetBase(lane, runner->Base(lane) + now.turn);
    }
    runner->Run(graph, fragment);
    time += graph.Seconds(fragment);
  }
  for (int lane = 0; lane < lanes; ++lane) {
    for (int k = 0; k < kActionCount; ++k) runner->Action(lane, k) = 0;
  }
  const int steps = static_cast<int>(kLieSeconds / graph.time_step);
  for (int step = 0; step < steps; ++step) runner->RunSteps(graph, rising_step, rising_step + 1);
}

}  // namespace

std::vector<State> CollectFalls(const ControlGraph& graph, const LearnState& known, int segment,
                                int tries, std::uint64_t seed, FragmentRunner* runner) {
  std::vector<State> falls;
  const int lanes = runner->Lanes(), size = runner->StateSize();
  const int pool = static_cast<int>(known.pool_fragment.size());
  const Fragment& first = graph.fragments[graph.segments[segment].first];
  for (int block = 0; block * kTrialBlock < tries && pool > 0; ++block) {
    Random random(seed, static_cast<std::uint32_t>(block));
    // The trials of a block perform alike, each from its own state.
    std::vector<int> alike;
    const int begun = known.pool_fragment[random.Index(pool)];
    for (int k = 0; k < pool; ++k) {
      if (known.pool_fragment[k] == begun) alike.push_back(k);
    }
    for (int part = 0; part < kTrialBlock; part += lanes) {
      for (int lane = 0; lane < lanes; ++lane) {
        const int k = alike[random.Index(static_cast<int>(alike.size()))];
        runner->Load(lane, &known.pool_states[static_cast<std::size_t>(k) * size]);
        runner->SetBase(lane, known.pool_base[k]);
        runner->SetConditions(lane, kSameWorld, &random);
        const double heading = random.Uniform(0, 2 * std::numbers::pi);
        const double push = kPush * random.Uniform(0.6, 1.4);
        runner->SetPush(lane, push * std::cos(heading), push * std::sin(heading));
      }
      FallAndLie(graph, known, begun, first.begin, runner);
      constexpr double kHigh = 0.35;  // m, of the root: still on its feet or knees
      for (int lane = 0; lane < lanes; ++lane) {
        if (runner->Failed(lane)) continue;
        const State state = runner->Read(lane);
        if (!(state.q[2] < kHigh) || NearestRising(graph, state) != segment) continue;
        const Facing<double> facing = FacingFrom(RootOf(state), graph.borders[first.border].root);
        falls.push_back(Turned(graph.character, state, -std::atan2(facing.s, facing.c)));
      }
    }
  }
  return falls;
}

}  // namespace stride
