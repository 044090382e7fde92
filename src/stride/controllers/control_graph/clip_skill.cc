#include "stride/controllers/control_graph/clip_skill.h"

#include <cmath>

#include <fmt/format.h>

#include "stride/controllers/skill_library.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/json_node.h"

namespace stride {
namespace {

using Json = nlohmann::ordered_json;

Json Row(const float* values, int count) { return std::vector<float>(values, values + count); }

void ReadRow(const JsonNode& node, int count, float* values) {
  const std::vector<double> numbers = node.Numbers();
  if (static_cast<int>(numbers.size()) != count) {
    node.Fail(fmt::format("a list of {} numbers", count));
  }
  for (int k = 0; k < count; ++k) values[k] = static_cast<float>(numbers[k]);
}

Json PolicyJson(const FragmentPolicy& policy) {
  Json gains = Json::array();
  for (const auto& row : policy.gains) gains.push_back(Row(row, kFeatureCount));
  return {{"gains", gains},
          {"offset", Row(policy.offset, kActionCount)},
          {"mean", Row(policy.mean, kFeatureCount)},
          {"sigma", Row(policy.sigma, kActionCount)}};
}

FragmentPolicy PolicyFrom(const JsonNode& node) {
  FragmentPolicy policy;
  const JsonNode gains = node["gains"];
  if (gains.Size() != kActionCount) gains.Fail(fmt::format("{} rows", kActionCount));
  for (int a = 0; a < kActionCount; ++a) ReadRow(gains.At(a), kFeatureCount, policy.gains[a]);
  ReadRow(node["offset"], kActionCount, policy.offset);
  ReadRow(node["mean"], kFeatureCount, policy.mean);
  ReadRow(node["sigma"], kActionCount, policy.sigma);
  return policy;
}

double NumberIn(const JsonNode& node, double low, double high) {
  const double value = node.Number();
  if (!(value >= low && value <= high)) node.Fail(fmt::format("{:g} to {:g}", low, high));
  return value;
}

using Actions = std::vector<std::array<float, kActionCount>>;

void ReadActions(const JsonNode& node, int rows, const char* each, Actions* actions) {
  if (static_cast<int>(node.Size()) != rows) {
    node.Fail(fmt::format("{} rows, one for each {}", rows, each));
  }
  actions->resize(rows);
  for (int k = 0; k < rows; ++k) ReadRow(node.At(k), kActionCount, (*actions)[k].data());
}
Json ActionsJson(const Actions& actions) {
  Json rows = Json::array();
  for (const auto& action : actions) rows.push_back(Row(action.data(), kActionCount));
  return rows;
}

PushTurns TurnsFrom(const JsonNode& node, int fragments) {
  PushTurns turns;
  turns.rate = NumberIn(node["rate"], 0, 10);
  ReadActions(node["actions"], fragments, "fragment", &turns.actions);
  return turns;
}

Pace PaceFrom(const JsonNode& node, int policies) {
  constexpr double kMost = 10;  // m/s
  Pace pace{.slowest = NumberIn(node["slowest"], -kMost, 0),
            .fastest = NumberIn(node["fastest"], 0, kMost)};
  ReadActions(node["actions"], policies, "policy", &pace.actions);
  return pace;
}

GraphPlan PlanFrom(const JsonNode& node, const std::string& file_name) {
  constexpr std::size_t kMost = 1000;
  GraphPlan plan;
  const JsonNode clips = node["clips"], transitions = node["transitions"];
  if (clips.Size() < 1 || clips.Size() > kMost) clips.Fail(fmt::format("1 to {} clips", kMost));
  if (transitions.Size() > kMost) transitions.Fail(fmt::format("at most {} transitions", kMost));
  for (std::size_t k = 0; k < clips.Size(); ++k) {
    const JsonNode clip = clips.At(k);
    plan.clips.push_back({.name = clip["name"].Text(),
                          .motion = ParseMotion(clip["motion"].value().dump(),
                                                fmt::format("{}: clip {}", file_name, k)),
                          .symmetric = clip["symmetric"].Bool(),
                          .rises = clip["rises"].Bool()});
  }
  const int last = static_cast<int>(clips.Size()) - 1;
  for (std::size_t k = 0; k < transitions.Size(); ++k) {
    const JsonNode t = transitions.At(k);
    plan.transitions.push_back({.from = t["from"].Int(0, last),
                                .to = t["to"].Int(0, last),
                                .leave = NumberIn(t["leave"], 0, 1e4),
                                .enter = NumberIn(t["enter"], 0, 1e4),
                                .blend = NumberIn(t["blend"], 0.1, 10)});
  }
  return plan;
}

}  // namespace

GraphPlan PlanOf(const Motion& motion, bool symmetric) {
  return {.clips = {{.name = motion.name, .motion = motion, .symmetric = symmetric}}};
}

ControlGraph GraphOf(const ClipSkill& skill) {
  return MakeControlGraph(skill.plan, skill.character, skill.clip, skill.time_step);
}

void RecordTurns(ClipSkill* skill) {
  skill->turns = {};
  if (!skill->keep_heading) {
    skill->turns = RecordPushTurns(GraphOf(*skill), skill->policies, skill->start);
  }
}

namespace {

std::string DescriptionOf(const ClipSkill& skill) {
  if (skill.plan.clips.size() > 1) {
    return fmt::format("graph of {} clips on {}", skill.plan.clips.size(), skill.character.name);
  }
  return fmt::format("{} on {}, a cycle of {:.2f} s", skill.FirstMotion().name,
                     skill.character.name, skill.FirstMotion().Duration());
}

Json PayloadOf(const ClipSkill& skill) {
  Json json = {{"clip",
                {{"fragment", skill.clip.fragment},
                 {"lead", skill.clip.lead},
                 {"mirror_axes", skill.clip.mirror_axes}}},
               {"keep_heading", skill.keep_heading},
               {"clips", Json::array()},
               {"transitions", Json::array()},
               {"policies", Json::array()}};
  for (const GraphClip& clip : skill.plan.clips) {
    json["clips"].push_back({{"name", clip.name},
                             {"symmetric", clip.symmetric},
                             {"rises", clip.rises},
                             {"motion", Json::parse(MotionText(clip.motion))}});
  }
  for (const GraphTransition& t : skill.plan.transitions) {
    json["transitions"].push_back({{"from", t.from},
                                   {"to", t.to},
                                   {"leave", t.leave},
                                   {"enter", t.enter},
                                   {"blend", t.blend}});
  }
  for (const FragmentPolicy& policy : skill.policies)
    json["policies"].push_back(PolicyJson(policy));
  if (skill.turns.rate > 0) {
    json["turns"] = {{"rate", skill.turns.rate}, {"actions", ActionsJson(skill.turns.actions)}};
  }
  if (skill.turn_rate > 0) json["turn_rate"] = skill.turn_rate;
  if (skill.turn_action > 0) json["turn_action"] = skill.turn_action;
  if (skill.turn_shown > 1) json["turn_shown"] = skill.turn_shown;
  if (!skill.pace.actions.empty()) {
    json["pace"] = {{"slowest", skill.pace.slowest},
                    {"fastest", skill.pace.fastest},
                    {"actions", ActionsJson(skill.pace.actions)}};
  }
  return json;
}

}  // namespace

Skill ToEnvelope(const ClipSkill& skill) {
  return {.name = skill.name,
          .controller = kSkillController,
          .description = DescriptionOf(skill),
          .character = skill.character,
          .start = skill.start,
          .wishes = {.time_step = skill.time_step},
          .provenance = skill.provenance,
          .metrics = skill.metrics,
          .robustness = skill.robustness,
          .payload = PayloadOf(skill)};
}

ClipSkill FromEnvelope(const Skill& envelope) {
  if (envelope.controller != kSkillController) {
    throw InputError(fmt::format("a skill of the controller '{}'; expected one of '{}'",
                                 envelope.controller, kSkillController));
  }
  ClipSkill skill{.name = envelope.name,
                  .character = envelope.character,
                  .time_step = envelope.wishes.time_step.value_or(World().time_step),
                  .start = envelope.start,
                  .provenance = envelope.provenance,
                  .metrics = envelope.metrics,
                  .robustness = envelope.robustness};
  if (!(skill.time_step >= 1e-4)) {
    throw InputError(
        fmt::format("world.time_step is {}; expected at least 0.0001 s", skill.time_step));
  }
  const JsonNode node(envelope.payload, "payload");
  skill.clip.fragment = NumberIn(node["clip"]["fragment"], 0.01, 10);
  skill.clip.lead = NumberIn(node["clip"]["lead"], 0, 10);
  // Skills of before have none.
  skill.clip.mirror_axes =
      node["clip"].value().contains("mirror_axes") && node["clip"]["mirror_axes"].Bool();
  skill.keep_heading = node["keep_heading"].Bool();
  skill.plan = PlanFrom(node, "payload");
  for (const GraphClip& clip : skill.plan.clips) Validate(clip.motion, skill.character);
  const JsonNode policies = node["policies"];
  for (std::size_t k = 0; k < policies.Size(); ++k) {
    skill.policies.push_back(PolicyFrom(policies.At(k)));
  }
  const ControlGraph graph = GraphOf(skill);
  if (static_cast<int>(skill.policies.size()) != graph.policies) {
    policies.Fail(fmt::format("{} policies for these clips", graph.policies));
  }
  if (node.value().contains("turns")) {
    skill.turns = TurnsFrom(node["turns"], graph.Fragments());
  }
  if (node.value().contains("pace")) skill.pace = PaceFrom(node["pace"], graph.policies);
  if (node.value().contains("turn_rate")) skill.turn_rate = NumberIn(node["turn_rate"], 0, 10);
  if (node.value().contains("turn_action")) {
    skill.turn_action = NumberIn(node["turn_action"], 0, 100);
  }
  if (node.value().contains("turn_shown")) skill.turn_shown = NumberIn(node["turn_shown"], 1, 10);
  return skill;
}

std::string SkillText(const ClipSkill& skill) { return SkillText(ToEnvelope(skill)); }

ClipSkill ReadClipSkill(const std::string& path) {
  const Skill envelope = ParseEnvelope(ReadFile(path), path, UpgradeClipSkill);
  try {
    return FromEnvelope(envelope);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
}

ClipSkill LoadClipSkill(const std::string& name_or_path) {
  return FromEnvelope(LoadSkill(name_or_path));
}

void WriteSkill(const ClipSkill& skill, const std::string& path) {
  WriteFileWhole(path, SkillText(skill));
}

// Versions 1 (one clip) and 2 had everything in one object.
bool UpgradeClipSkill(int version, Json* json) {
  Json& old = *json;
  if (!old.contains("policies") || !old.contains("keep_heading")) return false;
  if (version == 1) {
    if (!old.contains("motion") || !old.contains("clip") || !old["clip"].is_object()) return false;
    old["clips"] = Json::array(
        {{{"name", old["motion"].is_object() ? old["motion"].value("name", Json()) : Json()},
          {"symmetric", old["clip"].value("symmetric", Json())},
          {"rises", false},
          {"motion", std::move(old["motion"])}}});
    old["transitions"] = Json::array();
  }
  Json payload = Json::object();
  for (const char* key : {"clip", "keep_heading", "clips", "transitions", "policies", "turns"}) {
    if (old.contains(key)) payload[key] = std::move(old[key]);
  }
  Json upgraded = {
      {"stride_skill", kSkillVersion},
      {"name", old.value("name", Json())},
      {"controller", kSkillController},
      {"description", fmt::format("learned by an earlier stride (file version {})", version)},
      {"world", {{"time_step", old.value("time_step", Json())}}},
      {"provenance", old.value("provenance", Json())},
      {"metrics", old.value("metrics", Json())},
      {"robustness", Json::object()},
      {"character", old.value("character", Json())},
      {"start",
       old.contains("start") ? old["start"] : Json{{"q", Json::array()}, {"v", Json::array()}}},
      {"payload", std::move(payload)}};
  Json& metrics = upgraded["metrics"];
  if (metrics.is_object() && metrics.contains("robustness")) {
    upgraded["robustness"] = metrics["robustness"];
    metrics.erase("robustness");
  }
  old = std::move(upgraded);
  return true;
}

std::vector<std::pair<std::string, std::string>> ClipSkillRows(const Skill& envelope) {
  const ClipSkill skill = FromEnvelope(envelope);
  std::vector<std::pair<std::string, std::string>> rows;
  for (const GraphClip& clip : skill.plan.clips) {
    rows.emplace_back(clip.motion.loops ? "cycle" : "clip",
                      fmt::format("{}, {:.2f} s{}{}, {}", clip.name, clip.motion.Duration(),
                                  clip.symmetric ? ", mirrored for the other half" : "",
                                  clip.rises ? ", rises after a fall" : "", clip.motion.source));
  }
  for (const GraphTransition& t : skill.plan.transitions) {
    rows.emplace_back("transition",
                      skill.plan.clips[t.from].name + " to " + skill.plan.clips[t.to].name);
  }
  rows.emplace_back("policies", fmt::format("{}", skill.policies.size()));
  rows.emplace_back("heading", skill.keep_heading ? "kept, can be commanded" : "free");
  return rows;
}

}  // namespace stride
