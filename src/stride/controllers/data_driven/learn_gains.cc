#include "stride/controllers/data_driven/learn_gains.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "stride/character/library.h"
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
#include "stride/scenario/placement.h"
#include "stride/scenario/variation.h"

namespace stride::data_driven_controller {
namespace {

// What is performed out of a walk is asked for from then on, and so often, s.
constexpr double kActFirst = 1.5, kActEvery = 7;
constexpr double kNudge = 10;         // N, so that no two trials of an even walk are the same
constexpr double kAloneSeconds = 60;  // what is found is tried as long

// How far the search looks for each gain at first, in the order of kGainMembers.
constexpr double kSpread[kGainCount] = {0.1,  0.1, 0.1, 0.1,  0.4,  0.2,  0.2,  0.1, 0.1,
                                        0.1,  0.1, 0.2, 0.02, 0.02, 0.25, 0.05, 0.1, 0.3,
                                        0.02, 0.1, 0.3, 0.3,  0.2,  0.2,  1};

struct GainSettings {
  int alone_iterations = 35, iterations = 25, population = 32, trials = 6;
  double seconds = 15, push = 40, push_seconds = 0.4, push_every = 3;
  double sigma = 0.5, faith = 1, slowest = 0.4;
  double time_step = 1.0 / 450;  // rougher steps learn walks that fall at finer ones
  std::string tracking = "prescribed", row = "normal";
  double k_t = 40;
  double friction = 1, stiffness = ContactModel{}.stiffness, damping = ContactModel{}.damping;
  WorldVariation variation = {.stiffness = 2, .damping = 1.5, .friction = 1.4, .gains = 1};
};
template <class Visitor>
void VisitConfig(GainSettings& s, Visitor& visit) {
  visit("alone_iterations", s.alone_iterations, {0, 10000},
        "of a first search, for a walk that is not pushed");
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
  visit("time_step", s.time_step, {0.0005, 0.01, "s"}, "of the simulation that is learned in");
  visit("tracking", s.tracking, {"prescribed", "inverse", "servo"}, "as of the controller");
  visit("row", s.row, {}, "gains to begin with: a row of the paper's Figure 5, or a tuned one");
  visit("k_t", s.k_t, {1, 10000, "1/s^2"}, "stiffness of the tracking");
  visit("friction", s.friction, {0.05, 10}, "of the ground that is learned on");
  visit("stiffness", s.stiffness, {1, 1e8, "N/m"}, "of a contact point of that ground");
  visit("damping", s.damping, {0, 1e6, "N s/m"}, "of a contact point of that ground");
  VisitConfig(s.variation, visit);
}

struct Plan {
  LearningRequest request;
  GainSettings settings;
  const Workers* workers = nullptr;
  nlohmann::ordered_json from;
  World world;
  DataDrivenSkill skill;  // what is learned is `learned` of its clips
  int learned = 0;
  int act_style = 0;  // that asks for it, where it is performed out of a walk; 0: it is the walk
  std::shared_ptr<const Rig> rig;
  State start;
  LaneConditions usual;
  Command command;        // by which it is performed where the skill has other clips
  double clip_speed = 0;  // along what it faces, m/s
  const Character& character() const { return world.actors[0]; }
};

FeedbackGains GainsOf(std::span<const double> parameters) {
  FeedbackGains gains;
  for (int k = 0; k < kGainCount; ++k) gains.*kGainMembers[k] = parameters[k];
  return gains;
}

std::unique_ptr<Controller> ControllerOf(const Plan& plan, std::span<const double> parameters) {
  std::vector<Animation::Clip> clips = plan.skill.clips;
  clips[plan.learned].gains = GainsOf(parameters);
  AnimationConfig animation = plan.skill.config.animation;
  return std::make_unique<DataDrivenController>(
      plan.world, plan.rig, std::make_shared<const Animation>(plan.character(), clips, animation),
      plan.skill.config);
}

RolloutSetup SetupOf(const std::shared_ptr<const Plan>& plan, double seconds) {
  RolloutSetup setup;
  setup.character = plan->character();
  setup.scenario.seconds = seconds;
  setup.scenario.world.contact = plan->world.contact;
  setup.scenario.world.friction = plan->world.friction;
  setup.scenario.world.time_step = plan->world.time_step;
  if (plan->act_style > 0) {
    // Again and again, with steps of the walk in between.
    for (double at = kActFirst; at < setup.scenario.seconds; at += kActEvery) {
      setup.scenario.commands.push_back({.at = at, .style = plan->act_style});
      setup.scenario.commands.push_back({.at = at + 0.5 * kActEvery, .style = 0});
    }
  }
  setup.driver = DriveByClones(plan->character(), [plan](std::span<const double> parameters) {
    return ControllerOf(*plan, parameters);
  });
  return setup;
}

LearningResult ResultOf(const std::shared_ptr<const Plan>& plan, std::span<const double> found,
                        double best_return) {
  const RolloutSetup setup = SetupOf(plan, kAloneSeconds);
  const RolloutResult walk = Rollouts(setup, *plan->workers).Run(1, [&](int, Rollout* trial) {
    trial->parameters.assign(found.begin(), found.end());
    trial->start = plan->start;
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
              .start = plan->start,
              .wishes = {.time_step = plan->world.time_step,
                         .contact = ContactModel{.stiffness = plan->settings.stiffness,
                                                 .damping = plan->settings.damping},
                         .friction = plan->settings.friction},
              .provenance = {{"method", "gains"},
                             {"clip", clip},
                             {"clip_source", held.clips[plan->learned].motion.source},
                             {"seed", plan->request.seed},
                             {"stride", STRIDE_VERSION},
                             {"settings", ConfigToJson(plan->settings)}},
              .metrics = {{"seconds_of_60", walk.seconds},
                          {"speed", speed},
                          {"speed_of_the_clip", plan->clip_speed},
                          {"sideways", walk.sideways},
                          {"return", best_return}},
              .payload = PayloadOf(held)};
  if (!plan->from.is_null()) skill.provenance["from"] = plan->from;
  LearningResult result;
  result.lines = {{"clip", fmt::format("{} on {}", clip, plan->character().name)},
                  {"alone", fmt::format("{:.1f} of {:g} s", walk.seconds, kAloneSeconds)},
                  {"speed", fmt::format("{:.2f} m/s; the clip's {:.2f}; {:.2f} m aside", speed,
                                        plan->clip_speed, walk.sideways)}};
  if (walk.fell || walk.failed) {
    result.shortfall = fmt::format("it falls after {:.1f} of {:g} s", walk.seconds, kAloneSeconds);
  } else if (plan->act_style == 0 &&
             std::fabs(speed - plan->clip_speed) > 0.15 * std::fabs(plan->clip_speed)) {
    result.shortfall =
        fmt::format("it goes at {:.2f} m/s; the clip at {:.2f}", speed, plan->clip_speed);
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

// First a walk, then one that takes pushes.
enum class Stage { kAlone, kPushes };

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
  }
  search.optimizer = std::make_unique<CmaEs>(options, plan->request.seed, space);
  search.iterations = pushes ? settings.iterations : settings.alone_iterations;
  search.trials = pushes ? settings.trials : std::max(1, settings.trials / 2);
  search.rollouts = SetupOf(plan, settings.seconds);
  search.rollouts.scenario.random_pushes = RandomPushes{.duration = settings.push_seconds,
                                                        .every = settings.push_every,
                                                        .sigma = pushes ? settings.push : kNudge,
                                                        .sigma_growth = 0};
  // Speed and direction are asked of an even walk.
  const auto even = [pushes](int index) { return !pushes || index % 4 == 0; };
  search.begin = [plan, even, pushes](int index, std::uint64_t stream, Rollout* trial) {
    Random random(stream);
    trial->start = plan->start;
    trial->command = plan->command;
    trial->pushed = !pushes || !even(index);
    trial->conditions = DrawWorld(plan->settings.variation, plan->usual, &random).conditions;
    if (pushes && index % 4 == 3 && plan->act_style == 0) {
      // Told to go elsewhere, slower or faster, or to stop.
      const bool stops = random.Uniform() < 0.3;
      trial->command.speed =
          stops ? 0 : std::fabs(plan->clip_speed) * random.Uniform(plan->settings.slowest, 1.15);
      trial->command.heading = random.Uniform(-M_PI, M_PI);
    }
  };
  search.value = [plan, even](int index, const RolloutResult& r) {
    const GainSettings& s = plan->settings;
    const double most = std::max(0.5, std::fabs(plan->clip_speed));
    const double off = std::fabs(r.forwards / r.seconds - plan->clip_speed) / most;
    const double aside = std::fabs(r.sideways) / r.seconds / most;
    // Never worth less for standing longer.
    const double keeps = even(index) && plan->act_style == 0 ? 1 / (1 + 10 * off + 2 * aside) : 1;
    return r.seconds / s.seconds * (1 + s.faith * keeps);
  };
  search.result = [plan](std::span<const double> found, double best_return) {
    return ResultOf(plan, found, best_return);
  };
  return search;
}

std::unique_ptr<LearningJob> MakeJob(const LearningRequest& request, const Workers& workers,
                                     std::vector<std::string>* warnings) {
  auto plan = std::make_shared<Plan>();
  plan->request = request;
  plan->workers = &workers;
  GainSettings& settings = plan->settings;
  for (const std::string& text : request.settings) SetConfigValue(text, &settings);
  FeedbackGains start = RowOfGains(settings.row);

  MotionSource source;
  CaptureOptions capture;
  const std::string body = request.character.empty() ? "lee10-round" : request.character;
  try {
    source = LoadAnyMotion(request.input, body, {});
  } catch (const InputError&) {
    if (!request.character.empty()) throw;
    // Nobody asked for that body; a motion file knows its own.
    source = LoadAnyMotion(request.input, "", {});
  }
  if (!request.Has("walk") && !source.motion.loops && source.format != "built-in" &&
      source.format != "motion" && source.format != "keys") {
    capture.loop = true;
    source = LoadAnyMotion(request.input, body, capture);
  }
  warnings->insert(warnings->end(), source.warnings.begin(), source.warnings.end());
  if (const std::string why = Refuses(source.character); !why.empty()) {
    throw InputError(fmt::format("'{}' cannot be driven: {}", source.character.name, why));
  }
  plan->world.actors = {source.character};
  plan->world.time_step = settings.time_step;
  plan->world.contact = {.stiffness = settings.stiffness,
                         .damping = settings.damping,
                         .passes = 2};  // as rough as other learning
  plan->world.friction = settings.friction;
  plan->skill.clips = {{source.motion, start}};
  plan->skill.config.tracking = settings.tracking;
  plan->skill.config.k_t = settings.k_t;
  if (request.Has("from")) {
    const Skill skill = LoadSkillOf("data_driven", request.Text("from"));
    start = SkillOf(skill).clips[0].gains;
    plan->from = skill.provenance;
  }
  if (request.Has("walk")) {
    const Skill walk = LoadSkillOf("data_driven", request.Text("walk"));
    if (walk.character != source.character) {
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
  plan->rig = std::make_shared<const Rig>(source.character);
  plan->usual = Batch(plan->world).DefaultConditions();
  const Animation probe(source.character, plan->skill.clips, plan->skill.config.animation);
  plan->clip_speed = probe.Clips()[plan->learned].speed;

  std::vector<double> parameters;
  for (double FeedbackGains::*member : kGainMembers) parameters.push_back(start.*member);
  plan->start = ControllerOf(*plan, parameters)->Start();

  using Found = std::vector<std::vector<double>>;
  std::vector<SearchStage> stages;
  if (settings.alone_iterations > 0) {
    stages.push_back({"alone", [plan](const Found& found) {
                        return SearchOf(plan, found.back(), Stage::kAlone);
                      }});
  }
  if (settings.iterations > 0) {
    stages.push_back({"pushes", [plan](const Found& found) {
                        return SearchOf(plan, found.back(), Stage::kPushes);
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
                      {"walk",
                       "Skill of this method: the clip, a turn say, is performed out of its "
                       "walk and becomes part of it"}},
          .schema = ConfigSchema<GainSettings>,
          .make = MakeJob};
}

}  // namespace stride::data_driven_controller
