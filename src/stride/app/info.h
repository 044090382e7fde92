#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/character/character.h"
#include "stride/learn/skill.h"
#include "stride/motion/motion.h"
#include "stride/motion/travel.h"
#include "stride/record/recording.h"

// What is in a file, or in a built-in character or motion: behind `stride info`.
namespace stride {

struct InfoResult {
  std::string source;  // as it was asked for
  Character character;
  std::vector<std::string> warnings;  // of the reader
  double mass = 0, height = 0;        // kg, m (zero pose)
  int coordinates = 0, dof = 0;
};

// Throws InputError.
InfoResult Inspect(const std::string& name_or_path);

struct MotionInfoResult {
  std::string source;  // as it was asked for
  std::string format;  // of the source (MotionSource)
  Motion motion;
  Travel travel;
  std::vector<std::string> warnings;
};

// Whatever LoadAnyMotion takes, on its own character or the default one. Throws InputError.
MotionInfoResult InspectMotion(const std::string& name_or_path);

struct RecordingInfoResult {
  std::string source;  // as it was asked for
  Recording recording;
  std::vector<Character> actors;  // those that joined included
  std::vector<std::string> warnings;
};

// Throws InputError where not even the header can be read.
RecordingInfoResult InspectRecording(const std::string& path);
// How often each kind of event happened.
std::map<std::string, int> EventCounts(const Recording& recording);

// A skill file. Throws InputError.
struct SkillInfoResult {
  std::string source;  // as it was asked for
  Skill skill;
  std::vector<std::pair<std::string, std::string>> rows;  // of its controller's folder
};
SkillInfoResult InspectSkill(const std::string& name_or_path);
// The skill that a name or path is meant to be: a built-in one, also as NAME.skill, or a file's
// that ends so; empty: none.
inline constexpr const char* kSkillEnding = ".skill";
std::string SkillNamed(const std::string& name_or_path);

const char* JointKindName(JointKind kind);  // "ball"
// Longest side of the box around a body's shapes along its own axes, m; 0 without shapes.
double BodyLength(const Body& body);

nlohmann::ordered_json ToJson(const InfoResult& result);
nlohmann::ordered_json ToJson(const MotionInfoResult& result);
nlohmann::ordered_json ToJson(const RecordingInfoResult& result);
nlohmann::ordered_json ToJson(const SkillInfoResult& result);

}  // namespace stride
