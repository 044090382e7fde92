#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <Eigen/Dense>

#include "stride/controllers/control_graph/learner_parts.h"
#include "stride/motion/edit/blend.h"

// Steering, found by trying: which actions turn the character, and which make it faster. Guided
// learning knows no heading; made to explain it as well, its policies fall.
namespace stride {
namespace {

constexpr int kPairs = 1024;
constexpr double kShown = 0.2;          // rad off the heading, shown to the policies
constexpr double kTried = 2 * kDegree;  // spread of the actions that are tried
constexpr double kRidge = 1e-3;         // of the regression, as a share of the pairs
constexpr double kRate = 0.4;           // 1/s at which an error of the heading is to go
constexpr double kMostGain = 0.5;       // rad of an action for each radian off, or m/s
// Speeds that are tried, slower and faster than by itself, as shares of its own; each in so many
// trials.
constexpr int kLevels = 8, kLevelTrials = 32;
constexpr double kMostChange = 0.4;

// Of all changes x with x . g = 1 the smallest: g / |g|^2, none of its numbers above kMostGain.
Eigen::VectorXd LeastWith(const Eigen::VectorXd& g, double wanted) {
  Eigen::VectorXd x = g * (wanted / std::max(g.squaredNorm(), 1e-12));
  const double most = x.cwiseAbs().maxCoeff();
  if (most > kMostGain) x *= kMostGain / most;
  return x;
}

}  // namespace

// Without pushes, noise and a varied world, going where it faces.
EpisodeOptions Learner::SteeringTrials() const {
  EpisodeOptions options = TrialOptions();
  options.pushes.force = 0;
  options.action_noise = 0;
  options.vary_world = false;
  options.keep_heading = false;
  options.turned = 0;
  return options;
}

// Mirrored pairs of random changes, each a number for every action of every policy that is not
// known, and what they make of a trial: a linear regression says what each number contributes.
// Empty where none stood.
Eigen::VectorXd Learner::ResponseTo(
    std::uint64_t key, const EpisodeOptions& options,
    const std::function<void(FragmentPolicy*, int action, float change)>& apply,
    const std::function<double(const EpisodeResult&)>& measure) const {
  const int size = static_cast<int>(state_.policies.size() - known_) * kActionCount;
  const auto change = [&](int pair) {
    Random random(StreamOf(seed_, StreamUse::kSteering, key, pair));
    Eigen::VectorXd x(size);
    for (int k = 0; k < size; ++k) x[k] = kTried * random.Normal();
    return x;
  };
  const std::vector<TrialResult> results =
      RunTrials(2 * kPairs, 2, key, false, options, [&](int trial, Policies* policies) {
        const Eigen::VectorXd x = change(trial / 2) * (trial % 2 == 0 ? 1 : -1);
        for (int k = 0; k < size; ++k) {
          apply(&(*policies)[known_ + k / kActionCount], k % kActionCount,
                static_cast<float>(x[k]));
        }
      });
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(size);
  int stood = 0;
  for (int pair = 0; pair < kPairs; ++pair) {
    const EpisodeResult &plus = results[2 * pair].episode, &minus = results[2 * pair + 1].episode;
    if (!plus.stood || !minus.stood) continue;
    const Eigen::VectorXd x = change(pair);
    normal.selfadjointView<Eigen::Lower>().rankUpdate(x);
    right += x * (0.5 * (measure(plus) - measure(minus)));
    ++stood;
  }
  if (stood == 0) return {};
  normal.diagonal().array() += kRidge * stood * kTried * kTried;
  return normal.selfadjointView<Eigen::Lower>().ldlt().solve(right);
}

// Feedback on the heading, where there is none: the least that takes an error back at kRate.
void Learner::FindSteering() {
  const std::span<FragmentPolicy> fresh = std::span(state_.policies).subspan(known_);
  for (const FragmentPolicy& p : fresh) {
    for (const auto& row : p.gains) {
      if (row[feature::kHeading] != 0) return;  // it steers already
    }
  }
  EpisodeOptions options = SteeringTrials();
  options.shown_heading = kShown;
  const Eigen::VectorXd g = ResponseTo(
      kSteeringTrials, options,
      [](FragmentPolicy* policy, int action, float change) {
        policy->gains[action][feature::kHeading] = change / static_cast<float>(kShown);
      },
      [](const EpisodeResult& r) { return r.base / r.seconds; });
  if (g.size() == 0) return;  // what cannot stand alone cannot be steered; the evolution may
  const Eigen::VectorXd answer = LeastWith(g, -kRate);
  for (int k = 0; k < g.size(); ++k) {
    fresh[k / kActionCount].gains[k % kActionCount][feature::kHeading] =
        static_cast<float>(answer[k]);
  }
}

Pace Learner::FindPace() const {
  const EpisodeOptions options = SteeringTrials();
  const double speed = graph_.segments[0].travels ? MeanSpeed(graph_.segments[0].motion) : 0;
  if (speed == 0 || graph_.segments.size() > 1) return {};
  const Eigen::VectorXd g = ResponseTo(
      kPaceTrials, options,
      [](FragmentPolicy* policy, int action, float change) { policy->offset[action] += change; },
      [](const EpisodeResult& r) { return r.speed; });
  if (g.size() == 0) return {};
  const Eigen::VectorXd faster = LeastWith(g, 1);
  Pace pace;
  pace.actions.resize(state_.policies.size());
  for (int k = 0; k < g.size(); ++k) {
    pace.actions[k / kActionCount][k % kActionCount] = static_cast<float>(faster[k]);
  }
  // How far it can be taken: as many have to stand as at its own speed. Trials begin where pushes
  // have left others, so some fall even so.
  const auto reach = [&](double sign) {
    const auto change = [&](int level) { return sign * kMostChange * speed * level / kLevels; };
    const std::vector<TrialResult> results =
        RunTrials(kLevelTrials * (kLevels + 1), 1, kPaceTrials + 1, false, options,
                  [&](int trial, Policies* policies) {
                    *policies = Paced(state_.policies, pace, change(trial % (kLevels + 1)));
                  });
    std::array<int, kLevels + 1> fell{};
    for (std::size_t k = 0; k < results.size(); ++k) {
      fell[k % (kLevels + 1)] += !results[k].episode.stood;
    }
    int level = 0;
    while (level < kLevels && fell[level + 1] <= fell[0] + 1) ++level;
    return change(level);
  };
  pace.slowest = reach(-1);
  pace.fastest = reach(1);
  return pace;
}

}  // namespace stride
