#pragma once

#include <vector>

#include "stride/character/character.h"
#include "stride/character/rest_pose.h"

// Forward kinematics for loops over many frames, and the way back from wanted rotations to
// coordinates.
namespace stride {

// FramesAt without allocation. The character must outlive it.
class Kinematics {
 public:
  explicit Kinematics(const Character& character);
  const Character& character() const { return *character_; }
  const Layout& layout() const { return layout_; }
  void Frames(const std::vector<double>& q, BodyFrames* frames) const;
  // Bodies after `ancestor` down to `body`; empty if `ancestor` is not above it.
  std::vector<int> Path(int ancestor, int body) const;

 private:
  const Character* character_;
  Layout layout_;
};

// What holds a part to the part before it: a ball, a hinge, several hinges with links between them,
// or several such joints (a trunk of two bodies), among which the rotation is divided.
class PartJoint {
 public:
  // `path` as Kinematics::Path gives it. `weak_axis` (unit, the part's frame): where the joint has
  // too few axes, a turn about this one is given up first; a limb's bone, a foot's vertical.
  PartJoint(const Kinematics& kinematics, const std::vector<int>& path, const Vec3d& weak_axis);

  // Sets the coordinates so that the part's rotation relative to the part before comes nearest to
  // `wanted` within the hinges' limits. Hinge chains are solved from the coordinates as they are.
  // Returns the rotation reached.
  Quatd Set(const Quatd& wanted, std::vector<double>* q) const;

 private:
  struct Group {  // one ball, or hinges that turn about the same point
    std::vector<int> bodies;
  };
  Quatd SetGroup(const Group& group, const Quatd& wanted, std::vector<double>* q) const;
  Quatd SetHinges(const Group& group, const Quatd& wanted, std::vector<double>* q) const;

  const Kinematics* kinematics_;
  std::vector<Group> groups_;
  Vec3d weak_axis_;
};

inline Quatd QuatAt(const std::vector<double>& q, int i) {
  return {q[i], q[i + 1], q[i + 2], q[i + 3]};
}
inline Vec3d Vec3At(const std::vector<double>& q, int i) { return {q[i], q[i + 1], q[i + 2]}; }
inline void Put(const Quatd& value, int i, std::vector<double>* q) {
  (*q)[i] = value.w;
  (*q)[i + 1] = value.x;
  (*q)[i + 2] = value.y;
  (*q)[i + 3] = value.z;
}
inline void Put(const Vec3d& value, int i, std::vector<double>* q) {
  (*q)[i] = value.x;
  (*q)[i + 1] = value.y;
  (*q)[i + 2] = value.z;
}

// Flips quaternions so that neighbouring frames' lie in the same half.
void MakeSignsContinuous(const Kinematics& kinematics, std::vector<std::vector<double>>* frames);

// The heading of the upright pose nearest to a rotation, rad: also for a body that lies.
double NearestHeading(const Quatd& rotation);

}  // namespace stride
