#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "stride/character/library.h"
#include "stride/character/rest_pose.h"
#include "stride/controllers/simbicon/simbicon.h"
#include "stride/controllers/simbicon/walk_objective.h"
#include "stride/controllers/skill_library.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/core/random.h"
#include "stride/learn/parameter_search.h"
#include "stride/optim/cma_es.h"
#include "stride/scenario/placement.h"
#include "stride/scenario/variation.h"
#include "stride/sim/batch.h"

// `stride learn simbicon`: a walk or a run found by CMA-ES, made robust by pushes, taught to stop.
namespace stride {
namespace {

using P = SimbiconParameter;

constexpr double kAloneSeconds = 100;  // a walk that is found is tried as long

struct SearchSettings {
  std::string gait = "walk", objective = "robust";
  bool free = true;
  double speed = 1.0;
  int iterations = 150, population = 64, trials = 4;
  double seconds = 10, push = 120, push_seconds = 0.2, push_every = 2;
  double sigma = 0.5, faith = 1;
  int robust_iterations = 0, stop_iterations = 60;
  double robust = 1.1, robust_sigma = 0.3, robust_every = 3;
  double load_sharing = 1, torque_limit = 0;
};
template <class Visitor>
void VisitConfig(SearchSettings& s, Visitor& visit) {
  visit("gait", s.gait, {"walk", "run"}, "what is looked for");
  visit("objective", s.objective, {"robust", "natural"},
        "what a walk is worth; natural: the terms of wang09 for the cost of transport, no pushes");
  visit("free", s.free,
        "of the natural objective: no speed is wanted, what costs least for the way (paper)");
  visit("speed", s.speed, {0, 5, "m/s"}, "to walk at");
  visit("iterations", s.iterations, {0, 10000}, "of the search");
  visit("population", s.population, {4, 10000}, "candidates an iteration");
  visit("trials", s.trials, {1, 64}, "of each candidate, with pushes and a ground of their own");
  visit("seconds", s.seconds, {1, 100, "s"}, "of a trial");
  visit("push", s.push, {0, 1000, "N"}, "spread of the random pushes of a trial");
  visit("push_seconds", s.push_seconds, {0.01, 2, "s"}, "of a push");
  visit("push_every", s.push_every, {0.5, 20, "s"}, "from one push to the next");
  visit("faith", s.faith, {0, 10}, "weight of speed, direction and effort against not falling");
  visit("sigma", s.sigma, {0.001, 2}, "how far the search looks at first, in usual spreads");
  visit("robust_iterations", s.robust_iterations, {0, 10000},
        "of each of three further searches, pushed harder and harder towards eight directions");
  visit("robust", s.robust, {0, 3}, "pushes of the last of them, of wang09's Table 1 (SIMBICON)");
  visit("robust_sigma", s.robust_sigma, {0.001, 2}, "how far they look at first");
  visit("robust_every", s.robust_every, {1, 20, "s"}, "from one of their pushes to the next");
  visit("stop_iterations", s.stop_iterations, {0, 10000}, "of the search that stops and stands");
  visit("load_sharing", s.load_sharing, {0, 1},
        "how far the hips share the torso's torque by the load of their feet");
  visit("torque_limit", s.torque_limit, {0, 10, "rad"},
        "largest torque of a joint, for each N m/rad of its stiffness; 0: none");
}

// Table 1 of wang09, the column of SIMBICON: towards degrees from forwards to the left, N. Hardest
// last, so that those that fall there are told apart by the others.
struct TablePush {
  double towards, force;
};
constexpr TablePush kTable[] = {{-45, 125}, {135, 100}, {0, 225},  {-135, 100},
                                {45, 150},  {180, 120}, {90, 250}, {-90, 275}};

// What all stages share.
struct Plan {
  LearningRequest request;
  SearchSettings settings;
  const Workers* workers = nullptr;
  nlohmann::ordered_json from;  // provenance of the skill it begins with; null: none
  World world;
  State stand;
  LaneConditions usual;
  const Character& character() const { return world.actors[0]; }
};

RolloutSetup SetupOf(const Plan& plan, double own_speed) {
  RolloutSetup setup;
  setup.character = plan.character();
  setup.scenario.seconds = plan.settings.seconds;
  setup.scenario.world.contact = plan.world.contact;
  SimbiconProgram program = MakeSimbiconProgram(plan.world, plan.stand);
  program.own_speed = own_speed;
  program.measures = plan.settings.objective == "natural";
  SetHeld({plan.settings.gait, plan.settings.load_sharing, plan.settings.torque_limit}, &program);
  setup.driver = DriveByProgram(MakeLaneProgram(program));
  return setup;
}

// Of what the program measures.
enum Value : int { kSteps, kFlight, kStanding, kSpeedOff, kLean, kMeter };

RolloutResult Alone(const Plan& plan, std::span<const double> parameters, double own_speed) {
  RolloutSetup setup = SetupOf(plan, own_speed);
  setup.scenario.seconds = kAloneSeconds;
  return Rollouts(setup, *plan.workers).Run(1, [&](int, Rollout* trial) {
    trial->parameters.assign(parameters.begin(), parameters.end());
    trial->start = plan.stand;
  })[0];
}

WalkGoal NaturalGoal(const Plan& plan) {
  WalkGoal goal;
  goal.seconds = plan.settings.seconds;
  if (!plan.settings.free) goal.speed = plan.settings.speed;
  goal.mass = TotalMass(plan.character());
  goal.com_height = CenterOfMassAt(plan.character(), plan.stand.q).z;
  return goal;
}
// It begins from a stand: what the objective says of the speed at the start is left out.
WalkScore NaturalScore(const RolloutResult& r, const WalkGoal& goal) {
  std::vector<double> values(r.values.begin() + kMeter, r.values.end());
  values[GaitMeter::kStartSpeed] = FiguresOf(values).speed;
  return ScoreOf(values, goal);
}

LearningResult ResultOf(const Plan& plan, std::span<const double> found, double best_return) {
  const SearchSettings& settings = plan.settings;
  const std::string& name = plan.character().name;
  const RolloutResult walk = Alone(plan, found, settings.speed);
  const double speed = walk.forwards / walk.seconds;
  const double flight = walk.values[kFlight] / walk.seconds;
  const double cadence = walk.values[kSteps] / walk.seconds;
  Skill skill{.name = plan.request.name.empty() ? "walker" : plan.request.name,
              .controller = "simbicon",
              .description =
                  fmt::format("SIMBICON {} at {:g} m/s on {}{}", settings.gait, settings.speed,
                              name, settings.robust_iterations > 0 ? ", hardened by pushes" : ""),
              .character = plan.character(),
              .start = plan.stand,
              .wishes = {.time_step = plan.world.time_step},
              .provenance = {{"method", "simbicon"},
                             {"seed", plan.request.seed},
                             {"stride", STRIDE_VERSION},
                             {"instruction_set", Batch::ChosenInstructionSet()},
                             {"settings", ConfigToJson(settings)}},
              .metrics = {{"seconds_of_100", walk.seconds},
                          {"speed", speed},
                          {"speed_asked", settings.speed},
                          {"steps_a_second", cadence},
                          {"flight", flight},
                          {"lean", walk.values[kLean] / walk.seconds},
                          {"sideways", walk.sideways},
                          {"cost_of_transport", walk.cost_of_transport},
                          {"return", best_return}},
              .payload = SimbiconPayload(
                  {settings.gait, settings.load_sharing, settings.torque_limit}, found)};
  if (!plan.from.is_null()) skill.provenance["from"] = plan.from;
  if (settings.objective == "natural") {
    skill.metrics["figures"] = ToJson(FiguresOf(std::span(walk.values).subspan(kMeter)));
    skill.metrics["objective"] = ToJson(NaturalScore(walk, NaturalGoal(plan)));
  }
  LearningResult result;
  result.lines = {
      {"walker", fmt::format("{}, {} at {:g} m/s", name, settings.gait, settings.speed)},
      {"alone", fmt::format("{:.1f} of {:g} s at {:.2f} m/s, {:.2f} m aside", walk.seconds,
                            kAloneSeconds, speed, walk.sideways)},
      {"steps",
       fmt::format("{:.2f} a second, {:.0f} % of the time in flight, leaning {:.0f} degrees",
                   cadence, 100 * flight,
                   walk.values[kLean] / walk.seconds * 180 / std::numbers::pi)},
      {"effort", fmt::format("cost of transport {:.2f}", walk.cost_of_transport)}};
  if (walk.fell || walk.failed) {
    result.shortfall = fmt::format("the {} falls after {:.1f} of {:g} s", settings.gait,
                                   walk.seconds, kAloneSeconds);
  } else if ((settings.objective == "robust" || !settings.free) &&
             std::fabs(speed - settings.speed) > 0.1 * settings.speed + 0.05) {
    result.shortfall = fmt::format("the {} goes at {:.2f} m/s; {:.2f} were asked for",
                                   settings.gait, speed, settings.speed);
  } else if (SimbiconRuns(settings.gait) && flight < 0.05) {
    result.shortfall =
        fmt::format("the run is in flight for {:.0f} % of the time only: a walk", 100 * flight);
  }
  result.json = {{"character", name},
                 {"skill", plan.request.out},
                 {"seed", plan.request.seed},
                 {"metrics", skill.metrics},
                 {"settings", ConfigToJson(settings)}};
  result.files = {{plan.request.out, SkillText(skill)}};
  return result;
}

// A search over some of the parameters; the others stay as they were.
ParameterSearch SearchOver(const std::shared_ptr<const Plan>& plan, int first, int last,
                           std::span<const double> start, double sigma) {
  const SearchSettings& settings = plan->settings;
  ParameterSearch search;
  search.method = "simbicon";
  search.settings = ConfigToJson(settings);
  search.seed = plan->request.seed;
  search.noisy = true;
  CmaOptions options;
  options.population = settings.population;
  options.sigma = sigma;
  SearchSpace space;
  for (int k = first; k < last; ++k) {
    const SimbiconParameterInfo info = SimbiconInfoOf(k, settings.gait);
    space.start.push_back(std::clamp(start[k], info.lower, info.upper));
    space.scales.push_back(info.scale);
    space.lower.push_back(info.lower);
    space.upper.push_back(info.upper);
  }
  search.optimizer = std::make_unique<CmaEs>(options, plan->request.seed, space);
  search.complete = [first, all = std::vector<double>(start.begin(), start.end())](
                        std::span<const double> found) {
    std::vector<double> complete = all;
    std::copy(found.begin(), found.end(), complete.begin() + first);
    return complete;
  };
  search.result = [plan](std::span<const double> found, double best_return) {
    return ResultOf(*plan, found, best_return);
  };
  return search;
}

// Stood, at the speed and in the direction that is asked for, at little effort.
double WalkValue(const SearchSettings& settings, double seconds, const RolloutResult& r) {
  const double off = r.values[kSpeedOff] / r.seconds;
  const double aside = std::fabs(r.sideways) / r.seconds;
  const double most = std::max(1.0, settings.speed);
  const double keeps = std::min(off, 1.5 * most) / most * (SimbiconRuns(settings.gait) ? 3 : 1) +
                       std::min(aside, 1.0);
  const double runs = std::clamp(r.forwards / r.seconds / most, 0.0, 1.0);
  const double flight = SimbiconRuns(settings.gait)
                            ? 3 * runs * (0.3 - std::fabs(r.values[kFlight] / r.seconds - 0.3))
                            : 0;
  const double upright = SimbiconRuns(settings.gait) ? 0.2 : 0.05;
  const double leans = std::min(std::max(r.values[kLean] / r.seconds - upright, 0.0), 0.5);
  return r.seconds / seconds * (1 + settings.faith * (2 - keeps + flight - 2 * leans)) -
         0.05 * settings.faith * std::min(r.cost_of_transport, 5.0);
}

ParameterSearch WalkSearch(const std::shared_ptr<const Plan>& plan, std::span<const double> start) {
  const SearchSettings& settings = plan->settings;
  ParameterSearch search = SearchOver(plan, 0, P::kWalkCount, start, settings.sigma);
  search.iterations = settings.iterations;
  search.trials = settings.trials;
  search.rollouts = SetupOf(*plan, settings.speed);
  if (settings.push > 0) {
    search.rollouts.scenario.random_pushes = RandomPushes{.duration = settings.push_seconds,
                                                          .every = settings.push_every,
                                                          .sigma = settings.push,
                                                          .sigma_growth = 0};
  }
  search.begin = [plan](int, std::uint64_t stream, Rollout* trial) {
    Random random(stream);
    trial->start = plan->stand;
    trial->pushed = random.Uniform() < 0.5;  // what is asked for is asked of an even walk too
    trial->conditions = DrawWorld({.gains = 1}, plan->usual, &random).conditions;
  };
  search.value = [settings](int, const RolloutResult& r) {
    return WalkValue(settings, settings.seconds, r);
  };
  if (settings.objective == "natural") {
    search.noisy = false;
    search.rollouts.scenario.random_pushes.reset();
    search.begin = [plan](int, std::uint64_t, Rollout* trial) { trial->start = plan->stand; };
    const WalkGoal goal = NaturalGoal(*plan);
    search.value = [goal](int, const RolloutResult& r) { return -NaturalScore(r, goal).total; };
  }
  return search;
}

// Pushed towards eight directions, one after the other, while the even walk stays part of what is
// asked for.
ParameterSearch RobustSearch(const std::shared_ptr<const Plan>& plan, double share,
                             std::span<const double> start) {
  const SearchSettings& settings = plan->settings;
  ParameterSearch search = SearchOver(plan, 0, P::kWalkCount, start, settings.robust_sigma);
  search.iterations = settings.robust_iterations;
  search.trials = settings.trials;
  search.rollouts = SetupOf(*plan, settings.speed);
  Scenario& scenario = search.rollouts.scenario;
  constexpr double kFirst = 2.5;
  double at = kFirst;
  for (const TablePush& push : kTable) {
    scenario.pushes.push_back({.force = share * push.force,
                               .heading = push.towards * std::numbers::pi / 180,
                               .at = at,
                               .duration = 0.4});
    at += settings.robust_every;
  }
  scenario.seconds = at;
  // A little more, which differs from trial to trial: other moments of a step.
  scenario.random_pushes =
      RandomPushes{.duration = 0.2, .every = 1.3, .sigma = 30, .sigma_growth = 0};
  search.begin = [plan](int index, std::uint64_t stream, Rollout* trial) {
    Random random(stream);
    trial->start = plan->stand;
    trial->pushed = index > 0;
    if (index > 0) trial->conditions = DrawWorld({.gains = 1}, plan->usual, &random).conditions;
  };
  search.value = [settings, seconds = scenario.seconds](int index, const RolloutResult& r) {
    if (index == 0) return WalkValue(settings, seconds, r);
    return 4 * r.seconds / seconds - 0.2 * std::min(std::fabs(r.sideways) / r.seconds, 1.0);
  };
  return search;
}

// Stops when it is told to, stands, and walks again.
ParameterSearch StopSearch(const std::shared_ptr<const Plan>& plan, std::span<const double> start) {
  const SearchSettings& settings = plan->settings;
  ParameterSearch search = SearchOver(plan, P::kWalkCount, P::kCount, start, 0.5);
  search.iterations = settings.stop_iterations;
  search.trials = 8;
  const RolloutResult alone = Alone(*plan, start, settings.speed);
  const double own_speed = alone.forwards / alone.seconds;
  search.rollouts = SetupOf(*plan, own_speed);
  constexpr double kHalt = 4, kGo = 12, kEnd = 17;
  Scenario& scenario = search.rollouts.scenario;
  scenario.seconds = kEnd;
  scenario.commands = {{.at = kHalt, .speed = 0}, {.at = kGo, .speed = own_speed}};
  scenario.random_pushes =
      RandomPushes{.duration = 0.2, .every = 1.3, .sigma = 30, .sigma_growth = 0};
  search.begin = [plan](int index, std::uint64_t stream, Rollout* trial) {
    Random random(stream);
    trial->start = plan->stand;
    if (index == 0) trial->command.speed = 0;  // stands from the start
    trial->conditions = DrawWorld({.gains = 1}, plan->usual, &random).conditions;
  };
  search.value = [](int, const RolloutResult& r) {
    return 6 * r.seconds / kEnd + r.values[kStanding] / (kGo - kHalt) -
           std::min(r.values[kSpeedOff] / r.seconds, 1.0) -
           0.2 * std::min(std::fabs(r.sideways), 2.0);
  };
  return search;
}

std::unique_ptr<LearningJob> MakeJob(const LearningRequest& request, const Workers& workers,
                                     std::vector<std::string>* warnings) {
  auto plan = std::make_shared<Plan>();
  plan->request = request;
  plan->workers = &workers;
  SearchSettings& settings = plan->settings;
  for (const std::string& text : request.settings) SetConfigValue(text, &settings);
  std::vector<double> start = SimbiconStartParameters(settings.gait);
  std::string character = request.character.empty() ? "liu16" : request.character;
  if (request.Has("from")) {
    const Skill skill = LoadSkillOf("simbicon", request.Text("from"));
    start = SimbiconParametersOf(skill);
    plan->from = skill.provenance;
    if (request.character.empty()) plan->world.actors = {skill.character};
  }
  if (plan->world.actors.empty()) plan->world.actors = {LoadCharacter(character, warnings)};
  if (const std::string why = RefusesLegs(plan->character()); !why.empty()) {
    throw InputError(
        fmt::format("'{}' cannot walk by this method: {}", plan->character().name, why));
  }
  plan->stand = StandOn(plan->character(), plan->world.terrain);
  plan->world.contact.passes = 2;  // as rough as other learning
  plan->usual = Batch(plan->world).DefaultConditions();

  using Found = std::vector<std::vector<double>>;
  std::vector<SearchStage> stages;
  if (settings.iterations > 0) {
    stages.push_back({settings.gait, "iterations",
                      [plan](const Found& found) { return WalkSearch(plan, found.back()); }});
  }
  if (settings.robust_iterations > 0) {
    for (const double share : {0.5, 0.8, 1.0}) {
      const double pushes = share * settings.robust;
      stages.push_back(
          {fmt::format("pushes {:g}", pushes), "robust_iterations",
           [=](const Found& found) { return RobustSearch(plan, pushes, found.back()); }});
    }
  }
  if (settings.stop_iterations > 0) {
    stages.push_back({"stop", "stop_iterations",
                      [plan](const Found& found) { return StopSearch(plan, found.back()); }});
  }
  if (stages.empty()) {
    throw InputError(
        "nothing to learn: iterations, robust_iterations and stop_iterations are all 0");
  }
  return MakeStagedSearch(std::move(stages), std::move(start), workers);
}

}  // namespace

LearningMethod SimbiconLearning() {
  return {.name = "simbicon",
          .summary = "A walk or a run without motion data",
          .examples = {"stride learn simbicon -o walker.skill --speed 1.2",
                       "stride learn simbicon -o runner.skill --gait run --speed 3"},
          .options = {{"from", "Skill of this method to begin with"},
                      {"gait", "walk or run", LearningOption::Kind::kSetting, "gait"},
                      {"speed", "To walk or run at, m/s", LearningOption::Kind::kSetting, "speed"}},
          .schema = ConfigSchema<SearchSettings>,
          .make = MakeJob};
}

}  // namespace stride
