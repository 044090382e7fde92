#include "stride/motion/skeleton_clip.h"

#include <cmath>
#include <unordered_set>

#include "stride/core/error.h"

namespace stride {
namespace {

bool IsFinite(const Vec3d& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}
bool IsUnit(const Quatd& q) { return std::fabs(Dot(q, q) - 1) < 1e-6; }

// `local` gives the rotation and translation of joint j.
template <class Local>
ClipPose Chain(const SkeletonClip& clip, Local local) {
  ClipPose pose;
  pose.positions.reserve(clip.joints.size());
  pose.rotations.reserve(clip.joints.size());
  for (int j = 0; j < clip.JointCount(); ++j) {
    const auto [rotation, translation] = local(j);
    const int parent = clip.joints[j].parent;
    if (parent < 0) {
      pose.positions.push_back(translation);
      pose.rotations.push_back(rotation);
    } else {
      const Quatd& up = pose.rotations[parent];
      pose.positions.push_back(pose.positions[parent] + Rotate(up, translation));
      pose.rotations.push_back(up * rotation);
    }
  }
  return pose;
}

struct LocalTransform {
  Quatd rotation;
  Vec3d translation;
};

void ValidateJoints(const SkeletonClip& clip) {
  const auto fail = [&](const std::string& what) { throw InputError(clip.source, 0, what); };
  if (clip.joints.empty()) fail("the clip has no joints; expected a skeleton");
  if (clip.JointCount() > kMaxClipJoints) {
    fail("the skeleton has " + std::to_string(clip.joints.size()) + " joints; expected at most " +
         std::to_string(kMaxClipJoints));
  }
  std::unordered_set<std::string> names;
  std::vector<int> path;  // from the root to the last joint
  for (int j = 0; j < clip.JointCount(); ++j) {
    const ClipJoint& joint = clip.joints[j];
    if (!names.insert(joint.name).second) {
      fail("two joints are called '" + joint.name + "'; expected every name once");
    }
    while (!path.empty() && path.back() != joint.parent) path.pop_back();
    if (path.empty() != (j == 0) || (j == 0 && joint.parent != -1)) {
      fail("joint '" + joint.name + "' does not follow its parent depth-first below one root");
    }
    path.push_back(j);
    if (path.size() > kMaxClipDepth) {
      fail("joint '" + joint.name + "' is nested deeper than " + std::to_string(kMaxClipDepth));
    }
    bool good = IsFinite(joint.offset) && IsUnit(joint.rest_rotation);
    for (const Vec3d& end : joint.end_sites) good = good && IsFinite(end);
    if (!good) fail("joint '" + joint.name + "' has an offset or rest rotation that is not valid");
  }
}

}  // namespace

ClipPose Positions(const SkeletonClip& clip, int frame) {
  const auto rotations = clip.FrameRotations(frame);
  const auto translations = clip.FrameTranslations(frame);
  std::size_t next = 0;  // in moving
  return Chain(clip, [&](int j) -> LocalTransform {
    if (j == 0) return {rotations[0], clip.root_positions[frame]};
    if (next < clip.moving.size() && clip.moving[next] == j)
      return {rotations[j], translations[next++]};
    return {rotations[j], clip.joints[j].offset};
  });
}

ClipPose RestPositions(const SkeletonClip& clip) {
  return Chain(clip, [&](int j) -> LocalTransform {
    return {clip.joints[j].rest_rotation, clip.joints[j].offset};
  });
}

int FindJoint(const SkeletonClip& clip, const std::string& name) {
  for (int j = 0; j < clip.JointCount(); ++j) {
    if (clip.joints[j].name == name) return j;
  }
  return -1;
}

void Validate(const SkeletonClip& clip) {
  const auto fail = [&](const std::string& what) { throw InputError(clip.source, 0, what); };
  ValidateJoints(clip);
  const std::size_t frames = clip.root_positions.size();
  if (frames == 0) fail("the clip has no frames");
  if (!(clip.fps > 0) || !std::isfinite(clip.fps)) {
    fail("the frame rate is " + std::to_string(clip.fps) +
         "; expected frames per second, positive");
  }
  if (clip.rotations.size() != frames * clip.joints.size() ||
      clip.translations.size() != frames * clip.moving.size()) {
    fail("the clip's rotations or translations do not fit its frames and joints");
  }
  int last = 0;
  for (int j : clip.moving) {
    if (j <= last || j >= clip.JointCount()) fail("the clip's moving joints are not ascending");
    last = j;
  }
  for (std::size_t f = 0; f < frames; ++f) {
    bool good = IsFinite(clip.root_positions[f]);
    for (const Quatd& q : clip.FrameRotations(static_cast<int>(f))) good = good && IsUnit(q);
    for (const Vec3d& t : clip.FrameTranslations(static_cast<int>(f))) good = good && IsFinite(t);
    if (!good) {
      fail("frame " + std::to_string(f) +
           " has a number that is not finite or a rotation not unit");
    }
  }
}

void MakeSignsContinuous(SkeletonClip* clip) {
  const std::size_t n = clip->joints.size();
  for (std::size_t i = n; i < clip->rotations.size(); ++i) {
    Quatd& q = clip->rotations[i];
    if (Dot(clip->rotations[i - n], q) < 0) q = {-q.w, -q.x, -q.y, -q.z};
  }
}

void SetDefaultChannels(SkeletonClip* clip) {
  std::size_t next = 0;
  for (int j = 0; j < clip->JointCount(); ++j) {
    const bool moves = next < clip->moving.size() && clip->moving[next] == j;
    if (moves) ++next;
    std::vector<Channel>& channels = clip->joints[j].channels;
    channels.clear();
    if (j == 0 || moves) {
      channels = {Channel::kXPosition, Channel::kYPosition, Channel::kZPosition};
    }
    channels.insert(channels.end(),
                    {Channel::kZRotation, Channel::kXRotation, Channel::kYRotation});
  }
}

double FpsFromFrameTime(double frame_time, double rounding) {
  const double whole = std::round(1 / frame_time);
  return whole >= 1 && std::fabs(frame_time - 1 / whole) < rounding ? whole : 1 / frame_time;
}

}  // namespace stride
