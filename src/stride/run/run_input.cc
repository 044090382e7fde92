#include "stride/run/run_input.h"

#include <optional>
#include <vector>

#include <fmt/ranges.h>

#include "stride/run/json_keys.h"

namespace stride {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr const char* kKindNames[] = {"push", "throw", "command", "friction", "slope", "curve"};

Vec3d GetVec3(const Json& json, const char* key, const std::string& source) {
  const auto values = Get<std::vector<double>>(json, key, source);
  if (values.size() != 3) {
    throw InputError(source, 0, fmt::format("'{}' has {} numbers; expected 3", key, values.size()));
  }
  return {values[0], values[1], values[2]};
}

GroundPoint GetGroundPoint(const Json& json, const char* key, const std::string& source) {
  const auto values = Get<std::vector<double>>(json, key, source);
  if (values.size() != 2) {
    throw InputError(source, 0, fmt::format("{}: expected [x, y]", key));
  }
  return {values[0], values[1]};
}

std::optional<double> GetOptional(const Json& json, const char* key, const std::string& source) {
  if (Need(json, key, source).is_null()) return std::nullopt;
  return Get<double>(json, key, source);
}

OrderedJson Nullable(const std::optional<double>& value) {
  return value ? OrderedJson(*value) : OrderedJson(nullptr);
}

}  // namespace

OrderedJson ToJson(const RunInput& input) {
  const auto vector = [](const Vec3d& v) { return OrderedJson{v.x, v.y, v.z}; };
  OrderedJson json = {{"kind", kKindNames[static_cast<int>(input.kind)]}};
  switch (input.kind) {
    case RunInput::Kind::kPush:
      json["actor"] = input.actor;
      json["body"] = input.body;
      json["point"] = vector(input.point);
      json["force"] = vector(input.vector);
      json["duration"] = input.duration;
      break;
    case RunInput::Kind::kThrow:
      json["from"] = vector(input.point);
      json["velocity"] = vector(input.vector);
      json["mass"] = input.mass;
      break;
    case RunInput::Kind::kCommand:
      json["actor"] = input.actor;
      json["speed"] = Nullable(input.command.speed);
      json["heading"] = Nullable(input.command.heading);
      json["style"] = input.command.style;
      if (const auto& to = input.command.point) json["point"] = {to->x, to->y};
      break;
    case RunInput::Kind::kFriction:
    case RunInput::Kind::kSlope: json["value"] = input.value; break;
    case RunInput::Kind::kCurve:
      json["actor"] = input.actor;
      json["edit"] = ToJson(input.edit);
      break;
  }
  return json;
}

OrderedJson ToJson(const CurveEdit& edit) {
  return {{"curve", edit.curve},
          {"part", edit.part},
          {"times", edit.points.times},
          {"values", edit.points.values}};
}

CurveEdit CurveEditFromJson(const Json& json, const std::string& source) {
  return {Get<int>(json, "curve", source),
          Get<std::string>(json, "part", source),
          {Get<std::vector<double>>(json, "times", source),
           Get<std::vector<double>>(json, "values", source)}};
}

RunInput RunInputFromJson(const Json& json) {
  const std::string source = "input";
  const std::string kind = Get<std::string>(json, "kind", source);
  RunInput input;
  if (kind == "push") {
    input.kind = RunInput::Kind::kPush;
    input.actor = Get<int>(json, "actor", source);
    input.body = Get<int>(json, "body", source);
    input.point = GetVec3(json, "point", source);
    input.vector = GetVec3(json, "force", source);
    input.duration = Get<double>(json, "duration", source);
  } else if (kind == "throw") {
    input.kind = RunInput::Kind::kThrow;
    input.point = GetVec3(json, "from", source);
    input.vector = GetVec3(json, "velocity", source);
    input.mass = Get<double>(json, "mass", source);
  } else if (kind == "command") {
    input.kind = RunInput::Kind::kCommand;
    // Recordings made before there were several characters name none.
    if (json.contains("actor")) input.actor = Get<int>(json, "actor", source);
    input.command.speed = GetOptional(json, "speed", source);
    input.command.heading = GetOptional(json, "heading", source);
    input.command.style = Get<int>(json, "style", source);
    if (json.contains("point")) input.command.point = GetGroundPoint(json, "point", source);
  } else if (kind == "friction" || kind == "slope") {
    input.kind = kind == "slope" ? RunInput::Kind::kSlope : RunInput::Kind::kFriction;
    input.value = Get<double>(json, "value", source);
  } else if (kind == "curve") {
    input.kind = RunInput::Kind::kCurve;
    input.actor = Get<int>(json, "actor", source);
    input.edit = CurveEditFromJson(Need(json, "edit", source), source + ".edit");
  } else {
    throw InputError(
        source, 0,
        fmt::format("kind is '{}'; expected one of: {}", kind, fmt::join(kKindNames, ", ")));
  }
  return input;
}

}  // namespace stride
