#include "stride/record/world_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/core/error.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using Json = nlohmann::ordered_json;

// Through text, as in a file.
Json Read(const Json& json) { return ParseBoundedJson(json.dump(), "a"); }

TEST(WorldJson, CharactersRoundTripExactly) {
  for (const CharacterInfo& info : BuiltInCharacters()) {
    const Character character = LoadCharacter(info.name);
    EXPECT_TRUE(CharacterFromJson(JsonNode(Read(ToJson(character)), "a")) == character)
        << info.name;
  }
}

TEST(WorldJson, IsWhatTheViewerReads) {
  const Character character = LoadCharacter("liu16");
  const Json json = ToJson(character);
  const int foot = character.BodyOf(Role::kLeftFoot);
  EXPECT_EQ(json["roles"]["left_foot"], foot);
  EXPECT_EQ(json["bodies"][foot]["name"], character.bodies[foot].name);
  EXPECT_EQ(json["bodies"][0]["parent"], -1);
  EXPECT_EQ(json["bodies"][0]["joint"]["kind"], "free");
  Body body = character.bodies[1];
  const Sym3d inertia = {.xx = 1, .xy = 0.1, .xz = 0.2, .yy = 1.5, .yz = 0.3, .zz = 2};
  Character changed = character;
  changed.bodies[1].inertia = inertia;
  EXPECT_EQ(ToJson(changed)["bodies"][1]["inertia"], Json({1.0, 1.5, 2.0, 0.1, 0.2, 0.3}));
}

TEST(WorldJson, WorldsRoundTripExactly) {
  World world;
  world.actors = {MakeBall(0.1, 1), LoadCharacter("kwon17")};
  world.friction = 0.1 + 0.2;
  world.gravity = 1.62;
  world.time_step = 1.0 / 3000;
  world.contact = {30000.5, 1.0 / 3, 777, 7};
  world.contacts = false;
  world.limits = false;
  world.terrain.kind = Terrain::Kind::kHeightField;
  world.terrain.x0 = -1.0 / 3;
  world.terrain.y0 = 1e-17;
  world.terrain.cell = 0.7;
  world.terrain.nx = 2;
  world.terrain.ny = 3;
  world.terrain.heights = {0.1, 0.2, -0.3, 1e-300, -0.0, 5};
  EXPECT_TRUE(WorldFromJson(JsonNode(Read(ToJson(world)), "a")) == world);

  world.terrain = {};
  world.terrain.kind = Terrain::Kind::kSteps;
  world.terrain.step_count = 5;
  world.terrain.step_rise = -0.1;
  EXPECT_TRUE(WorldFromJson(JsonNode(Read(ToJson(world)), "a")) == world);
  world.terrain = {};
  world.terrain.slope = -0.1;
  world.terrain.slope_heading = 2;
  EXPECT_TRUE(WorldFromJson(JsonNode(Read(ToJson(world)), "a")) == world);
}

TEST(WorldJson, WhatALaterVersionAddsIsLeftAlone) {
  const Character ball = MakeBall(0.1, 1);
  Json json = ToJson(ball);
  json["mood"] = "good";
  json["roles"]["tail"] = 0;
  json["bodies"][0]["colour"] = {1, 2, 3};
  EXPECT_TRUE(CharacterFromJson(JsonNode(json, "a")) == ball);
}

TEST(WorldJson, WhatIsReadIsValid) {
  const auto error_with = [](const char* pointer, const Json& value) {
    Json json = ToJson(LoadCharacter("biped"));
    json[Json::json_pointer(pointer)] = value;
    return InputErrorOf([&] { CharacterFromJson(JsonNode(json, "run.stride")); });
  };
  using testing::AllOf;
  using testing::HasSubstr;
  EXPECT_THAT(error_with("/bodies/1/parent", 5),
              AllOf(HasSubstr("run.stride"), HasSubstr("depth")));
  EXPECT_THAT(error_with("/bodies/1/parent", 1e300), HasSubstr("bodies[1].parent"));
  EXPECT_THAT(error_with("/bodies/1/inertia", {1, 2}), HasSubstr("bodies[1].inertia"));
  EXPECT_THAT(error_with("/bodies/1/offset", {1, 2}), HasSubstr("a list of 3 numbers"));
  EXPECT_THAT(error_with("/bodies/1/offset", {1, 2, "x"}), HasSubstr("finite numbers"));
  EXPECT_THAT(error_with("/bodies", 3), HasSubstr("bodies is 3; expected a list"));
  EXPECT_THAT(error_with("/roles/head", 99), HasSubstr("99"));
  EXPECT_THAT(error_with("/roles/head", "x"), HasSubstr("roles.head"));
  EXPECT_THAT(error_with("/rest_q", {1, 2}), HasSubstr("rest pose"));
  EXPECT_THAT(error_with("/contact_points/0/body", 1000), HasSubstr("contact point"));
  EXPECT_THAT(error_with("/bodies/0/joint", nullptr), HasSubstr("bodies[0].joint"));
}

}  // namespace
}  // namespace stride
