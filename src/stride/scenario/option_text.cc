#include "stride/scenario/option_text.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <vector>

#include "stride/core/error.h"
#include "stride/core/json_text.h"
#include "stride/scenario/option_syntax.h"
#include "stride/sim/world_config.h"

namespace stride {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

}  // namespace

Push ParsePush(const std::string& text) {
  constexpr OptionSyntax kSyntax = {
      "--push", "N,deg,at,duration (newtons, heading, seconds, seconds)", "60,90,2,0.2"};
  const std::vector<double> n = kSyntax.Numbers(text, 4, 4, text);
  if (n[2] < 0) kSyntax.Refuse(text, "begins before 0 s");
  if (n[3] <= 0) kSyntax.Refuse(text, "has no duration");
  return {.force = n[0], .heading = n[1] * kDegree, .at = n[2], .duration = n[3]};
}

Load ParseLoad(const std::string& text) {
  constexpr OptionSyntax kSyntax = {"--load", "BODY,KG", "left_hand,5"};
  const std::size_t comma = text.rfind(',');
  if (comma == std::string::npos || comma == 0) kSyntax.Refuse(text, "has no body or no mass");
  const double mass = kSyntax.Number(text.substr(comma + 1), text);
  if (mass <= 0) kSyntax.Refuse(text, "has no positive mass");
  return {.body = text.substr(0, comma), .mass = mass};
}

BodyChange ParseChange(const std::string& text) {
  constexpr OptionSyntax kSyntax = {"--change", "BODY,LENGTH[,MASS] (factors)", "legs,1.2,1.1"};
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos || comma == 0) kSyntax.Refuse(text, "has no body or no factor");
  const std::vector<double> n = kSyntax.Numbers(text.substr(comma + 1), 1, 2, text);
  for (const double factor : n) {
    if (factor < 0.01 || factor > 100) kSyntax.Refuse(text, "has a factor outside 0.01 to 100");
  }
  return {.body = text.substr(0, comma), .length = n[0], .mass = n.size() == 2 ? n[1] : 1};
}

TimedCommand ParseCommand(const std::string& text) {
  constexpr OptionSyntax kSyntax = {
      "--command", "at,[m/s][,deg] (seconds, speed, heading; one of the two may be left out)",
      "2,1.2,90"};
  const std::vector<std::string> words = SplitAtCommas(text);
  if (words.size() < 2 || words.size() > 3) kSyntax.Refuse(text, "has no speed and no heading");
  TimedCommand command;
  command.at = kSyntax.Number(words[0], text);
  if (command.at < 0) kSyntax.Refuse(text, "begins before 0 s");
  if (!words[1].empty()) command.speed = kSyntax.Number(words[1], text);
  if (words.size() == 3) command.heading = kSyntax.Number(words[2], text) * kDegree;
  if (!command.speed && !command.heading) kSyntax.Refuse(text, "has no speed and no heading");
  return command;
}

TimedCommand ParseGoTo(const std::string& text) {
  constexpr OptionSyntax kSyntax = {"--go-to", "at,x,y (seconds, metres)", "2,5,-3"};
  const std::vector<double> n = kSyntax.Numbers(text, 3, 3, text);
  if (n[0] < 0) kSyntax.Refuse(text, "begins before 0 s");
  return {.at = n[0], .point = GroundPoint{n[1], n[2]}};
}

TimedCommand ParseStyle(const std::string& text) {
  constexpr OptionSyntax kSyntax = {"--style", "at,NAME (seconds, style of the controller)",
                                    "2,kick"};
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos || comma + 1 == text.size()) kSyntax.Refuse(text, "has no name");
  const double at = kSyntax.Number(text.substr(0, comma), text);
  if (at < 0) kSyntax.Refuse(text, "begins before 0 s");
  return {.at = at, .style_name = text.substr(comma + 1)};
}

Throw ParseThrow(const std::string& text) {
  constexpr OptionSyntax kSyntax = {"--throw", "kg,m/s,at[,deg] (mass, speed, seconds, heading)",
                                    "2,5,1.5,180"};
  const std::vector<double> n = kSyntax.Numbers(text, 3, 4, text);
  Throw result{.mass = n[0], .speed = n[1], .at = n[2], .heading = {}};
  if (n.size() == 4) result.heading = n[3] * kDegree;
  return result;
}

void ParseSlope(const std::string& text, Terrain* terrain) {
  constexpr OptionSyntax kSyntax = {"--slope", "DEG[,HEADING_DEG]", "10,90"};
  const std::vector<double> n = kSyntax.Numbers(text, 1, 2, text);
  if (terrain->kind != Terrain::Kind::kPlane) kSyntax.Refuse(text, "tilts a plane only");
  if (std::fabs(n[0]) > 80) kSyntax.Refuse(text, "is steeper than 80 degrees");
  terrain->slope = n[0] * kDegree;
  terrain->slope_heading = n.size() == 2 ? n[1] * kDegree : 0;
}

void ParseSetting(const std::string& text, Scenario* scenario, nlohmann::json* controller_config) {
  constexpr std::string_view kPrefix = "controller.";
  if (!text.starts_with(kPrefix)) {
    SetConfigValue(text, &scenario->world);
    scenario->chosen.push_back(text.substr(0, text.find('=')));
    return;
  }
  constexpr OptionSyntax kSyntax = {"--set", "KEY=VALUE", "controller.gain=2"};
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == kPrefix.size()) kSyntax.Refuse(text, "sets nothing");
  std::string pointer = "/" + text.substr(kPrefix.size(), equals - kPrefix.size());
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  const std::string value = text.substr(equals + 1);
  // A number or a truth value as JSON; anything else is text.
  nlohmann::json parsed = value;
  try {
    parsed = ParseJson(value, kSyntax.option);
  } catch (const InputError&) {
  }
  (*controller_config)[nlohmann::json::json_pointer(pointer)] = parsed;
}

}  // namespace stride
