#include "stride/core/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/error.h"
#include "stride/testing/input_error_of.h"

namespace stride {

struct Spring {
  double stiffness = 100;
  bool active = true;
};
template <class Visitor>
void VisitConfig(Spring& s, Visitor& visit) {
  visit("stiffness", s.stiffness, {1, 1000, "N/m"}, "of the spring");
  visit("active", s.active, "whether it acts");
}

struct Machine {
  double speed = 1.5;
  int wheels = 4;
  std::string colour = "red";
  std::string label = "";
  Spring spring;
};
template <class Visitor>
void VisitConfig(Machine& m, Visitor& visit) {
  visit("speed", m.speed, {}, "any");
  visit("wheels", m.wheels, {.min = 1}, "at least one");
  visit("colour", m.colour, {"red", "blue"}, "of the paint");
  visit("label", m.label, {}, "any text");
  visit("spring", m.spring);
}

namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

std::string ErrorOfSetting(const char* assignment) {
  Machine machine;
  return InputErrorOf([&] { SetConfigValue(assignment, &machine); });
}

TEST(Config, SetsValuesOfEveryType) {
  Machine machine;
  SetConfigValue("speed=-2.5e3", &machine);
  SetConfigValue("wheels=6", &machine);
  SetConfigValue("colour=blue", &machine);
  SetConfigValue("label=a=b", &machine);
  SetConfigValue("spring.stiffness=1000", &machine);
  SetConfigValue("spring.active=false", &machine);
  EXPECT_EQ(machine.speed, -2500);
  EXPECT_EQ(machine.wheels, 6);
  EXPECT_EQ(machine.colour, "blue");
  EXPECT_EQ(machine.label, "a=b");
  EXPECT_EQ(machine.spring.stiffness, 1000);
  EXPECT_FALSE(machine.spring.active);
}

TEST(Config, RefusesNamingKeyAndRange) {
  EXPECT_THAT(ErrorOfSetting("spring.stiffness=1001"),
              AllOf(HasSubstr("spring.stiffness"), HasSubstr("1 to 1000"), HasSubstr("N/m")));
  EXPECT_THAT(ErrorOfSetting("spring.stiffness=nan"), HasSubstr("1 to 1000"));
  EXPECT_THAT(ErrorOfSetting("speed=inf"), HasSubstr("a number"));
  EXPECT_THAT(ErrorOfSetting("spring.stiffness=5 N"), HasSubstr("'5 N'"));
  EXPECT_THAT(ErrorOfSetting("spring.stiffness="), HasSubstr("a number"));
  EXPECT_THAT(ErrorOfSetting("wheels=0"), HasSubstr("at least 1"));
  EXPECT_THAT(ErrorOfSetting("wheels=2.5"), HasSubstr("whole number"));
  EXPECT_THAT(ErrorOfSetting("wheels=1e300"), HasSubstr("whole number"));
  EXPECT_THAT(ErrorOfSetting("wheels=true"), HasSubstr("whole number"));
  EXPECT_THAT(ErrorOfSetting("spring.active=1"), HasSubstr("true or false"));
  EXPECT_THAT(ErrorOfSetting("colour=green"), HasSubstr("red, blue"));
  EXPECT_THAT(ErrorOfSetting("spring=3"), HasSubstr("spring.stiffness"));
  EXPECT_THAT(ErrorOfSetting("stiffness=3"), AllOf(HasSubstr("'stiffness'"), HasSubstr("wheels")));
  EXPECT_THAT(ErrorOfSetting("wheels"), HasSubstr("key=value"));
}

TEST(Config, SurvivesJson) {
  Machine machine;
  machine.speed = 0.1;
  machine.spring.stiffness = 7;
  machine.spring.active = false;
  machine.colour = "blue";
  const json written = json::parse(ConfigToJson(machine).dump());
  EXPECT_EQ(written["spring"]["stiffness"], 7);
  Machine read;
  ConfigFromJson(written, "machine.json", &read);
  EXPECT_EQ(ConfigToJson(read), ConfigToJson(machine));
  EXPECT_EQ(read.speed, 0.1);
}

TEST(Config, KeepsWhatJsonDoesNotNameAndAllOnError) {
  Machine machine;
  machine.wheels = 8;
  ConfigFromJson(json{{"spring", {{"stiffness", 2}}}}, "", &machine);
  EXPECT_EQ(machine.wheels, 8);
  EXPECT_EQ(machine.spring.stiffness, 2);

  const json bad = {{"speed", 9}, {"wheels", "many"}};
  EXPECT_THAT(InputErrorOf([&] { ConfigFromJson(bad, "m.json", &machine); }),
              AllOf(HasSubstr("m.json: "), HasSubstr("wheels"), HasSubstr("\"many\"")));
  EXPECT_EQ(machine.speed, 1.5);
}

TEST(Config, RefusesJsonOfAnotherShape) {
  Machine machine;
  const auto error = [&](const char* text) {
    return InputErrorOf([&] { ConfigFromJson(json::parse(text), "m.json", &machine); });
  };
  EXPECT_THAT(error("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(error(R"({"spring": 3})"), HasSubstr("spring is 3"));
  EXPECT_THAT(error(R"({"speed": {"x": 1}})"), HasSubstr("speed is {"));
  EXPECT_THAT(error(R"({"spring": {"rate": 1}})"), HasSubstr("'spring.rate'"));
  EXPECT_THAT(error(R"({"wheels": null})"), HasSubstr("wheels is null"));
}

TEST(Config, DescribesItself) {
  const auto schema = ConfigSchema<Machine>();
  EXPECT_EQ(schema.size(), 6u);
  EXPECT_EQ(schema["spring.stiffness"]["type"], "number");
  EXPECT_EQ(schema["spring.stiffness"]["default"], 100);
  EXPECT_EQ(schema["spring.stiffness"]["max"], 1000);
  EXPECT_EQ(schema["spring.stiffness"]["unit"], "N/m");
  EXPECT_EQ(schema["wheels"]["type"], "integer");
  EXPECT_FALSE(schema["wheels"].contains("max"));
  EXPECT_EQ(schema["colour"]["choices"], (json{"red", "blue"}));
}

}  // namespace
}  // namespace stride
