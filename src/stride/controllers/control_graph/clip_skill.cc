#include "stride/controllers/control_graph/clip_skill.h"

#include <cmath>

#include <fmt/format.h>

#include "stride/character/character_json.h"
#include "stride/core/error.h"
#include "stride/core/file.h"

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

State StartFrom(const JsonNode& node, const Layout& layout) {
  State start{node["q"].Numbers(), node["v"].Numbers()};
  const auto check = [&](const char* key, std::vector<double>& values, int count) {
    if (values.empty()) return;
    if (static_cast<int>(values.size()) != count) node[key].Fail(fmt::format("{} numbers", count));
    for (const double x : values) {
      if (!(std::fabs(x) < 1e3)) node[key].Fail("numbers below 1000");
    }
  };
  check("q", start.q, layout.nq);
  check("v", start.v, layout.nv);
  if (start.q.empty() != start.v.empty()) node.Fail("both q and v, or neither");
  return start;
}

double NumberIn(const JsonNode& node, double low, double high) {
  const double value = node.Number();
  if (!(value >= low && value <= high)) node.Fail(fmt::format("{:g} to {:g}", low, high));
  return value;
}

PushTurns TurnsFrom(const JsonNode& node, int fragments) {
  PushTurns turns;
  turns.rate = NumberIn(node["rate"], 0, 10);
  const JsonNode actions = node["actions"];
  if (static_cast<int>(actions.Size()) != fragments) {
    actions.Fail(fmt::format("{} rows, one for each fragment", fragments));
  }
  turns.actions.resize(fragments);
  for (int f = 0; f < fragments; ++f) {
    ReadRow(actions.At(f), kActionCount, turns.actions[f].data());
  }
  return turns;
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

ControlGraph GraphOf(const Skill& skill) {
  return MakeControlGraph(skill.plan, skill.character, skill.clip, skill.time_step);
}

void RecordTurns(Skill* skill) {
  skill->turns = {};
  if (!skill->keep_heading) {
    skill->turns = RecordPushTurns(GraphOf(*skill), skill->policies, skill->start);
  }
}

double Skill::Robustness(const std::string& segment) const {
  if (!metrics.is_object() || !metrics.contains("robustness")) return -1;
  const auto& all = metrics["robustness"];
  if (!all.is_object() || !all.contains(segment) || !all[segment].is_number()) return -1;
  return all[segment].get<double>();
}

std::string SkillText(const Skill& skill) {
  Json json = {{"stride_skill", kSkillVersion},
               {"name", skill.name},
               {"clip", {{"fragment", skill.clip.fragment}, {"lead", skill.clip.lead}}},
               {"time_step", skill.time_step},
               {"keep_heading", skill.keep_heading},
               {"provenance", skill.provenance},
               {"metrics", skill.metrics},
               {"character", ToJson(skill.character)},
               {"clips", Json::array()},
               {"transitions", Json::array()},
               {"start", {{"q", skill.start.q}, {"v", skill.start.v}}},
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
    Json actions = Json::array();
    for (const auto& action : skill.turns.actions) {
      actions.push_back(Row(action.data(), kActionCount));
    }
    json["turns"] = {{"rate", skill.turns.rate}, {"actions", actions}};
  }
  return json.dump() + "\n";
}

Skill ParseSkill(const std::string& text, const std::string& file_name) {
  const Json json = ParseBoundedJson(text, file_name);
  if (!json.is_object() || !json.contains("stride_skill")) {
    throw InputError(
        fmt::format("{}: no skill of stride; expected a file made by 'stride learn'", file_name));
  }
  const JsonNode node(json, file_name);
  const int version = node["stride_skill"].Int(1, 1 << 20);
  if (version > kSkillVersion) {
    throw InputError(fmt::format("{}: a skill of version {}; this stride reads up to {}: update it",
                                 file_name, version, kSkillVersion));
  }
  Skill skill;
  skill.name = node["name"].Text();
  skill.clip.fragment = NumberIn(node["clip"]["fragment"], 0.01, 10);
  skill.clip.lead = NumberIn(node["clip"]["lead"], 0, 10);
  skill.time_step = NumberIn(node["time_step"], 1e-4, 0.1);
  skill.keep_heading = node["keep_heading"].Bool();
  skill.provenance = node["provenance"].value();
  skill.metrics = node["metrics"].value();
  skill.character = CharacterFromJson(node["character"]);
  if (node.value().contains("start"))
    skill.start = StartFrom(node["start"], LayoutOf(skill.character));
  if (version == 1) {
    skill.plan = PlanOf(ParseMotion(node["motion"].value().dump(), file_name + ": motion"),
                        node["clip"]["symmetric"].Bool());
  } else {
    skill.plan = PlanFrom(node, file_name);
  }
  try {
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
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file_name, error.what()));
  }
  return skill;
}

Skill ReadSkill(const std::string& path) { return ParseSkill(ReadFile(path), path); }

void WriteSkill(const Skill& skill, const std::string& path) {
  WriteFileWhole(path, SkillText(skill));
}

}  // namespace stride
