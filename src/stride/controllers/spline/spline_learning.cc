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
#include "stride/controllers/skill_library.h"
#include "stride/controllers/spline/spline.h"
#include "stride/controllers/spline/spline_fit.h"
#include "stride/controllers/spline/spline_fitness.h"
#include "stride/controllers/spline/spline_genome.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/core/hash.h"
#include "stride/core/random.h"
#include "stride/learn/parameter_search.h"
#include "stride/motion/import/motion_source.h"
#include "stride/optim/cma_es.h"
#include "stride/scenario/ground.h"
#include "stride/scenario/placement.h"
#include "stride/scenario/variation.h"
#include "stride/sim/batch.h"

// `stride learn spline`: a gait of any body by evolution (section IV).
namespace stride {
namespace {

struct Settings {
  std::string fitness = "staged", optimizer = "ga", symmetry = "auto", feedback;
  int layers = 3;
  int generations = 500, population = 50, servo_generations = 30, fit_generations = 150;
  int in_points = 2, cycle_points = 4, out_points = 2;
  double speed = 0, seconds = 10, goal_seconds = 20, reach = 0.6, fit_reach = 0.5, shortest = 0.4;
  double sigma = 0.4;
  bool servos = false, redraw = false;
  int trials = 4;
  double vary = 1, disturbance = 0;
  GeneticOptions genetic;
  WorldVariation variation{.stiffness = 3, .damping = 2, .friction = 1.5, .gains = 1.15};
};
template <class Visitor>
void VisitConfig(Settings& s, Visitor& visit) {
  visit("fitness", s.fitness,
        {"staged", "distance", "wander", "goal", "speed", "fnd", "dfnd", "dfndf", "dfndfa",
         "dfndfo", "path", "static", "wave", "jump", "turn"},
        "what a gait is worth; staged: distance, then wander, then goal (paper)");
  visit("optimizer", s.optimizer, {"ga", "cma"}, "genetic algorithm (paper) or CMA-ES");
  visit("symmetry", s.symmetry, {"auto", "none", "alternate", "together"},
        "how a side follows the other: half a cycle later, or at once; auto: alternate where the "
        "body is symmetric");
  visit("feedback", s.feedback, {},
        "sensor of the surfaces: inclination (paper), roll, inclination_rate, roll_rate, height, "
        "speed, sideways, contact:BODY; several by commas, whose surfaces are added; none");
  visit("layers", s.layers, {2, kMostCurvePoints}, "samples of the sensor");
  visit("generations", s.generations, {0, 100000}, "of all phases of the fitness together");
  visit("population", s.population, {4, 100000}, "individuals of a generation");
  visit("servo_generations", s.servo_generations, {0, 100000},
        "of the phase that evolves the servos' gains");
  visit("fit_generations", s.fit_generations, {0, 100000},
        "after a clip was fitted, in three phases (paper: 30)");
  visit("in_points", s.in_points, {0, kMostCurvePoints}, "control points of the blend in");
  visit("cycle_points", s.cycle_points, {1, kMostCurvePoints}, "control points of the cycle");
  visit("out_points", s.out_points, {0, kMostCurvePoints}, "control points of the blend out");
  visit("speed", s.speed, {0, 20, "m/s"}, "to go at; 0: by the body's height");
  visit("seconds", s.seconds, {1, 100, "s"}, "of a trial");
  visit("goal_seconds", s.goal_seconds, {2, 100, "s"}, "of a trial that stops in the end");
  visit("reach", s.reach, {0.01, 4, "rad"}, "how far control points may lie from rest");
  visit("fit_reach", s.fit_reach, {0.01, 4, "rad"},
        "how far control points may lie from those of a fitted clip");
  visit("shortest", s.shortest, {0.05, 1.2},
        "cycle that is tried, in swings of a pendulum of half the body's size");
  visit("servos", s.servos, "the servos' gains evolve with the curves, not after them alone");
  visit("sigma", s.sigma, {0.001, 2}, "first spread of CMA-ES, in quarters of a gene's range");
  visit("trials", s.trials, {1, 64}, "of each candidate, each in a world of its own");
  visit("vary", s.vary, {0, 1}, "how much of the variation these worlds have; 0: all are the same");
  visit(
      "redraw", s.redraw,
      "in the last phase each generation has other worlds, and begins elsewhere on rugged ground; "
      "what is best in further ones is the result (no: one test for all generations)");
  visit("disturbance", s.disturbance, {0, 1000, "N"}, "random push of the trunk in all but one");
  visit("selection", s.genetic.selection, {"roulette", "rank"}, "how parents are drawn");
  visit("pressure", s.genetic.pressure, {1, 2}, "of selection by rank");
  visit("crossover", s.genetic.crossover, {0, 1}, "probability that parents are crossed");
  visit("mutation_rate", s.genetic.mutation_rate, {0, 1}, "probability that one bit flips");
  visit("elite", s.genetic.elite, {0, 1000}, "so many of the best live on");
  VisitConfig(s.variation, visit);
}

constexpr double kRestSeconds = 2;  // at the end of a trial that stops
// A sixth of the generations for each phase but the last: going forwards is learned soon, stopping
// takes most of the time.
constexpr int kEarlyShare = 6;
constexpr double kFieldHalfSide = 30;  // m, of rugged ground: none runs off it in a trial
// Where trials begin anywhere within the first of these, from the middle.
constexpr double kBeginHalfSide = 20, kWideHalfSide = 50;
constexpr int kValidateEvery = 10, kValidationTrials = 64;

struct Plan {
  LearningRequest request;
  Settings settings;
  const Workers* workers = nullptr;
  World world;
  State stand;
  LaneConditions usual;
  SplineBody body;
  SplineGait gait;                // its shape, and where the search begins
  std::vector<Terrain> terrains;  // of the trials; empty: a plane
  double speed = 0, height = 0;
  bool looks_at_support = false;  // which costs time
  std::optional<SplineFit> fit;
  std::string clip, clip_hash;
  const Character& character() const { return world.actors[0]; }
};

// When a trial is told to stop: early enough to blend out and to rest.
double StopAt(const Settings& s) { return 0.7 * s.goal_seconds; }

SplineTrial TrialOf(const Plan& plan, bool stops) {
  const Settings& s = plan.settings;
  const double seconds = stops ? s.goal_seconds : s.seconds;
  return {.seconds = seconds,
          .height = plan.height,
          .goal = plan.speed * (stops ? StopAt(s) : seconds),
          .stops = stops,
          .stop_at = StopAt(s)};
}

RolloutSetup SetupOf(const Plan& plan, const SplineTrial& trial, const Terrain* terrain) {
  RolloutSetup setup;
  setup.character = plan.character();
  setup.scenario.seconds = trial.seconds;
  setup.scenario.world.contact = plan.world.contact;
  setup.scenario.world.time_step = plan.world.time_step;
  setup.scenario.world.friction = plan.world.friction;
  setup.scenario.disturbance = plan.settings.disturbance;
  if (terrain) setup.scenario.world.terrain = *terrain;
  if (trial.stops) setup.scenario.commands = {{.at = StopAt(plan.settings), .speed = 0}};
  SplineProgram program = MakeSplineProgram(plan.world, plan.stand, plan.body, plan.gait);
  program.measures = true;
  program.meter.still_from = trial.seconds - kRestSeconds;
  program.meter.goal_speed = plan.speed;
  program.meter.support = plan.looks_at_support;
  program.meter.goal_seconds = trial.seconds - 1;
  setup.driver = DriveByProgram(MakeLaneProgram(program));
  return setup;
}

// On the level, alone.
RolloutResult Alone(const Plan& plan, const SplineTrial& trial,
                    std::span<const double> parameters) {
  Plan calm = plan;
  calm.settings.disturbance = 0;
  calm.looks_at_support = true;
  return Rollouts(SetupOf(calm, trial, nullptr), *plan.workers).Run(1, [&](int, Rollout* one) {
    one->parameters.assign(parameters.begin(), parameters.end());
    one->start = plan.stand;
  })[0];
}

// What of what was asked for the gait does not do.
std::string ShortfallOf(const Plan& plan, const RolloutResult& alone, const RolloutResult& rests) {
  using V = SplineMeter;
  const std::string& fitness = plan.settings.fitness;
  if (alone.fell || alone.failed) {
    return fmt::format("the gait falls after {:.1f} of {:g} s", alone.seconds,
                       plan.settings.goal_seconds);
  }
  const double least = 0.5 * plan.speed * alone.seconds, ahead = alone.values[V::kForwards];
  if ((fitness == "staged" || fitness == "static" || fitness == "wave") && ahead < least) {
    return fmt::format("the gait goes {:.2f} m; half of what was asked for is {:.2f}", ahead,
                       least);
  }
  const double flight = alone.values[V::kFlight] / alone.seconds;
  if (fitness == "jump" && flight < 0.05) {
    return fmt::format("it is in flight for {:.1f} % of the time; expected 5 or more",
                       100 * flight);
  }
  if (fitness == "wave" && alone.values[V::kWave] < 0.2) {
    return fmt::format("its joints make no wave that travels: {:.2f}; expected 0.2 or more",
                       alone.values[V::kWave]);
  }
  const double unsupported = alone.values[V::kUnsupported] / alone.seconds;
  if (fitness == "static" && (unsupported > 0.1 || flight > 0.001)) {
    return fmt::format(
        "its centre of mass is not over its feet for {:.0f} % of the time, {:.1f} % of it in "
        "flight; expected at most 10 and none",
        100 * unsupported, 100 * flight);
  }
  if ((fitness == "staged" || FindSplineFitness(fitness).stops) && (rests.fell || rests.failed)) {
    return fmt::format("told to stop, it falls after {:.1f} s", rests.seconds);
  }
  return "";
}

// How far the points of a cycle are from those of another, root mean square, rad.
double MovedFrom(const SplineGait& from, const SplineGait& to) {
  double square = 0;
  int count = 0;
  for (std::size_t a = 0; a < from.curves.size(); ++a) {
    for (std::size_t k = 0; k < from.curves[a].cycle.values.size(); ++k, ++count) {
      const double moved = to.curves[a].cycle.values[k] - from.curves[a].cycle.values[k];
      square += moved * moved;
    }
  }
  return std::sqrt(square / std::max(count, 1));
}

LearningResult ResultOf(const Plan& plan, std::span<const double> found, double best_return) {
  using V = SplineMeter;
  const Settings& settings = plan.settings;
  const SplineGait gait = WithParameters(plan.gait, found);
  const SplineTrial goes{.seconds = settings.goal_seconds, .height = plan.height, .goal = 1};
  const RolloutResult alone = Alone(plan, goes, found);
  const RolloutResult rests = Alone(plan, TrialOf(plan, true), found);
  const double speed = alone.values[V::kForwards] / alone.seconds;
  const double aside =
      std::atan2(alone.values[V::kSideways], alone.values[V::kForwards]) * 180 / std::numbers::pi;
  const double unrest = rests.values[V::kUnrest];
  const std::string& name = plan.character().name;
  Skill skill{.name = plan.request.name.empty() ? name + "_gait" : plan.request.name,
              .controller = "spline",
              .description = fmt::format("splines of {}, {} fitness, {:.2f} m/s", name,
                                         settings.fitness, speed),
              .character = plan.character(),
              .start = plan.stand,
              .wishes = {.time_step = plan.world.time_step},
              .provenance = {{"method", "spline"},
                             {"seed", plan.request.seed},
                             {"stride", STRIDE_VERSION},
                             {"instruction_set", Batch::ChosenInstructionSet()},
                             {"settings", ConfigToJson(settings)}},
              .metrics = {{"seconds", alone.seconds},
                          {"speed", speed},
                          {"distance", alone.values[V::kForwards]},
                          {"aside_deg", aside},
                          {"flight", alone.values[V::kFlight] / alone.seconds},
                          {"rise", alone.values[V::kRise]},
                          {"unsupported", alone.values[V::kUnsupported] / alone.seconds},
                          {"slip", alone.values[V::kSlip] / alone.seconds},
                          {"wave", alone.values[V::kWave]},
                          {"turned", alone.values[V::kTurned]},
                          {"stops", !rests.fell && !rests.failed},
                          {"rest_speed", unrest},
                          {"cost_of_transport", alone.cost_of_transport},
                          {"return", best_return}},
              .payload = ToJson(plan.character(), plan.body, gait)};
  if (plan.fit) {
    skill.provenance["clip"] = plan.clip;
    skill.metrics["fit_error_deg"] = plan.fit->error * 180 / std::numbers::pi;
    skill.metrics["moved_deg"] = MovedFrom(plan.fit->gait, gait) * 180 / std::numbers::pi;
  }
  LearningResult result;
  result.lines = {
      {"gait", fmt::format("{}, {} curves, cycle of {:.2f} s", name, gait.curves.size(),
                           gait.cycle_seconds)},
      {"alone", fmt::format("{:.1f} of {:g} s, {:.2f} m at {:.2f} m/s, {:.0f} degrees aside",
                            alone.seconds, goes.seconds, alone.values[V::kForwards], speed, aside)},
      {"stop", rests.fell ? fmt::format("falls after {:.1f} s", rests.seconds)
                          : fmt::format("at rest up to {:.3f} m/s", unrest)},
      {"return", fmt::format("{:.4f}", best_return)}};
  result.shortfall = ShortfallOf(plan, alone, rests);
  result.json = {{"character", name},
                 {"skill", plan.request.out},
                 {"seed", plan.request.seed},
                 {"metrics", skill.metrics},
                 {"settings", ConfigToJson(settings)}};
  result.files = {{plan.request.out, SkillText(skill)}};
  return result;
}

// One phase of the evolution.
struct Phase {
  std::string fitness;
  int generations = 0;
  GenomeParts parts;
  bool follow = false;                 // blends follow the cycle instead of having genes
  bool fresh = false;                  // nothing found yet is worth to begin from
  int index = 0;                       // of its random numbers
  const char* length = "generations";  // the setting that says how many
};

std::unique_ptr<Optimizer> OptimizerOf(const Plan& plan, const Phase& phase,
                                       const SplineGenome& genome,
                                       std::span<const double> parameters) {
  const Settings& s = plan.settings;
  const std::uint64_t seed = plan.request.seed + 1000003ull * static_cast<unsigned>(phase.index);
  const std::vector<double> start = genome.GenesOf(parameters);
  if (s.optimizer == "ga") {
    GeneticOptions options = s.genetic;
    options.population = s.population;
    return std::make_unique<Genetic>(options, seed, genome.Genes(),
                                     phase.fresh && !plan.fit ? std::span<const double>() : start);
  }
  CmaOptions options;
  options.population = s.population;
  options.sigma = phase.fresh ? s.sigma : 0.4 * s.sigma;
  SearchSpace space{.start = start};
  for (const Gene& gene : genome.Genes()) {
    space.scales.push_back((gene.high - gene.low) / 4);
    space.lower.push_back(gene.low);
    space.upper.push_back(gene.high);
  }
  return std::make_unique<CmaEs>(options, seed, space);
}

// Anywhere on a field, on the ground there.
void BeginElsewhere(const Plan& plan, const Terrain& field, std::uint64_t stream, State* start) {
  Random random(stream, 0x5b13u);
  double* at = start->q.data();
  at[0] += random.Uniform(-kBeginHalfSide, kBeginHalfSide);
  at[1] += random.Uniform(-kBeginHalfSide, kBeginHalfSide);
  // From below all of it.
  at[2] -= 2 * *std::max_element(field.heights.begin(), field.heights.end());
  RaiseFromGround(plan.character(), field, start);
}

ParameterSearch SearchOf(const std::shared_ptr<const Plan>& plan, const Phase& phase,
                         const std::vector<double>& start) {
  const Settings& s = plan->settings;
  // Of a fitted clip: around the clip's points and times in each phase, not around what the phase
  // before has found, or they drift away from it (blends of 20 s, which stand).
  const auto genome =
      std::make_shared<const SplineGenome>(plan->character(), plan->body, plan->gait, phase.parts,
                                           phase.parts.around ? s.fit_reach : s.reach, s.shortest);
  const SplineFitness& fitness = FindSplineFitness(phase.fitness);
  const SplineTrial trial = TrialOf(*plan, fitness.stops && !phase.follow);
  ParameterSearch search;
  search.method = "spline";
  search.input = plan->clip;
  search.input_hash = plan->clip_hash;
  search.settings = ConfigToJson(s);
  search.seed = plan->request.seed;
  search.iterations = phase.generations;
  search.trials = s.trials;
  search.optimizer = OptimizerOf(*plan, phase, *genome, start);
  search.complete = [plan, genome, start, phase](std::span<const double> genes) {
    std::vector<double> all = genome->Complete(start, genes);
    if (!phase.follow) return all;
    SplineGait gait = WithParameters(plan->gait, all);
    BlendWithTheCycle(plan->body, &gait);
    return SplineParameters(gait);
  };
  search.rollouts = SetupOf(*plan, trial, plan->terrains.empty() ? nullptr : &plan->terrains[0]);
  for (std::size_t k = 1; k < plan->terrains.size(); ++k) {
    search.others.push_back(SetupOf(*plan, trial, &plan->terrains[k]));
  }
  if (!search.others.empty()) {
    search.setup = [count = static_cast<int>(plan->terrains.size())](int index) {
      return index % count;
    };
  }
  // The same worlds for all candidates of all generations: the best is the best of one test.
  // Not before there is a gait: who falls at once learns from small differences.
  const bool redraw = s.redraw && !phase.follow;
  search.noisy = search.alike = redraw;
  if (redraw) {
    search.validate_every = kValidateEvery;
    search.validation_trials = std::max(1, kValidationTrials / s.trials) * s.trials;
  }
  search.begin = [plan, redraw, servos = static_cast<int>(plan->body.servos.size())](
                     int index, std::uint64_t stream, Rollout* one) {
    const Settings& settings = plan->settings;
    one->start = plan->stand;
    one->stream = redraw ? stream : plan->request.seed * 64 + static_cast<unsigned>(index);
    one->pushed = index > 0;
    if (redraw && !plan->terrains.empty() && !plan->terrains[0].heights.empty()) {
      BeginElsewhere(*plan, plan->terrains[index % plan->terrains.size()], stream, &one->start);
    }
    if (index == 0 || settings.vary == 0) return;
    Random random = redraw ? Random(stream, 0x5b12u)
                           : Random(plan->request.seed, 0x5b11u, static_cast<unsigned>(index));
    WorldVariation variation = Narrowed(settings.variation, settings.vary);
    if (!plan->terrains.empty()) variation.slope = 0;
    const VariedWorld world = DrawWorld(variation, plan->usual, &random);
    one->conditions = world.conditions;
    for (int k = 0; k < servos; ++k) {
      double* gains = &one->parameters[SplineProgram::kGains + SplineProgram::kGainCount * k];
      gains[SplineProgram::kProportional] *= world.gains;
      gains[SplineProgram::kDerivative] *= world.gains;
    }
  };
  search.value = [trial, value = fitness.value](int, const RolloutResult& r) {
    return r.failed ? -10 : value(r, trial);
  };
  search.result = [plan](std::span<const double> found, double best_return) {
    return ResultOf(*plan, found, best_return);
  };
  return search;
}

std::vector<Phase> PhasesOf(const Plan& plan) {
  const Settings& s = plan.settings;
  const bool staged = s.fitness == "staged";
  const std::string last = staged ? "goal" : s.fitness;
  GenomeParts cycle{.cycle = true, .seconds = true, .servos = s.servos};
  GenomeParts all{.cycle = true, .blends = true, .seconds = true, .servos = s.servos};
  std::vector<Phase> phases;
  if (plan.fit) {
    // Near the clip all the way: first its cycle, then how it begins and ends.
    cycle.around = all.around = true;
    const int each = s.fit_generations / kEarlyShare;
    phases = {{staged ? "distance" : s.fitness, each, cycle, true, true},
              {staged ? "wander" : s.fitness, each, cycle, true},
              {last, s.fit_generations - 2 * each, all}};
    for (Phase& phase : phases) phase.length = "fit_generations";
  } else if (plan.request.Has("from")) {
    // What was evolved before is worth keeping: all of it at once, in the last phase's test.
    phases = {{last, s.generations, all}};
  } else if (staged) {
    const int each = s.generations / kEarlyShare;
    phases = {{"distance", each, cycle, true, true},
              {"wander", each, cycle, true},
              {"goal", s.generations - 2 * each, all}};
  } else {
    const int half = s.generations / 2;
    phases = {{s.fitness, half, cycle, true, true}, {s.fitness, s.generations - half, all}};
  }
  if (!plan.fit) {
    phases.push_back({last, s.servo_generations, {.servos = true}});
    phases.back().length = "servo_generations";
  }
  std::erase_if(phases, [](const Phase& phase) { return phase.generations == 0; });
  if (phases.empty()) throw InputError("nothing to learn: all generations are 0");
  return phases;
}

// Settings that the others leave without effect.
void RefuseWithoutEffect(const LearningRequest& request, const Settings& s) {
  if (s.optimizer == "cma") {
    request.RefuseSettings({"selection", "pressure", "crossover", "mutation_rate", "elite"},
                           "it is of the genetic algorithm, and the optimizer is cma");
  } else {
    request.RefuseSettings({"sigma"}, "it is of CMA-ES, and the optimizer is ga");
    if (s.genetic.selection == "roulette") {
      request.RefuseSettings({"pressure"}, "it is of the selection by rank");
    }
  }
  if (!request.Has("fit")) {
    request.RefuseSettings({"fit_generations", "fit_reach"}, "no clip is fitted (--fit)");
  }
  if (request.Has("from")) {
    request.RefuseSettings({"symmetry", "in_points", "cycle_points", "out_points"},
                           "it is that of the skill it begins with");
  }
  if (s.feedback.empty()) request.RefuseSettings({"layers"}, "there is no sensor (--feedback)");
}

// The first sensor's surface is the gait, the others' are added to it.
void AddFeedback(Plan* plan) {
  const Settings& s = plan->settings;
  SplineGait& gait = plan->gait;
  std::vector<std::string> names;
  for (std::size_t begin = 0; !s.feedback.empty() && begin <= s.feedback.size();) {
    const std::size_t end = std::min(s.feedback.find(',', begin), s.feedback.size());
    names.push_back(s.feedback.substr(begin, end - begin));
    begin = end + 1;
    if (names.back().empty() || std::count(names.begin(), names.end(), names.back()) > 1) {
      throw InputError(
          fmt::format("feedback '{}'; expected sensors by commas, each once", s.feedback));
    }
  }
  for (const std::string& name : names) {
    const SplineSensor sensor = SplineSensorOf(plan->character(), name);
    if (sensor.one_sided && s.symmetry != "none") {
      throw InputError(fmt::format(
          "the sensor '{}' tells the sides apart, which symmetry '{}' cannot; use --symmetry none",
          name, s.symmetry));
    }
    const bool known =
        gait.sensor == name || std::any_of(gait.further.begin(), gait.further.end(),
                                           [&](const auto& more) { return more.sensor == name; });
    if (known) continue;
    if (!gait.sensor.empty() || name != names[0]) {
      gait.AddFurther(name, SplineLayers(sensor, 2));
      continue;
    }
    gait.sensor = name;
    gait.layers = SplineLayers(sensor, s.layers);
    for (SplineGait::Curve& curve : gait.curves) {
      const std::vector<double> one = curve.cycle.values;
      for (int k = 1; k < s.layers; ++k) {
        curve.cycle.values.insert(curve.cycle.values.end(), one.begin(), one.end());
      }
    }
  }
}

std::unique_ptr<LearningJob> MakeJob(const LearningRequest& request, const Workers& workers,
                                     std::vector<std::string>* warnings) {
  auto plan = std::make_shared<Plan>();
  plan->request = request;
  plan->workers = &workers;
  Settings& s = plan->settings;
  for (const std::string& text : request.settings) SetConfigValue(text, &s);
  RefuseWithoutEffect(request, s);
  plan->world.actors = {
      LoadCharacter(request.character.empty() ? "biped" : request.character, warnings)};
  plan->body = SplineBodyOf(plan->character());
  plan->stand = StandOn(plan->character(), plan->world.terrain);
  plan->world.contact.passes = 2;  // as rough as other learning
  plan->usual = Batch(plan->world).DefaultConditions();
  if (request.Has("terrain")) {
    const Terrain first = ParseTerrain(request.Text("terrain"));
    plan->terrains = {first};
    // Further fields, so that none is learned by heart, of growing height, so that there is one
    // that can be crossed nearly.
    const std::string text = request.Text("terrain");
    const std::size_t comma = text.find(',');
    if (first.kind == Terrain::Kind::kHeightField && comma != std::string::npos) {
      const std::uint64_t seed = std::stoull(text.substr(text.find(':') + 1));
      const double amplitude = std::stod(text.substr(comma + 1));
      plan->terrains.clear();
      for (int k = 0; k < s.trials; ++k) {
        plan->terrains.push_back(RandomField(seed + k, amplitude * (k + 1) / s.trials,
                                             s.redraw ? kWideHalfSide : kFieldHalfSide));
      }
    }
  }
  const double height = RootFrameAt(plan->character(), plan->stand.q).offset.z;
  plan->height = CenterOfMassAt(plan->character(), plan->stand.q).z;
  plan->looks_at_support = s.fitness == "static";
  if (s.fitness == "wave" && VerticalPairs(plan->character()).empty()) {
    throw InputError(
        fmt::format("fitness 'wave' of '{}': it has no chain of hinges about the "
                    "vertical that a wave could travel along",
                    plan->character().name));
  }
  plan->speed = s.speed > 0 ? s.speed : 0.2 * std::sqrt(9.81 * std::max(height, 0.06));

  if (s.symmetry == "auto") s.symmetry = plan->body.symmetric ? "alternate" : "none";
  if (s.symmetry != "none" && !plan->body.symmetric) {
    throw InputError(
        fmt::format("symmetry '{}' of '{}': not every joint of it has a mirror image; use none",
                    s.symmetry, plan->character().name));
  }
  if (s.symmetry == "alternate" && s.cycle_points % 2 != 0) {
    throw InputError(
        fmt::format("{} points of a cycle cannot be half a cycle apart; expected an even number",
                    s.cycle_points));
  }
  std::vector<double> start;
  if (request.Has("from")) {
    const Skill skill = LoadSkillOf("spline", request.Text("from"));
    const SplineBody of = SplineBodyOf(skill.character);
    plan->gait = SplineGaitOf(skill.character, of, JsonNode(skill.payload, request.Text("from")));
    if (of.actuators.size() != plan->body.actuators.size()) {
      throw InputError(fmt::format("'{}' has {} curves; '{}' needs {}", request.Text("from"),
                                   of.actuators.size(), plan->character().name,
                                   plan->body.actuators.size()));
    }
    s.symmetry = plan->gait.symmetry;
  } else {
    plan->gait = RestGait(plan->body, s.in_points, s.cycle_points, s.out_points);
    plan->gait.symmetry = s.symmetry;
  }
  AddFeedback(plan.get());
  if (request.Has("fit")) {
    if (request.Has("from")) throw InputError("--fit and --from: expected one of them");
    plan->clip = request.Text("fit");
    MotionSource source = LoadAnyMotion(
        plan->clip, request.character.empty() ? plan->character().name : request.character);
    if (warnings) {
      warnings->insert(warnings->end(), source.warnings.begin(), source.warnings.end());
    }
    plan->clip_hash = HashOf(MotionText(source.motion));
    plan->fit = FitSplines(plan->character(), plan->body, source.motion, plan->gait);
    plan->gait = plan->fit->gait;
    if (s.speed <= 0 && plan->fit->speed > 0.1) plan->speed = plan->fit->speed;
  }
  std::vector<Phase> phases = PhasesOf(*plan);
  std::vector<SearchStage> stages;
  for (std::size_t k = 0; k < phases.size(); ++k) {
    phases[k].index = static_cast<int>(k);
    const std::string name = phases[k].parts.servos && !phases[k].parts.cycle
                                 ? "servos"
                                 : fmt::format("{} {}", k + 1, phases[k].fitness);
    stages.push_back({name, phases[k].length,
                      [plan, phase = phases[k]](const std::vector<std::vector<double>>& found) {
                        return SearchOf(plan, phase, found.back());
                      }});
  }
  return MakeStagedSearch(std::move(stages), SplineParameters(plan->gait), workers);
}

}  // namespace

LearningMethod SplineLearning() {
  using Kind = LearningOption::Kind;
  return {
      .name = "spline",
      .summary = "A gait of any body, by evolution of control curves",
      .examples = {"stride learn spline --character biped -o biped.skill",
                   "stride learn spline --character six_legs.xml -o six.skill --optimizer cma",
                   "stride learn spline --character biped -o rugged.skill --terrain "
                   "field:1,0.03 --feedback inclination"},
      .options = {{"fitness", "What a gait is worth", Kind::kSetting, "fitness"},
                  {"generations", "Of the evolution", Kind::kSetting, "generations"},
                  {"population", "Individuals of a generation", Kind::kSetting, "population"},
                  {"optimizer", "ga or cma", Kind::kSetting, "optimizer"},
                  {"symmetry", "auto, none, alternate or together", Kind::kSetting, "symmetry"},
                  {"feedback", "Sensor of the feedback", Kind::kSetting, "feedback"},
                  {"speed", "To go at, m/s", Kind::kSetting, "speed"},
                  {"terrain",
                   "Ground of the trials: steps:RISE,DEPTH,COUNT or "
                   "field:SEED,AMPLITUDE (each trial has its own field, of growing height)"},
                  {"fit", "Clip (a motion's name or file) to begin with: points by least squares"},
                  {"from", "Skill of this method to begin with, of a like body"}},
      .schema = ConfigSchema<Settings>,
      .make = MakeJob};
}

}  // namespace stride
