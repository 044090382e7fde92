#include <filesystem>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/app/bench/bench_jobs.h"
#include "stride/app/catalog.h"
#include "stride/app/convert.h"
#include "stride/app/info.h"
#include "stride/app/simulate.h"
#include "stride/character/library.h"
#include "stride/core/error.h"
#include "stride/scenario/option_text.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(OptionText, ReadsWhatItDocuments) {
  const Push push = ParsePush("60,90,2,0.2");
  EXPECT_EQ(push.force, 60);
  EXPECT_NEAR(push.heading, std::numbers::pi / 2, 1e-15);
  EXPECT_EQ(push.at, 2);
  EXPECT_EQ(push.duration, 0.2);
  EXPECT_EQ(ParseLoad("left_hand,5"), (Load{"left_hand", 5}));
  EXPECT_FALSE(ParseThrow("2,5,1.5").heading);
  EXPECT_NEAR(*ParseThrow("2,5,1.5,180").heading, std::numbers::pi, 1e-15);

  Terrain plane = ParseTerrain("plane");
  ParseSlope("-10,90", &plane);
  EXPECT_NEAR(plane.slope, -10 * std::numbers::pi / 180, 1e-15);
  EXPECT_NEAR(plane.slope_heading, std::numbers::pi / 2, 1e-15);
  const Terrain steps = ParseTerrain("steps:0.1,0.3,5,2");
  EXPECT_EQ(steps.step_count, 5);
  EXPECT_EQ(steps.step_start, 2);
  EXPECT_EQ(ParseTerrain("field:3,0.05").kind, Terrain::Kind::kHeightField);

  EXPECT_EQ(ParseChange("legs,1.5"), (BodyChange{"legs", 1.5, 1}));
  EXPECT_EQ(ParseChange("left_leg,0.97,2"), (BodyChange{"left_leg", 0.97, 2}));
  const TimedCommand turn = ParseCommand("3,,90");
  EXPECT_EQ(turn.at, 3);
  EXPECT_FALSE(turn.speed);
  EXPECT_NEAR(*turn.heading, std::numbers::pi / 2, 1e-15);
  EXPECT_EQ(ParseCommand("0,1.2"), (TimedCommand{0, 1.2, {}, {}}));
  EXPECT_EQ(ParseGoTo("2,5,-3").point, (GroundPoint{5, -3}));
  EXPECT_EQ(ParseStyle("2,turn left").style_name, "turn left");
  EXPECT_EQ(ParseStyle("2,turn left").at, 2);

  Scenario scenario;
  nlohmann::json config = nlohmann::json::object();
  ParseSetting("friction=0.4", &scenario, &config);
  ParseSetting("controller.foot.gain=2", &scenario, &config);
  ParseSetting("controller.name=soft", &scenario, &config);
  EXPECT_EQ(scenario.world.friction, 0.4);
  EXPECT_EQ(scenario.chosen, std::vector<std::string>{"friction"});
  EXPECT_EQ(config, (nlohmann::json{{"foot", {{"gain", 2}}}, {"name", "soft"}}));
}

TEST(OptionText, RefusesNamingTheOptionAndWhatIsExpected) {
  for (const char* text : {"", "60", "60,90,2", "60,90,2,0.2,1", "60,left,2,0.2", "60,,2,0.2",
                           "nan,0,0,1", "60,90,-1,0.2", "60,90,2,0", "60,90,2,0.2s"}) {
    EXPECT_THAT(InputErrorOf([&] { ParsePush(text); }),
                AllOf(HasSubstr("--push"), HasSubstr("N,deg,at,duration")))
        << text;
  }
  for (const char* text : {"", "1,2", "-1,2,3", "1,2,3,4", "1,far,2"}) {
    EXPECT_THAT(InputErrorOf([&] { ParseGoTo(text); }), HasSubstr("--go-to")) << text;
  }
  for (const char* text : {"", "walk", "1,", "-1,walk"}) {
    EXPECT_THAT(InputErrorOf([&] { ParseStyle(text); }), HasSubstr("--style")) << text;
  }
  for (const char* text :
       {"", "5", ",5", "left_hand", "left_hand,", "left_hand,-1", "left_hand,heavy"}) {
    EXPECT_THAT(InputErrorOf([&] { ParseLoad(text); }),
                AllOf(HasSubstr("--load"), HasSubstr("BODY,KG")))
        << text;
  }
  for (const char* text :
       {"", "hill", "plane:1", "steps", "steps:1,2", "steps:0.1,0.3,2.5", "steps:0.1,0.3,-1",
        "field:1", "field:-1,0.1", "field:1,99", "field:1e300,1"}) {
    EXPECT_THAT(InputErrorOf([&] { ParseTerrain(text); }), HasSubstr("--terrain")) << text;
  }
  for (const char* text : {"", "legs", ",2", "legs,0", "legs,long", "legs,1,2,3"}) {
    EXPECT_THAT(InputErrorOf([&] { ParseChange(text); }), HasSubstr("--change")) << text;
  }
  for (const char* text : {"", "2", "2,", "2,,", "-1,1", "2,1,2,3", "2,fast"}) {
    EXPECT_THAT(InputErrorOf([&] { ParseCommand(text); }), HasSubstr("--command")) << text;
  }
  Terrain plane, field = ParseTerrain("field:1,0.1");
  EXPECT_THAT(InputErrorOf([&] { ParseSlope("90", &plane); }), HasSubstr("80 degrees"));
  EXPECT_THAT(InputErrorOf([&] { ParseSlope("5", &field); }), HasSubstr("plane"));
}

TEST(Simulate, StandsWhenHeldAndFallsWhenPassive) {
  for (const EngineInfo& engine : Engines()) {
    SimulateOptions options;
    options.setup.engine = engine.name;
    options.setup.scenario.seconds = 3;
    const SimulateResult held = Simulate(options);
    EXPECT_FALSE(held.fell || held.failed) << engine.name;
    EXPECT_NEAR(held.metrics.seconds, 3, 1e-9);
    EXPECT_GT(held.metrics.max_penetration, 0);
    EXPECT_LT(held.metrics.distance, 0.05);

    options.setup.characters[0].controller = "passive";
    const SimulateResult doll = Simulate(options);
    EXPECT_TRUE(doll.fell) << engine.name;
    EXPECT_LT(*doll.fell_at, 2);
    EXPECT_EQ(doll.metrics.seconds, *doll.fell_at);
    EXPECT_NEAR(doll.simulated_seconds, 3, 1e-9);
    EXPECT_LT(doll.final_root.z, 0.5 * held.final_root.z);
  }
}

TEST(Simulate, PushMovesTowardsItsHeading) {
  SimulateOptions options;
  options.setup.scenario.seconds = 1.1;
  options.setup.scenario.pushes = {ParsePush("100,90,1,0.1")};
  const SimulateResult left = Simulate(options);
  EXPECT_GT(left.final_root.y, 0.003);
  options.setup.scenario.pushes = {ParsePush("100,-90,1,0.1")};
  EXPECT_NEAR(Simulate(options).final_root.y, -left.final_root.y, 1e-6);
}

TEST(Simulate, RepeatsForTheSameSeedAndNotForAnother) {
  SimulateOptions options;
  options.setup.scenario.seconds = 1;
  options.setup.scenario.disturbance = 20;
  const Vec3d first = Simulate(options).final_root;
  EXPECT_EQ(Simulate(options).final_root, first);
  options.setup.seed = 1;
  EXPECT_NE(Simulate(options).final_root, first);
}

TEST(Simulate, ThrownBallHitsTheTrunk) {
  SimulateOptions options;
  options.setup.scenario.seconds = 1.5;
  const Vec3d untouched = Simulate(options).final_root;
  options.setup.scenario.throws = {ParseThrow("3,8,0.5,0")};
  EXPECT_GT(Simulate(options).final_root.x, untouched.x + 0.02);
  options.setup.engine = "batch";
  EXPECT_THAT(InputErrorOf([&] { Simulate(options); }), HasSubstr("several actors"));
}

TEST(Simulate, LoadAddsItsMassToABodyOrARole) {
  SimulateOptions options;
  options.setup.scenario.seconds = 0.1;
  const double mass = Simulate(options).mass;
  options.setup.scenario.loads = {{"pelvis", 3}, {"trunk", 2}};
  EXPECT_NEAR(Simulate(options).mass, mass + 5, 1e-9);
  options.setup.scenario.loads = {{"tail", 2}};
  EXPECT_THAT(InputErrorOf([&] { Simulate(options); }),
              AllOf(HasSubstr("'tail'"), HasSubstr("left_foot")));
}

TEST(Simulate, NamesWhatDoesNotExist) {
  const auto error = [](void (*change)(SimulateOptions*)) {
    SimulateOptions options;
    change(&options);
    return InputErrorOf([&] { Simulate(options); });
  };
  EXPECT_THAT(error([](SimulateOptions* o) { o->setup.engine = "warp"; }),
              AllOf(HasSubstr("'warp'"), HasSubstr("mujoco")));
  EXPECT_THAT(error([](SimulateOptions* o) { o->setup.characters[0].controller = "run"; }),
              AllOf(HasSubstr("'run'"), HasSubstr("hold")));
  EXPECT_THAT(error([](SimulateOptions* o) { o->setup.characters[0].character = "cat"; }),
              AllOf(HasSubstr("'cat'"), HasSubstr("liu16")));
  EXPECT_THAT(error([](SimulateOptions* o) { o->setup.scenario.seconds = -1; }),
              HasSubstr("--seconds"));
  EXPECT_THAT(error([](SimulateOptions* o) { o->setup.scenario.seconds = std::nan(""); }),
              HasSubstr("--seconds"));
  EXPECT_THAT(error([](SimulateOptions* o) { o->setup.scenario.world.time_step = 0; }),
              HasSubstr("time_step"));
}

TEST(Simulate, PrintsEveryMetricAndTheFilesItWrote) {
  const std::string record = testing::TempDir() + "simulate_test.stride";
  const std::string sheet = testing::TempDir() + "simulate_test.png";
  SimulateOptions options;
  options.setup.scenario.seconds = 0.5;
  options.setup.scenario.pushes = {ParsePush("60,90,0.1,0.2")};
  options.record = record;
  options.sheet = sheet;
  options.sheet_cells = 4;
  const auto json = ToJson(Simulate(options));
  const auto metrics = ToJson(Metrics{});
  for (const auto& [key, value] : metrics.items()) EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["recording"], record);
  EXPECT_EQ(json["sheet"], sheet);
  EXPECT_GE(json["missed_deadlines"], 0);
  EXPECT_GT(json["tracking_error_deg"], 0);
  EXPECT_GT(std::filesystem::file_size(sheet), 1000u);

  // Frames every 15 ms (3 steps), the first and the last one included.
  const Recording recording = ReadRecording(record);
  EXPECT_TRUE(recording.complete);
  EXPECT_EQ(recording.frames.size(), 35u);
  EXPECT_NEAR(recording.header.frame_interval, 0.015, 1e-12);
  EXPECT_EQ(recording.frames.back().step, 100u);
  EXPECT_EQ(recording.summary["fell"], false);
  ASSERT_EQ(recording.events.size(), 1u);
  EXPECT_EQ(recording.events[0].kind, "push");
  EXPECT_EQ(Replay(record).difference, "");
  std::filesystem::remove(record);
  std::filesystem::remove(sheet);
}

TEST(Simulate, RefusesOptionsOutOfRange) {
  const auto error = [](void (*change)(SimulateOptions*)) {
    SimulateOptions options;
    change(&options);
    return InputErrorOf([&] { Simulate(options); });
  };
  EXPECT_THAT(error([](SimulateOptions* o) { o->record_every = 0; }), HasSubstr("--record-every"));
  EXPECT_THAT(error([](SimulateOptions* o) { o->sheet_cells = 0; }), HasSubstr("--sheet-cells"));
  EXPECT_THAT(error([](SimulateOptions* o) { o->sheet_view = "back"; }),
              AllOf(HasSubstr("'back'"), HasSubstr("three-quarter")));
  EXPECT_THAT(error([](SimulateOptions* o) { o->record = "/nowhere/a.stride"; }),
              HasSubstr("/nowhere"));
}

TEST(Catalog, ListsEveryKindAndOnlyThoseThereAre) {
  EXPECT_EQ(ListCatalog().size(), CatalogKinds().size());
  const auto characters = ListCatalog("characters");
  ASSERT_EQ(characters.size(), 1u);
  EXPECT_EQ(characters[0].entries.size(), BuiltInCharacters().size());
  EXPECT_THAT(InputErrorOf([] { ListCatalog("dogs"); }),
              AllOf(HasSubstr("'dogs'"), HasSubstr("engines")));
}

TEST(Info, AddsUp) {
  const InfoResult info = Inspect("liu16");
  const auto json = ToJson(info);
  double mass = 0;
  int dof = 0;
  for (const auto& body : json["bodies"]) {
    mass += body["mass"].get<double>();
    dof += body["dof"].get<int>();
  }
  EXPECT_NEAR(mass, 62, 1e-9);
  EXPECT_EQ(dof, 45);
  EXPECT_EQ(json["dof"], 45);
  EXPECT_EQ(json["roles"]["left_foot"], "left_foot");
}

TEST(Info, BodyLengthIsTheLongestSideAroundTheShapes) {
  Body body;
  EXPECT_EQ(BodyLength(body), 0);
  body.shapes = {{ShapeKind::kSphere, {0, 0, 0.5}, Quatd::Identity(), {0.1, 0, 0}},
                 {ShapeKind::kBox, {0, 0, 0}, Quatd::Identity(), {0.1, 0.2, 0.1}}};
  EXPECT_NEAR(BodyLength(body), 0.7, 1e-12);
  // A capsule of 0.6 m lying along x.
  body.shapes = {{ShapeKind::kCapsule, {}, {std::sqrt(0.5), 0, std::sqrt(0.5), 0}, {0.1, 0.2, 0}}};
  EXPECT_NEAR(BodyLength(body), 0.6, 1e-12);
}

TEST(Convert, WritesWhatReadsBackTheSame) {
  const std::string path = testing::TempDir() + "convert_test.xml";
  EXPECT_EQ(Convert({"kwon17", path}).name, "kwon17");
  EXPECT_TRUE(LoadCharacter(path) == LoadCharacter("kwon17"));
  std::filesystem::remove(path);
  EXPECT_THAT(InputErrorOf([] { Convert({"kwon17", "out.bvh"}); }), HasSubstr(".bvh"));
  EXPECT_THAT(InputErrorOf([] {
                Convert({"kwon17", "/nowhere/out.xml"});
              }),
              HasSubstr("cannot be written"));
}

// What `stride bench` compares must be the same job: in each of them the stand holds.
class BenchJob : public testing::Test {
 protected:
  // Falls and failures within `seconds` of every lane.
  static int Resets(StandRunner* runner, double seconds) {
    for (int i = 0; i < seconds / 0.2; ++i) runner->RunInterval();
    return runner->resets();
  }
  static StandJob Job(double amplitude) {
    StandJob job;
    job.world.actors = {LoadCharacter("liu16")};
    job.disturbance.amplitude = amplitude;
    return job;
  }
};

TEST_F(BenchJob, HoldsUndisturbed) {
  const StandJob job = Job(0);
  EXPECT_EQ(Resets(MakeBatchRunner(job).get(), 20), 0);
  EXPECT_EQ(Resets(MakeEngineRunner(job, "native").get(), 20), 0);
  EXPECT_EQ(Resets(MakeMujocoRunner(job).get(), 20), 0);
}

TEST_F(BenchJob, MujocoHoldsAsLongAsNativeUnderDisturbance) {
  const StandJob job = Job(20);
  const int native = Resets(MakeEngineRunner(job, "native").get(), 60);
  EXPECT_LE(Resets(MakeMujocoRunner(job).get(), 60), native + 3);
}

TEST_F(BenchJob, CountsFalls) {
  const StandJob job = Job(1000);
  EXPECT_GT(Resets(MakeBatchRunner(job).get(), 4), 0);
  EXPECT_GT(Resets(MakeEngineRunner(job, "native").get(), 4), 0);
  EXPECT_GT(Resets(MakeMujocoRunner(job).get(), 4), 0);
}

}  // namespace
}  // namespace stride
