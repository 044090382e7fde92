#include "stride/app/option_text.h"

#include <charconv>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/scenario/ground.h"

namespace stride {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

// What an option looks like, for its errors.
struct Syntax {
  const char* option;
  const char* form;
  const char* example;

  [[noreturn]] void Refuse(const std::string& text, const std::string& why) const {
    throw InputError(fmt::format("{} '{}': {}; expected {}, for instance {} {}", option, text, why,
                                 form, option, example));
  }
};

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

double Number(const std::string& word, const std::string& text, const Syntax& syntax) {
  double value = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (word.empty() || error != std::errc() || stop != end || !std::isfinite(value)) {
    syntax.Refuse(text, fmt::format("'{}' is not a number", word));
  }
  return value;
}

std::vector<double> Numbers(const std::string& list, std::size_t least, std::size_t most,
                            const std::string& text, const Syntax& syntax) {
  const std::vector<std::string> words = Split(list);
  if (words.size() < least || words.size() > most) {
    syntax.Refuse(text, fmt::format("has {} value{}", words.size(), words.size() == 1 ? "" : "s"));
  }
  std::vector<double> numbers;
  for (const std::string& word : words) numbers.push_back(Number(word, text, syntax));
  return numbers;
}

}  // namespace

Push ParsePush(const std::string& text) {
  constexpr Syntax kSyntax = {"--push", "N,deg,at,duration (newtons, heading, seconds, seconds)",
                              "60,90,2,0.2"};
  const std::vector<double> n = Numbers(text, 4, 4, text, kSyntax);
  if (n[2] < 0) kSyntax.Refuse(text, "begins before 0 s");
  if (n[3] <= 0) kSyntax.Refuse(text, "has no duration");
  return {.force = n[0], .heading = n[1] * kDegree, .at = n[2], .duration = n[3]};
}

Load ParseLoad(const std::string& text) {
  constexpr Syntax kSyntax = {"--load", "BODY,KG", "left_hand,5"};
  const std::size_t comma = text.rfind(',');
  if (comma == std::string::npos || comma == 0) kSyntax.Refuse(text, "has no body or no mass");
  const double mass = Number(text.substr(comma + 1), text, kSyntax);
  if (mass <= 0) kSyntax.Refuse(text, "has no positive mass");
  return {.body = text.substr(0, comma), .mass = mass};
}

Throw ParseThrow(const std::string& text) {
  constexpr Syntax kSyntax = {"--throw", "kg,m/s,at[,deg] (mass, speed, seconds, heading)",
                              "2,5,1.5,180"};
  const std::vector<double> n = Numbers(text, 3, 4, text, kSyntax);
  Throw result{.mass = n[0], .speed = n[1], .at = n[2], .heading = {}};
  if (n.size() == 4) result.heading = n[3] * kDegree;
  return result;
}

void ParseSlope(const std::string& text, Terrain* terrain) {
  constexpr Syntax kSyntax = {"--slope", "DEG[,HEADING_DEG]", "10,90"};
  const std::vector<double> n = Numbers(text, 1, 2, text, kSyntax);
  if (terrain->kind != Terrain::Kind::kPlane) kSyntax.Refuse(text, "tilts a plane only");
  if (std::fabs(n[0]) > 80) kSyntax.Refuse(text, "is steeper than 80 degrees");
  terrain->slope = n[0] * kDegree;
  terrain->slope_heading = n.size() == 2 ? n[1] * kDegree : 0;
}

Terrain ParseTerrain(const std::string& text) {
  constexpr Syntax kSyntax = {
      "--terrain", "plane, steps:RISE,DEPTH,COUNT[,START] or field:SEED,AMPLITUDE (metres)",
      "steps:0.1,0.3,5"};
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string list = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (kind == "plane" && colon == std::string::npos) return {};
  if (kind == "steps") {
    const std::vector<double> n = Numbers(list, 3, 4, text, kSyntax);
    if (n[2] < 0 || n[2] > 1000 || n[2] != std::floor(n[2])) {
      kSyntax.Refuse(text, "does not have a whole number of steps from 0 to 1000");
    }
    Terrain terrain;
    terrain.kind = Terrain::Kind::kSteps;
    terrain.step_rise = n[0];
    terrain.step_depth = n[1];
    terrain.step_count = static_cast<int>(n[2]);
    if (n.size() == 4) terrain.step_start = n[3];
    return terrain;
  }
  if (kind == "field") {
    const std::vector<double> n = Numbers(list, 2, 2, text, kSyntax);
    if (n[0] < 0 || n[0] > 1e15 || n[0] != std::floor(n[0])) {
      kSyntax.Refuse(text, "does not have a whole number of 0 to 1e15 as its seed");
    }
    if (n[1] < 0 || n[1] > 10) kSyntax.Refuse(text, "does not have an amplitude of 0 to 10 m");
    return RandomField(static_cast<std::uint64_t>(n[0]), n[1]);
  }
  kSyntax.Refuse(text, "is no kind of ground");
}

}  // namespace stride
