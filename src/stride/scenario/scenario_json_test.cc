#include <filesystem>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/dynamics/rigid_body.h"
#include "stride/scenario/ground.h"
#include "stride/scenario/scenario.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double kDegree = std::numbers::pi / 180;

Scenario Parse(const char* text) {
  return ScenarioFromJson(nlohmann::json::parse(text), "test.json");
}
std::string ErrorIn(const char* text) {
  return InputErrorOf([&] { Parse(text); });
}

Scenario Full() {
  Scenario s;
  s.name = "all";
  s.description = "of everything";
  s.seconds = 12.5;
  s.stop_at_fall = true;
  s.world.terrain.slope = 0.1;
  s.world.terrain.slope_heading = 1.0 / 3;
  s.world.friction = 0.4;
  s.world.contact.passes = 7;
  s.pushes = {
      {.force = 60, .heading = 0.7, .at = 1, .duration = 0.2},
      {.force = 1.0 / 3, .duration = 0.1, .body = "head", .repeats = 3, .every = 2, .actor = 1}};
  s.random_pushes = RandomPushes{.sigma = 5};
  s.disturbance = 20;
  s.throws = {{.mass = 2, .speed = 5, .at = 1},
              {.mass = 1, .speed = 9, .heading = 0.2, .actor = 2}};
  s.loads = {{"left_hand", 3}};
  s.changes = {{"legs", 1.5, 1.1}};
  s.commands = {{.at = 0, .speed = 1.2},
                {.at = 3, .heading = 0.5, .style = 2, .actor = 1},
                {.at = 4, .style_name = "kick", .point = GroundPoint{1.5, -2}}};
  // A file says what is not the usual.
  s.chosen = {kChosenGround, "friction", "contact.passes"};
  return s;
}

TEST(ScenarioJson, ComesBackTheSame) {
  Scenario scenario = Full();
  const auto back = [](const Scenario& s) {
    return ScenarioFromJson(nlohmann::json::parse(ToJson(s).dump()), "test.json");
  };
  EXPECT_TRUE(back(scenario) == scenario);
  EXPECT_TRUE(back({}) == Scenario{});
  scenario.world.terrain = ParseTerrain("steps:0.1,0.333,5,2");
  EXPECT_TRUE(back(scenario) == scenario);
  scenario.world.terrain = RandomField(7, 0.1);
  EXPECT_TRUE(back(scenario) == scenario);
  Validate(scenario);
}

TEST(ScenarioJson, ReadsDegreesGroundsAndProtocols) {
  const Scenario s = Parse(R"({"terrain": "plane", "slope_deg": 5, "protocol": "lee10-rear:50",
      "seconds": 20, "world": {"contact": {"stiffness": 30000}},
      "pushes": [{"force": 10, "heading_deg": 90, "at": 1, "duration": 0.2}]})");
  EXPECT_NEAR(s.world.terrain.slope, 5 * kDegree, 1e-15);
  EXPECT_EQ(s.world.contact.stiffness, 30000);
  EXPECT_EQ(s.seconds, 20);
  ASSERT_EQ(s.pushes.size(), 2u);
  EXPECT_EQ(s.pushes[0].force, 50);
  EXPECT_NEAR(s.pushes[1].heading, 90 * kDegree, 1e-15);
  EXPECT_EQ(Parse(R"({"terrain": "steps:0.1,0.3,5"})").world.terrain.step_count, 5);
}

TEST(ScenarioJson, RefusesNamingFileKeyAndWhatIsExpected) {
  EXPECT_THAT(ErrorIn(R"([])"), HasSubstr("test.json"));
  EXPECT_THAT(ErrorIn(R"({"pushs": []})"), AllOf(HasSubstr("'pushs'"), HasSubstr("pushes")));
  EXPECT_THAT(ErrorIn(R"({"seconds": 0})"), AllOf(HasSubstr("seconds"), HasSubstr("86400")));
  EXPECT_THAT(ErrorIn(R"({"seconds": "long"})"), HasSubstr("seconds"));
  EXPECT_THAT(ErrorIn(R"({"stop_at_fall": 1})"), HasSubstr("true or false"));
  EXPECT_THAT(ErrorIn(R"({"name": 1})"), HasSubstr("name"));
  EXPECT_THAT(ErrorIn(R"({"pushes": {}})"), HasSubstr("a list"));
  EXPECT_THAT(
      ErrorIn(R"({"pushes": [{"force": 1, "duration": 1}, {"force": "x", "duration": 1}]})"),
      AllOf(HasSubstr("pushes[1]"), HasSubstr("force")));
  EXPECT_THAT(ErrorIn(R"({"pushes": [{"force": 1}]})"), HasSubstr("duration"));
  EXPECT_THAT(ErrorIn(R"({"pushes": [{"force": 1, "duration": 1, "angle": 3}]})"),
              AllOf(HasSubstr("'angle'"), HasSubstr("heading_deg")));
  EXPECT_THAT(
      ErrorIn(R"({"pushes": [{"force": 1, "duration": 1, "heading": 0, "heading_deg": 0}]})"),
      HasSubstr("both"));
  EXPECT_THAT(ErrorIn(R"({"pushes": [{"force": 1, "duration": 2, "repeats": 3, "every": 1}]})"),
              HasSubstr("every"));
  EXPECT_THAT(ErrorIn(R"({"throws": [{"mass": 1}]})"), HasSubstr("throws[0]"));
  EXPECT_THAT(ErrorIn(R"({"loads": [{"mass": 1}]})"), HasSubstr("body"));
  EXPECT_THAT(ErrorIn(R"({"changes": [{"body": "legs", "length": 0}]})"), HasSubstr("length"));
  EXPECT_THAT(ErrorIn(R"({"commands": [{"at": 2}, {"at": 1}]})"), HasSubstr("order"));
  EXPECT_THAT(ErrorIn(R"({"commands": [{"style": 1.5}]})"), HasSubstr("whole"));
  EXPECT_THAT(ErrorIn(R"({"commands": [{"point": [1, "x"]}]})"), HasSubstr("[x, y]"));
  EXPECT_THAT(ErrorIn(R"({"commands": [{"point": [1, 2], "heading": 0}]})"), HasSubstr("both"));
  EXPECT_THAT(ErrorIn(R"({"terrain": "hill"})"), AllOf(HasSubstr("test.json"), HasSubstr("hill")));
  EXPECT_THAT(ErrorIn(R"({"terrain": "steps:0.1,0.3,5", "slope": 0.1})"), HasSubstr("plane"));
  EXPECT_THAT(ErrorIn(R"({"terrain": {"nx": 2, "ny": 2, "heights": [1]}})"), HasSubstr("heights"));
  EXPECT_THAT(ErrorIn(R"({"world": {"friction": -1}})"), HasSubstr("friction"));
  EXPECT_THAT(ErrorIn(R"({"world": {"ice": true}})"), HasSubstr("'ice'"));
  EXPECT_THAT(ErrorIn(R"({"protocol": "kick"})"), AllOf(HasSubstr("'kick'"), HasSubstr("liu16")));
}

TEST(ScenarioJson, ValidateFindsWhatAFileWouldBeRefusedFor) {
  Scenario s;
  s.seconds = std::nan("");
  EXPECT_THAT(InputErrorOf([&] { Validate(s); }), HasSubstr("--seconds"));
  s = {};
  s.pushes = {{.force = std::nan(""), .duration = 1}};
  EXPECT_THAT(InputErrorOf([&] { Validate(s); }), HasSubstr("pushes[0]"));
  s = {};
  s.disturbance = -1;
  EXPECT_THAT(InputErrorOf([&] { Validate(s); }), HasSubstr("disturbance"));
}

TEST(ScenarioFiles, ReadyMadeOnesAreValid) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(STRIDE_SOURCE_DIR "/data/scenarios")) {
    const Scenario scenario = ReadScenario(entry.path().string());
    EXPECT_FALSE(scenario.name.empty()) << entry.path();
    EXPECT_FALSE(scenario.description.empty()) << entry.path();
    Validate(scenario);
    ++files;
  }
  EXPECT_GE(files, 4);
  EXPECT_THAT(InputErrorOf([] { ReadScenario("missing.json"); }), HasSubstr("missing.json"));
  const std::string path = testing::TempDir() + "broken_scenario.json";
  WriteFileWhole(path, "{\"seconds\": ");
  EXPECT_THAT(InputErrorOf([&] { ReadScenario(path); }), AllOf(HasSubstr(path), HasSubstr("JSON")));
  std::filesystem::remove(path);
}

TEST(PushProtocols, AreThoseOfThePapers) {
  const auto apply = [](const std::string& text) {
    Scenario scenario;
    ApplyPushProtocol(text, &scenario);
    Validate(scenario);
    return scenario;
  };
  // lee10: 160, 130, 80, 105 N from front, rear, right and left; 0.4 s every 4 s for 40 s.
  const struct {
    const char* name;
    double force, heading_deg;
  } kLee[] = {{"lee10-front", 160, 180},
              {"lee10-rear", 130, 0},
              {"lee10-right", 80, 90},
              {"lee10-left", 105, -90}};
  for (const auto& expected : kLee) {
    const Scenario s = apply(expected.name);
    EXPECT_EQ(s.seconds, 40);
    ASSERT_EQ(s.pushes.size(), 1u);
    EXPECT_EQ(s.pushes[0].force, expected.force);
    EXPECT_NEAR(s.pushes[0].heading, expected.heading_deg * kDegree, 1e-12);
    EXPECT_EQ(s.pushes[0].duration, 0.4);
    EXPECT_EQ(s.pushes[0].every, 4);
    EXPECT_EQ(s.pushes[0].repeats, 10);
  }
  EXPECT_EQ(apply("lee10-front:42").pushes[0].force, 42);
  EXPECT_EQ(apply("kwon17-left").pushes[0].duration, 0.2);
  EXPECT_EQ(apply("kwon17-left").pushes[0].repeats, 3);
  int eight = 0;
  for (const PushProtocol& protocol : PushProtocols()) {
    eight += protocol.name.starts_with("wang09");
    EXPECT_FALSE(protocol.description.empty()) << protocol.name;
    apply(protocol.name);
  }
  EXPECT_EQ(eight, 8);
  EXPECT_NEAR(apply("wang09--1,1").pushes[0].heading, 135 * kDegree, 1e-12);
  EXPECT_EQ(apply("liu16:3").random_pushes->sigma_growth, 3);
  EXPECT_TRUE(apply("liu16").stop_at_fall);
  EXPECT_THAT(InputErrorOf([&] { apply("lee10-front:hard"); }), HasSubstr("'hard'"));
  EXPECT_THAT(InputErrorOf([&] { apply("lee10-front:-1"); }), HasSubstr("--pushes"));
  EXPECT_THAT(InputErrorOf([&] { apply("lee11"); }),
              AllOf(HasSubstr("lee11"), HasSubstr("lee10-front")));
}

class Change : public testing::Test {
 protected:
  Character Changed(const std::vector<BodyChange>& changes, const std::vector<Load>& loads = {}) {
    Scenario scenario;
    scenario.changes = changes;
    scenario.loads = loads;
    Character changed = human_;
    ApplyChanges(scenario, &changed);
    Validate(changed);
    return changed;
  }
  // From hip to ankle in the zero pose.
  static double LegLength(const Character& c) {
    const BodyFrames frames = FramesAt(c, ZeroState(c).q);
    return frames.position[c.BodyOf(Role::kLeftThigh)].z -
           frames.position[c.BodyOf(Role::kLeftFoot)].z;
  }
  Character human_ = LoadCharacter("liu16");
};

TEST_F(Change, MakesLegsLongerAndLiftsTheRoot) {
  for (const double factor : {1.5, 0.5, 0.97}) {
    const Character c = Changed({{"legs", factor, 1}});
    EXPECT_NEAR(LegLength(c), factor * LegLength(human_), 1e-9);
    EXPECT_NEAR(LowestContactAt(c, c.rest_q), 0, 1e-9);
    EXPECT_NEAR(c.rest_q[2] - human_.rest_q[2], (factor - 1) * LegLength(human_), 0.02);
    EXPECT_NEAR(TotalMass(c), TotalMass(human_), 1e-9);
    // Feet stay as they are.
    const int foot = c.BodyOf(Role::kLeftFoot);
    EXPECT_TRUE(c.bodies[foot].inertia == human_.bodies[foot].inertia);
  }
  const Character left = Changed({{"left_leg", 0.97, 1}});
  EXPECT_NEAR(LegLength(left), 0.97 * LegLength(human_), 1e-9);
  const int right = left.BodyOf(Role::kRightShank);
  EXPECT_TRUE(left.bodies[right] == human_.bodies[right]);
}

TEST_F(Change, StretchesInertiaAsThatOfARod) {
  // A thin rod along its length: moments across it grow with the square of the length.
  const int thigh = human_.BodyOf(Role::kLeftThigh);
  human_.bodies[thigh].inertia = {2, 0, 0, 2, 0, 1e-12};
  const Character c = Changed({{"left_thigh", 2, 1}});
  EXPECT_NEAR(c.bodies[thigh].inertia.xx, 8, 0.05);
  EXPECT_NEAR(c.bodies[thigh].inertia.zz, 0, 0.05);
}

TEST_F(Change, MassScalesMassAndInertia) {
  const int thigh = human_.BodyOf(Role::kLeftThigh);
  const Character c = Changed({{"left_thigh", 1, 2}});
  EXPECT_NEAR(c.bodies[thigh].mass, 2 * human_.bodies[thigh].mass, 1e-12);
  EXPECT_NEAR(c.bodies[thigh].inertia.xx, 2 * human_.bodies[thigh].inertia.xx, 1e-12);
  EXPECT_NEAR(TotalMass(Changed({{"all", 1, 1.5}})), 1.5 * TotalMass(human_), 1e-9);
  EXPECT_NEAR(TotalMass(Changed({}, {{"left_hand", 3}})), TotalMass(human_) + 3, 1e-9);
}

TEST_F(Change, NamesWhatIsNotThere) {
  EXPECT_THAT(InputErrorOf([&] {
                Changed({{"tail", 2, 1}});
              }),
              AllOf(HasSubstr("'tail'"), HasSubstr("left_thigh")));
  EXPECT_THAT(InputErrorOf([&] { Changed({}, {{"tail", 2}}); }), HasSubstr("--load"));
}

}  // namespace
}  // namespace stride
