#include "stride/controllers/data_driven/learn_gains.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "stride/character/library.h"
#include "stride/controllers/data_driven/gain_trials.h"
#include "stride/controllers/skill_library.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/core/hash.h"
#include "stride/core/json_node.h"
#include "stride/core/random.h"
#include "stride/learn/parameter_search.h"
#include "stride/motion/import/motion_source.h"
#include "stride/motion/travel.h"
#include "stride/optim/cma_es.h"
#include "stride/scenario/option_text.h"
#include "stride/scenario/placement.h"
#include "stride/scenario/variation.h"
#include "stride/sim/batch.h"

namespace stride::data_driven_controller {
namespace {

constexpr double kAloneSeconds = 60;  // what is found is tried as long

LearningResult ResultOf(const std::shared_ptr<const Plan>& plan, std::span<const double> found,
                        double best_return) {
  const RolloutSetup setup = SetupOf(plan, plan->variants[0], kAloneSeconds);
  const State start = plan->variants[0].first->Start();
  const RolloutResult walk = Rollouts(setup, *plan->workers).Run(1, [&](int, Rollout* trial) {
    trial->parameters.assign(found.begin(), found.end());
    trial->start = start;
    trial->command = plan->command;
  })[0];
  const double speed = walk.forwards / walk.seconds;
  DataDrivenSkill held = plan->skill;
  held.clips[plan->learned].gains = GainsOf(found);
  const std::string& clip = held.clips[plan->learned].motion.name;
  Skill skill{.name = plan->request.name.empty() ? clip : plan->request.name,
              .controller = "data_driven",
              .description = fmt::format("{} on {}, tracked live and balanced by feedback", clip,
                                         plan->character().name),
              .character = plan->character(),
              .start = start,
              .wishes = {.time_step = plan->settings.time_step,
                         .contact = ContactModel{.stiffness = plan->settings.stiffness,
                                                 .damping = plan->settings.damping},
                         .friction = plan->settings.friction},
              .provenance = {{"method", "gains"},
                             {"clip", clip},
                             {"clip_source", held.clips[plan->learned].motion.source},
                             {"seed", plan->request.seed},
                             {"stride", STRIDE_VERSION},
                             {"instruction_set", Batch::ChosenInstructionSet()},
                             {"settings", ConfigToJson(plan->settings)}},
              .metrics = {{"seconds_of_60", walk.seconds},
                          {"speed", speed},
                          {"speed_of_the_clip", plan->clip_speed()},
                          {"sideways", walk.sideways},
                          {"return", best_return}},
              .payload = PayloadOf(held)};
  if (!plan->from.is_null()) skill.provenance["from"] = plan->from;
  LearningResult result;
  result.lines = {{"clip", fmt::format("{} on {}", clip, plan->character().name)},
                  {"alone", fmt::format("{:.1f} of {:g} s", walk.seconds, kAloneSeconds)},
                  {"speed", fmt::format("{:.2f} m/s; the clip's {:.2f}; {:.2f} m aside", speed,
                                        plan->clip_speed(), walk.sideways)}};
  if (walk.fell || walk.failed) {
    result.shortfall = fmt::format("it falls after {:.1f} of {:g} s", walk.seconds, kAloneSeconds);
  } else if (plan->act_style == 0 &&
             std::fabs(speed - plan->clip_speed()) > 0.15 * std::fabs(plan->clip_speed())) {
    result.shortfall =
        fmt::format("it goes at {:.2f} m/s; the clip at {:.2f}", speed, plan->clip_speed());
  }
  result.json = {{"clip", clip},
                 {"character", plan->character().name},
                 {"skill", plan->request.out},
                 {"seed", plan->request.seed},
                 {"metrics", skill.metrics},
                 {"gains", ConfigToJson(held.clips[plan->learned].gains)},
                 {"settings", ConfigToJson(plan->settings)}};
  result.files = {{plan->request.out, SkillText(skill)}};
  return result;
}

ParameterSearch SearchOf(const std::shared_ptr<const Plan>& plan, std::span<const double> start,
                         Stage stage) {
  const GainSettings& settings = plan->settings;
  const bool pushes = stage == Stage::kPushes;
  ParameterSearch search;
  search.method = "gains";
  search.input = plan->skill.clips[plan->learned].motion.name;
  search.input_hash = HashOf(MotionText(plan->skill.clips[plan->learned].motion));
  search.settings = ConfigToJson(settings);
  search.seed = plan->request.seed;
  search.noisy = true;
  search.alike = true;
  search.validate_every = 5;
  search.validation_trials = 64;
  CmaOptions options;
  options.population = settings.population;
  options.sigma = pushes && settings.alone_iterations > 0 ? 0.5 * settings.sigma : settings.sigma;
  SearchSpace space;
  space.start.assign(start.begin(), start.end());
  FeedbackGains bounds;
  const ConfigFields fields = FieldsOf(&bounds);
  for (int k = 0; k < kGainCount; ++k) {
    space.scales.push_back(kSpread[k]);
    space.lower.push_back(fields[k].range.min);
    space.upper.push_back(fields[k].range.max);
    if (kGainMembers[k] == &FeedbackGains::lift) {
      space.upper.back() = std::max(settings.most_lift, 1e-3);
      space.start[k] = std::min(space.start[k], space.upper.back());
    }
  }
  search.optimizer = std::make_unique<CmaEs>(options, plan->request.seed, space);
  search.iterations = pushes ? settings.iterations : settings.alone_iterations;
  search.trials = pushes ? settings.trials : std::max(1, settings.trials / 2);
  for (const Variant& variant : plan->variants) {
    RolloutSetup setup = PushedSetupOf(plan, variant, stage);
    if (&variant == &plan->variants[0]) {
      search.rollouts = std::move(setup);
    } else {
      search.others.push_back(std::move(setup));
    }
  }
  search.setup = [plan](int index) { return plan->order[index % plan->order.size()]; };
  search.begin = TrialsOf(plan, stage);
  search.value = [plan, stage](int index, const RolloutResult& r) {
    return ValueOf(*plan, KindOf(*plan, stage, index), r);
  };
  search.result = [plan](std::span<const double> found, double best_return) {
    return ResultOf(plan, found, best_return);
  };
  return search;
}

// `character` may be empty. `walks`: what is captured becomes a loop.
MotionSource LoadClip(const std::string& input, const std::string& character, bool walks) {
  const std::string body = character.empty() ? "lee10-round" : character;
  MotionSource source;
  try {
    source = LoadAnyMotion(input, body, {});
  } catch (const InputError&) {
    if (!character.empty()) throw;
    // Nobody asked for that body; a motion file knows its own.
    source = LoadAnyMotion(input, "", {});
  }
  if (walks && !source.motion.loops && source.format != "built-in" && source.format != "motion" &&
      source.format != "keys") {
    CaptureOptions capture;
    capture.loop = true;
    source = LoadAnyMotion(input, body, capture);
  }
  return source;
}

std::unique_ptr<LearningJob> MakeJob(const LearningRequest& request, const Workers& workers,
                                     std::vector<std::string>* warnings) {
  auto plan = std::make_shared<Plan>();
  plan->request = request;
  plan->workers = &workers;
  GainSettings& settings = plan->settings;
  for (const std::string& text : request.settings) SetConfigValue(text, &settings);
  FeedbackGains start = RowOfGains(settings.row == "auto" ? "normal" : settings.row);

  const MotionSource source = LoadClip(request.input, request.character, !request.Has("walk"));
  warnings->insert(warnings->end(), source.warnings.begin(), source.warnings.end());
  if (const std::string why = Refuses(source.character); !why.empty()) {
    throw InputError(fmt::format("'{}' cannot be driven: {}", source.character.name, why));
  }
  World world;
  world.actors = {source.character};
  world.time_step = settings.time_step;
  world.contact = {.stiffness = settings.stiffness,
                   .damping = settings.damping,
                   .passes = 2};  // as rough as other learning
  world.friction = settings.friction;
  plan->skill.clips = {{source.motion, start}};
  plan->skill.config.tracking = settings.tracking;
  plan->skill.config.k_t = settings.k_t;
  if (request.Has("from")) {
    const Skill skill = LoadSkillOf("data_driven", request.Text("from"));
    start = SkillOf(skill).clips.back().gains;  // what it learned last
    plan->from = skill.provenance;
  }
  if (request.Has("walk")) {
    const Skill walk = LoadSkillOf("data_driven", request.Text("walk"));
    Character body = walk.character;
    body.description = source.character.description;  // may have been reworded since
    if (body != source.character) {
      throw InputError(fmt::format("{} is a skill of '{}', the clip is on '{}'; give --character",
                                   request.Text("walk"), walk.character.name,
                                   source.character.name));
    }
    DataDrivenSkill held = SkillOf(walk);
    plan->learned = static_cast<int>(held.clips.size());
    held.clips.push_back(plan->skill.clips[0]);
    plan->skill = std::move(held);
    const Animation all(source.character, plan->skill.clips, plan->skill.config.animation);
    const std::vector<std::string>& styles = all.Styles();
    const auto own = std::find(styles.begin(), styles.end(), source.motion.name);
    // A style of its own, or a further speed of the walk's.
    const int style = own == styles.end() ? 0 : static_cast<int>(own - styles.begin());
    if (source.motion.loops) {
      plan->command.style = style;
      plan->command.speed = std::fabs(all.Clips()[plan->learned].speed);
    } else {
      plan->act_style = style;
    }
  }
  plan->usual = Batch(world).DefaultConditions();

  std::vector<double> parameters = ParametersOf(start);
  const auto add = [&](const Scenario& change, const Motion& clip) {
    Variant variant{.world = world, .clip = clip};
    ApplyChanges(change, &variant.world.actors[0]);
    variant.rig = std::make_shared<const Rig>(variant.character());
    std::vector<Animation::Clip> clips = plan->skill.clips;
    clips[plan->learned].motion = clip;
    const Animation probe(variant.character(), clips, plan->skill.config.animation);
    variant.clip_speed = probe.Clips()[plan->learned].speed;
    variant.first = ControllerOf(*plan, variant, parameters);
    plan->variants.push_back(std::move(variant));
  };
  add({}, source.motion);
  plan->order = {0};
  const auto add_other = [&](const Scenario& change, const Motion& clip) {
    add(change, clip);
    plan->order.push_back(static_cast<int>(plan->variants.size()) - 1);
  };
  if (request.Has("load")) {
    for (const std::string& text : request.options.at("load")) {
      add_other({.loads = {ParseLoad(text)}}, source.motion);
    }
  }
  if (request.Has("change")) {
    for (const std::string& text : request.options.at("change")) {
      add_other({.changes = {ParseChange(text)}}, source.motion);
    }
  }
  if (request.Has("also")) {
    for (const std::string& file : request.options.at("also")) {
      add_other({}, LoadClip(file, source.character.name, !request.Has("walk")).motion);
    }
  }
  if (settings.row == "auto" && !request.Has("from")) {
    plan->beginnings = BestBeginnings(plan);
    settings.row.clear();
    for (const Beginning& one : plan->beginnings) {
      settings.row += (settings.row.empty() ? "" : "; ") + one.name;
    }
    warnings->push_back(
        fmt::format("begins with the gains '{}', which walk it best", settings.row));
    parameters = ParametersOf(plan->beginnings[0].gains);
  } else {
    plan->beginnings = {{settings.row, start}};
  }

  using Found = std::vector<std::vector<double>>;
  std::vector<SearchStage> stages;
  if (settings.alone_iterations > 0) {
    for (std::size_t k = 0; k < plan->beginnings.size(); ++k) {
      stages.push_back({k == 0 ? "alone" : fmt::format("alone {}", k + 1), "alone_iterations",
                        [plan, k](const Found&) {
                          return SearchOf(plan, ParametersOf(plan->beginnings[k].gains),
                                          Stage::kAlone);
                        }});
    }
  }
  if (settings.iterations > 0) {
    stages.push_back({"pushes", "iterations", [plan](const Found& found) {
                        return SearchOf(plan, BestFound(plan, found), Stage::kPushes);
                      }});
  }
  if (stages.empty()) {
    throw InputError("nothing to learn: alone_iterations and iterations are both 0");
  }
  return MakeStagedSearch(std::move(stages), std::move(parameters), workers);
}

}  // namespace

nlohmann::ordered_json PayloadOf(const DataDrivenSkill& skill) {
  nlohmann::ordered_json clips = nlohmann::ordered_json::array();
  for (const Animation::Clip& clip : skill.clips) {
    clips.push_back({{"gains", ConfigToJson(clip.gains)},
                     {"motion", nlohmann::ordered_json::parse(MotionText(clip.motion))}});
  }
  return {{"config", ConfigToJson(skill.config)}, {"clips", clips}};
}

DataDrivenSkill SkillOf(const Skill& skill) {
  const JsonNode payload(skill.payload, "payload");
  DataDrivenSkill held;
  ConfigFromJson(payload["config"].value(), "payload.config", &held.config);
  const JsonNode clips = payload["clips"];
  for (std::size_t k = 0; k < clips.Size(); ++k) {
    Animation::Clip clip;
    const std::string place = fmt::format("payload.clips[{}]", k);
    ConfigFromJson(clips.At(k)["gains"].value(), place + ".gains", &clip.gains);
    clip.motion = ParseMotion(clips.At(k)["motion"].value().dump(), place + ".motion");
    clip.motion.character = skill.character.name;
    Validate(clip.motion, skill.character);
    held.clips.push_back(std::move(clip));
  }
  if (held.clips.empty()) throw InputError("payload.clips is empty; expected a motion at least");
  return held;
}

LearningMethod GainLearning() {
  return {.name = "gains",
          .summary = "Feedback gains for following a walk live",
          .input = "CLIP",
          .input_help = "A walk: built in, a motion file, or motion capture (its best cycle)",
          .examples = {"stride learn gains walk -o walk.skill",
                       "stride learn gains capture.bvh -o mine.skill --character human"},
          .options = {{"from", "Skill of this method to begin with"},
                      {"load",
                       "BODY,KG: the same gains have to walk the body with this load too; "
                       "repeatable, each a body of its own"},
                      {"change",
                       "BODY,LENGTH[,MASS]: likewise for the body changed by these factors; "
                       "repeatable"},
                      {"also", "A further clip that the same gains have to walk; repeatable"},
                      {"walk",
                       "Skill of this method: the clip, a turn say, is performed out of its "
                       "walk and becomes part of it"}},
          .schema = ConfigSchema<GainSettings>,
          .make = MakeJob};
}

}  // namespace stride::data_driven_controller
