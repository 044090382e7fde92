#include "stride/controllers/pendulum/improve_pendulum.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/core/hash.h"
#include "stride/core/random.h"
#include "stride/learn/parameter_search.h"
#include "stride/optim/cma_es.h"
#include "stride/sim/batch.h"

namespace stride::pendulum_controller {
namespace {

constexpr double kWishedStep = 1.0 / 960;

// What is searched for, how far it looks for each at first, and between which bounds.
struct Searched {
  const char* key;
  double spread, lower, upper;
};
constexpr Searched kSearched[] = {{"planner.shift_ahead", 0.02, -0.2, 0.2},
                                  {"planner.shift_out", 0.01, -0.05, 0.1},
                                  {"planner.shift_gain", 0.03, 0, 0.4},
                                  {"planner.shift_gain_side", 0.03, 0, 0.4},
                                  {"planner.shift_integral", 0.02, 0, 0.3},
                                  {"planner.clearance", 0.01, 0, 0.12},
                                  {"planner.haste", 0.2, 0, 2},
                                  {"planner.haste_share", 0.03, 0.01, 1},
                                  {"planner.lateral", 0.1, 0, 1},
                                  {"planner.momentum_damping", 2, 0, 40},
                                  {"planner.momentum_share", 0.1, 0, 1},
                                  {"planner.most_step", 0.05, 0.4, 1},
                                  {"body.joint_stiffness", 20, 40, 400},
                                  {"body.joint_damping", 3, 5, 60},
                                  {"body.foot_stiffness", 40, 40, 600},
                                  {"body.foot_damping", 4, 5, 80},
                                  {"servo", 0.05, 0, 1}};
constexpr int kSearchedCount = static_cast<int>(std::size(kSearched));

struct Plan {
  LearningRequest request;
  MotionSource source;
  PendulumConfig config;
  ImproveSettings settings;
  const Workers* workers = nullptr;
  World world;
  std::shared_ptr<const PendulumRig> rig;
  State start;

  PendulumConfig With(std::span<const double> parameters) const {
    PendulumConfig changed = config;
    const std::vector<double*> places = PlacesIn(kSearched, &changed);
    for (int k = 0; k < kSearchedCount; ++k) *places[k] = parameters[k];
    return changed;
  }
};

// Trials of the search, and those that say whether it was worth it.
enum class Set : std::uint32_t { kSearch, kCheck };

// Trial `index`: an even one, pushed, told a speed and a heading, both.
Rollout TrialOf(const Plan& plan, Set set, int index) {
  const ImproveSettings& s = plan.settings;
  Random random(plan.request.seed, static_cast<std::uint32_t>(set), index);
  Rollout trial;
  trial.stream = (std::uint64_t{random.Bits()} << 32) | random.Bits();
  trial.pushed = index % 2 == 1;
  const double clip = plan.rig->reference.Speed();
  trial.command.speed = clip;
  trial.command.heading = 0;
  if (index % 4 >= 2) {
    trial.command.speed = clip * random.Uniform(s.slowest, s.fastest);
    trial.command.heading = random.Uniform(-s.turn, s.turn);
  }
  trial.start = plan.start;
  constexpr double kSpeed = 0.1, kRate = 0.2;  // m/s of the root and rad/s of the rest
  for (std::size_t k = 0; k < trial.start.v.size(); ++k) {
    trial.start.v[k] += (k < 3 ? kSpeed : kRate) * random.Normal();
  }
  return trial;
}

// Time until a fall, then velocity, then effort. Never worth less for standing longer.
double ValueOf(const Plan& plan, const Rollout& trial, const RolloutResult& r) {
  const Level2 wanted =
      Turned(plan.rig->reference.Direction() * *trial.command.speed, *trial.command.heading);
  const double off =
      std::hypot(r.forwards / r.seconds - wanted.x, r.sideways / r.seconds - wanted.y);
  const double keeps = 1 / (1 + 5 * off / std::max(0.5, *trial.command.speed));
  const double effort = 0.1 * std::min(r.cost_of_transport, 5.0) / 5;
  return r.seconds / plan.settings.seconds * (1 + keeps - effort);
}

RolloutSetup SetupOf(const std::shared_ptr<const Plan>& plan, double seconds) {
  RolloutSetup setup;
  setup.character = plan->source.character;
  setup.scenario.seconds = seconds;
  setup.scenario.world.time_step = plan->world.time_step;
  setup.scenario.random_pushes = RandomPushes{.duration = plan->settings.push_seconds,
                                              .every = plan->settings.push_every,
                                              .sigma = plan->settings.push,
                                              .sigma_growth = 0,
                                              .jitter = 0.5 * plan->settings.push_every};
  setup.driver = DriveByClones(setup.character, [plan](std::span<const double> parameters) {
    return std::make_unique<PendulumController>(plan->world, plan->rig, plan->With(parameters));
  });
  return setup;
}

struct Checked {
  double value = 0;
  int stood = 0;
};
Checked Check(const std::shared_ptr<const Plan>& plan, std::span<const double> parameters) {
  const std::vector<RolloutResult> results =
      Rollouts(SetupOf(plan, plan->settings.seconds), *plan->workers)
          .Run(plan->settings.checks, [&](int k, Rollout* trial) {
            *trial = TrialOf(*plan, Set::kCheck, k);
            trial->parameters.assign(parameters.begin(), parameters.end());
          });
  Checked checked;
  for (int k = 0; k < plan->settings.checks; ++k) {
    checked.value +=
        ValueOf(*plan, TrialOf(*plan, Set::kCheck, k), results[k]) / plan->settings.checks;
    if (!results[k].fell && !results[k].failed) ++checked.stood;
  }
  return checked;
}

RolloutResult Alone(const std::shared_ptr<const Plan>& plan, std::span<const double> parameters) {
  return Rollouts(SetupOf(plan, plan->settings.alone), *plan->workers)
      .Run(1, [&](int, Rollout* trial) {
        trial->start = plan->start;
        trial->pushed = false;
        trial->parameters.assign(parameters.begin(), parameters.end());
      })[0];
}

LearningResult ResultOf(const std::shared_ptr<const Plan>& plan, std::span<const double> start,
                        std::span<const double> found, double best_return) {
  const int checks = plan->settings.checks;
  const Checked before = Check(plan, start), after = Check(plan, found);
  // Who is no better is left as it was. Speed kept does not make up for a fall.
  const bool better = after.stood >= before.stood && after.value > before.value;
  const std::span<const double> kept = better ? found : start;
  const PendulumConfig config = plan->With(kept);
  const RolloutResult alone = Alone(plan, kept);
  const PendulumReference& ref = plan->rig->reference;
  const Motion& motion = plan->source.motion;
  const double speed = std::hypot(alone.forwards, alone.sideways) / alone.seconds;
  Skill skill{.name = plan->request.name.empty() ? motion.name : plan->request.name,
              .controller = "pendulum",
              .description = fmt::format("{} by a pendulum, improved off-line", motion.name),
              .character = plan->source.character,
              .wishes = {.time_step = kWishedStep},
              .provenance = {{"method", "pendulum"},
                             {"clip", motion.name},
                             {"clip_hash", HashOf(MotionText(motion))},
                             {"source", motion.source},
                             {"seed", plan->request.seed},
                             {"version", STRIDE_VERSION},
                             {"instruction_set", Batch::ChosenInstructionSet()},
                             {"improve", ConfigToJson(plan->settings)}},
              .metrics = {{"alone", alone.seconds},
                          {"speed", speed},
                          {"speed_of_the_clip", ref.Speed()},
                          {"fit_error", ref.FitError()},
                          {"checks", checks},
                          {"stood_before", before.stood},
                          {"stood", better ? after.stood : before.stood},
                          {"value_before", before.value},
                          {"value_found", after.value},
                          {"return", best_return}},
              .payload = PayloadOf({motion, config})};
  LearningResult result;
  result.lines = {
      {"clip", fmt::format("{} on {}", motion.name, plan->source.character.name)},
      {"checks", fmt::format("before {} of {} stand, worth {:.3f}; what was found {}, {:.3f}",
                             before.stood, checks, before.value, after.stood, after.value)},
      {"alone", fmt::format("{:.1f} of {:g} s", alone.seconds, plan->settings.alone)},
      {"speed", fmt::format("{:.2f} m/s; the clip's {:.2f}", speed, ref.Speed())}};
  if (alone.fell || alone.failed) {
    result.shortfall =
        fmt::format("it falls after {:.1f} of {:g} s", alone.seconds, plan->settings.alone);
  } else if (!better) {
    result.shortfall = fmt::format(
        "nothing better was found ({} of {} trials that the search did not see stand, worth "
        "{:.3f}; "
        "before {}, {:.3f}): the settings stay as they were; give it more improve.iterations",
        after.stood, checks, after.value, before.stood, before.value);
  }
  result.json = {{"clip", motion.name},        {"character", plan->source.character.name},
                 {"skill", plan->request.out}, {"seed", plan->request.seed},
                 {"metrics", skill.metrics},   {"config", ConfigToJson(config)}};
  result.files = {{plan->request.out, SkillText(skill)}};
  return result;
}

}  // namespace

std::unique_ptr<LearningJob> MakeImprovement(const LearningRequest& request,
                                             const MotionSource& source,
                                             const PendulumConfig& config,
                                             const ImproveSettings& settings,
                                             const Workers& workers) {
  auto plan = std::make_shared<Plan>();
  plan->request = request;
  plan->source = source;
  plan->config = config;
  plan->settings = settings;
  plan->workers = &workers;
  plan->world.actors = {source.character};
  plan->world.time_step = kWishedStep;
  plan->rig = std::make_shared<const PendulumRig>(source.character, source.motion);
  plan->start = PendulumPlanner(plan->rig, plan->world.terrain, config.planner).Start();

  SearchSpace space;
  const std::vector<double*> places = PlacesIn(kSearched, &plan->config);
  for (int k = 0; k < kSearchedCount; ++k) {
    const Searched& searched = kSearched[k];
    // Settings that were given may lie outside.
    space.lower.push_back(std::min(searched.lower, *places[k]));
    space.upper.push_back(std::max(searched.upper, *places[k]));
    space.start.push_back(*places[k]);
    space.scales.push_back(searched.spread);
  }
  const std::vector<double> start = space.start;
  CmaOptions options;
  options.population = settings.population;
  options.sigma = settings.sigma;

  ParameterSearch search;
  search.method = "pendulum";
  search.input = source.motion.name;
  search.input_hash = HashOf(MotionText(source.motion));
  search.settings = ConfigToJson(settings);
  search.settings["config"] = ConfigToJson(config);
  search.length = "iterations";
  search.seed = request.seed;
  search.optimizer = std::make_unique<CmaEs>(options, request.seed, std::move(space));
  search.iterations = settings.iterations;
  search.trials = settings.trials;
  search.rollouts = SetupOf(plan, settings.seconds);
  search.begin = [plan](int index, std::uint64_t, Rollout* trial) {
    // The same for all candidates: their ranks are no matter of luck.
    std::vector<double> parameters = std::move(trial->parameters);
    *trial = TrialOf(*plan, Set::kSearch, index);
    trial->parameters = std::move(parameters);
  };
  search.value = [plan](int index, const RolloutResult& r) {
    return ValueOf(*plan, TrialOf(*plan, Set::kSearch, index), r);
  };
  search.result = [plan, start](std::span<const double> found, double best_return) {
    return ResultOf(plan, start, found, best_return);
  };
  return MakeParameterSearch(std::move(search), workers);
}

}  // namespace stride::pendulum_controller
