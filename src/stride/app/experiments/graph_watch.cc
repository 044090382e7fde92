#include "stride/app/experiments/graph_watch.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/app/experiments/skill_trials.h"
#include "stride/controllers/control_graph/graph_choice.h"
#include "stride/controllers/skill_library.h"
#include "stride/core/error.h"
#include "stride/motion/edit/blend.h"

namespace stride::experiments {
namespace {

const GraphClip& ClipOf(const GraphSkill& skill, const std::string& node) {
  for (const GraphClip& clip : skill.skill.plan.clips) {
    if (clip.name == node) return clip;
  }
  throw InputError(fmt::format("{}: the graph has no node '{}'", skill.file, node));
}

}  // namespace

int GraphSkill::StyleOf(const std::string& style) const {
  const std::vector<std::string> styles = StylesOf(skill.plan);
  const auto found = std::find(styles.begin(), styles.end(), style);
  if (found == styles.end()) {
    throw InputError(fmt::format("{}: the graph has no style '{}'; expected one of: {}", file,
                                 style, fmt::join(styles, ", ")));
  }
  return static_cast<int>(found - styles.begin());
}

double GraphSkill::SpeedOf(const std::string& node) const {
  return MeanSpeed(ClipOf(*this, node).motion);
}

GraphSkill FindGraphSkill(const std::string& name, const ExperimentContext& context) {
  GraphSkill found{.name = name, .file = name};
  const std::string given = fmt::format("{}/{}.skill", context.skills, name);
  if (!context.skills.empty() && std::filesystem::exists(given)) {
    found.skill = ReadClipSkill(given);
    found.file = fmt::format("{}/{}.skill", context.folder, name);
    WriteSkill(found.skill, found.file);  // with the result, which others may repeat
  } else {
    const std::vector<SkillInfo>& built_in = BuiltInSkills();
    if (std::none_of(built_in.begin(), built_in.end(),
                     [&](const SkillInfo& info) { return info.name == name; })) {
      throw InputError(fmt::format(
          "there is no skill '{}'; learn it (stride learn graph) and give --skills the folder that "
          "holds {}.skill",
          name, name));
    }
    found.skill = LoadClipSkill(name);
  }
  if (found.skill.plan.clips.size() < 2) {
    throw InputError(
        fmt::format("{}: a skill of one clip; expected a graph of several "
                    "(stride learn graph)",
                    found.file));
  }
  found.hash = InputHash(SkillText(found.skill));
  return found;
}

Row NotMeasured(const std::string& name, const std::string& why) {
  return {.name = name,
          .ours = std::numeric_limits<double>::quiet_NaN(),
          .note = fmt::format("not measured: {}", why)};
}

RunSetup PerformGraph(const GraphSkill& skill, const Command& command, double seconds) {
  RunSetup setup = PerformAlone(skill.file, seconds);
  setup.scenario.commands = {
      {.speed = command.speed, .heading = command.heading, .style = command.style}};
  return setup;
}

GraphWatch::GraphWatch(const Run& run, const GraphSkill& skill, int actor)
    : actor_(actor),
      detector_(run.GetWorld().actors[actor], run.GetWorld().terrain, run.ActorState(actor)) {
  for (const GraphClip& clip : skill.skill.plan.clips) {
    rises_.push_back(clip.rises);
  }
  visits_.resize(rises_.size());
  link_visits_.resize(rises_.size() * rises_.size());
  std::size_t values = 0;
  for (const DebugChannel& channel : run.ControllerOf(actor).Channels()) {
    if (channel.name == "node") node_channel_ = values;
    if (channel.name == "from node") from_channel_ = values;
    if (channel.name == "lying") lying_channel_ = values;
    values += ValueCount(channel.kind);
  }
  channels_.resize(values);
  run_falls_ = run.Falls(actor);
}

void GraphWatch::Look(const Run& run) {
  if (run.Failed(actor_)) {
    if (!down_) falls_.push_back({.at = run.Time()});
    down_ = true;
    return;
  }
  std::fill(channels_.begin(), channels_.end(), std::numeric_limits<float>::quiet_NaN());
  run.ControllerOf(actor_).ReadChannels(channels_);
  const int node = static_cast<int>(channels_[node_channel_]);
  const float from_value = channels_[from_channel_];
  const int from = std::isnan(from_value) ? -1 : static_cast<int>(from_value);
  const bool lies = channels_[lying_channel_] > 0;
  if (node != node_ || from != from_) {
    ++(from < 0 ? visits_[node] : link_visits_[from * visits_.size() + node]);
  }
  node_ = node;
  from_ = from;

  const bool falls = run.Falls(actor_) > run_falls_;
  run_falls_ = run.Falls(actor_);
  if (!down_ && (lies || falls)) {
    down_ = true;
    up_since_.reset();
    falls_.push_back({.at = run.Time()});
  }
  if (down_) {
    GraphFall& fall = falls_.back();
    fall.tries += lies && !lies_;
    if (!lies && from < 0 && rises_[node]) fall.way = node;
    const bool performs = !lies && !rises_[from < 0 ? node : from];
    if (!performs || falls) {
      up_since_.reset();
    } else if (!up_since_) {
      if (!detector_.Fallen(run.ActorState(actor_))) up_since_ = run.Time();
    } else if (run.Time() - *up_since_ >= kUpFor) {
      fall.seconds = *up_since_ - fall.at;
      down_ = false;
    }
  }
  lies_ = lies;
}

Risings RisingsOf(const std::vector<GraphFall>& falls, double limit, double judged_until) {
  Risings risings;
  for (const GraphFall& fall : falls) {
    const bool up = fall.seconds && *fall.seconds <= limit;
    if (!up && fall.at > judged_until) continue;
    ++risings.falls;
    if (!up) continue;
    ++risings.up;
    risings.mean += *fall.seconds;
    risings.longest = std::max(risings.longest, *fall.seconds);
  }
  if (risings.up > 0) risings.mean /= risings.up;
  return risings;
}

}  // namespace stride::experiments
