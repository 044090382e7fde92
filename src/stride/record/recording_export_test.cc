#include <cmath>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/motion/formats/bvh/bvh.h"
#include "stride/motion/formats/export.h"
#include "stride/motion/formats/gltf/gltf.h"
#include "stride/motion/library.h"
#include "stride/record/recording.h"
#include "stride/testing/test_recordings.h"

namespace stride {
namespace {

using testing::HasSubstr;

const Character& Human() {
  static const Character character = LoadCharacter("liu16");
  return character;
}

double PoseDistance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (const double d : PoseDifference(Human(), a, b, 1)) largest = std::max(largest, std::fabs(d));
  return largest;
}

TEST(RecordingMotion, AMotionComesBackAsItWas) {
  const Motion walk = LoadMotion("walk", Human());
  const Recording recording = RecordingFromMotion(walk, Human());
  EXPECT_TRUE(ParseRecording(EncodeRecording(recording), "a") == recording);
  EXPECT_TRUE(recording.header.setup.is_null());
  const Motion back = MotionFromRecording(recording);
  EXPECT_EQ(back.frames, walk.frames);
  EXPECT_EQ(back.fps, walk.fps);
  EXPECT_EQ(back.name, walk.name);
  EXPECT_EQ(back.character, "liu16");
  Validate(back, Human());
}

TEST(RecordingMotion, ALoopIsRepeated) {
  const Motion walk = LoadMotion("walk", Human());
  const double seconds = 3.5 * walk.Duration();
  const Recording recording = RecordingFromMotion(walk, Human(), seconds);
  EXPECT_GE(recording.Duration(), seconds - 1e-9);
  EXPECT_LT(recording.Duration(), seconds + 2 / walk.fps);
  const RecordedFrame& last = recording.frames.back();
  EXPECT_LT(PoseDistance(last.actors[0].q, SampleMotion(walk, Human(), last.time)), 1e-9);
  EXPECT_GT(last.actors[0].q[0], walk.frames.back()[0]);  // it travelled on
  // Velocities are those of the motion: over the ground about as fast as the loop travels.
  const double speed = (walk.frames.back()[0] - walk.frames[0][0]) / walk.Duration();
  double sum = 0;
  for (const RecordedFrame& frame : recording.frames) sum += frame.actors[0].v[0];
  EXPECT_NEAR(sum / static_cast<double>(recording.frames.size()), speed, 0.05 * speed);

  const Motion kick = LoadMotion("kick", Human());
  ASSERT_FALSE(kick.loops);
  EXPECT_EQ(RecordingFromMotion(kick, Human(), 100).frames.size(), kick.frames.size());
}

TEST(RecordingMotion, UnevenFramesAreResampled) {
  // 60 frames a second out of steps of 5 ms: every third or fourth step.
  const Motion walk = LoadMotion("walk", Human());
  Recording recording = RecordingFromMotion(walk, Human());
  recording.frames.resize(1);
  for (int f = 1; f <= 60; ++f) {
    RecordedFrame frame = recording.frames[0];
    frame.time = std::round(f / 60.0 / 0.005) * 0.005;
    frame.actors[0].q = SampleMotion(walk, Human(), frame.time);
    recording.frames.push_back(frame);
  }
  const Motion motion = MotionFromRecording(recording);
  EXPECT_EQ(motion.fps, 60);
  EXPECT_EQ(motion.FrameCount(), 61);
  Validate(motion, Human());
  for (int f = 0; f < motion.FrameCount(); ++f) {
    EXPECT_LT(PoseDistance(motion.frames[f], SampleMotion(walk, Human(), f / 60.0)), 0.02) << f;
  }
}

TEST(RecordingMotion, FeetThatCarryWeightAreLabelled) {
  Recording recording = RecordingFromMotion(LoadMotion("stand", Human()), Human());
  recording.frames.resize(4);
  const float weight = static_cast<float>(TotalMass(Human()) * 9.81);
  const auto push_up = [&](int f, Role role, float part) {
    recording.frames[f].contacts.push_back(
        {0, Human().BodyOf(role), -1, -1, {}, {0, 0, part * weight}});
  };
  push_up(0, Role::kLeftFoot, 1);
  push_up(1, Role::kRightToe, 0.04f);  // together with the foot enough
  push_up(1, Role::kRightFoot, 0.04f);
  push_up(2, Role::kLeftHand, 0.5f);
  push_up(2, Role::kRightHand, 0.01f);
  push_up(2, Role::kLeftThigh, 0.5f);
  const Motion motion = MotionFromRecording(recording);
  EXPECT_THAT(motion.contacts,
              testing::ElementsAre(kLeftFootDown, kRightFootDown, kLeftHandDown, 0));
}

TEST(RecordingMotion, EndsWhereTheNumbersAreLost) {
  Recording recording = RecordingFromMotion(LoadMotion("walk", Human()), Human());
  recording.frames[10].actors[0].q[2] = NAN;
  EXPECT_EQ(MotionFromRecording(recording).FrameCount(), 10);
  recording.frames[5].actors[0].q[3] = 2;
  EXPECT_EQ(MotionFromRecording(recording).FrameCount(), 5);
  recording.frames[0].actors[0].q[3] = INFINITY;
  EXPECT_THROW(MotionFromRecording(recording), InputError);
  recording.frames.clear();
  EXPECT_THROW(MotionFromRecording(recording), InputError);
}

TEST(RecordingMotion, OfAnActorThatJoined) {
  Recording recording = SmallRecording();
  for (RecordedFrame& frame : recording.frames) {
    for (State& actor : frame.actors) {
      const double scale = 1 / std::sqrt(actor.q[3] * actor.q[3] + actor.q[4] * actor.q[4] +
                                         actor.q[5] * actor.q[5] + actor.q[6] * actor.q[6]);
      for (int i = 3; i < 7; ++i) actor.q[i] *= scale;
    }
  }
  const Motion box = MotionFromRecording(recording, 1);
  EXPECT_EQ(box.FrameCount(), 2);
  EXPECT_EQ(box.fps, 60);
  EXPECT_EQ(box.character, "box");
  EXPECT_EQ(box.frames[0][0], recording.frames[4].actors[1].q[0]);
  EXPECT_THROW(MotionFromRecording(recording, 2), InputError);
  EXPECT_THROW(MotionFromRecording(recording, -1), InputError);
}

TEST(RecordingExport, BvhAndGlbHoldTheBodies) {
  const Recording recording = ParseRecording(
      EncodeRecording(RecordingFromMotion(LoadMotion("cartwheel", Human()), Human())), "a");
  const SkeletonClip clip = ClipFromMotion(MotionFromRecording(recording), Human());
  const SkeletonClip bvh = ReadBvh(WriteBvh(clip), "a.bvh"),
                     glb = ReadGltf(WriteGlb(clip), "a.glb");
  for (const SkeletonClip* back : {&bvh, &glb}) {
    ASSERT_EQ(back->FrameCount(), static_cast<int>(recording.frames.size()));
    for (int f = 0; f < back->FrameCount(); ++f) {
      const BodyFrames frames = FramesAt(Human(), recording.frames[f].actors[0].q);
      const ClipPose pose = Positions(*back, f);
      for (const Role role : {Role::kPelvis, Role::kHead, Role::kLeftFoot, Role::kRightHand}) {
        const int body = Human().BodyOf(role);
        const int joint = FindJoint(*back, Human().bodies[body].name);
        ASSERT_GE(joint, 0);
        EXPECT_LT(Norm(pose.positions[joint] - frames.position[body]), 1e-4) << f;
      }
    }
  }
}

std::vector<std::vector<std::string>> RowsOf(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream fields(line + ',');
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
  }
  return rows;
}

TEST(RecordingCsv, HasAColumnForEverything) {
  const Recording recording = SmallRecording();
  const auto rows = RowsOf(RecordingCsv(recording));
  ASSERT_EQ(rows.size(), 7u);
  for (const auto& row : rows) EXPECT_EQ(row.size(), 2u + 13 + 13 + 3 + 2 + 10);
  const auto cell = [&](int frame, const std::string& name) {
    const auto found = std::find(rows[0].begin(), rows[0].end(), name);
    EXPECT_NE(found, rows[0].end()) << name;
    return found == rows[0].end() ? "none" : rows[frame + 1][found - rows[0].begin()];
  };
  for (int f = 0; f < 6; ++f) {
    const RecordedFrame& frame = recording.frames[f];
    EXPECT_EQ(std::stod(cell(f, "time_s")), frame.time);
    EXPECT_EQ(std::stod(cell(f, "ball.z_m")), frame.actors[0].q[2]);
    EXPECT_EQ(std::stod(cell(f, "ball.wz_rad/s")), frame.actors[0].v[5]);
    EXPECT_EQ(std::stod(cell(f, "ground_force.z_N")), f * (f % 3));
    EXPECT_EQ(cell(f, "foot.y_m"), f == 2 ? "" : "2");  // NaN once
  }
  EXPECT_EQ(cell(3, "actor1.box.qw"), "");  // not there yet
  EXPECT_EQ(std::stod(cell(4, "actor1.box.qw")), recording.frames[4].actors[1].q[3]);
  EXPECT_EQ(cell(3, "command.speed_m/s"), "");
  EXPECT_EQ(cell(0, "phase"), "");
  EXPECT_EQ(cell(1, "pendulum.to.z_m"), "9");
}

TEST(RecordingCsv, HasTheTorquesAndGroundForcesOfEveryDrivenActor) {
  Recording recording = RecordingFromMotion(LoadMotion("walk", Human()), Human());
  recording.header.world.actors.push_back(Human());
  recording.header.controllers.push_back({.controller = "hold", .channels = {{"phase", "", 1}}});
  recording.frames.resize(2);
  const Layout layout = LayoutOf(Human());
  for (RecordedFrame& frame : recording.frames) {
    frame.actors.push_back(frame.actors[0]);
    frame.controls.resize(2);
    frame.controls[1].channels = {0.25f};
    frame.contacts.push_back({1, 0, -1, -1, {}, {1, 2, 300}});
  }
  std::vector<float>& torques = recording.frames[1].controls[1].torques;
  for (int i = 0; i < layout.nv; ++i) torques.push_back(static_cast<float>(i));
  const auto rows = RowsOf(RecordingCsv(recording));
  const auto cell = [&](int frame, const std::string& name) {
    const auto found = std::find(rows[0].begin(), rows[0].end(), name);
    EXPECT_NE(found, rows[0].end()) << name;
    return found == rows[0].end() ? "none" : rows[frame + 1][found - rows[0].begin()];
  };
  EXPECT_EQ(rows[0].size(), rows[1].size());
  EXPECT_EQ(rows[0].size(), rows[2].size());
  EXPECT_EQ(cell(0, "ground_force.z_N"), "0");
  EXPECT_EQ(cell(0, "actor1.ground_force.z_N"), "300");
  EXPECT_EQ(cell(1, "actor1.phase"), "0.25");
  const int shank = Human().BodyOf(Role::kLeftShank), thigh = Human().BodyOf(Role::kLeftThigh);
  const std::string knee = "actor1." + Human().bodies[shank].name + ".torque_Nm",
                    hip = "actor1." + Human().bodies[thigh].name + ".ty_Nm";
  EXPECT_EQ(cell(0, knee), "");
  EXPECT_EQ(cell(1, knee), std::to_string(layout.v[shank]));
  EXPECT_EQ(cell(1, hip), std::to_string(layout.v[thigh] + 1));
}

}  // namespace
}  // namespace stride
