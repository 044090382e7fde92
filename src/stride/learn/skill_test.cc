#include "stride/learn/skill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using ::testing::HasSubstr;

Skill Made() {
  Skill skill{.name = "a wave",
              .controller = "somebody",
              .description = "waves",
              .character = LoadCharacter("liu16"),
              .provenance = {{"seed", 3}},
              .metrics = {{"seconds", 4.5}},
              .payload = {{"anything", {1, 2.5, "three"}}}};
  skill.start = RestState(skill.character);
  skill.wishes.time_step = 1.0 / 900;
  skill.wishes.contact = ContactModel{.stiffness = 12345};
  skill.robustness = {{"wave", 0.75}};
  return skill;
}

bool NoUpgrade(int, nlohmann::ordered_json*) { return false; }

TEST(Skill, IsTheSameAfterAFile) {
  const Skill made = Made();
  const std::string text = SkillText(made);
  const Skill read = ParseEnvelope(text, "a.skill", NoUpgrade);
  EXPECT_EQ(read.name, made.name);
  EXPECT_EQ(read.controller, made.controller);
  EXPECT_EQ(read.description, made.description);
  EXPECT_EQ(read.character, made.character);
  EXPECT_EQ(read.start, made.start);
  EXPECT_EQ(read.wishes, made.wishes);
  EXPECT_EQ(read.provenance, made.provenance);
  EXPECT_EQ(read.payload, made.payload);
  EXPECT_EQ(RobustnessOf(read.robustness, "wave"), 0.75);
  EXPECT_EQ(RobustnessOf(read.robustness, "jump"), -1);
  EXPECT_EQ(SkillText(read), text);
}

TEST(Skill, RefusesWhatIsNone) {
  const auto refusal = [](const nlohmann::ordered_json& json) {
    return InputErrorOf([&] { ParseEnvelope(json.dump(), "a.skill", NoUpgrade); });
  };
  const auto made = nlohmann::ordered_json::parse(SkillText(Made()));
  const auto with = [&](const char* key, const nlohmann::ordered_json& value) {
    nlohmann::ordered_json changed = made;
    changed[key] = value;
    return changed;
  };
  EXPECT_THAT(refusal(nlohmann::ordered_json::object()), HasSubstr("no skill of stride"));
  EXPECT_THAT(refusal(with("stride_skill", 99)), HasSubstr("version 99"));
  EXPECT_THAT(refusal(with("stride_skill", 2)), HasSubstr("version 2, of no controller"));
  EXPECT_THAT(refusal(with("controller", 3)), HasSubstr("controller"));
  EXPECT_THAT(refusal(with("world", {{"time_step", -1}})), HasSubstr("time_step"));
  EXPECT_THAT(refusal(with("world", {{"wind", 1}})), HasSubstr("wind"));
  EXPECT_THAT(refusal(with("start", {{"q", {1, 2}}, {"v", {1}}})), HasSubstr("start.q"));
  EXPECT_THAT(refusal(with("robustness", {1})), HasSubstr("robustness"));
  for (const auto& [key, value] : made.items()) {
    nlohmann::ordered_json without = made;
    without.erase(key);
    EXPECT_THAT(refusal(without), HasSubstr("a.skill")) << key;
  }
}

TEST(Skill, IsUpgradedByWhoKnowsItsVersion) {
  auto old = nlohmann::ordered_json::parse(SkillText(Made()));
  old["stride_skill"] = 1;
  int asked = 0;
  const Skill read =
      ParseEnvelope(old.dump(), "a.skill", [&](int version, nlohmann::ordered_json* json) {
        asked = version;
        (*json)["name"] = "upgraded";
        return true;
      });
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(read.name, "upgraded");
}

}  // namespace
}  // namespace stride
