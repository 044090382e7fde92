#include <memory>
#include <vector>

#include <fmt/format.h>

#include "stride/character/library.h"
#include "stride/control/program_controller.h"
#include "stride/controllers/registry.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/core/json_node.h"
#include "stride/learn/parameter_search.h"
#include "stride/optim/cma_es.h"
#include "stride/scenario/placement.h"
#include "toy_program.h"

// A method of learning in one file: what a sixth controller has to bring, and nothing else changes.
namespace stride::toy_controller {
namespace {

struct ToySettings {
  double height = 0.9;  // wanted, as a share of the stand's
  int iterations = 12, population = 16;
};
template <class Visitor>
void VisitConfig(ToySettings& s, Visitor& visit) {
  visit("height", s.height, {0.1, 1}, "height of the root to keep, as a share of the stand's");
  visit("iterations", s.iterations, {1, 1000}, "of the search");
  visit("population", s.population, {4, 1000}, "candidates an iteration");
}

ToyProgram ProgramOf(const World& world, const State& stand, double wanted) {
  const Character& character = world.actors[0];
  return {DrivesOf(character, HoldPose(character, stand.q, world.gravity)), wanted};
}

// What the payload of a skill holds.
struct Payload {
  double wanted = 0;
  std::vector<double> parameters;
};
Payload PayloadOf(const Skill& skill) {
  const JsonNode node(skill.payload, "payload");
  Payload payload{node["wanted"].Number(), node["parameters"].Numbers()};
  if (payload.parameters.size() != ToyProgram::kParameterCount) {
    node["parameters"].Fail(fmt::format("{} numbers", int{ToyProgram::kParameterCount}));
  }
  return payload;
}

std::unique_ptr<LearningJob> MakeJob(const LearningRequest& request, const Workers& workers,
                                     std::vector<std::string>* warnings) {
  ToySettings settings;
  for (const std::string& text : request.settings) SetConfigValue(text, &settings);
  World world;
  world.actors = {LoadCharacter(request.character.empty() ? "liu16" : request.character, warnings)};
  const State stand = StandOn(world.actors[0], world.terrain);
  const double wanted = settings.height * stand.q[2];

  ParameterSearch search;
  search.method = "toy";
  search.settings = ConfigToJson(settings);
  search.seed = request.seed;
  search.iterations = settings.iterations;
  search.length = "iterations";
  search.rollouts.character = world.actors[0];
  search.rollouts.scenario.seconds = 1;
  search.rollouts.driver = DriveByProgram(MakeLaneProgram(ProgramOf(world, stand, wanted)));
  CmaOptions options;
  options.population = settings.population;
  search.optimizer = std::make_unique<CmaEs>(
      options, request.seed, SearchSpace{.start = {0, 0, 5}, .scales = {0.2, 0.1, 3}});
  search.begin = [stand](int, std::uint64_t, Rollout* trial) { trial->start = stand; };
  search.value = [](int, const RolloutResult& r) { return r.seconds - 100 * r.values[0]; };
  search.result = [=, character = world.actors[0]](std::span<const double> found,
                                                   double best_return) {
    const Skill skill{.name = request.name.empty() ? "toy" : request.name,
                      .controller = "toy",
                      .description = "a toy",
                      .character = character,
                      .start = stand,
                      .provenance = {{"method", "toy"}, {"seed", request.seed}},
                      .metrics = {{"return", best_return}},
                      .payload = {{"wanted", wanted},
                                  {"parameters", std::vector<double>(found.begin(), found.end())}}};
    LearningResult result;
    result.lines = {{"toy", fmt::format("return {:.4f}", best_return)}};
    result.json = {{"skill", request.out}, {"return", best_return}};
    result.files = {{request.out, SkillText(skill)}};
    return result;
  };
  return MakeParameterSearch(std::move(search), workers);
}

}  // namespace

ControllerInfo Describe() {
  return {.name = "toy",
          .description = "a toy, for tests: leans to keep a height",
          .make = [](const ControllerInput& input) -> std::unique_ptr<Controller> {
            const Payload payload = PayloadOf(*input.skill);
            return std::make_unique<ProgramController<ToyProgram>>(
                ProgramOf(input.world, input.stand, payload.wanted), input.world, input.stand,
                payload.parameters);
          },
          .needs_skill = true,
          .learns = {{.name = "toy",
                      .summary = "Three parameters by CMA-ES",
                      .examples = {"stride learn toy -o toy.skill"},
                      .schema = ConfigSchema<ToySettings>,
                      .make = MakeJob}},
          .check_skill = [](const Skill& skill) { PayloadOf(skill); }};
}

}  // namespace stride::toy_controller
