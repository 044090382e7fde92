#include "stride/app/bench/bench_import.h"

#include <cmath>

#include "stride/math/rotation.h"
#include "stride/motion/formats/bvh/bvh.h"
#include "stride/motion/formats/export.h"
#include "stride/motion/import/ground_contact.h"
#include "stride/motion/import/retarget.h"
#include "stride/motion/import/skeleton_map.h"
#include "stride/motion/import/source_clip.h"
#include "stride/motion/library.h"

namespace stride {
namespace {

constexpr int kJoints = 31, kFrames = 1200;
constexpr double kFps = 120;

// The added joints move, so that their numbers cost the reader what a capture's do.
SkeletonClip WithJoints(const SkeletonClip& clip, int count) {
  SkeletonClip more = clip;
  for (int j = clip.JointCount(); j < count; ++j) {
    ClipJoint joint;
    joint.name = "marker" + std::to_string(j);
    joint.parent = 0;
    joint.offset = {0.1, 0, 0};
    joint.end_sites = {{0.1, 0, 0}};
    more.joints.push_back(joint);
  }
  more.rotations.clear();
  for (int f = 0; f < clip.FrameCount(); ++f) {
    const auto frame = clip.FrameRotations(f);
    more.rotations.insert(more.rotations.end(), frame.begin(), frame.end());
    for (int j = clip.JointCount(); j < count; ++j) {
      more.rotations.push_back(Exp(Vec3d{0.3 * std::sin(0.05 * f), 0.2 * std::cos(0.03 * f), 0.1}));
    }
  }
  SetDefaultChannels(&more);
  return more;
}

}  // namespace

CaptureJob MakeCaptureJob(const Character& character) {
  const Motion walk = LoadMotion("walk", character);
  Motion capture = walk;
  capture.fps = kFps;
  capture.loops = false;
  capture.frames.clear();
  capture.contacts.assign(kFrames, 0);
  for (int f = 0; f < kFrames; ++f) {
    capture.frames.push_back(SampleMotion(walk, character, f / kFps));
  }
  const SkeletonClip clip = WithJoints(ClipFromMotion(capture, character), kJoints);
  return {WriteBvh(clip), clip.JointCount(), clip.FrameCount()};
}

Motion ImportCapture(const CaptureJob& job, const Character& character, bool on_ground) {
  SkeletonClip clip = ReadBvh(job.text, "capture.bvh");
  const SkeletonMap map = RecogniseSkeleton(clip);
  std::vector<std::string> warnings;
  const SourceClip source(std::move(clip), map, 0, -1, &warnings);
  Motion motion = Retarget(source, character, {}).motion;
  if (on_ground) PutFeetOnGround(character, {}, &motion);
  return motion;
}

}  // namespace stride
