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
#include "stride/scenario/option_text.h"
#include "stride/scenario/placement.h"
#include "stride/scenario/variation.h"
#include "stride/sim/batch.h"

namespace stride::data_driven_controller {
namespace {

// What is performed out of a walk is asked for from then on, and so often, s.
constexpr double kActFirst = 1.5, kActEvery = 7;
constexpr double kNudge = 10;         // N, so that no two trials of an even walk are the same
constexpr double kAloneSeconds = 60;  // what is found is tried as long

// How far the search looks for each gain at first, in the order of kGainMembers.
constexpr double kSpread[kGainCount] = {0.1, 0.1,  0.1,  0.1,  0.4,  0.2, 0.2, 0.1,  0.1, 0.1, 0.1,
                                        0.2, 0.02, 0.02, 0.25, 0.05, 0.1, 0.3, 0.02, 0.1, 0.3, 0.3,
                                        0.2, 0.2,  1,    0.1,  0.1,  0.2, 0.1, 0.3,  0.1};

struct GainSettings {
  int alone_iterations = 35, iterations = 25, population = 32, trials = 6;
  double seconds = 15, push = 40, push_seconds = 0.4, push_every = 3;
  double sigma = 0.5, faith = 1, slowest = 0.4;
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
  visit("most_lift", s.most_lift, {0, 0.2, "m"},
        "that a foot may be made to swing higher than in the clip");
  visit("time_step", s.time_step, {0.0005, 0.01, "s"}, "of the simulation that is learned in");
  visit("tracking", s.tracking, {"prescribed", "inverse", "servo"}, "as of the controller");
  visit("row", s.row, {},
        "gains to begin with: a row of the paper's Figure 5, a tuned one, or auto: the one of all "
        "that "
        "walks this clip best as it is");
  visit("k_t", s.k_t, {1, 10000, "1/s^2"}, "stiffness of the tracking");
  visit("friction", s.friction, {0.05, 10}, "of the ground that is learned on");
  visit("stiffness", s.stiffness, {1, 1e8, "N/m"}, "of a contact point of that ground");
  visit("damping", s.damping, {0, 1e6, "N s/m"}, "of a contact point of that ground");
  VisitConfig(s.variation, visit);
}

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
  std::vector<int> order;         // of the variants over a candidate's trials, again and again
  DataDrivenSkill skill;          // what is learned is `learned` of its clips
  int learned = 0;
  int act_style = 0;  // that asks for it, where it is performed out of a walk; 0: it is the walk
  LaneConditions usual;
  Command command;  // by which it is performed where the skill has other clips
  const Character& character() const { return variants[0].character(); }
  double clip_speed() const { return variants[0].clip_speed; }
};

FeedbackGains GainsOf(std::span<const double> parameters) {
  FeedbackGains gains;
  for (int k = 0; k < kGainCount; ++k) gains.*kGainMembers[k] = parameters[k];
  return gains;
}

std::unique_ptr<Controller> ControllerOf(const Plan& plan, const Variant& variant,
                                         std::span<const double> parameters) {
  std::vector<Animation::Clip> clips = plan.skill.clips;
  clips[plan.learned] = {variant.clip, GainsOf(parameters)};
  AnimationConfig animation = plan.skill.config.animation;
  return std::make_unique<DataDrivenController>(
      variant.world, variant.rig,
      std::make_shared<const Animation>(variant.character(), clips, animation), plan.skill.config);
}

RolloutSetup SetupOf(const std::shared_ptr<const Plan>& plan, const Variant& variant,
                     double seconds) {
  RolloutSetup setup;
  setup.character = variant.character();
  setup.scenario.seconds = seconds;
  setup.scenario.world.contact = variant.world.contact;
  setup.scenario.world.friction = variant.world.friction;
  setup.scenario.world.time_step = variant.world.time_step;
  if (plan->act_style > 0) {
    // Again and again, with steps of the walk in between.
    for (double at = kActFirst; at < setup.scenario.seconds; at += kActEvery) {
      setup.scenario.commands.push_back({.at = at, .style = plan->act_style});
      setup.scenario.commands.push_back({.at = at + 0.5 * kActEvery, .style = 0});
    }
  }
  setup.driver =
      DriveByClones(variant.character(), [plan, &variant](std::span<const double> parameters) {
        return ControllerOf(*plan, variant, parameters);
      });
  return setup;
}

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

// First a walk, then one that takes pushes.
enum class Stage { kAlone, kPushes };

// What trial `index` of a candidate is like.
struct Kind {
  int variant;
  bool even;       // not pushed
  bool commanded;  // told to go elsewhere
};
Kind KindOf(const Plan& plan, Stage stage, int index) {
  const int n = static_cast<int>(plan.order.size());
  const int kind = (index % n + 2 * (index / n)) % 4;
  const bool pushes = stage == Stage::kPushes;
  return {.variant = plan.order[index % n],
          .even = !pushes || kind == 0,
          .commanded = pushes && kind == 3 && plan.act_style == 0};
}

double ValueOf(const Plan& plan, const Kind& kind, const RolloutResult& r) {
  const double speed = plan.variants[kind.variant].clip_speed;
  const double most = std::max(0.5, std::fabs(speed));
  const double off = std::fabs(r.forwards / r.seconds - speed) / most;
  const double aside = std::fabs(r.sideways) / r.seconds / most;
  // Speed and direction are asked of an even walk. Never worth less for standing longer.
  const double keeps = kind.even && plan.act_style == 0 ? 1 / (1 + 10 * off + 2 * aside) : 1;
  return r.seconds / plan.settings.seconds * (1 + plan.settings.faith * keeps);
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
    RolloutSetup setup = SetupOf(plan, variant, settings.seconds);
    setup.scenario.random_pushes = RandomPushes{.duration = settings.push_seconds,
                                                .every = settings.push_every,
                                                .sigma = pushes ? settings.push : kNudge,
                                                .sigma_growth = 0};
    if (&variant == &plan->variants[0]) {
      search.rollouts = std::move(setup);
    } else {
      search.others.push_back(std::move(setup));
    }
  }
  search.setup = [plan](int index) { return plan->order[index % plan->order.size()]; };
  search.begin = [plan, stage](int index, std::uint64_t stream, Rollout* trial) {
    const Kind kind = KindOf(*plan, stage, index);
    Random random(stream);
    trial->command = plan->command;
    trial->pushed = stage == Stage::kAlone || !kind.even;
    trial->conditions = DrawWorld(plan->settings.variation, plan->usual, &random).conditions;
    trial->start = plan->variants[kind.variant].StartOn(*trial->conditions);
    if (kind.commanded) {
      // Told to go elsewhere, slower or faster, or to stop.
      const bool stops = random.Uniform() < 0.3;
      const double most = std::fabs(plan->variants[kind.variant].clip_speed);
      trial->command.speed = stops ? 0 : most * random.Uniform(plan->settings.slowest, 1.15);
      trial->command.heading = random.Uniform(-M_PI, M_PI);
    }
  };
  search.value = [plan, stage](int index, const RolloutResult& r) {
    return ValueOf(*plan, KindOf(*plan, stage, index), r);
  };
  search.result = [plan](std::span<const double> found, double best_return) {
    return ResultOf(plan, found, best_return);
  };
  return search;
}

// The row of gains that walks the clip best as it is.
std::string BestRow(const std::shared_ptr<const Plan>& plan) {
  std::vector<GainRow> rows = TunedGains();
  rows.insert(rows.end(), PublishedGains().begin(), PublishedGains().end());
  constexpr int kTrials = 4;
  RolloutSetup setup = SetupOf(plan, plan->variants[0], plan->settings.seconds);
  setup.scenario.random_pushes =
      RandomPushes{.duration = 0.2, .every = 3, .sigma = kNudge, .sigma_growth = 0};
  const State start = plan->variants[0].first->Start();
  const std::vector<RolloutResult> results =
      Rollouts(setup, *plan->workers)
          .Run(kTrials * static_cast<int>(rows.size()), [&](int k, Rollout* trial) {
            const FeedbackGains& gains = rows[k / kTrials].gains;
            for (double FeedbackGains::*member : kGainMembers)
              trial->parameters.push_back(gains.*member);
            trial->start = start;
            trial->stream = k;
            trial->command = plan->command;
          });
  std::size_t best = 0;
  double most = -1;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    double value = 0;
    for (int k = 0; k < kTrials; ++k) {
      value += ValueOf(*plan, {.variant = 0, .even = true}, results[row * kTrials + k]);
    }
    if (value > most) most = value, best = row;
  }
  return rows[best].name;
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

  const auto parameters_of = [](const FeedbackGains& gains) {
    std::vector<double> parameters;
    for (double FeedbackGains::*member : kGainMembers) parameters.push_back(gains.*member);
    return parameters;
  };
  std::vector<double> parameters = parameters_of(start);
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
    settings.row = BestRow(plan);
    warnings->push_back(
        fmt::format("begins with the gains '{}', which walk it best", settings.row));
    parameters = parameters_of(RowOfGains(settings.row));
  }

  using Found = std::vector<std::vector<double>>;
  std::vector<SearchStage> stages;
  if (settings.alone_iterations > 0) {
    stages.push_back({"alone", "alone_iterations", [plan](const Found& found) {
                        return SearchOf(plan, found.back(), Stage::kAlone);
                      }});
  }
  if (settings.iterations > 0) {
    stages.push_back({"pushes", "iterations", [plan](const Found& found) {
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
