#pragma once

#include <array>
#include <vector>

#include "stride/character/character.h"

// A human pose in terms that hold for every human character, and its coordinates on one of them.
namespace stride {

enum Side { kLeftSide = 0, kRightSide = 1 };
// +1 left, -1 right: the sign of sideways angles and offsets.
inline double SignOf(int side) { return side == kLeftSide ? 1 : -1; }

struct ArmPose {
  Quatd shoulder = Quatd::Identity();  // upper arm in the trunk
  double elbow = 0;                    // flexion, rad
};
struct LegPose {
  Quatd hip = Quatd::Identity();    // thigh in the pelvis
  double knee = 0;                  // flexion, rad
  Quatd ankle = Quatd::Identity();  // foot in the shank
  double toe = 0;                   // rad; negative bends the toes up
};
struct HumanPose {
  Vec3d pelvis;                        // origin of the pelvis' frame, world
  Quatd rotation = Quatd::Identity();  // of the pelvis, to world
  Quatd spine = Quatd::Identity();     // trunk in the pelvis
  Quatd neck = Quatd::Identity();      // head in the trunk
  std::array<ArmPose, 2> arms;
  std::array<LegPose, 2> legs;
};

// Where a limb ends: the ankle and the foot's orientation, or the tip of the hand.
struct LimbEnd {
  Vec3d position;
  Quatd rotation = Quatd::Identity();
};

// The joints and measures of a human character.
class HumanRig {
 public:
  // Throws InputError if the character is not a human.
  explicit HumanRig(const Character& character);

  // Coordinates of the pose. A joint of fewer degrees of freedom comes as near as it can, and
  // limits are kept.
  std::vector<double> Coordinates(const HumanPose& pose) const;

  // Bends hip, knee and ankle (or shoulder and elbow) so that the limb ends there; what is out of
  // reach is reached for. The knee stays over the toes; the elbow keeps to the plane in which the
  // pose has it.
  void PlaceFoot(int side, const LimbEnd& foot, HumanPose* pose) const;
  void PlaceHand(int side, const Vec3d& tip, HumanPose* pose) const;
  LimbEnd FootAt(int side, const HumanPose& pose) const;
  Vec3d HandAt(int side, const HumanPose& pose) const;

  // The ankle of a foot standing with its ankle above `ground` when flat, turned by `heading` and
  // pitched: up about the heel (positive, rad), or down over the ball of the foot (negative).
  LimbEnd StandingFoot(const Vec3d& ground, double heading, double pitch) const;
  // Angle of the toes that keeps them on the ground under a foot of that pitch.
  double StandingToe(double pitch) const;

  // Height of a foot's lowest contact point.
  double LowestPoint(int side, const LimbEnd& foot, double toe) const;

  // Where a limb (0 and 1: legs, 2 and 3: arms) hangs on the body, and how long it is when straight
  // and when bent as far as it goes.
  Vec3d LimbRoot(int limb, const HumanPose& pose) const;
  double LimbReach(int limb) const;
  double LimbBent(int limb) const;

  // From hip to ankle with the knee bent by that angle, m.
  double LegLength(int side, double knee) const;
  Vec3d HipOffset(int side) const { return legs_[side].root; }  // in the pelvis
  double HandRadius(int side) const { return hand_radius_[side]; }
  bool HasArms() const { return has_arms_; }
  bool HasToes() const { return toe_[kLeftSide] >= 0 && toe_[kRightSide] >= 0; }

  // Lengths against those of a human whose hips are 0.92 m above the ground.
  double Scale() const { return scale_; }
  double HipHeight() const { return hip_height_; }
  double AnkleHeight() const { return ankle_height_; }
  double ComHeight() const { return com_height_; }  // in the zero pose

  const Character& character() const { return *character_; }

 private:
  // A limb of two bones bending about Y of the first: `sign` +1 for knees, -1 for elbows.
  struct Limb {
    Vec3d root;   // of the first joint, in the pelvis or trunk
    Vec3d upper;  // from there to the second joint
    Vec3d lower;  // from the second joint to the end
    double sign = 1;
    double bend_min = 0, bend_max = 2.6;  // rad
  };
  // The bodies whose joints turn `to` against `from`; reversed if `from` hangs on `to`.
  struct Chain {
    std::vector<int> bodies;
    bool reversed = false;
  };

  LimbEnd TrunkAt(const HumanPose& pose) const;
  Chain ChainBetween(int from, int to) const;
  Limb MakeLimb(int base, int first, int second, const Vec3d& end, double sign) const;
  void SetRotation(const Chain& chain, const Quatd& rotation, std::vector<double>* q) const;
  static void Reach(const Limb& limb, const Vec3d& target, const Quatd& pose, Quatd* first,
                    double* bend);

  const Character* character_;
  Layout layout_;
  std::vector<Vec3d> zero_;  // body origins in the zero pose
  Chain spine_, neck_;
  std::array<Chain, 2> shoulder_, elbow_, hip_, knee_, ankle_, toe_joints_;
  std::array<int, 2> toe_{-1, -1};
  std::array<Limb, 2> legs_, arms_;
  std::array<double, 2> hand_radius_{};
  // Contact points of the foot and of the toes, from the ankle in the zero pose.
  std::array<std::vector<ContactPoint>, 2> foot_points_, toe_points_;
  std::array<Vec3d, 2> toe_offset_;  // of the toe joint from the ankle
  bool has_arms_ = false;
  double scale_ = 1, hip_height_ = 0, ankle_height_ = 0, com_height_ = 0;
  double heel_ = 0, ball_ = 0, tip_ = 0;  // from the ankle, along x
  double ball_height_ = 0;                // of the toe joint above the ground
};

}  // namespace stride
