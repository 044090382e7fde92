#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stride/math/vec.h"

// A motion as a file holds it: the source's own skeleton, frame after frame, before any
// retargeting.
//
// Axes are stride's (Z up, a skeleton at rest faces +X, left is +Y); the readers convert once.
// Lengths stay in the file's unit. Joints are depth-first, each after its parent; joint 0 is the
// only root.
namespace stride {

// Channels of a joint in the file's own axes: what a BVH lists, and in which order.
enum class Channel : std::uint8_t {
  kXPosition,
  kYPosition,
  kZPosition,
  kXRotation,
  kYRotation,
  kZRotation
};
inline bool IsRotation(Channel c) { return c >= Channel::kXRotation; }
inline int AxisOf(Channel c) { return static_cast<int>(c) % 3; }  // 0 x, 1 y, 2 z

struct ClipJoint {
  std::string name;
  int parent = -1;
  Vec3d offset;  // of the joint from its parent at rest; root: in the world
  Quatd rest_rotation = Quatd::Identity();  // local rotation at rest; not the identity in glTF only
  std::vector<Vec3d> end_sites;             // tips of the joint's segment, in its own frame
  std::vector<Channel> channels;  // as in the BVH; for other formats what a BVH would need
  friend bool operator==(const ClipJoint&, const ClipJoint&) = default;
};

struct SkeletonClip {
  std::vector<ClipJoint> joints;
  double fps = 0;                     // frames per second, > 0
  std::vector<Vec3d> root_positions;  // per frame, world
  std::vector<Quatd> rotations;  // [frame * joints + joint], local: child to parent; root: to world
  // Joints below the root whose translation is animated, ascending, and for each its translation
  // in place of its offset: [frame * moving.size() + index].
  std::vector<int> moving;
  std::vector<Vec3d> translations;

  // Where it comes from.
  std::string format;          // "bvh"
  std::string source;          // path
  double frame_time = 0;       // seconds between frames, to the digit as declared; 0: not declared
  double metres_per_unit = 0;  // 0: the format does not say
  bool loop = false;           // the file says that the end joins the start
  std::vector<std::string> warnings;  // what the file holds that was not taken over, or was assumed

  int JointCount() const { return static_cast<int>(joints.size()); }
  int FrameCount() const { return static_cast<int>(root_positions.size()); }
  double Seconds() const { return FrameCount() > 1 ? (FrameCount() - 1) / fps : 0; }
  std::span<const Quatd> FrameRotations(int frame) const {
    return {rotations.data() + std::size_t(frame) * joints.size(), joints.size()};
  }
  std::span<const Vec3d> FrameTranslations(int frame) const {
    return {translations.data() + std::size_t(frame) * moving.size(), moving.size()};
  }
  friend bool operator==(const SkeletonClip&, const SkeletonClip&) = default;
};

// No captured skeleton comes near; they keep hostile files small.
inline constexpr int kMaxClipJoints = 10000;
inline constexpr int kMaxClipDepth = 512;

// World positions and orientations of all joints. An end site e of joint j is at
// positions[j] + Rotate(rotations[j], e).
struct ClipPose {
  std::vector<Vec3d> positions;
  std::vector<Quatd> rotations;
};
ClipPose Positions(const SkeletonClip& clip, int frame);
ClipPose RestPositions(const SkeletonClip& clip);

// Index of the joint of that name, or -1.
int FindJoint(const SkeletonClip& clip, const std::string& name);

// Throws InputError: no joint, no frame, not depth-first, too deep, a duplicate name, an array of
// the wrong size, a number that is not finite, a rotation that is not unit. Readers and writers
// call it.
void Validate(const SkeletonClip& clip);

// For readers. Flips signs so that neighbouring frames' quaternions lie in the same half space.
void MakeSignsContinuous(SkeletonClip* clip);
// Sets every joint's channels to positions (where they move) and the rotations Z, X, Y.
void SetDefaultChannels(SkeletonClip* clip);
// 1 / frame_time, or the whole number that frame_time is a rounding or truncation of.
double FpsFromFrameTime(double frame_time, double rounding);

}  // namespace stride
