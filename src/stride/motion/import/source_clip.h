#pragma once

#include <array>
#include <string>
#include <vector>

#include "stride/motion/import/skeleton_map.h"
#include "stride/motion/skeleton_clip.h"

// A clip made ready for retargeting: what captures leave behind is repaired, and every part has a
// bone.
namespace stride {

class SourceClip {
 public:
  // Takes frames first..last (last < 0: to the end) of the clip. Repairs lost bone lengths of CMU
  // conversions, turns a clip that is written with another axis up, drops an artificial T-pose at
  // the start and frames without data. Adds to `warnings` what it did. Throws InputError for a
  // range outside the clip.
  SourceClip(SkeletonClip clip, const SkeletonMap& map, int first, int last,
             std::vector<std::string>* warnings);

  const SkeletonClip& clip() const { return clip_; }
  const SkeletonMap& map() const { return map_; }
  int JointOf(Role role) const { return map_.JointOf(role); }

  // Frames that are left: frame f here is frame_numbers()[f] of the file.
  int FrameCount() const { return static_cast<int>(frames_.size()); }
  const std::vector<int>& frame_numbers() const { return frames_; }
  ClipPose Pose(int frame) const { return Positions(clip_, frames_[frame]); }

  // A pose in which the limbs' directions are known and nothing is twisted: the T-pose that the
  // clip starts with, if it does, else the rest pose. Both stand, whatever the file's rest pose
  // does: some exporters write the first frame there.
  const ClipPose& ReferencePose() const { return reference_; }
  const ClipPose& RestPose() const { return rest_; }

  // Moves the whole skeleton in each of the frames that are left, in the file's unit.
  void Move(const std::vector<Vec3d>& shifts);

  // From the part's joint to the next one, or to its tip; zero if it has neither.
  Vec3d Bone(Role role, const ClipPose& pose) const;
  // Between the hip joints, and their left in the horizontal plane as a heading, rad.
  Vec3d MidHip(const ClipPose& pose) const;
  double Facing(const ClipPose& pose) const;
  // Hip to knee to ankle at rest, mean of both legs, in the file's unit.
  double LegLength() const;
  // From the lowest joint or tip to the highest in the reference pose, in the file's unit.
  double Height() const;

 private:
  void RepairCmuOffsets(std::vector<std::string>* warnings);
  void TurnUpright(std::vector<std::string>* warnings);
  ClipPose StandingRest(std::vector<std::string>* warnings) const;
  // From the hips to the chest, or where no such joint is known from the feet to the hips.
  Vec3d Up(const ClipPose& pose) const;
  bool IsTPose(const ClipPose& pose) const;
  bool IsJump(int frame_a, int frame_b) const;
  bool IsEmpty(int frame) const;

  SkeletonClip clip_;
  SkeletonMap map_;
  std::vector<int> frames_;
  ClipPose rest_, reference_;
  struct Tip {
    int joint = -1;  // or else
    Vec3d end;       // in the part's frame
  };
  std::array<Tip, static_cast<int>(Role::kCount)> tips_;
};

}  // namespace stride
