#include <gtest/gtest.h>

#include "stride/run/run.h"

// The sampling controller in a run: what it took from the machine is kept in the recording.
namespace stride {
namespace {

TEST(SamplingRun, ReplaysWithTheSamplesItChose) {
  RunSetup setup{.characters = {{.controller = "sampling", .motions = {"walk"}}}};
  setup.characters[0].controller_config = {{"horizon", 2}};  // "samples" is left to the machine
  setup.scenario.seconds = 0.5;
  stride::Run run(setup);
  Recording recording;
  recording.header = run.Header();
  EXPECT_GE(recording.header.setup["characters"][0]["controller_config"]["samples"], 64);
  RecordedFrame frame;
  while (!run.Finished()) {
    run.Step();
    run.ReadFrame(&frame);
    recording.frames.push_back(frame);
  }
  EXPECT_EQ(ReplayDifference(recording), "");
}

// Upside down in its flight at about 1.2 s.
TEST(SamplingRun, AFlipIsNoFall) {
  RunSetup setup{.characters = {{.controller = "sampling", .motions = {"backflip"}}}};
  setup.characters[0].controller_config = {{"samples", 256}};
  setup.scenario.seconds = 1.4;
  stride::Run run(setup);
  bool upside_down = false;
  while (!run.Finished()) {
    run.Step();
    const std::vector<double>& q = run.ActorState().q;
    upside_down |= q[3] * q[3] + q[6] * q[6] < q[4] * q[4] + q[5] * q[5];
  }
  EXPECT_TRUE(upside_down);
  EXPECT_FALSE(run.Fell());
}

}  // namespace
}  // namespace stride
