#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "stride/character/library.h"
#include "stride/control/program_controller.h"
#include "stride/controllers/registry.h"
#include "stride/controllers/simbicon/simbicon_program.h"
#include "stride/controllers/skill_library.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/core/json_node.h"
#include "stride/learn/parameter_search.h"
#include "stride/optim/cma_es.h"
#include "stride/scenario/placement.h"
#include "stride/scenario/variation.h"

namespace stride {

std::vector<DebugChannel> SimbiconProgram::Channels() const {
  using Kind = DebugChannel::Kind;
  return {{"stance", "0 left, 1 right", Kind::kScalar},
          {"phase", "0 lifts, 1 puts down", Kind::kScalar},
          {"distance ahead of the stance ankle", "m", Kind::kScalar},
          {"velocity of the centre of mass", "m/s", Kind::kScalar}};
}

void SimbiconProgram::ReadChannels(const double* memory, std::span<float> values) const {
  values[0] = static_cast<float>(memory[kStance]);
  values[1] = static_cast<float>(memory[kPhase]);
  values[2] = static_cast<float>(memory[kDistance]);
  values[3] = static_cast<float>(memory[kVelocity]);
}

namespace simbicon_controller {
namespace {

using P = SimbiconParameter;

// Names, the walk in 3D that public programs quote after Yin 2007 (ankles are ours: in the world
// for the swing foot), and how far the search looks at first.
struct ParameterInfo {
  const char* name;
  const char* unit;
  double start, scale, lower, upper;
};
constexpr ParameterInfo kParameters[P::kCount] = {
    {"lift_seconds", "s", 0.3, 0.05, 0.2, 0.5},
    {"swing_hip_lift", "rad", 0.5, 0.15, 0, 1},
    {"swing_hip_down", "rad", -0.1, 0.15, -0.6, 0.6},
    {"swing_knee_lift", "rad", 1.1, 0.2, 0.4, 1.6},
    {"swing_knee_down", "rad", 0.05, 0.1, 0, 0.6},
    {"swing_ankle_lift", "rad", 0.1, 0.1, -0.4, 0.6},
    {"swing_ankle_down", "rad", 0.05, 0.1, -0.3, 0.5},
    {"stance_knee_lift", "rad", 0.05, 0.1, 0, 0.5},
    {"stance_knee_down", "rad", 0.1, 0.1, 0, 0.5},
    {"stance_ankle_lift", "rad", 0, 0.1, -0.5, 0.5},
    {"stance_ankle_down", "rad", 0, 0.1, -0.5, 0.5},
    {"distance_sagittal", "rad/m", 0.5, 0.2, -1, 3},
    {"velocity_sagittal", "rad s/m", 0.2, 0.1, 0, 1},
    {"distance_coronal", "rad/m", 0.5, 0.2, 0, 3},
    {"velocity_coronal", "rad s/m", 0.2, 0.1, 0, 1.5},
    {"ankle_feedback", "rad/m", 0.2, 0.1, 0, 1},
    {"torso_pitch", "rad", 0.05, 0.05, -0.02, 0.1},
    {"stance_width", "rad", 0.05, 0.05, -0.1, 0.3},
    {"arm_swing", "", 0.5, 0.1, 0.3, 0.8},
};

constexpr double kPublishedSpeed = 0.3;  // m/s, of the published numbers on liu16

SimbiconProgram ProgramOf(const World& world, const State& stand) {
  const Character& character = world.actors[0];
  SimbiconProgram program;
  program.drives = DrivesOf(character, HoldPose(character, stand.q, world.gravity));
  for (int side = 0; side < 2; ++side) {
    const LegRoles& roles = kSides[side];
    const auto joint = [&](Role role) -> const Joint& {
      return character.bodies[character.BodyOf(role)].joint;
    };
    program.legs[side] = {.hip = ChainOf(character, roles.thigh),
                          .knee = ChainOf(character, roles.shank),
                          .ankle = ChainOf(character, roles.foot),
                          .foot = character.BodyOf(roles.foot),
                          .toe = character.BodyOf(roles.toe),
                          .hip_kp = joint(roles.thigh).kp,
                          .hip_kd = joint(roles.thigh).kd,
                          .knee_kp = joint(roles.shank).kp,
                          .knee_kd = joint(roles.shank).kd,
                          .ankle_kp = joint(roles.foot).kp,
                          .ankle_kd = joint(roles.foot).kd};
  }
  for (int side = 0; side < 2; ++side) {
    program.arms[side] = ChainOf(character, kSides[side].arm);
  }
  return program;
}

nlohmann::ordered_json PayloadOf(std::span<const double> parameters) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (int k = 0; k < P::kCount; ++k) json[kParameters[k].name] = parameters[k];
  return {{"parameters", json}};
}

std::vector<double> ParametersOf(const Skill& skill) {
  const JsonNode node = JsonNode(skill.payload, "payload")["parameters"];
  std::vector<double> parameters;
  for (const ParameterInfo& info : kParameters) parameters.push_back(node[info.name].Number());
  return parameters;
}

std::vector<double> StartParameters() {
  std::vector<double> start;
  for (const ParameterInfo& info : kParameters) start.push_back(info.start);
  return start;
}

std::vector<double> ParametersOf(const ControllerInput& input) {
  return input.skill ? ParametersOf(*input.skill) : StartParameters();
}

SimbiconProgram ProgramOf(const ControllerInput& input) {
  SimbiconProgram program = ProgramOf(input.world, input.stand);
  program.own_speed = kPublishedSpeed;
  if (input.skill) program.own_speed = JsonNode(input.skill->metrics, "metrics")["speed"].Number();
  ConfigFromJson(input.config, "simbicon", &program);
  return program;
}

constexpr double kAloneSeconds = 100;  // a walk that is found is tried as long

struct SearchSettings {
  double speed = 1.0;
  int iterations = 150, population = 64, trials = 4;
  double seconds = 10, push = 120, push_seconds = 0.2, push_every = 2;
  double sigma = 0.5, faith = 1;
};
template <class Visitor>
void VisitConfig(SearchSettings& s, Visitor& visit) {
  visit("speed", s.speed, {0, 3, "m/s"}, "to walk at");
  visit("iterations", s.iterations, {1, 10000}, "of the search");
  visit("population", s.population, {4, 10000}, "candidates an iteration");
  visit("trials", s.trials, {1, 64}, "of each candidate, with pushes and a ground of their own");
  visit("seconds", s.seconds, {1, 100, "s"}, "of a trial");
  visit("push", s.push, {0, 1000, "N"}, "spread of the random pushes of a trial");
  visit("push_seconds", s.push_seconds, {0.01, 2, "s"}, "of a push");
  visit("push_every", s.push_every, {0.5, 20, "s"}, "from one push to the next");
  visit("faith", s.faith, {0, 10}, "weight of speed, direction and effort against not falling");
  visit("sigma", s.sigma, {0.001, 2}, "how far the search looks at first, in usual spreads");
}

std::unique_ptr<LearningJob> MakeJob(const LearningRequest& request, const Workers& workers,
                                     std::vector<std::string>* warnings) {
  SearchSettings settings;
  for (const std::string& text : request.settings) SetConfigValue(text, &settings);
  World world;
  world.actors = {LoadCharacter(request.character.empty() ? "liu16" : request.character, warnings)};
  const Character& character = world.actors[0];
  if (const std::string why = RefusesLegs(character); !why.empty()) {
    throw InputError(fmt::format("'{}' cannot walk by this method: {}", character.name, why));
  }
  const State stand = StandOn(character, world.terrain);
  world.contact.passes = 2;  // as rough as other learning

  ParameterSearch search;
  search.method = "simbicon";
  search.settings = ConfigToJson(settings);
  search.seed = request.seed;
  search.iterations = settings.iterations;
  search.trials = settings.trials;
  search.noisy = true;
  search.rollouts.character = character;
  search.rollouts.scenario.seconds = settings.seconds;
  search.rollouts.scenario.world.contact = world.contact;
  if (settings.push > 0) {
    search.rollouts.scenario.random_pushes = RandomPushes{.duration = settings.push_seconds,
                                                          .every = settings.push_every,
                                                          .sigma = settings.push,
                                                          .sigma_growth = 0};
  }
  search.rollouts.driver = DriveByProgram(MakeLaneProgram(ProgramOf(world, stand)));
  CmaOptions options;
  options.population = settings.population;
  options.sigma = settings.sigma;
  SearchSpace space{.start = request.Has("from") ? ParametersOf(LoadSkill(request.Text("from")))
                                                 : StartParameters()};
  for (const ParameterInfo& info : kParameters) {
    space.scales.push_back(info.scale);
    space.lower.push_back(info.lower);
    space.upper.push_back(info.upper);
  }
  search.optimizer = std::make_unique<CmaEs>(options, request.seed, space);
  const LaneConditions usual = Batch(world).DefaultConditions();
  search.begin = [stand, usual](int, std::uint64_t stream, Rollout* trial) {
    Random random(stream);
    trial->start = stand;
    trial->pushed = random.Uniform() < 0.5;  // what is asked for is asked of an even walk too
    trial->conditions = DrawWorld({.gains = 1}, usual, &random).conditions;
  };
  search.value = [settings](int, const RolloutResult& r) {
    const double off = std::fabs(r.forwards / r.seconds - settings.speed);
    const double aside = std::fabs(r.sideways) / r.seconds;
    const double keeps = std::min(off, 1.0) + std::min(aside, 1.0);
    return r.seconds / settings.seconds * (1 + settings.faith * (2 - keeps)) -
           0.05 * settings.faith * std::min(r.cost_of_transport, 5.0);
  };
  RolloutSetup alone = search.rollouts;
  alone.scenario.random_pushes.reset();
  alone.scenario.seconds = kAloneSeconds;
  search.result = [=, &workers](std::span<const double> found, double best_return) {
    const RolloutResult walk = Rollouts(alone, workers).Run(1, [&](int, Rollout* trial) {
      trial->parameters.assign(found.begin(), found.end());
      trial->start = stand;
    })[0];
    const double speed = walk.forwards / walk.seconds;
    const Skill skill{.name = request.name.empty() ? "walker" : request.name,
                      .controller = "simbicon",
                      .description = fmt::format("SIMBICON walk at {:g} m/s on {}", settings.speed,
                                                 character.name),
                      .character = character,
                      .start = stand,
                      .wishes = {.time_step = world.time_step},
                      .provenance = {{"method", "simbicon"},
                                     {"seed", request.seed},
                                     {"stride", STRIDE_VERSION},
                                     {"settings", ConfigToJson(settings)}},
                      .metrics = {{"seconds_of_100", walk.seconds},
                                  {"speed", speed},
                                  {"speed_asked", settings.speed},
                                  {"sideways", walk.sideways},
                                  {"cost_of_transport", walk.cost_of_transport},
                                  {"return", best_return}},
                      .payload = PayloadOf(found)};
    LearningResult result;
    result.lines = {{"walker", fmt::format("{} at {:g} m/s", character.name, settings.speed)},
                    {"alone", fmt::format("{:.1f} of {:g} s at {:.2f} m/s, {:.2f} m aside",
                                          walk.seconds, kAloneSeconds, speed, walk.sideways)},
                    {"effort", fmt::format("cost of transport {:.2f}", walk.cost_of_transport)}};
    if (walk.fell || walk.failed) {
      result.shortfall =
          fmt::format("the walk falls after {:.1f} of {:g} s", walk.seconds, kAloneSeconds);
    } else if (std::fabs(speed - settings.speed) > 0.1 * settings.speed + 0.05) {
      result.shortfall =
          fmt::format("the walk goes at {:.2f} m/s; {:.2f} were asked for", speed, settings.speed);
    }
    result.json = {{"character", character.name},
                   {"skill", request.out},
                   {"seed", request.seed},
                   {"metrics", skill.metrics},
                   {"settings", ConfigToJson(settings)}};
    result.files = {{request.out, SkillText(skill)}};
    return result;
  };
  return MakeParameterSearch(std::move(search), workers);
}

}  // namespace

ControllerInfo Describe() {
  return {.name = "simbicon",
          .description =
              "walks without motion data: key poses and a swing foot placed by balance "
              "feedback (SIMBICON)",
          .make = [](const ControllerInput& input) -> std::unique_ptr<Controller> {
            return std::make_unique<ProgramController<SimbiconProgram>>(
                ProgramOf(input), input.world, input.stand, ParametersOf(input));
          },
          .schema = [] { return ConfigSchema<SimbiconProgram>(); },
          .refuses = RefusesLegs,
          .example = {.character = "liu16"},
          .lanes =
              [](const ControllerInput& input) {
                return MakeLaneProgram(ProgramOf(input), ParametersOf(input));
              },
          .learns = {{.name = "simbicon",
                      .summary = "A walk without motion data",
                      .examples = {"stride learn simbicon -o walker.skill --speed 1.2"},
                      .options = {{"from", "Skill of this method to begin with"},
                                  {"speed", "To walk at, m/s", LearningOption::Kind::kSetting,
                                   "speed"}},
                      .schema = ConfigSchema<SearchSettings>,
                      .make = MakeJob}},
          .check_skill = [](const Skill& skill) { ParametersOf(skill); }};
}

}  // namespace simbicon_controller
}  // namespace stride
