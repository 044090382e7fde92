#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/controllers/data_driven/learn_gains.h"
#include "stride/learn/rollouts.h"
#include "stride/scenario/variation.h"

// What `stride learn gains` searches with: its settings, the trials that gains are judged by, and
// where a search begins.
namespace stride::data_driven_controller {

// How far the search looks for each gain at first, in the order of kGainMembers.
inline constexpr double kSpread[kGainCount] = {
    0.1, 0.1, 0.1,  0.1, 0.4, 0.2, 0.2, 0.1, 0.1, 0.1, 0.1, 0.2, 0.02, 0.02, 0.25, 0.05,
    0.1, 0.3, 0.02, 0.1, 0.3, 0.3, 0.2, 0.2, 1,   0.1, 0.1, 0.2, 0.1,  0.3,  0.1};

struct GainSettings {
  int starts = 3, alone_iterations = 25, iterations = 40, population = 32, trials = 6;
  double seconds = 15, push = 40, push_seconds = 0.4, push_every = 3;
  double sigma = 0.5, faith = 1, slowest = 0.4, fastest = 1.15, command_every = 0;
  // Higher steps are steadier, so without a bound every search ends in a march. The authors' most.
  double most_lift = 0.07;
  double time_step = 1.0 / 450;  // rougher steps learn walks that fall at finer ones
  std::string tracking = "prescribed", row = "auto";
  double k_t = 40;
  double friction = 1, stiffness = ContactModel{}.stiffness, damping = ContactModel{}.damping;
  WorldVariation variation = {.stiffness = 2, .damping = 1.5, .friction = 1.4, .gains = 1};
};
template <class Visitor>
void VisitConfig(GainSettings& s, Visitor& visit) {
  visit("starts", s.starts, {1, 16},
        "first searches, each from other gains of those that walk this clip best; row=auto only");
  visit("alone_iterations", s.alone_iterations, {0, 10000},
        "of each first search, for a walk that is not pushed");
  visit("iterations", s.iterations, {0, 10000}, "of the search under pushes");
  visit("population", s.population, {4, 10000}, "candidates an iteration");
  visit("trials", s.trials, {1, 64}, "of each candidate, with pushes and a ground of their own");
  visit("seconds", s.seconds, {2, 100, "s"}, "of a trial");
  visit("push", s.push, {0, 1000, "N"}, "spread of the random pushes of a trial");
  visit("push_seconds", s.push_seconds, {0.01, 2, "s"}, "of a push");
  visit("push_every", s.push_every, {0.5, 20, "s"}, "from one push to the next");
  visit("sigma", s.sigma, {0.001, 2}, "how far the search looks at first, in usual spreads");
  visit("faith", s.faith, {0, 10}, "weight of speed and direction against not falling");
  visit("slowest", s.slowest, {0, 1}, "slowest speed that it is told to go at, of the clip's");
  visit("fastest", s.fastest, {0, 3}, "fastest one");
  visit("command_every", s.command_every, {0, 60, "s"},
        "after which it is told another speed and heading; 0: once, at the start");
  visit("most_lift", s.most_lift, {0, 0.2, "m"},
        "that a foot may be made to swing higher than in the clip");
  visit("time_step", s.time_step, {0.0005, 0.01, "s"}, "of the simulation that is learned in");
  visit("tracking", s.tracking, {"prescribed", "inverse", "servo"}, "as of the controller");
  visit(
      "row", s.row, {},
      "gains to begin with: a row of the paper's Figure 5, a tuned one, or auto: of all these and "
      "of blends of two what walks this clip best as it is");
  visit("k_t", s.k_t, {1, 10000, "1/s^2"}, "stiffness of the tracking");
  visit("friction", s.friction, {0.05, 10}, "of the ground that is learned on");
  visit("stiffness", s.stiffness, {1, 1e8, "N/m"}, "of a contact point of that ground");
  visit("damping", s.damping, {0, 1e6, "N s/m"}, "of a contact point of that ground");
  VisitConfig(s.variation, visit);
}

// Gains to begin with and what they are called.
struct Beginning {
  std::string name;
  FeedbackGains gains;
  double value = 0;  // of its trials
};

// A body and a clip that is learned with.
struct Variant {
  World world;
  Motion clip;
  std::shared_ptr<const Rig> rig;
  std::unique_ptr<Controller> first;  // with the gains that learning begins with
  double clip_speed = 0;              // along what it faces, m/s
  const Character& character() const { return world.actors[0]; }
  // Where a trial begins on that ground.
  State StartOn(const LaneConditions& ground) const {
    const std::unique_ptr<Controller> controller = first->Clone();
    controller->ChangeGround({.slope = ground.slope, .slope_heading = ground.slope_heading});
    return controller->Start();
  }
};

struct Plan {
  LearningRequest request;
  GainSettings settings;
  const Workers* workers = nullptr;
  nlohmann::ordered_json from;
  std::vector<Variant> variants;  // the first is what is asked for
  std::vector<Beginning> beginnings;
  std::vector<int> order;  // of the variants over a candidate's trials, again and again
  DataDrivenSkill skill;   // what is learned is `learned` of its clips
  int learned = 0;
  int act_style = 0;  // that asks for it, where it is performed out of a walk; 0: it is the walk
  LaneConditions usual;
  Command command;  // by which it is performed where the skill has other clips
  const Character& character() const { return variants[0].character(); }
  double clip_speed() const { return variants[0].clip_speed; }
};

// First a walk, then one that takes pushes.
enum class Stage { kAlone, kPushes };

// What trial `index` of a candidate is like.
struct Kind {
  int variant;
  bool even;       // not pushed
  bool commanded;  // told to go elsewhere
};
Kind KindOf(const Plan& plan, Stage stage, int index);

std::vector<double> ParametersOf(const FeedbackGains& gains);  // in the order of kGainMembers
FeedbackGains GainsOf(std::span<const double> parameters);
// The clip's controller with these gains.
std::unique_ptr<Controller> ControllerOf(const Plan& plan, const Variant& variant,
                                         std::span<const double> parameters);

// Trials of so many seconds, nothing pushed; and those of a stage.
RolloutSetup SetupOf(const std::shared_ptr<const Plan>& plan, const Variant& variant,
                     double seconds);
RolloutSetup PushedSetupOf(const std::shared_ptr<const Plan>& plan, const Variant& variant,
                           Stage stage);
// What fills in a trial of a stage, as ParameterSearch::begin, and what it was worth.
std::function<void(int, std::uint64_t, Rollout*)> TrialsOf(const std::shared_ptr<const Plan>& plan,
                                                           Stage stage);
double ValueOf(const Plan& plan, const Kind& kind, const RolloutResult& r);

// How far apart two rows are, in usual spreads.
double Distance(const FeedbackGains& a, const FeedbackGains& b);
// What walks the clip best as it is, of all rows of gains and of blends of two tuned ones: gains of
// one kind of walk often stand where those of another have the right speed. Several, not alike, for
// where a search ends depends on where it begins.
std::vector<Beginning> BestBeginnings(const std::shared_ptr<const Plan>& plan);
// Which of what the searches alone have found begins the search under pushes. The first of `found`
// is where they began.
std::vector<double> BestFound(const std::shared_ptr<const Plan>& plan,
                              const std::vector<std::vector<double>>& found);

}  // namespace stride::data_driven_controller
