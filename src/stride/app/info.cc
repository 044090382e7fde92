#include "stride/app/info.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "stride/character/library.h"
#include "stride/controllers/registry.h"
#include "stride/controllers/skill_library.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/nearest.h"
#include "stride/motion/import/import.h"
#include "stride/motion/import/motion_source.h"
#include "stride/motion/library.h"

namespace stride {
namespace {

// Half the sides of the axis-aligned box around a shape, body axes.
Vec3d HalfSides(const Shape& shape) {
  const Vec3d& s = shape.size;
  if (shape.kind == ShapeKind::kSphere) return {s.x, s.x, s.x};
  const Mat3d r = ToMat3(shape.rotation);
  const auto reach = [](const Vec3d& row, const Vec3d& half) {
    return std::fabs(row.x) * half.x + std::fabs(row.y) * half.y + std::fabs(row.z) * half.z;
  };
  const bool capsule = shape.kind == ShapeKind::kCapsule;
  const Vec3d half = capsule ? Vec3d{0, 0, s.y} : s;
  const double round = capsule ? s.x : 0;
  return {reach({r.xx, r.xy, r.xz}, half) + round, reach({r.yx, r.yy, r.yz}, half) + round,
          reach({r.zx, r.zy, r.zz}, half) + round};
}

nlohmann::ordered_json ToJson(const Vec3d& v) { return {v.x, v.y, v.z}; }

// Throws InputError where nothing built in has that name.
void RequireName(const std::string& name) {
  std::vector<std::string> names;
  names.reserve(BuiltInCharacters().size() + BuiltInMotions().size() + BuiltInSkills().size());
  for (const CharacterInfo& each : BuiltInCharacters()) names.push_back(each.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  for (const MotionInfo& each : BuiltInMotions()) names.push_back(each.name);
  for (const SkillInfo& each : BuiltInSkills()) names.push_back(each.name);
  throw InputError(fmt::format(
      "there is no character, motion or skill '{}', nor a file of that name{} (stride list shows "
      "those built in)",
      name, DidYouMean(name, names)));
}

}  // namespace

const char* JointKindName(JointKind kind) {
  switch (kind) {
    case JointKind::kFree: return "free";
    case JointKind::kBall: return "ball";
    case JointKind::kHinge: return "hinge";
    case JointKind::kSlide: return "slide";
  }
  return "?";
}

double BodyLength(const Body& body) {
  if (body.shapes.empty()) return 0;
  Vec3d low{HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = -low;
  for (const Shape& shape : body.shapes) {
    const Vec3d half = HalfSides(shape);
    const Vec3d a = shape.center - half, b = shape.center + half;
    low = {std::min(low.x, a.x), std::min(low.y, a.y), std::min(low.z, a.z)};
    high = {std::max(high.x, b.x), std::max(high.y, b.y), std::max(high.z, b.z)};
  }
  return std::max({high.x - low.x, high.y - low.y, high.z - low.z});
}

InfoResult Inspect(const std::string& name_or_path) {
  InfoResult result;
  result.source = name_or_path;
  if (FileExtension(name_or_path).empty() && !std::filesystem::exists(name_or_path)) {
    RequireName(name_or_path);
  }
  result.character = LoadCharacter(name_or_path, &result.warnings);
  result.mass = TotalMass(result.character);
  result.height = StandingHeight(result.character);
  const Layout layout = LayoutOf(result.character);
  result.coordinates = layout.nq;
  result.dof = layout.nv;
  return result;
}

MotionInfoResult InspectMotion(const std::string& name_or_path) {
  MotionSource source = LoadAnyMotion(name_or_path, "");
  MotionInfoResult result;
  result.source = name_or_path;
  result.format = source.format;
  result.travel = MeasureTravel(source.character, source.motion);
  result.motion = std::move(source.motion);
  result.warnings = std::move(source.warnings);
  return result;
}

RecordingInfoResult InspectRecording(const std::string& path) {
  RecordingInfoResult result;
  result.source = path;
  result.recording = ReadRecording(path);
  result.actors = ActorsOf(result.recording);
  if (!result.recording.complete) {
    result.warnings.push_back(path + ": " + result.recording.damage);
  }
  return result;
}

SkillInfoResult InspectSkill(const std::string& name_or_path) {
  SkillInfoResult result{.source = name_or_path, .skill = LoadSkill(name_or_path)};
  const ControllerInfo& info = FindController(result.skill.controller);
  if (info.skill_rows) result.rows = info.skill_rows(result.skill);
  return result;
}

std::string SkillNamed(const std::string& name_or_path) {
  const bool ends_so = name_or_path.ends_with(kSkillEnding);
  if (ends_so && std::filesystem::exists(name_or_path)) return name_or_path;
  const std::string name =
      ends_so ? name_or_path.substr(0, name_or_path.size() - std::strlen(kSkillEnding))
              : name_or_path;
  for (const SkillInfo& each : BuiltInSkills()) {
    if (each.name == name) return name;
  }
  return ends_so ? name_or_path : "";
}

std::map<std::string, int> EventCounts(const Recording& recording) {
  std::map<std::string, int> counts;
  for (const RecordedEvent& event : recording.events) ++counts[event.kind];
  return counts;
}

nlohmann::ordered_json ToJson(const RecordingInfoResult& r) {
  using Json = nlohmann::ordered_json;
  const RecordingHeader& header = r.recording.header;
  Json json = {{"kind", "recording"},
               {"source", r.source},
               {"title", header.title},
               {"engine", header.engine},
               {"seed", header.seed},
               {"stride", header.version},
               {"frames", r.recording.frames.size()},
               {"frame_interval", header.frame_interval},
               {"seconds", r.recording.Duration()},
               {"complete", r.recording.complete},
               {"actors", Json::array()},
               {"events", EventCounts(r.recording)},
               {"setup", header.setup},
               {"summary", r.recording.summary}};
  for (std::size_t k = 0; k < r.actors.size(); ++k) {
    const Character& actor = r.actors[k];
    Json one = {{"name", actor.name}, {"bodies", actor.BodyCount()}, {"dof", LayoutOf(actor).nv}};
    if (k < header.controllers.size()) one.update(ToJson(header.controllers[k]));
    json["actors"].push_back(std::move(one));
  }
  json["warnings"] = r.warnings;
  return json;
}

nlohmann::ordered_json ToJson(const MotionInfoResult& r) {
  return {{"kind", "motion"},
          {"source", r.source},
          {"format", r.format},
          {"name", r.motion.name},
          {"character", r.motion.character},
          {"origin", r.motion.source},
          {"frames", r.motion.FrameCount()},
          {"fps", r.motion.fps},
          {"seconds", r.motion.Duration()},
          {"loops", r.motion.loops},
          {"speed", r.travel.speed},
          {"heading_change_deg", r.travel.heading_change_deg},
          {"contacts", ContactsToJson(r.motion)},
          {"warnings", r.warnings}};
}

nlohmann::ordered_json ToJson(const InfoResult& r) {
  using Json = nlohmann::ordered_json;
  const Character& c = r.character;
  Json json = {{"kind", "character"},
               {"source", r.source},
               {"name", c.name},
               {"description", c.description},
               {"body_count", c.BodyCount()},
               {"dof", r.dof},
               {"coordinates", r.coordinates},
               {"mass", r.mass},
               {"height", r.height},
               {"human", c.IsHuman()}};
  json["bodies"] = Json::array();
  for (const Body& body : c.bodies) {
    const Joint& joint = body.joint;
    Json entry = {{"name", body.name},
                  {"parent", body.parent < 0 ? Json() : Json(c.bodies[body.parent].name)},
                  {"joint", JointKindName(joint.kind)},
                  {"dof", DofCount(joint.kind)},
                  {"mass", body.mass},
                  {"length", BodyLength(body)},
                  {"offset", ToJson(body.offset)},
                  {"kp", joint.kp},
                  {"kd", joint.kd},
                  {"max_torque", joint.max_torque}};
    if (HasOneAxis(joint.kind)) entry["axis"] = ToJson(joint.axis);
    if (joint.limited) entry["limits"] = {joint.lower, joint.upper};
    json["bodies"].push_back(std::move(entry));
  }
  json["roles"] = Json::object();
  for (int role = 0; role < static_cast<int>(Role::kCount); ++role) {
    const int body = c.roles[role];
    if (body >= 0) json["roles"][RoleName(static_cast<Role>(role))] = c.bodies[body].name;
  }
  json["contact_points"] = Json::array();
  for (const ContactPoint& point : c.contact_points) {
    json["contact_points"].push_back({{"body", c.bodies[point.body].name},
                                      {"position", ToJson(point.position)},
                                      {"radius", point.radius}});
  }
  json["warnings"] = r.warnings;
  return json;
}

nlohmann::ordered_json ToJson(const SkillInfoResult& r) {
  nlohmann::ordered_json json = {{"kind", "skill"},
                                 {"source", r.source},
                                 {"name", r.skill.name},
                                 {"controller", r.skill.controller},
                                 {"description", r.skill.description},
                                 {"character", r.skill.character.name},
                                 {"contents", nlohmann::ordered_json::array()},
                                 {"metrics", r.skill.metrics},
                                 {"robustness", r.skill.robustness},
                                 {"provenance", r.skill.provenance}};
  for (const auto& [what, text] : r.rows)
    json["contents"].push_back({{"what", what}, {"is", text}});
  return json;
}

}  // namespace stride
