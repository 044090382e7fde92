#include "stride/optim/cma_es.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/core/random.h"
#include "stride/optim/rank_change.h"
#include "stride/optim/state_bytes.h"

namespace stride {
namespace {

constexpr std::string_view kKind = "CMAE";
constexpr int kMostFull = 300;  // parameters, above which the covariance is a diagonal
constexpr double kWorst = -std::numeric_limits<double>::infinity();
// Sample number of the random stream that begins a run.
constexpr std::uint32_t kBeginSample = 0xffffffff;
// Of the paper on noise: growth of the evaluations, and of sigma divided by n + 10.
constexpr double kEvaluationsGrowth = 1.5, kSigmaGrowth = 2;

Eigen::Map<const Eigen::VectorXd> Vector(std::span<const double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}
Eigen::Map<Eigen::VectorXd> Vector(std::span<double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}
Eigen::Map<Eigen::VectorXd> Vector(std::vector<double>& x) { return Vector(std::span(x)); }
Eigen::Map<const Eigen::MatrixXd> Square(const std::vector<double>& x, int n) {
  return {x.data(), n, n};
}
Eigen::Map<Eigen::MatrixXd> Square(std::vector<double>& x, int n) { return {x.data(), n, n}; }

double Median(std::vector<double> x) {
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  return *middle;
}

// The first and the last 30 % of a history: the newer are no better than the older.
bool Stagnates(const std::vector<double>& history) {
  const auto part = static_cast<std::ptrdiff_t>(0.3 * static_cast<double>(history.size()));
  return Median({history.end() - part, history.end()}) <=
         Median({history.begin(), history.begin() + part});
}

void CheckSpace(const SearchSpace& space) {
  const std::size_t n = space.start.size();
  if (n == 0) throw InputError("search without parameters; expected at least one");
  const auto check_size = [&](const std::vector<double>& x, std::string_view name) {
    if (!x.empty() && x.size() != n) {
      throw InputError(
          fmt::format("{} {} for {} parameters; expected one each", x.size(), name, n));
    }
  };
  check_size(space.scales, "scales");
  check_size(space.lower, "lower bounds");
  check_size(space.upper, "upper bounds");
  for (std::size_t j = 0; j < n; ++j) {
    const double x = space.start[j];
    const double scale = space.scales.empty() ? 1 : space.scales[j];
    const double lower = space.lower.empty() ? -HUGE_VAL : space.lower[j];
    const double upper = space.upper.empty() ? HUGE_VAL : space.upper[j];
    if (!std::isfinite(x)) throw InputError(fmt::format("start of parameter {} is not finite", j));
    if (!(scale > 0) || !std::isfinite(scale)) {
      throw InputError(fmt::format("scale {} of parameter {}; expected above 0", scale, j));
    }
    if (!(lower < upper)) {
      throw InputError(fmt::format("bounds {} to {} of parameter {}; expected lower below upper",
                                   lower, upper, j));
    }
    if (x < lower || x > upper) {
      throw InputError(fmt::format("start {} of parameter {} is outside its bounds {} to {}", x, j,
                                   lower, upper));
    }
  }
}

BoxFold MakeBox(const SearchSpace& space) {
  if (space.lower.empty() && space.upper.empty()) return {};
  std::vector<double> lower = space.lower, upper = space.upper;
  lower.resize(space.start.size(), -HUGE_VAL);
  upper.resize(space.start.size(), HUGE_VAL);
  for (std::size_t j = 0; j < lower.size(); ++j) {
    lower[j] /= space.scales[j];
    upper[j] /= space.scales[j];
  }
  return {std::move(lower), std::move(upper), 1};
}

}  // namespace

CmaEs::CmaEs(const CmaOptions& options, std::uint64_t seed, SearchSpace space)
    : options_(options), seed_(seed), space_(std::move(space)) {
  CheckSpace(space_);
  STRIDE_CHECK(options_.sigma > 0 && options_.largest_evaluations >= 1);
  space_.scales.resize(space_.start.size(), 1);
  box_ = MakeBox(space_);
  separable_ = options_.covariance == "separable" ||
               (options_.covariance != "full" && Dimension() > kMostFull);
  BeginRun(FirstPopulation());
}

int CmaEs::FirstPopulation() const {
  return options_.population > 0 ? std::max(2, options_.population)
                                 : CmaDefaultPopulation(Dimension());
}

// The first from the start; later ones from anywhere in the bounds, or where there are none from
// around the start.
void CmaEs::BeginRun(int population) {
  const int n = Dimension();
  CmaState& s = state_;
  s.run_iteration = 0;
  s.population = population;
  s.evaluations = 1;
  s.sigma = options_.sigma;
  s.mean.resize(n);
  Random random(seed_, s.iteration, kBeginSample);
  for (int j = 0; j < n; ++j) {
    const double scale = space_.scales[j];
    double x = space_.start[j];
    if (s.run > 0) {
      const bool bounded = !space_.lower.empty() && !space_.upper.empty() &&
                           std::isfinite(space_.upper[j] - space_.lower[j]);
      x = bounded ? random.Uniform(space_.lower[j], space_.upper[j])
                  : scale * box_.ToBox(j, x / scale + options_.sigma * random.Normal());
    }
    s.mean[j] = box_.FromBox(j, x / scale);
  }
  s.sigma_path.assign(n, 0);
  s.covariance_path.assign(n, 0);
  s.lengths.assign(n, 1);
  if (separable_) {
    s.covariance.assign(n, 1);
  } else {
    s.covariance.assign(static_cast<std::size_t>(n) * n, 0);
    Square(s.covariance, n).setIdentity();
    s.axes = s.covariance;
  }
  s.decomposed = 0;
  s.best_returns.clear();
  s.median_returns.clear();
  SetDerived();
}

void CmaEs::SetDerived() {
  if (static_cast<int>(constants_.weights.size()) != state_.population) {
    constants_ = MakeCmaConstants(Dimension(), state_.population, separable_, options_.active);
  }
  mean_.resize(Dimension());
  ToParameters(state_.mean, mean_);
}

void CmaEs::ToParameters(std::span<const double> at, std::span<double> parameters) const {
  for (int j = 0; j < Dimension(); ++j) parameters[j] = space_.scales[j] * box_.ToBox(j, at[j]);
}

int CmaEs::Reevaluated() const {
  if (options_.reevaluated <= 0) return 0;
  const int count = static_cast<int>(std::ceil(options_.reevaluated * state_.population));
  return std::clamp(count, 2, state_.population);
}

int CmaEs::Population() const { return Evaluations() * (state_.population + Reevaluated()); }

void CmaEs::Step(int candidate, std::span<double> normal, std::span<double> step) const {
  Random random(seed_, state_.iteration, static_cast<std::uint32_t>(candidate));
  for (double& x : normal) x = random.Normal();
  const auto lengths = Vector(std::span(state_.lengths)).array();
  if (separable_) {
    Vector(step) = lengths * Vector(normal).array();
  } else {
    Vector(step) = Square(state_.axes, Dimension()) * (lengths * Vector(normal).array()).matrix();
  }
}

// First all candidates, as often as each is evaluated; then the reevaluated ones, which are the
// first few: all are drawn alike.
void CmaEs::Ask(int candidate, std::span<double> parameters) const {
  STRIDE_CHECK(candidate >= 0 && candidate < Population());
  const int all = Evaluations() * state_.population;
  const int sample =
      candidate < all ? candidate % state_.population : (candidate - all) % Reevaluated();
  std::vector<double> normal(Dimension()), at(Dimension());
  Step(sample, normal, at);
  Vector(at) = Vector(state_.mean) + state_.sigma * Vector(at);
  ToParameters(at, parameters);
}

void CmaEs::Tell(std::span<const double> returns) {
  STRIDE_CHECK(static_cast<int>(returns.size()) == Population());
  if (Converged()) return;
  const int lambda = state_.population, again = Reevaluated(), times = Evaluations();
  std::vector<double> first(lambda, 0), second(again, 0);
  for (int t = 0; t < times; ++t) {
    for (int i = 0; i < lambda; ++i) first[i] += returns[t * lambda + i] / times;
    for (int i = 0; i < again; ++i) second[i] += returns[times * lambda + t * again + i] / times;
  }
  for (double& x : first) x = std::isfinite(x) ? x : kWorst;
  for (double& x : second) x = std::isfinite(x) ? x : kWorst;
  std::vector<double> value = first;
  for (int i = 0; i < again; ++i) value[i] = first[i] / 2 + second[i] / 2;
  std::vector<int> order(lambda);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return value[a] > value[b]; });
  std::vector<double> sorted(lambda);
  for (int i = 0; i < lambda; ++i) sorted[i] = value[order[i]];
  if (sorted[0] == kWorst) {  // nothing was learned
    ++state_.iteration;
    ++state_.run_iteration;
    return;
  }
  if (sorted[0] > state_.best_return) {
    state_.best.resize(Dimension());
    Ask(order[0], state_.best);
    state_.best_return = sorted[0];
  }
  Move(order);
  if (again > 0) HandleNoise(first, second);
  ++state_.iteration;
  ++state_.run_iteration;
  NoteReturns(sorted);
  const CmaStop stop = FindStop(sorted);
  if (stop != CmaStop::kNone && static_cast<int>(state_.run) < options_.restarts) {
    ++state_.run;
    BeginRun(2 * state_.population);
    return;
  }
  state_.stop = static_cast<std::int32_t>(stop);
  SetDerived();
}

// Appendix A of the tutorial.
void CmaEs::Move(const std::vector<int>& order) {
  const int n = Dimension(), lambda = state_.population;
  const CmaConstants& c = constants_;
  Eigen::MatrixXd normals(n, lambda), steps(n, lambda);  // best first
  for (int i = 0; i < lambda; ++i) {
    const auto column = [&](Eigen::MatrixXd& m) { return std::span(m.col(i).data(), n); };
    Step(order[i], column(normals), column(steps));
  }
  const Eigen::Map<const Eigen::VectorXd> weights(c.weights.data(), lambda);
  const Eigen::VectorXd step = steps.leftCols(c.parents) * weights.head(c.parents);
  Eigen::VectorXd white = normals.leftCols(c.parents) * weights.head(c.parents);
  // C^(-1/2) of a step made of C^(1/2) = B D B^T is B times its normal numbers.
  if (!separable_) white = (Square(state_.axes, n) * white).eval();

  Vector(state_.mean) += state_.sigma * step;
  auto sigma_path = Vector(state_.sigma_path);
  sigma_path = (1 - c.sigma_rate) * sigma_path +
               std::sqrt(c.sigma_rate * (2 - c.sigma_rate) * c.mass) * white;
  const double norm = sigma_path.norm();
  // h_sigma: while sigma still grows fast, the covariance need not grow along the same path.
  const double settled =
      std::sqrt(1 - std::pow(1 - c.sigma_rate, 2.0 * (state_.run_iteration + 1)));
  const bool steady = norm / settled < (1.4 + 2.0 / (n + 1)) * c.expected_norm;
  auto path = Vector(state_.covariance_path);
  path *= 1 - c.path_rate;
  if (steady) path += std::sqrt(c.path_rate * (2 - c.path_rate) * c.mass) * step;

  const double lost = steady ? 0 : c.path_rate * (2 - c.path_rate);
  const double kept = 1 + c.rank_one_rate * (lost - 1) - c.rank_mu_rate * weights.sum();
  auto diagonal = Vector(state_.covariance);
  auto full = Square(state_.covariance, separable_ ? 0 : n);
  const auto add = [&](double weight, const auto& direction) {
    if (separable_) {
      diagonal.array() += weight * direction.array().square();
    } else {
      full.selfadjointView<Eigen::Lower>().rankUpdate(direction, weight);
    }
  };
  diagonal *= kept;
  add(c.rank_one_rate, path);
  for (int i = 0; i < lambda; ++i) {
    double weight = c.weights[i];
    if (weight < 0) weight *= n / std::max(normals.col(i).squaredNorm(), 1e-300);
    if (weight != 0) add(c.rank_mu_rate * weight, steps.col(i));
  }
  // Never more than e times as wide at once: one lucky step is no reason.
  state_.sigma *=
      std::exp(std::min(1.0, c.sigma_rate / c.sigma_damping * (norm / c.expected_norm - 1)));

  // Not each time: the axes hardly change in so few iterations (section B.2).
  const double wait = 1 / ((c.rank_one_rate + c.rank_mu_rate) * n * 10);
  if (separable_ || state_.run_iteration + 1 - state_.decomposed > wait) Decompose();
}

void CmaEs::Decompose() {
  const int n = Dimension();
  state_.decomposed = state_.run_iteration + 1;
  Eigen::VectorXd squares;
  if (separable_) {
    squares = Vector(state_.covariance);
  } else {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(Square(state_.covariance, n));
    // One that cannot be decomposed keeps the axes it had.
    if (solver.info() != Eigen::Success || !solver.eigenvalues().allFinite()) return;
    squares = solver.eigenvalues();
    Square(state_.axes, n) = solver.eigenvectors();
  }
  // Rounding may have made the smallest negative: the condition then ends the search.
  const double least = 1e-30 * squares.maxCoeff();
  Vector(state_.lengths) = squares.cwiseMax(std::max(least, 1e-300)).cwiseSqrt();
}

void CmaEs::HandleNoise(std::span<const double> first, std::span<const double> second) {
  if (RankChange(first, second, options_.noise_threshold) > 0) {
    const double most = options_.largest_evaluations;
    if (state_.evaluations < most) {
      state_.evaluations = std::min(most, kEvaluationsGrowth * state_.evaluations);
    } else {
      state_.sigma *= 1 + kSigmaGrowth / (Dimension() + 10);
    }
  } else {
    state_.evaluations = std::max(1.0, state_.evaluations / kEvaluationsGrowth);
  }
}

// As many as stagnation looks at: the last fifth of the run, within limits.
void CmaEs::NoteReturns(const std::vector<double>& sorted) {
  const auto keep = static_cast<std::size_t>(std::max(
      120 + 30.0 * Dimension() / state_.population, std::min(0.2 * state_.run_iteration, 20000.0)));
  const auto note = [&](double x, std::vector<double>* history) {
    history->push_back(x);
    if (history->size() > keep) {
      history->erase(history->begin(), history->end() - static_cast<std::ptrdiff_t>(keep));
    }
  };
  note(sorted[0], &state_.best_returns);
  note(sorted[sorted.size() / 2], &state_.median_returns);
}

// Section B.3 of the tutorial.
CmaStop CmaEs::FindStop(const std::vector<double>& sorted) const {
  const int n = Dimension();
  const CmaState& s = state_;
  const double longest = *std::max_element(s.lengths.begin(), s.lengths.end());
  const double shortest = *std::min_element(s.lengths.begin(), s.lengths.end());
  if (std::pow(longest / shortest, 2) > options_.largest_condition) return CmaStop::kCondition;
  constexpr double kGrown = 1e4;  // TolXUp, against the scale or the first deviation
  if (s.sigma * longest > kGrown * std::max(1.0, options_.sigma)) return CmaStop::kDiverged;

  const auto seen = static_cast<std::size_t>(10 + std::ceil(30.0 * n / s.population));
  if (s.best_returns.size() >= seen) {
    const auto [low, high] = std::minmax_element(
        s.best_returns.end() - static_cast<std::ptrdiff_t>(seen), s.best_returns.end());
    const double range = std::max(*high, sorted.front()) - std::min(*low, sorted.back());
    if (range <= options_.tolerance_return) return CmaStop::kReturn;
  }
  const auto deviation = [&](int j) {
    return std::sqrt(s.covariance[separable_ ? j : static_cast<std::size_t>(j) * (n + 1)]);
  };
  const double smallest = options_.tolerance_parameter * options_.sigma;
  bool point = true, no_effect = false;
  for (int j = 0; j < n; ++j) {
    point = point && s.sigma * std::max(deviation(j), std::abs(s.covariance_path[j])) < smallest;
    no_effect = no_effect || s.mean[j] == s.mean[j] + 0.2 * s.sigma * deviation(j);
  }
  if (point) return CmaStop::kParameter;
  if (!separable_) {
    const int k = static_cast<int>(s.run_iteration % n);
    const auto axis = Square(s.axes, n).col(k);
    const auto mean = Vector(std::span(s.mean));
    no_effect = no_effect || mean == mean + 0.1 * s.sigma * s.lengths[k] * axis;
  }
  if (no_effect) return CmaStop::kNoEffect;
  if (static_cast<double>(s.best_returns.size()) >= std::floor(120 + 30.0 * n / s.population) &&
      Stagnates(s.best_returns) && Stagnates(s.median_returns)) {
    return CmaStop::kStagnation;
  }
  return CmaStop::kNone;
}

std::string_view CmaEs::StopReason() const {
  switch (static_cast<CmaStop>(state_.stop)) {
    case CmaStop::kReturn: return "the returns do not differ any more";
    case CmaStop::kParameter: return "the candidates do not differ any more";
    case CmaStop::kNoEffect: return "steps vanish in rounding";
    case CmaStop::kCondition: return "the covariance is too ill-conditioned";
    case CmaStop::kStagnation: return "no better for long";
    case CmaStop::kDiverged: return "the candidates spread without end";
    case CmaStop::kNone:
    case CmaStop::kCount: break;
  }
  return {};
}

std::string CmaEs::Setup() const {
  std::string setup = ConfigToJson(options_).dump();
  StateWriter writer(&setup);
  writer(seed_);
  writer(space_.start);
  writer(space_.scales);
  writer(space_.lower);
  writer(space_.upper);
  return setup;
}

std::string CmaEs::Save() const { return SaveState(kKind, Setup(), state_); }

void CmaEs::Restore(std::string_view bytes) {
  CmaState state = LoadState<CmaState>(kKind, Setup(), bytes);
  CheckRestored(state);
  state_ = std::move(state);
  SetDerived();
}

void CmaEs::CheckRestored(const CmaState& s) const {
  const std::size_t n = Dimension(), square = n * n;
  ExpectInState(s.mean.size() == n && s.sigma_path.size() == n && s.covariance_path.size() == n &&
                    s.covariance.size() == (separable_ ? n : square) &&
                    s.axes.size() == (separable_ ? 0 : square) && s.lengths.size() == n &&
                    (s.best.empty() || s.best.size() == n) &&
                    s.best_returns.size() == s.median_returns.size(),
                "numbers are missing");
  ExpectInState(AllFinite(s.mean) && AllFinite(s.sigma_path) && AllFinite(s.covariance_path) &&
                    AllFinite(s.covariance) && AllFinite(s.axes) && AllFinite(s.lengths) &&
                    AllFinite(s.best) && std::isfinite(s.sigma) && !std::isnan(s.best_return),
                "a number is not finite");
  const auto nan = [](double x) { return std::isnan(x); };
  ExpectInState(std::none_of(s.best_returns.begin(), s.best_returns.end(), nan) &&
                    std::none_of(s.median_returns.begin(), s.median_returns.end(), nan),
                "a return is not a number");
  ExpectInState(static_cast<std::int64_t>(s.run) <= options_.restarts &&
                    s.population == std::int64_t{FirstPopulation()} << s.run,
                "the population does not fit");
  ExpectInState(s.sigma > 0 && s.evaluations >= 1 &&
                    s.evaluations <= options_.largest_evaluations && s.stop >= 0 &&
                    s.stop < static_cast<std::int32_t>(CmaStop::kCount),
                "a number is out of range");
}

}  // namespace stride
