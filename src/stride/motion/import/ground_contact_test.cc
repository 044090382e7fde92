#include "stride/motion/import/ground_contact.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/motion/edit/leg_ik.h"
#include "stride/motion/formats/formats.h"
#include "stride/motion/import/flight.h"
#include "stride/motion/import/retarget.h"
#include "stride/testing/puppet.h"

namespace stride {
namespace {

Motion Standing(const Character& character, double seconds, double fps) {
  Motion motion;
  motion.character = character.name;
  motion.fps = fps;
  motion.frames.assign(static_cast<std::size_t>(seconds * fps), character.rest_q);
  motion.contacts.assign(motion.frames.size(), 0);
  return motion;
}

TEST(GroundContact, RemovesTheFloorsHeightAndItsNoise) {
  const Character character = LoadCharacter("liu16");
  Motion motion = Standing(character, 3, 60);
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.001);
  for (std::vector<double>& q : motion.frames) q[2] += 0.07 + noise(random);
  const GroundReport report = PutFeetOnGround(character, {}, &motion);
  EXPECT_NEAR(report.ground_offset, 0.07, 0.002);
  EXPECT_EQ(report.after.contacts, 2);
  for (int f = 0; f < motion.FrameCount(); ++f) {
    EXPECT_EQ(motion.contacts[f] & 3, 3) << f;
    EXPECT_NEAR(motion.frames[f][2], character.rest_q[2], 0.01)
        << f;  // straight legs must bend a little
  }
  EXPECT_LT(report.after.max_depth, 1e-4);
  EXPECT_LT(report.after.max_contact_height, 1e-4);
}

TEST(GroundContact, AFloorThatRisesSlowlyIsLevelled) {
  const Character character = LoadCharacter("kwon17");
  Motion motion = MarchingMotion(character, 6, 60);
  for (int f = 0; f < motion.FrameCount(); ++f) motion.frames[f][2] += 0.01 * f / 60.0;
  const GroundReport report = PutFeetOnGround(character, {}, &motion);
  EXPECT_NEAR(report.floor_range, 0.06, 0.015);
  EXPECT_LT(report.after.max_contact_height, 0.001);
  EXPECT_LT(report.after.max_depth, 0.001);
}

// Captured on a floor that slips: all skates by 4 cm/s. The feet must stand, and the body still
// come along.
TEST(GroundContact, StopsSkating) {
  const Character character = LoadCharacter("liu16");
  Motion motion = MarchingMotion(character, 4, 60);
  for (int f = 0; f < motion.FrameCount(); ++f) motion.frames[f][0] += 0.04 * f / 60.0;
  const GroundReport report = PutFeetOnGround(character, {}, &motion);
  EXPECT_GT(report.before.max_slide, 0.015);
  EXPECT_LT(report.after.max_slide, 0.002);
  EXPECT_GE(report.after.contacts, 7);
  EXPECT_LE(report.after.contacts, 9);
  EXPECT_NEAR(motion.frames.back()[0] - motion.frames.front()[0], 0.16, 0.01);
  // Measured by other means: in the middle of a contact the ankle stands still.
  const Kinematics kinematics(character);
  BodyFrames frames;
  for (const FootParts& foot : FeetOf(character)) {
    for (const ContactSpan& span : ContactSpans(motion, foot.flag)) {
      const int quarter = (span.last - span.first) / 4;
      kinematics.Frames(motion.frames[span.first + quarter], &frames);
      const Vec3d early = frames.position[foot.foot];
      kinematics.Frames(motion.frames[span.last - quarter], &frames);
      EXPECT_LT(Norm(frames.position[foot.foot] - early), 0.005);
    }
  }
}

TEST(GroundContact, WithoutCleanUpOnlyTheHeightChanges) {
  const Character character = LoadCharacter("liu16");
  const Motion raw = [&] {
    Motion motion = MarchingMotion(character, 4, 60);
    for (int f = 0; f < motion.FrameCount(); ++f) {
      motion.frames[f][0] += 0.04 * f / 60.0;
      motion.frames[f][2] += 0.05;
    }
    return motion;
  }();
  Motion kept = raw, cleaned = raw;
  PutFeetOnGround(character, {.clean_up = false}, &kept);
  PutFeetOnGround(character, {}, &cleaned);
  EXPECT_EQ(kept.contacts, cleaned.contacts);
  for (int f = 0; f < raw.FrameCount(); ++f) {
    EXPECT_NEAR(kept.frames[f][2], raw.frames[f][2] - 0.05, 0.01) << f;
    kept.frames[f][2] = raw.frames[f][2];
  }
  EXPECT_EQ(kept.frames, raw.frames);
  EXPECT_NE(cleaned.frames, raw.frames);
}

TEST(GroundContact, LowersTheRootOfLegsTooShort) {
  const Character character = LoadCharacter("liu16");
  Motion motion = Standing(character, 2, 60);
  // Legs astride beyond what the height of the hips allows: one foot is pulled off the ground.
  const Layout layout = LayoutOf(character);
  for (std::vector<double>& q : motion.frames) {
    Put(AxisAngle({1, 0, 0}, 0.05), 3, &q);  // the pelvis leans to the right
  }
  const GroundReport report = PutFeetOnGround(character, {}, &motion);
  EXPECT_LT(report.after.max_contact_height, 0.001);
  EXPECT_GT(report.root_lowered, 0.0005);
  for (const std::vector<double>& q : motion.frames) {
    for (const Role knee : {Role::kLeftShank, Role::kRightShank}) {
      EXPECT_GE(q[layout.q[character.BodyOf(knee)]], 0);
    }
  }
}

// A jump of 0.3 s rise: 0.44 m. Bodies fall at 9.81.
Motion Jump(const Character& character, double fps) {
  Motion motion = Standing(character, 3, fps);
  for (int f = 0; f < motion.FrameCount(); ++f) {
    const double t = f / fps - 1.5;
    if (std::fabs(t) < 0.3) motion.frames[f][2] += 0.5 * 9.81 * (0.09 - t * t);
  }
  return motion;
}

TEST(GroundContact, AJumpIsNoContactAndFallsAsTheEarthPulls) {
  const Character character = LoadCharacter("liu16");
  Motion motion = Jump(character, 120);
  PutFeetOnGround(character, {}, &motion);
  EXPECT_EQ(motion.contacts[180], 0);
  EXPECT_EQ(motion.contacts[100] & 3, 3);
  EXPECT_EQ(motion.contacts[260] & 3, 3);
  const FlightCheck right = CheckFlights(character, motion);
  ASSERT_EQ(right.gravities.size(), 1u);
  EXPECT_NEAR(right.gravity, 9.81, 0.3);
  EXPECT_EQ(right.suggested_fps, 0);

  Motion wrong = Jump(character, 60);
  wrong.fps = 120;  // what a header says
  PutFeetOnGround(character, {}, &wrong);
  const FlightCheck check = CheckFlights(character, wrong);
  EXPECT_NEAR(check.gravity, 4 * 9.81, 2);
  EXPECT_EQ(check.suggested_fps, 60);

  Motion still = Standing(character, 1, 60);
  PutFeetOnGround(character, {}, &still);
  EXPECT_TRUE(CheckFlights(character, still).gravities.empty());
}

TEST(LegIk, ReachesWhatIsWithinReach) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  for (const char* name : {"liu16", "lee10", "kwon17", "wang09-short"}) {
    const Character character = LoadCharacter(name);
    const Kinematics kinematics(character);
    for (const FootParts& foot : FeetOf(character)) {
      const LegIk ik(kinematics, foot);
      for (int trial = 0; trial < 200; ++trial) {
        std::vector<double> q = MarchingMotion(character, 1, 10).frames[trial % 10];
        BodyFrames frames;
        kinematics.Frames(q, &frames);
        const double distance = ik.Reach() * (0.75 + 0.25 * number(random));
        const Vec3d way = Normalized(Vec3d{0.5 * number(random), 0.3 * number(random), -1});
        const Vec3d target = frames.position[foot.thigh] + way * distance;
        const Quatd rotation =
            Exp(Vec3d{0, 0.2 * number(random), 0.3 * number(random)}) * frames.rotation[0];
        ik.Solve(frames, target, rotation, -0.3, &q);
        kinematics.Frames(q, &frames);
        EXPECT_LT(Norm(frames.position[foot.foot] - target), 1e-6) << name;
        const double angle = Norm(Log(Conjugate(rotation) * frames.rotation[foot.foot]));
        // Ankles of two axes cannot hold every rotation.
        if (std::string(name) != "wang09-short") {
          EXPECT_LT(angle, 1e-6) << name;
        }
        if (foot.toe >= 0) {
          EXPECT_NEAR(ik.ToeAngle(frames), -0.3, 1e-9);
        }
      }
    }
  }
}

TEST(LegIk, AFarTargetIsApproachedWithoutSnapping) {
  const Character character = LoadCharacter("liu16");
  const Kinematics kinematics(character);
  const FootParts foot = FeetOf(character)[0];
  const LegIk ik(kinematics, foot);
  std::vector<double> q = character.rest_q;
  BodyFrames frames;
  kinematics.Frames(q, &frames);
  const Vec3d hip = frames.position[foot.thigh];
  ik.Solve(frames, hip + Vec3d{0.5, 0, -3}, Quatd::Identity(), 0, &q);
  kinematics.Frames(q, &frames);
  EXPECT_NEAR(Norm(frames.position[foot.foot] - hip), ik.Reach(), 1e-9);
  EXPECT_GT(q[kinematics.layout().q[foot.shank]], 0.05);
}

// Stands, then lies on its back: as captured 4 cm above the ground, or 4 cm in it.
TEST(GroundContact, WhatTheBodyLiesOnTouchesTheGround) {
  const Character character = LoadCharacter("liu16");
  const Kinematics kinematics(character);
  BodyFrames frames;
  const auto lowest = [&](const std::vector<double>& q) {
    kinematics.Frames(q, &frames);
    double low = 1e9;
    for (const ContactPoint& point : character.contact_points) {
      low = std::min(low, PointAt(frames, point).z);
    }
    return low;
  };
  for (const double height : {0.04, -0.04}) {
    SCOPED_TRACE(height);
    Motion motion = Standing(character, 6, 60);
    for (int f = 180; f < motion.FrameCount(); ++f) {
      std::vector<double>& q = motion.frames[f];
      Put(AxisAngle({0, 1, 0}, -M_PI / 2), 3, &q);
      q[2] += height - lowest(q);
    }
    const GroundReport report = PutFeetOnGround(character, {}, &motion);
    EXPECT_EQ(motion.contacts[90], kLeftFootDown | kRightFootDown);
    EXPECT_TRUE(motion.contacts[300] & kTrunkDown);
    EXPECT_NEAR(lowest(motion.frames[300]), 0, 0.01);
    EXPECT_LT(report.after.max_other_height, 0.021);
    EXPECT_LT(report.after.max_body_depth, 0.02);
  }
}

// Captured clips that the setup installs: playground, climbing, boxing with falls.
TEST(GroundContact, CapturedClipsStandOnTheGround) {
  const Character character = LoadCharacter("liu16");
  for (const char* name : {"01_01", "01_03", "Boxing_Toes"}) {
    SkeletonClip clip = ReadClip(std::string("/usr/share/assimp/models/BVH/") + name + ".bvh");
    std::vector<std::string> warnings;
    const SkeletonMap map = RecogniseSkeleton(clip);
    const SourceClip source(std::move(clip), map, 0, -1, &warnings);
    Retargeted result = Retarget(source, character, {});
    const GroundReport report = PutFeetOnGround(character, {}, &result.motion);
    Validate(result.motion, character);
    EXPECT_GT(report.before.max_slide, 0.02) << name;
    EXPECT_LT(report.after.max_slide, 0.02) << name;
    EXPECT_LT(report.after.max_contact_height, 0.01) << name;
    EXPECT_LT(report.after.max_depth, 0.01) << name;
    EXPECT_LT(report.after.max_body_depth, 0.02) << name;
    EXPECT_LT(BoneDirectionError(character, result.motion, result.directions), 5) << name;
  }
}

}  // namespace
}  // namespace stride
