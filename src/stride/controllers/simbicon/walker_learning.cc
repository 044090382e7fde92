#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "stride/character/library.h"
#include "stride/character/rest_pose.h"
#include "stride/controllers/simbicon/walk_objective.h"
#include "stride/controllers/simbicon/walker.h"
#include "stride/controllers/skill_library.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/core/random.h"
#include "stride/learn/parameter_search.h"
#include "stride/optim/cma_es.h"
#include "stride/scenario/placement.h"
#include "stride/scenario/variation.h"
#include "stride/sim/batch.h"

// `stride learn walker`: walks optimised by CMA-ES for the objective of wang09, then, beyond the
// paper, made robust while they stay natural.
namespace stride {
namespace {

using P = WalkerParameter;

constexpr double kAloneSeconds = 100;  // a walk that is found is tried as long

struct WalkerSettings {
  double speed = 0, step_length = 0, slope = 0, friction = 0.9;
  double time_step = 0.005;
  TermFlags without{};
  std::string start = "shipped", covariance = "separable";
  bool fastest = false, free = false;
  int iterations = 300, population = 64;
  double seconds = 10, sigma = 0.5;
  int steady_iterations = 0, steady_trials = 3;
  double nudge = 20;
  int stage_iterations = 100;
  double slope_step = 3, friction_step = 0.5;
  int robust_iterations = 150, robust_population = 64, robust_trials = 7;
  double robust_sigma = 0.2, robust_weight = 40;
  int command_iterations = 80, command_population = 48;
  double push = 150, push_seconds = 0.4, push_every = 2.5;
};
template <class Visitor>
void VisitConfig(WalkerSettings& s, Visitor& visit) {
  visit("speed", s.speed, {0, 10, "m/s"},
        "to walk at; 0: any, or a human's where no step length is given");
  visit("step_length", s.step_length, {0, 3, "m"},
        "of its steps; 0: any, or a human's where no speed is given");
  visit("slope", s.slope, {-45, 45, "degrees"}, "of the ground ahead, uphill positive");
  visit("friction", s.friction, {0.01, 10}, "of the ground");
  visit("time_step", s.time_step, {0.0001, 0.01, "s"}, "of the simulation (paper: 1/2400)");
  for (int k = 0; k < kWalkTerms; ++k) {
    static const std::array<std::string, kWalkTerms> keys = [] {
      std::array<std::string, kWalkTerms> names;
      for (int i = 0; i < kWalkTerms; ++i) {
        names[i] = std::string("without_") + TermName(static_cast<WalkTerm>(i));
      }
      return names;
    }();
    visit(keys[k].c_str(), s.without[k], "leave this term of the objective out");
  }
  visit("free", s.free,
        "the paper's nine terms alone; where no speed or step length is given none is wanted, but "
        "what costs least for the way");
  visit("fastest", s.fastest, "only time costs: as fast as it can walk");
  visit("start", s.start, {"shipped", "paper"},
        "where the search begins: a walker that is built in, or the paper's Table 2");
  visit("iterations", s.iterations, {0, 100000}, "of the search for a natural walk");
  visit("population", s.population, {4, 10000}, "candidates an iteration (paper: 19)");
  visit("covariance", s.covariance, {"separable", "full"},
        "what a search for a natural walk learns of its parameters' spread (paper: full, which "
        "takes far longer to learn)");
  visit("steady_iterations", s.steady_iterations, {0, 100000},
        "after the natural walk, for the same objective, but it must also stand when it is nudged "
        "on varied ground, lest it fit ten seconds of one run; 0: none (paper)");
  visit("steady_trials", s.steady_trials, {1, 64}, "of each candidate that are nudged");
  visit("nudge", s.nudge, {0, 500, "N"}, "spread of those pushes, for 70 kg");
  visit("seconds", s.seconds, {1, 100, "s"}, "of a trial (paper: 10)");
  visit("sigma", s.sigma, {0.0001, 3}, "how far the search looks at first, in usual changes");
  visit("stage_iterations", s.stage_iterations, {1, 100000},
        "of each step towards a slope or a friction");
  visit("slope_step", s.slope_step, {0.1, 45, "degrees"}, "from slope to slope (paper: 3)");
  visit("friction_step", s.friction_step, {0.01, 10}, "from friction to friction (paper: 0.5)");
  visit("robust_iterations", s.robust_iterations, {0, 100000},
        "under pushes, after the natural walk; 0: none");
  visit("robust_population", s.robust_population, {4, 10000}, "candidates an iteration");
  visit("robust_trials", s.robust_trials, {1, 64}, "of each candidate that are pushed");
  visit("robust_sigma", s.robust_sigma, {0.0001, 3}, "how far that search looks at first");
  visit("robust_weight", s.robust_weight, {0, 1e6},
        "of a fall under pushes against the natural objective");
  visit("command_iterations", s.command_iterations, {0, 100000},
        "that teach it to obey a speed and to stop; 0: none");
  visit("command_population", s.command_population, {4, 10000}, "candidates an iteration");
  visit("push", s.push, {0, 2000, "N"}, "spread of the random pushes, for 70 kg");
  visit("push_seconds", s.push_seconds, {0.01, 2, "s"}, "of a push");
  visit("push_every", s.push_every, {0.5, 20, "s"}, "from one push to the next");
}

// All that the stages share.
struct Plan {
  LearningRequest request;
  WalkerSettings settings;
  Character character;
  WalkGoal goal;
  double mass = 0;
  double own_speed = 0;  // m/s, of the skill it begins with; 0: there is none
  const Workers* workers = nullptr;
};

constexpr double kLeastArmSwing = 0.5;
constexpr double kStrict = 5;
constexpr double kSpeedRange = 0.4;  // m/s, around its own, that it learns to obey
// Comfortable walking of humans: 1.35 m/s on legs of 0.9 m; steps a little shorter than their 0.7
// m.
constexpr double kFroude = 0.455, kStepOfLeg = 0.74;
constexpr double kDegree = std::numbers::pi / 180;

Scenario ScenarioOf(const Plan& plan, double slope, double friction) {
  Scenario scenario;
  scenario.seconds = plan.settings.seconds;
  scenario.world.contact.passes = 2;  // as rough as other learning
  scenario.world.time_step = plan.settings.time_step;
  scenario.world.friction = friction;
  scenario.world.terrain.slope = slope * kDegree;
  return scenario;
}

RolloutSetup SetupOf(const Plan& plan, const Scenario& scenario, double own_speed) {
  World world = scenario.world;
  world.actors = {plan.character};
  WalkerProgram program = MakeWalkerProgram(world, StandOn(plan.character, world.terrain));
  program.own_speed = own_speed;
  return {.character = plan.character,
          .scenario = scenario,
          .driver = DriveByProgram(MakeLaneProgram(std::move(program)))};
}

RolloutResult Try(const Plan& plan, const Scenario& scenario, std::span<const double> parameters,
                  double own_speed) {
  return Rollouts(SetupOf(plan, scenario, own_speed), *plan.workers)
      .Run(1, [&](int, Rollout* trial) {
        trial->parameters.assign(parameters.begin(), parameters.end());
        trial->start = WalkerStart(plan.character, scenario.world.terrain, parameters);
      })[0];
}

constexpr double kSearchTolerance = 0.4;  // of the paper's, for what the user wants

// What deviations from its speed are measured against, in learning and ever after: the wanted one,
// that of the skill it began with, or what it does.
double OwnSpeed(const Plan& plan, const Scenario& scenario, std::span<const double> parameters) {
  if (plan.goal.speed) return *plan.goal.speed;
  if (plan.own_speed > 0) return plan.own_speed;
  return FiguresOf(Try(plan, scenario, parameters, 0).values).speed;
}

LaneConditions UsualConditions(const Plan& plan, const Scenario& scenario) {
  World world = scenario.world;
  world.actors = {plan.character};
  return Batch(world).DefaultConditions();
}

std::string GroundText(const Scenario& scenario) {
  return fmt::format("slope {:g} degrees, friction {:g}", scenario.world.terrain.slope / kDegree,
                     scenario.world.friction);
}

// The world it was learned in, where that is not the usual one.
WorldWishes WishesOf(const World& world) {
  WorldWishes wishes{.time_step = world.time_step};
  if (world.friction != World().friction) wishes.friction = world.friction;
  if (world.terrain.slope != 0) wishes.slope = world.terrain.slope;
  return wishes;
}

// `natural`: the walk that was made robust or taught to obey; this one where there was no such
// stage.
LearningResult ResultOf(const Plan& plan, const Scenario& scenario, double own_speed,
                        std::span<const double> found, std::span<const double> natural,
                        double best_return) {
  Scenario alone = scenario;
  alone.random_pushes.reset();
  alone.commands.clear();
  alone.seconds = kAloneSeconds;
  const RolloutResult walk = Try(plan, alone, found, own_speed);
  const WalkFigures figures = FiguresOf(walk.values);
  Scenario judged = alone;
  judged.seconds = plan.settings.seconds;
  WalkGoal goal = plan.goal;
  goal.slope = scenario.world.terrain.slope;
  const WalkScore score = ScoreOf(Try(plan, judged, found, own_speed).values, goal);
  const WalkScore before = ScoreOf(Try(plan, judged, natural, own_speed).values, goal);
  const Walker walker{{found.begin(), found.end()}, own_speed > 0 ? own_speed : figures.speed};
  const Skill skill{.name = plan.request.name.empty() ? "walker" : plan.request.name,
                    .controller = "walker",
                    .description = fmt::format("optimised walk of {} at {:.2f} m/s",
                                               plan.character.name, figures.speed),
                    .character = plan.character,
                    .start = WalkerStart(plan.character, scenario.world.terrain, found),
                    .wishes = WishesOf(scenario.world),
                    .provenance = {{"method", "walker"},
                                   {"seed", plan.request.seed},
                                   {"stride", STRIDE_VERSION},
                                   {"instruction_set", Batch::ChosenInstructionSet()},
                                   {"settings", ConfigToJson(plan.settings)}},
                    .metrics = {{"seconds_of_100", walk.seconds},
                                {"figures", ToJson(figures)},
                                {"objective", ToJson(score)},
                                {"objective_before", ToJson(before)},
                                {"return", best_return}},
                    .payload = PayloadOf(walker)};
  LearningResult result;
  result.lines = {
      {"walker", plan.character.name + ", " + GroundText(scenario)},
      {"alone",
       fmt::format("{:.1f} of {:g} s at {:.3f} m/s, steps of {:.3f} m, {:.1f} m aside",
                   walk.seconds, kAloneSeconds, figures.speed, figures.step_length, walk.sideways)},
      {"effort",
       fmt::format("E_power {:.0f}, hip:knee:ankle {:.2f} {:.2f} {:.2f}, cost of transport "
                   "{:.2f}",
                   figures.squared_torque, figures.ratio[0], figures.ratio[1], figures.ratio[2],
                   walk.cost_of_transport)},
      {"objective", fmt::format("{:.4f}; natural {:.4f}, before robust stages {:.4f}", score.total,
                                score.natural, before.natural)}};
  for (int k = 0; k < kWalkTerms; ++k) {
    result.lines.emplace_back(
        fmt::format("  {}", TermName(static_cast<WalkTerm>(k))),
        fmt::format("{:.4f}{}", score.weighted[k], goal.without[k] ? " (left out)" : ""));
  }
  constexpr double kNear = 0.025;
  std::vector<std::string> misses;
  if (walk.fell || walk.failed) {
    misses.push_back(
        fmt::format("the walk falls after {:.1f} of {:g} s", walk.seconds, kAloneSeconds));
  }
  if (goal.speed && std::fabs(figures.speed - *goal.speed) > kNear) {
    misses.push_back(
        fmt::format("it walks at {:.3f} m/s; {:.3f} were asked for", figures.speed, *goal.speed));
  }
  if (goal.step_length && std::fabs(figures.step_length - *goal.step_length) > kNear) {
    misses.push_back(fmt::format("its steps are {:.3f} m; {:.3f} were asked for",
                                 figures.step_length, *goal.step_length));
  }
  result.shortfall = fmt::format("{}", fmt::join(misses, "; "));
  result.json = {{"character", plan.character.name},
                 {"skill", plan.request.out},
                 {"seed", plan.request.seed},
                 {"metrics", skill.metrics},
                 {"settings", ConfigToJson(plan.settings)}};
  result.files = {{plan.request.out, SkillText(skill)}};
  return result;
}

std::vector<int> Indices(int first, int last) {
  std::vector<int> indices(last - first);
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

// A search over some of the parameters; the others stay as they were.
ParameterSearch SearchOver(const std::shared_ptr<const Plan>& plan, const Scenario& scenario,
                           const std::vector<int>& searched, std::span<const double> start,
                           std::vector<double> natural, double own_speed,
                           const CmaOptions& options) {
  ParameterSearch search;
  search.method = "walker";
  search.settings = ConfigToJson(plan->settings);
  search.seed = plan->request.seed;
  search.rollouts = SetupOf(*plan, scenario, own_speed);
  SearchSpace space;
  for (const int k : searched) {
    const WalkerParameterInfo& info = WalkerParameters()[k];
    // Arms that hang still cost nothing and look dead.
    const double lower = k == P::kArmSwing && !plan->settings.free ? kLeastArmSwing : info.lower;
    space.start.push_back(std::clamp(start[k], lower, info.upper));
    space.scales.push_back(info.scale);
    space.lower.push_back(lower);
    space.upper.push_back(info.upper);
  }
  search.optimizer = std::make_unique<CmaEs>(options, plan->request.seed, space);
  std::vector<double> all(start.begin(), start.end());
  search.complete = [searched, all](std::span<const double> found) {
    std::vector<double> complete = all;
    for (std::size_t k = 0; k < searched.size(); ++k) complete[searched[k]] = found[k];
    return complete;
  };
  search.result = [=, natural = std::move(natural)](std::span<const double> found,
                                                    double best_return) {
    return ResultOf(*plan, scenario, own_speed, found, natural.empty() ? found : natural,
                    best_return);
  };
  return search;
}

constexpr WorldVariation kVariedGround = {
    .stiffness = 2, .damping = 2, .friction = 1.3, .gains = 1, .slope = 0};

// The paper's optimisation, on one ground. Trials that are nudged are ours: what is found should
// not stand in that one run only.
ParameterSearch NaturalSearch(const std::shared_ptr<const Plan>& plan, const Scenario& ground,
                              int iterations, double sigma, int nudged,
                              std::span<const double> start) {
  const WalkerSettings& settings = plan->settings;
  Scenario scenario = ground;
  if (nudged > 0) {
    scenario.random_pushes = RandomPushes{.duration = 0.2,
                                          .every = 1.5,
                                          .sigma = settings.nudge * plan->mass / 70,
                                          .sigma_growth = 0};
  }
  CmaOptions options;
  options.population = settings.population;
  options.sigma = sigma;
  options.covariance = settings.covariance;
  ParameterSearch search = SearchOver(plan, scenario, Indices(0, P::kPaperCount), start, {},
                                      plan->goal.speed.value_or(plan->own_speed), options);
  search.iterations = iterations;
  search.trials = 1 + nudged;
  if (nudged > 0) {
    search.noisy = true;
    search.validate_every = 10;
    search.validation_trials = 32 * search.trials;
  }
  const LaneConditions usual = UsualConditions(*plan, scenario);
  search.begin = [=](int index, std::uint64_t stream, Rollout* trial) {
    trial->start = WalkerStart(plan->character, scenario.world.terrain, trial->parameters);
    trial->pushed = index > 0;
    if (index == 0) return;
    Random random(stream);
    trial->conditions = DrawWorld(kVariedGround, usual, &random).conditions;
  };
  WalkGoal goal = plan->goal;
  goal.slope = scenario.world.terrain.slope;
  goal.user_tolerance = kSearchTolerance;
  search.value = [goal](int index, const RolloutResult& r) {
    const WalkScore score = ScoreOf(r.values, goal);
    return index == 0 ? -score.total : score.natural - score.total;
  };
  return search;
}

// Beyond the paper: pushes and worlds that vary over the trials, while the natural walk stays part
// of what is asked for.
ParameterSearch RobustSearch(const std::shared_ptr<const Plan>& plan, const Scenario& ground,
                             std::span<const double> start, std::vector<double> natural) {
  const WalkerSettings& settings = plan->settings;
  const double own_speed = OwnSpeed(*plan, ground, start);
  Scenario scenario = ground;
  scenario.random_pushes = RandomPushes{.duration = settings.push_seconds,
                                        .every = settings.push_every,
                                        .sigma = settings.push * plan->mass / 70,
                                        .sigma_growth = 0,
                                        .jitter = 0.4,
                                        .sideways = 0.4};
  CmaOptions options;
  options.population = settings.robust_population;
  options.sigma = settings.robust_sigma;
  // All but the start state, which is soon forgotten.
  std::vector<int> searched = Indices(0, P::kStartHeight);
  for (const int k : Indices(P::kPaperCount, P::kWalkCount)) searched.push_back(k);
  ParameterSearch search =
      SearchOver(plan, scenario, searched, start, std::move(natural), own_speed, options);
  search.iterations = settings.robust_iterations;
  search.trials = 1 + settings.robust_trials;
  search.noisy = true;
  search.validate_every = 10;
  search.validation_trials = 64 * search.trials;
  const LaneConditions usual = UsualConditions(*plan, scenario);
  const State stand = StandOn(plan->character, scenario.world.terrain);
  search.begin = [=](int index, std::uint64_t stream, Rollout* trial) {
    trial->start = WalkerStart(plan->character, scenario.world.terrain, trial->parameters);
    trial->pushed = index > 0;
    if (index == 0) return;
    Random random(stream);
    // Some turn while they are pushed, some begin from a stand.
    if (random.Uniform() < 0.4) {
      trial->command.heading = random.Uniform(-1, 1) * std::numbers::pi / 2;
    }
    if (random.Uniform() < 0.15) trial->start = stand;
    trial->conditions = DrawWorld(kVariedGround, usual, &random).conditions;
  };
  WalkGoal goal = plan->goal;
  goal.slope = scenario.world.terrain.slope;
  goal.user_tolerance = kSearchTolerance;
  if (!goal.speed) goal.speed = own_speed;
  const double robust_share = settings.robust_weight / settings.robust_trials;
  search.value = [=](int index, const RolloutResult& r) {
    if (index == 0) {
      const WalkScore score = ScoreOf(r.values, goal);
      // What the user asked for is not traded for robustness.
      return -(score.total + kStrict * score.weighted[static_cast<int>(WalkTerm::kUser)]);
    }
    return -robust_share * (1 - r.seconds / goal.seconds);
  };
  return search;
}

// Beyond the paper: what teaches it to obey. Gentle pushes, varied ground.
ParameterSearch CommandSearch(const std::shared_ptr<const Plan>& plan, const Scenario& ground,
                              std::span<const double> start, std::vector<double> natural,
                              const std::vector<int>& searched,
                              const std::vector<TimedCommand>& commands, double own_speed) {
  const WalkerSettings& settings = plan->settings;
  Scenario scenario = ground;
  scenario.commands = commands;
  scenario.random_pushes = RandomPushes{.duration = settings.push_seconds,
                                        .every = settings.push_every,
                                        .sigma = 0.3 * settings.push * plan->mass / 70,
                                        .sigma_growth = 0};
  CmaOptions options;
  options.population = settings.command_population;
  options.sigma = 0.5;
  ParameterSearch search =
      SearchOver(plan, scenario, searched, start, std::move(natural), own_speed, options);
  search.iterations = settings.command_iterations;
  search.trials = 6;
  search.noisy = true;
  search.validate_every = 10;
  search.validation_trials = 32 * search.trials;
  return search;
}

ParameterSearch SpeedSearch(const std::shared_ptr<const Plan>& plan, const Scenario& ground,
                            std::span<const double> start, std::vector<double> natural) {
  const double own_speed = OwnSpeed(*plan, ground, start);
  ParameterSearch search =
      CommandSearch(plan, ground, start, std::move(natural),
                    Indices(P::kWalkCount, P::kStopLiftSeconds), {}, own_speed);
  const LaneConditions usual = UsualConditions(*plan, ground);
  const int trials = search.trials;
  search.begin = [=](int index, std::uint64_t stream, Rollout* trial) {
    trial->start = WalkerStart(plan->character, ground.world.terrain, trial->parameters);
    Random random(stream);
    trial->command.speed = own_speed + kSpeedRange * (2 * (index + random.Uniform()) / trials - 1);
    trial->conditions = DrawWorld(kVariedGround, usual, &random).conditions;
  };
  const double seconds = plan->settings.seconds;
  search.value = [=](int, const RolloutResult& r) {
    const double off = std::fabs(r.values[GaitMeter::kSpeedOff]) / r.seconds;
    return -(2 * (1 - r.seconds / seconds) + std::min(off, 1.0));
  };
  return search;
}

// Walks, stops, stands, and walks again.
ParameterSearch StopSearch(const std::shared_ptr<const Plan>& plan, const Scenario& ground,
                           std::span<const double> start, std::vector<double> natural) {
  const double own_speed = OwnSpeed(*plan, ground, start);
  // Shares of a trial; each stops up to a step or two later, so that all phases are met.
  const double seconds = plan->settings.seconds, halt = 0.15 * seconds, go = 0.55 * seconds;
  constexpr double kDelay = 1.2;  // s
  ParameterSearch search = CommandSearch(
      plan, ground, start, std::move(natural), Indices(P::kStopLiftSeconds, P::kCount),
      {{.at = halt, .speed = 0}, {.at = go, .speed = own_speed}}, own_speed);
  const LaneConditions usual = UsualConditions(*plan, ground);
  search.begin = [=](int, std::uint64_t stream, Rollout* trial) {
    trial->start = WalkerStart(plan->character, ground.world.terrain, trial->parameters);
    Random random(stream);
    trial->command_delay = random.Uniform(0, kDelay);
    trial->conditions = DrawWorld(kVariedGround, usual, &random).conditions;
  };
  search.value = [=](int, const RolloutResult& r) {
    const double stood = r.values[GaitMeter::kStanding] / (go - halt);
    const double way = own_speed * (seconds - (go - halt));
    const double off = std::fabs(r.forwards - way) / std::max(way, 1.0);
    return -(2 * (1 - r.seconds / seconds) + 0.5 * std::max(0.0, 0.7 - stood) + 0.5 * off);
  };
  return search;
}

std::unique_ptr<LearningJob> MakeJob(const LearningRequest& request, const Workers& workers,
                                     std::vector<std::string>* warnings) {
  auto plan = std::make_shared<Plan>();
  plan->request = request;
  plan->workers = &workers;
  WalkerSettings& settings = plan->settings;
  for (const std::string& text : request.settings) SetConfigValue(text, &settings);
  if (request.Has("without")) {
    for (const std::string& term : request.options.at("without")) {
      settings.without[static_cast<int>(FindTerm(term))] = true;
    }
  }
  std::vector<double> start;
  if (request.Has("from") || settings.start == "shipped") {
    const Skill skill =
        LoadSkillOf("walker", request.Has("from") ? request.Text("from") : "walker-stocky");
    const Walker from = WalkerOf(skill);
    start = from.parameters;
    plan->own_speed = from.own_speed;
    if (request.character.empty()) plan->character = skill.character;
  } else {
    start = WalkerPaperValues();
  }
  if (plan->character.bodies.empty()) {
    plan->character =
        LoadCharacter(request.character.empty() ? "wang09-stocky" : request.character, warnings);
  }
  const Character& character = plan->character;
  if (const std::string why = RefusesLegs(character); !why.empty()) {
    throw InputError(fmt::format("'{}' cannot walk by this method: {}", character.name, why));
  }
  plan->mass = TotalMass(character);
  WalkGoal& goal = plan->goal;
  if (request.Has("free")) settings.free = true;
  if (settings.speed == 0 && settings.step_length == 0 && !settings.free) {
    // As people of such legs walk.
    const State rest = StandOn(character, {});
    const BodyFrames frames = FramesAt(character, rest.q);
    const double leg = frames.position[character.BodyOf(Role::kLeftThigh)].z;
    settings.speed = std::round(100 * kFroude * std::sqrt(World().gravity * leg)) / 100;
    settings.step_length = std::round(100 * kStepOfLeg * leg) / 100;
  }
  if (settings.free) {
    // It finds its own speed: nothing is measured against another's.
    plan->own_speed = 0;
    std::fill(start.begin() + P::kOffTorso, start.begin() + P::kOffLift + 1, 0.0);
  }
  if (settings.speed > 0) goal.speed = settings.speed;
  if (settings.step_length > 0) goal.step_length = settings.step_length;
  goal.seconds = settings.seconds;
  goal.mass = plan->mass;
  goal.com_height = CenterOfMassAt(character, StandOn(character, {}).q).z;
  goal.fastest = settings.fastest;
  // People's curves are those of level ground; a free walk is the paper's.
  if (settings.free || settings.slope != 0) {
    settings.without[static_cast<int>(WalkTerm::kHuman)] = true;
  }
  if (settings.free) settings.without[static_cast<int>(WalkTerm::kSoft)] = true;
  goal.without = settings.without;

  using Found = std::vector<std::vector<double>>;
  std::vector<SearchStage> stages;
  const auto natural = [&](std::string name, const char* length, double slope, double friction,
                           int iterations, double sigma, int nudged = 0) {
    const Scenario scenario = ScenarioOf(*plan, slope, friction);
    stages.push_back({std::move(name), length, [=](const Found& found) {
                        return NaturalSearch(plan, scenario, iterations, sigma, nudged,
                                             found.back());
                      }});
  };
  const double usual = World().friction;
  if (settings.iterations > 0) {
    natural("natural", "iterations", 0, usual, settings.iterations, settings.sigma);
  }
  // Step by step to the ground that is asked for.
  const int slopes =
      static_cast<int>(std::ceil(std::fabs(settings.slope) / settings.slope_step - 1e-9));
  for (int k = 1; k <= slopes; ++k) {
    const double slope = settings.slope * k / slopes;
    natural(fmt::format("slope {:g}", slope), "stage_iterations", slope, usual,
            settings.stage_iterations, 0.5 * settings.sigma);
  }
  const int frictions = static_cast<int>(
      std::ceil(std::fabs(settings.friction - usual) / settings.friction_step - 1e-9));
  for (int k = 1; k <= frictions; ++k) {
    const double friction = usual + (settings.friction - usual) * k / frictions;
    natural(fmt::format("friction {:g}", friction), "stage_iterations", settings.slope, friction,
            settings.stage_iterations, 0.5 * settings.sigma);
  }
  if (settings.steady_iterations > 0) {
    natural("steady", "steady_iterations", settings.slope, settings.friction,
            settings.steady_iterations, 0.4 * settings.sigma, settings.steady_trials);
  }
  const std::size_t naturals = stages.size();  // and so many have been found besides the start
  if (settings.robust_iterations > 0) {
    const Scenario scenario = ScenarioOf(*plan, settings.slope, settings.friction);
    stages.push_back({"robust", "robust_iterations", [=](const Found& found) {
                        return RobustSearch(plan, scenario, found.back(), found[naturals]);
                      }});
  }
  if (settings.command_iterations > 0) {
    const Scenario scenario = ScenarioOf(*plan, settings.slope, settings.friction);
    stages.push_back({"speeds", "command_iterations", [=](const Found& found) {
                        return SpeedSearch(plan, scenario, found.back(), found[naturals]);
                      }});
    stages.push_back({"stops", "command_iterations", [=](const Found& found) {
                        return StopSearch(plan, scenario, found.back(), found[naturals]);
                      }});
  }
  if (stages.empty()) {
    throw InputError(
        "nothing to learn: iterations, steady_iterations and robust_iterations are 0, and the "
        "ground is "
        "the usual one");
  }
  return MakeStagedSearch(std::move(stages), std::move(start), workers);
}

}  // namespace

LearningMethod WalkerLearning() {
  using Kind = LearningOption::Kind;
  return {
      .name = "walker",
      .summary = "A natural walk without motion data, by optimisation (wang09)",
      .examples = {"stride learn walker --character wang09-tall -o tall.skill",
                   "stride learn walker --speed 1.4 --step-length 0.7 -o brisk.skill",
                   "stride learn walker --slope 12 -o uphill.skill"},
      .options = {{"from", "Skill of this method to begin with"},
                  {"without",
                   "Term of the objective to leave out (user, vel, land, fail, sym, "
                   "ang, head, power, ratio, human, soft)",
                   Kind::kList},
                  {"free",
                   "The paper's nine terms alone; no speed or step length is wanted: what costs "
                   "least",
                   Kind::kFlag},
                  {"speed", "To walk at, m/s", Kind::kSetting, "speed"},
                  {"step-length", "Of its steps, m", Kind::kSetting, "step_length"},
                  {"slope", "Of the ground, degrees, uphill positive: found step by step",
                   Kind::kSetting, "slope"},
                  {"friction", "Of the ground: found step by step", Kind::kSetting, "friction"}},
      .schema = ConfigSchema<WalkerSettings>,
      .make = MakeJob};
}

}  // namespace stride
