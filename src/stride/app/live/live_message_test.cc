#include "stride/app/live/live_message.h"

#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "stride/core/error.h"

namespace stride {
namespace {

template <class T>
T Parsed(const std::string& text) {
  return std::get<T>(ParseLiveMessage(text));
}

TEST(LiveMessage, EveryTypeIsRead) {
  EXPECT_TRUE(Parsed<PauseMessage>(R"({"type":"pause","on":true})").on);
  Parsed<StepMessage>(R"({"type":"step"})");
  EXPECT_EQ(Parsed<RateMessage>(R"({"type":"rate","value":0.25})").value, 0.25);
  Parsed<RestartMessage>(R"({"type":"restart"})");
  Parsed<ReleaseMessage>(R"({"type":"release"})");
  Parsed<GoLiveMessage>(R"({"type":"live"})");
  EXPECT_FALSE(Parsed<RecordMessage>(R"({"type":"record","on":false})").on);
  EXPECT_EQ(Parsed<PlayMessage>(R"({"type":"play","motion":"walk"})").motion, "walk");

  const auto drag =
      Parsed<DragMessage>(R"({"type":"drag","actor":1,"body":3,"point":[0,0,1],"target":[1,2,3]})");
  EXPECT_EQ(drag.actor, 1);
  EXPECT_EQ(drag.body, 3);
  EXPECT_EQ(drag.point, (Vec3d{0, 0, 1}));
  EXPECT_EQ(drag.target, (Vec3d{1, 2, 3}));
}

TEST(LiveMessage, InputsOfTheRun) {
  const auto push = Parsed<RunInput>(
      R"({"type":"push","actor":0,"body":3,"point":[0,0,0.1],"force":[100,0,0],"duration":0.2})");
  EXPECT_EQ(push.kind, RunInput::Kind::kPush);
  EXPECT_EQ(push.body, 3);
  EXPECT_EQ(push.vector, (Vec3d{100, 0, 0}));
  EXPECT_EQ(push.duration, 0.2);

  const auto ball =
      Parsed<RunInput>(R"({"type":"throw","from":[2,0,1],"velocity":[-5,0,1],"mass":2})");
  EXPECT_EQ(ball.kind, RunInput::Kind::kThrow);
  EXPECT_EQ(ball.point, (Vec3d{2, 0, 1}));
  EXPECT_EQ(ball.mass, 2);

  const auto command =
      Parsed<RunInput>(R"({"type":"command","speed":1.2,"heading":null,"style":1})");
  EXPECT_EQ(command.kind, RunInput::Kind::kCommand);
  EXPECT_EQ(command.command.speed, 1.2);
  EXPECT_EQ(command.command.heading, std::nullopt);
  EXPECT_EQ(command.command.style, 1);
  EXPECT_EQ(command.actor, 0);
  EXPECT_EQ(
      Parsed<RunInput>(R"({"type":"command","actor":2,"speed":1,"heading":0,"style":0})").actor, 2);

  const auto go = Parsed<RunInput>(
      R"({"type":"command","speed":null,"heading":null,"style":0,"point":[3,-2]})");
  EXPECT_EQ(go.command.point, (GroundPoint{3, -2}));
  EXPECT_EQ(RunInputFromJson(ToJson(go)).command, go.command);

  const auto curve = Parsed<RunInput>(
      R"({"type":"curve","curve":2,"part":"cycle","times":[0,0.5],"values":[0.1,-0.1]})");
  EXPECT_EQ(curve.kind, RunInput::Kind::kCurve);
  EXPECT_EQ(curve.edit, (CurveEdit{2, "cycle", {{0, 0.5}, {0.1, -0.1}}}));
  EXPECT_EQ(RunInputFromJson(ToJson(curve)).edit, curve.edit);

  EXPECT_EQ(Parsed<RunInput>(R"({"type":"friction","value":0.6})").value, 0.6);
  const auto slope = Parsed<RunInput>(R"({"type":"slope","value_deg":90})");
  EXPECT_EQ(slope.kind, RunInput::Kind::kSlope);
  EXPECT_DOUBLE_EQ(slope.value, std::numbers::pi / 2);
}

TEST(LiveMessage, SetupKeepsWhatItDoesNotName) {
  const auto setup = Parsed<SetupMessage>(R"({"type":"setup","engine":"mujoco","motion":null})");
  EXPECT_EQ(setup.engine, "mujoco");
  EXPECT_EQ(setup.motion, "");
  EXPECT_EQ(setup.character, std::nullopt);
  EXPECT_EQ(setup.skill, std::nullopt);
}

TEST(LiveMessage, RefusesWhatIsNotExactlyAMessage) {
  const std::vector<std::string> junk = {
      "",
      "null",
      "[]",
      "{}",
      "pause",
      R"({"type":3})",
      R"({"type":"paus"})",
      R"({"type":"pause"})",
      R"({"type":"pause","on":1})",
      R"({"type":"pause","on":true,"more":1})",
      R"({"type":"pause","on":true,"on":false})",
      R"({"type":"pause","on":true} x)",
      R"({"type":"rate","value":"1"})",
      R"({"type":"rate","value":null})",
      R"({"type":"rate","value":1e999})",
      R"({"type":"rate","value":NaN})",
      R"({"type":"drag","actor":-1,"body":0,"point":[0,0,0],"target":[0,0,0]})",
      R"({"type":"drag","actor":0.5,"body":0,"point":[0,0,0],"target":[0,0,0]})",
      R"({"type":"drag","actor":99999999999,"body":0,"point":[0,0,0],"target":[0,0,0]})",
      R"({"type":"drag","actor":0,"body":0,"point":[0,0],"target":[0,0,0]})",
      R"({"type":"drag","actor":0,"body":0,"point":[0,0,"a"],"target":[0,0,0]})",
      R"({"type":"setup","character":{"name":"liu16"}})",
      R"({"type":"setup","character":null})",
      R"({"type":"play","motion":""})",
      "{\"type\":\"play\",\"motion\":\"\xff\"}",
      std::string(4000, '['),
      R"({"type":"step"})" + std::string(kMaxLiveMessageBytes, ' ')};
  for (const std::string& text : junk) {
    EXPECT_THROW(ParseLiveMessage(text), InputError) << text.substr(0, 100);
  }
}

}  // namespace
}  // namespace stride
