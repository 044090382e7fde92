#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "stride/controllers/data_driven/learn_gains.h"
#include "stride/core/config.h"
#include "stride/core/error.h"

namespace stride::data_driven_controller {

std::string Refuses(const Character& character) {
  if (!character.IsHuman()) return "it is not a human: two legs with thighs, shanks and feet";
  if (character.bodies[0].joint.kind != JointKind::kFree) return "its root is fixed to the world";
  return "";
}

namespace {

std::vector<std::string> Split(const std::string& list) {
  std::vector<std::string> parts(1);
  for (const char c : list) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// Those that the user has set one by one hold for all clips.
void SetGains(const nlohmann::json& config, DataDrivenSkill* held) {
  if (!config.contains("gains")) return;
  ConfigFromJson(config["gains"], "data_driven.gains", &held->config.gains);
  for (Animation::Clip& clip : held->clips) {
    ConfigFromJson(config["gains"], "data_driven.gains", &clip.gains);
  }
}

// A skill's clips and settings, or the motions given with the gains of a row of Figure 5; in both
// what the user has set on top.
DataDrivenSkill WhatToFollow(const ControllerInput& input) {
  DataDrivenSkill held;
  if (input.skill) {
    held = SkillOf(*input.skill);
    ConfigFromJson(input.config, "data_driven", &held.config);
    SetGains(input.config, &held);
    return held;
  }
  ConfigFromJson(input.config, "data_driven", &held.config);
  const std::vector<std::string> rows = Split(held.config.row);
  for (std::size_t k = 0; k < input.motions.size(); ++k) {
    held.clips.push_back({input.motions[k], RowOfGains(rows[std::min(k, rows.size() - 1)])});
  }
  held.config.gains = RowOfGains(rows[0]);
  SetGains(input.config, &held);
  return held;
}

std::unique_ptr<Controller> Make(const ControllerInput& input) {
  const DataDrivenSkill held = WhatToFollow(input);
  const DataDrivenConfig& config = held.config;
  const Character& character = input.world.actors[0];
  auto rig = std::make_shared<const Rig>(character);
  std::shared_ptr<const Animation> animation;
  if (input.graph) {
    if (!held.clips.empty())
      throw InputError("data_driven takes motions or a motion graph, not both");
    const std::vector<FeedbackGains> gains(input.graph->nodes.size(), config.gains);
    animation = std::make_shared<const Animation>(character, *input.graph, gains, config.animation);
  } else {
    animation = std::make_shared<const Animation>(character, held.clips, config.animation);
  }
  return std::make_unique<DataDrivenController>(input.world, rig, animation, config);
}

}  // namespace

ControllerInfo Describe() {
  return {.name = "data_driven",
          .description =
              "follows motion capture live, balanced by feedback on the reference; nothing learned "
              "(lee10)",
          .make = Make,
          .min_motions = 0,
          .max_motions = 16,
          .takes_graph = true,
          .schema = [] { return ConfigSchema<DataDrivenConfig>(); },
          .refuses = Refuses,
          .wishes = {.time_step = 1.0 / 900},
          .example = {.character = "lee10", .motion = "walk"},
          .learns = {GainLearning()},
          .check_skill = [](const Skill& skill) { SkillOf(skill); }};
}

}  // namespace stride::data_driven_controller
