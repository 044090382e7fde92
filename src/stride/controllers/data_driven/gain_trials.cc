#include "stride/controllers/data_driven/gain_trials.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stride/core/random.h"

namespace stride::data_driven_controller {
namespace {

// What is performed out of a walk is asked for from then on, and so often, s.
constexpr double kActFirst = 1.5, kActEvery = 7;
constexpr double kNudge = 10;  // N, so that no two trials of an even walk are the same

// Tuned rows of straight walks: what a search may begin with.
constexpr const char* kWalkRows[] = {"tuned_any",    "tuned_normal", "tuned_slow",
                                     "tuned_fast",   "tuned_gentle", "tuned_wide_swing",
                                     "tuned_brisk",  "tuned_march",  "tuned_backward",
                                     "tuned_pushes", "tuned_walk",   "tuned_walk_slow"};

}  // namespace

std::vector<double> ParametersOf(const FeedbackGains& gains) {
  std::vector<double> parameters;
  for (double FeedbackGains::*member : kGainMembers) parameters.push_back(gains.*member);
  return parameters;
}
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

Kind KindOf(const Plan& plan, Stage stage, int index) {
  const int n = static_cast<int>(plan.order.size());
  const int kind = (index % n + index / n) % 4;  // every variant meets all of them
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

RolloutSetup PushedSetupOf(const std::shared_ptr<const Plan>& plan, const Variant& variant,
                           Stage stage) {
  const GainSettings& settings = plan->settings;
  RolloutSetup setup = SetupOf(plan, variant, settings.seconds);
  setup.scenario.random_pushes =
      RandomPushes{.duration = settings.push_seconds,
                   .every = settings.push_every,
                   .sigma = stage == Stage::kPushes ? settings.push : kNudge,
                   .sigma_growth = 0};
  return setup;
}

std::function<void(int, std::uint64_t, Rollout*)> TrialsOf(const std::shared_ptr<const Plan>& plan,
                                                           Stage stage) {
  return [plan, stage](int index, std::uint64_t stream, Rollout* trial) {
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
      const auto speed = [&] {
        return most * random.Uniform(plan->settings.slowest, plan->settings.fastest);
      };
      trial->command.speed = stops ? 0 : speed();
      trial->command.heading = random.Uniform(-M_PI, M_PI);
      const double every = plan->settings.command_every;
      if (every <= 0) return;
      for (double at = every; at < plan->settings.seconds; at += every) {
        trial->commands.push_back(
            {.at = at, .speed = speed(), .heading = random.Uniform(-M_PI, M_PI)});
      }
    }
  };
}

namespace {

// Of a candidate's trials the `t`th of the clip and body that are asked for.
int IndexOf(const Plan& plan, int t) { return t * static_cast<int>(plan.order.size()); }

// Mean worth of each in trials of a stage; the same ones for all.
void Try(const std::shared_ptr<const Plan>& plan, Stage stage, int trials, std::uint64_t first,
         std::vector<Beginning>* tried) {
  const Rollouts rollouts(PushedSetupOf(plan, plan->variants[0], stage), *plan->workers);
  const auto begin = TrialsOf(plan, stage);
  const std::vector<RolloutResult> results =
      rollouts.Run(trials * static_cast<int>(tried->size()), [&](int k, Rollout* trial) {
        trial->parameters = ParametersOf((*tried)[k / trials].gains);
        trial->stream = first + k % trials;
        begin(IndexOf(*plan, k % trials), trial->stream, trial);
      });
  for (std::size_t k = 0; k < tried->size(); ++k) {
    double sum = 0;
    for (int t = 0; t < trials; ++t) {
      sum += ValueOf(*plan, KindOf(*plan, stage, IndexOf(*plan, t)), results[k * trials + t]);
    }
    (*tried)[k].value = sum / trials;
  }
}

}  // namespace

double Distance(const FeedbackGains& a, const FeedbackGains& b) {
  double sum = 0;
  for (int k = 0; k < kGainCount; ++k) {
    const double off = (a.*kGainMembers[k] - b.*kGainMembers[k]) / kSpread[k];
    sum += off * off;
  }
  return std::sqrt(sum);
}

std::vector<Beginning> BestBeginnings(const std::shared_ptr<const Plan>& plan) {
  constexpr int kBlends = 240, kFew = 2, kMany = 12;
  constexpr std::size_t kKept = 32;
  constexpr double kApart = 3;
  std::vector<Beginning> walks, tried;
  for (const char* name : kWalkRows) walks.push_back({name, RowOfGains(name)});
  tried = walks;
  for (const GainRow& row : PublishedGains()) tried.push_back({row.name, row.gains});
  const int count = static_cast<int>(walks.size());
  Random random(1);  // the same blends for all clips
  for (int k = 0; k < kBlends; ++k) {
    const Beginning& a = walks[static_cast<int>(random.Uniform() * count)];
    const Beginning& b = walks[static_cast<int>(random.Uniform() * count)];
    const double share = 0.1 * std::lround(random.Uniform(1.5, 8.5));
    Beginning blend{fmt::format("{:.1f} {} + {:.1f} {}", 1 - share, a.name, share, b.name),
                    NoGains()};
    AddShare(a.gains, 1 - share, &blend.gains);
    AddShare(b.gains, share, &blend.gains);
    tried.push_back(std::move(blend));
  }
  for (Beginning& one : tried) {
    one.gains.lift = std::min(one.gains.lift, plan->settings.most_lift);
  }
  for (const int trials : {kFew, kMany}) {
    Try(plan, Stage::kAlone, trials, 1000 * trials, &tried);
    std::stable_sort(tried.begin(), tried.end(),
                     [](const Beginning& a, const Beginning& b) { return a.value > b.value; });
    tried.resize(std::min(tried.size(), kKept));
  }
  std::vector<Beginning> chosen;
  for (const Beginning& one : tried) {
    if (static_cast<int>(chosen.size()) == plan->settings.starts) break;
    if (std::all_of(chosen.begin(), chosen.end(), [&](const Beginning& other) {
          return Distance(one.gains, other.gains) > kApart;
        })) {
      chosen.push_back(one);
    }
  }
  return chosen;
}

std::vector<double> BestFound(const std::shared_ptr<const Plan>& plan,
                              const std::vector<std::vector<double>>& found) {
  if (found.size() <= 2) return found.back();
  std::vector<Beginning> tried;
  for (std::size_t k = 1; k < found.size(); ++k) tried.push_back({"", GainsOf(found[k])});
  constexpr int kTrials = 48;
  Try(plan, Stage::kPushes, kTrials, 1, &tried);
  const auto best =
      std::max_element(tried.begin(), tried.end(),
                       [](const Beginning& a, const Beginning& b) { return a.value < b.value; });
  return ParametersOf(best->gains);
}

}  // namespace stride::data_driven_controller
