#pragma once

#include <string>
#include <vector>

// The parameters of wang09's walking controller: one table with a row for each, and where they
// stand. Angles in rad about +y (to the left): a thigh forwards is negative, a bent knee positive,
// a foot with its toes up negative. Gains are for a body of 70 kg and grow with the mass
// (Section 4.3 of the paper).
namespace stride {

struct WalkerParameter {
  // Joints and axes with gains of their own, of each of the two states of a step.
  enum Dof : int {
    kBack,                   // x, y, z
    kTorso = kBack + 3,      // x, y, z in the world: turned by the stance hip
    kSwingHip = kTorso + 3,  // x, y, z in the world
    kSwingKnee = kSwingHip + 3,
    kSwingAnkle,  // x, y in the world
    kSwingToe = kSwingAnkle + 2,
    kStanceKnee,
    kStanceAnkle,  // x, y in the world
    kStanceToe = kStanceAnkle + 2,
    kNeck,                        // x, y, z
    kSwingArm = kNeck + 3,        // x, y, z
    kSwingElbow = kSwingArm + 3,  // y, z
    kStanceArm = kSwingElbow + 2,
    kStanceElbow = kStanceArm + 3,
    kDofs = kStanceElbow + 2,
  };
  static_assert(kDofs == 30);
  // Target angles of a state; all others are 0.
  enum Target : int {
    kBackPitch,
    kBackYaw,
    kTorsoPitch,
    kSwingHipPitch,
    kSwingKneePitch,
    kSwingAnklePitch,
    kStanceKneePitch,
    kStanceAnklePitch,
    kNeckPitch,
    kSwingElbowPitch,
    kStanceElbowPitch,
    kFirstTargets,
    kStanceToePitch = kFirstTargets,  // of the second state only
    kSecondTargets,
  };
  // Joints of the start state: about y, and the back about z too.
  enum StartJoint : int {
    kStartBack,
    kStartBackYaw,
    kStartNeck,
    kStartLeft,                    // hip, knee, ankle, toe, arm, elbow
    kStartRight = kStartLeft + 6,  // the same
    kStartJoints = kStartRight + 6,
  };
  enum Index : int {
    kDistanceSagittal,  // balance feedback of the swing hip, c_d and c_v
    kVelocitySagittal,
    kDistanceCoronal,
    kVelocityCoronal,
    kArmSwing,    // alpha_arm of equation 2
    kTransition,  // c_trans, m
    kTargets0,
    kTargets1 = kTargets0 + kFirstTargets,
    kStiffness0 = kTargets1 + kSecondTargets,
    kDamping0 = kStiffness0 + kDofs,
    kStiffness1 = kDamping0 + kDofs,
    kDamping1 = kStiffness1 + kDofs,
    kStartHeight = kDamping1 + kDofs,  // m above where the lowest point touches
    kStartPitch,
    kStartAngles,
    kStartSpeed = kStartAngles + kStartJoints,  // m/s ahead
    kStartRise,                                 // m/s upwards
    kStartPitchRate,
    kStartRates,
    kPaperCount = kStartRates + kStartJoints,

    // Beyond the paper. What a speed that is not the wanted one adds, for each m/s too fast:
    kOffTorso = kPaperCount,
    kOffAnkle,
    kOffTransition,  // of c_trans, for each m/s sideways, either way
    kOffRoll,        // of the torso to the right, for each m/s to the left
    kOffLift,        // of the swing knee in the first state, for either sign and both planes
    // Of the stance ankle, sideways.
    kAnkleDistanceCoronal,
    kAnkleVelocityCoronal,
    kWidth,  // of the swing hip outwards
    kWalkCount,

    // Commands. What a commanded speed adds, for each m/s above its own:
    kFasterSwingHip0 = kWalkCount,
    kFasterSwingHip1,
    kFasterTorso,
    kFasterPushOff,
    kFasterKnee,
    kFasterTransition,
    kFasterStanceKnee,
    kFasterSwingAnkle,
    // Steps that stop: SIMBICON's, in place; then a stand.
    kStopLiftSeconds,
    kStopHip0,
    kStopHip1,
    kStopKnee0,
    kStopKnee1,
    kStopStanceKnee,
    kStopDistanceSagittal,
    kStopVelocitySagittal,
    kStopDistanceCoronal,
    kStopVelocityCoronal,
    // And that start: they are told to be slower than they are, and lean.
    kGoFaster,
    kGoTorso,
    kStandDistance,  // of both ankles, in both planes
    kStandVelocity,
    kStandCoronal,  // of the hips: thighs and pelvis could lean aside together
    kCount,
  };
  static_assert(kPaperCount == 184);
};

struct WalkerParameterInfo {
  std::string name;   // "swing_knee.kp.0", the state last
  std::string group;  // "balance", "target", "gain", "start", "beyond"
  std::string unit;
  double paper;         // Table 2 and Section 4.3; beyond the paper our own first guess
  double scale;         // what is a usual change
  double lower, upper;  // where it is looked for
};
// All kCount, in their order.
const std::vector<WalkerParameterInfo>& WalkerParameters();
std::vector<double> WalkerPaperValues();

}  // namespace stride
