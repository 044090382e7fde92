#pragma once

#include <algorithm>
#include <memory>
#include <variant>
#include <vector>

#include "stride/controllers/pendulum/learn_pendulum.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/motion/import/motion_source.h"

// `stride learn pendulum CLIP --improve`: what the analysis of a loop gives, made better off-line
// by CMA-ES over landings, planner and gains: kwon17, Section 6, in place of its displacement maps.
// By torques in the native engine, the harder of the two uses of the program.
namespace stride::pendulum_controller {

// Where the settings of a table (rows with a `key`) stand in a config, in the table's order.
template <class Table>
std::vector<double*> PlacesIn(const Table& searched, PendulumConfig* config) {
  const ConfigFields fields = FieldsOf(config);
  std::vector<double*> places;
  for (const auto& row : searched) {
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const ConfigField& f) { return f.key == row.key; });
    STRIDE_CHECK(field != fields.end());
    places.push_back(std::get<double*>(field->value));
  }
  return places;
}

struct ImproveSettings {
  int iterations = 12, population = 16, trials = 8;
  double seconds = 8, sigma = 1;
  double push = 250, push_seconds = 0.2, push_every = 3;
  double slowest = 0.8, fastest = 1.5, turn = 1;
  int checks = 32;
  double alone = 30;
  bool engine = false;  // of what is performed once
};
template <class Visitor>
void VisitConfig(ImproveSettings& s, Visitor& visit) {
  visit("iterations", s.iterations, {1, 10000}, "of the search");
  visit("population", s.population, {4, 10000}, "candidates an iteration");
  visit("trials", s.trials, {1, 256}, "of each candidate, for all the same");
  visit("seconds", s.seconds, {0.5, 100, "s"}, "of a trial");
  visit("sigma", s.sigma, {0.001, 5}, "how far the search looks at first, in usual spreads");
  visit("push", s.push, {0, 2000, "N"}, "spread of the random pushes of a trial");
  visit("push_seconds", s.push_seconds, {0.01, 2, "s"}, "of a push");
  visit("push_every", s.push_every, {0.5, 20, "s"}, "from one push to the next");
  visit("slowest", s.slowest, {0.6, 1}, "speed that is told, of the clip's, at least");
  visit("fastest", s.fastest, {1, 1.6}, "speed that is told, of the clip's, at most");
  visit("turn", s.turn, {0, 3, "rad"}, "that is told, at most, to either side");
  visit("checks", s.checks, {1, 4096},
        "further trials, of which what is found must be worth more than what it begins with");
  visit("engine", s.engine,
        "what is performed once is tried in the native engine, not in the paper's mode");
  visit("alone", s.alone, {0.5, 300, "s"}, "that what is found is tried without pushes");
}

// `config`: what it begins with. The rest as for learn pendulum.
std::unique_ptr<LearningJob> MakeImprovement(const LearningRequest& request,
                                             const MotionSource& source,
                                             const PendulumConfig& config,
                                             const ImproveSettings& settings,
                                             const Workers& workers);

}  // namespace stride::pendulum_controller
