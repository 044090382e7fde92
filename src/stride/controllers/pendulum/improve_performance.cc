#include "stride/controllers/pendulum/improve_performance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stride/controllers/pendulum/learn_performance.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/optim/cma_es.h"

namespace stride::pendulum_controller {
namespace {

// What is searched for, how far it looks for each at first, and between which bounds. Of what
// scales, the search takes the logarithm.
struct Searched {
  const char* key;
  double spread, lower, upper;
  bool scales = true;
};
constexpr Searched kSearched[] = {{"once.sways", 0.2, 0, 1, false},
                                  {"once.sway.aside", 0.5, 0.005, 0.5},
                                  {"once.sway.speed", 0.5, 0.05, 3},
                                  {"once.sway.turned", 0.5, 0.05, 3},
                                  {"once.sway.turning", 0.5, 0.2, 10},
                                  {"once.sway.force", 0.5, 50, 2000},
                                  {"once.sway.pushed", 0.5, 0.01, 0.3},
                                  {"once.turning_stiffness", 0.5, 2, 150},
                                  {"once.turning_damping", 0.5, 1, 50},
                                  {"once.step_speed", 0.1, 0, 0.6, false},
                                  {"once.body.weight_linear", 0.7, 500, 200000},
                                  {"once.body.weight_momentum", 0.7, 200, 100000},
                                  {"once.body.weight_height", 0.7, 500, 100000},
                                  {"once.body.weight_held", 0.7, 6e4, 1e7},
                                  {"once.body.weight_feet", 0.7, 6e3, 1e6},
                                  {"once.body.joint_stiffness", 0.4, 40, 600},
                                  {"once.body.joint_damping", 0.4, 5, 80},
                                  {"once.body.most_torque", 0.3, 300, 1600}};
constexpr int kSearchedCount = static_cast<int>(std::size(kSearched));
constexpr double kMostOff = 60;  // degrees of joint error that count

double Taken(const Searched& s, double value) { return s.scales ? std::log(value) : value; }

SearchSpace SpaceAround(PendulumConfig config) {
  SearchSpace space;
  const std::vector<double*> places = PlacesIn(kSearched, &config);
  for (int k = 0; k < kSearchedCount; ++k) {
    const Searched& s = kSearched[k];
    const double start = std::clamp(*places[k], s.lower, s.upper);
    space.lower.push_back(Taken(s, s.lower));
    space.upper.push_back(Taken(s, s.upper));
    space.start.push_back(Taken(s, start));
    space.scales.push_back(s.spread);
  }
  return space;
}

}  // namespace

PerformanceImprovement::PerformanceImprovement(
    std::shared_ptr<const PerformanceReference> reference, const PendulumConfig& config,
    const ImproveSettings& settings, std::uint64_t seed, const Workers& workers)
    : reference_(std::move(reference)),
      config_(config),
      settings_(settings),
      seed_(seed),
      workers_(&workers) {
  CmaOptions options;
  options.population = settings.population;
  options.sigma = settings.sigma;
  search_ = std::make_unique<CmaEs>(options, seed, SpaceAround(config));
}

PerformanceImprovement::~PerformanceImprovement() = default;

PendulumConfig PerformanceImprovement::With(std::span<const double> parameters) const {
  PendulumConfig config = config_;
  const std::vector<double*> places = PlacesIn(kSearched, &config);
  for (int k = 0; k < kSearchedCount; ++k) {
    *places[k] = kSearched[k].scales ? std::exp(parameters[k]) : parameters[k];
  }
  return config;
}

// Standing at the end counts 1, joints within the 15 degrees of the experiment a half, and what
// they are off a little.
PerformanceImprovement::Score PerformanceImprovement::ScoreOf(const PendulumConfig& config,
                                                              bool check, int trials) const {
  Score score;
  for (int k = 0; k < trials; ++k) {
    Random random(seed_, check ? 1 : 0, k);
    const State start = DisturbedStart(reference_, &random);
    const Performed performed = settings_.engine ? PerformInEngine(reference_, config, start)
                                                 : PerformByProgram(reference_, config.once, start);
    const double error = performed.joint_error;
    const double off = error < kMostOff ? error : kMostOff;  // not a number: the most
    score.value += ((performed.stands ? 1 : 0) + (off < 15 ? 0.5 : 0) - off / kMostOff) / trials;
    score.stood += performed.stands ? 1 : 0;
  }
  return score;
}

double PerformanceImprovement::Advance() {
  const int count = search_->Population();
  std::vector<double> returns(count);
  workers_->Map(
      count, sizeof(double),
      [&](int k, char* out) {
        std::vector<double> parameters(kSearchedCount);
        search_->Ask(k, parameters);
        const double value = ScoreOf(With(parameters), false, settings_.trials).value;
        std::copy_n(reinterpret_cast<const char*>(&value), sizeof(double), out);
      },
      reinterpret_cast<char*>(returns.data()));
  search_->Tell(returns);
  ++iteration_;
  return search_->BestReturn();
}

ImprovedPerformance PerformanceImprovement::Result() const {
  std::vector<PendulumConfig> configs = {config_, With(search_->Best())};
  std::vector<Score> scores(configs.size());
  workers_->Map(
      static_cast<int>(configs.size()), sizeof(Score),
      [&](int k, char* out) {
        const Score score = ScoreOf(configs[k], true, settings_.checks);
        std::copy_n(reinterpret_cast<const char*>(&score), sizeof(Score), out);
      },
      reinterpret_cast<char*>(scores.data()));
  // As for loops: what falls more often is no improvement.
  const bool better = scores[1].stood >= scores[0].stood && scores[1].value > scores[0].value;
  return {configs[better ? 1 : 0],      settings_.checks, scores[0].stood,
          scores[better ? 1 : 0].stood, scores[0].value,  scores[better ? 1 : 0].value};
}

}  // namespace stride::pendulum_controller
