#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "stride/control/controller.h"
#include "stride/math/vec.h"

namespace stride {

// What a person does to a live run. Recorded as events and replayed.
struct RunInput {
  enum class Kind { kPush, kThrow, kCommand, kFriction, kSlope, kCurve };
  Kind kind = Kind::kPush;
  int actor = 0, body = 0;  // pushed, commanded or edited
  Vec3d point;              // push: in the body's frame; throw: where it starts, world
  Vec3d vector;             // push: force, world, N; throw: velocity, m/s
  double duration = 0;      // push: s
  double mass = 1;          // throw: kg
  Command command;
  double value = 0;  // friction; slope, rad
  CurveEdit edit;    // of a curve of its controller
};
nlohmann::ordered_json ToJson(const RunInput& input);
RunInput RunInputFromJson(const nlohmann::json& json);  // throws InputError

nlohmann::ordered_json ToJson(const CurveEdit& edit);
CurveEdit CurveEditFromJson(const nlohmann::json& json, const std::string& source);  // throws

}  // namespace stride
