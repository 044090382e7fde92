#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "stride/scenario/ground.h"
#include "stride/scenario/scenario.h"

// The options of `simulate` that have a small syntax of their own. Degrees here, radians in the
// values. Each throws InputError naming the option, what was found and what is expected. Ground and
// push protocols are read by scenario/ground.h and scenario/scenario.h.
namespace stride {

Push ParsePush(const std::string& text);             // N,deg,at,duration
Load ParseLoad(const std::string& text);             // BODY,KG
BodyChange ParseChange(const std::string& text);     // BODY,LENGTH[,MASS]
Throw ParseThrow(const std::string& text);           // kg,m/s,at[,deg]
TimedCommand ParseCommand(const std::string& text);  // at,[m/s][,deg]
TimedCommand ParseGoTo(const std::string& text);     // at,x,y
TimedCommand ParseStyle(const std::string& text);    // at,NAME

// DEG[,HEADING_DEG] tilts the plane of `terrain`.
void ParseSlope(const std::string& text, Terrain* terrain);

// KEY=VALUE: "controller.KEY" is a setting of the controller, others are the world's, and chosen.
void ParseSetting(const std::string& text, Scenario* scenario, nlohmann::json* controller_config);

}  // namespace stride
