#pragma once

#include <string>

#include "stride/character/character.h"

// A human of any height, mass and proportions, from one set of published segment data.
//
// The reference man (1.741 m, 73 kg) has the segment masses, lengths, centres of mass and radii of
// gyration of de Leva (1996), "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters",
// J. Biomechanics 29(9), Table 4, males; heights of ankle and shoulder are those of Winter (2009),
// "Biomechanics and Motor Control of Human Movement", after Drillis and Contini. What neither gives
// (joint breadths, neck and toes as bodies of their own, radii for drawing, limits, gains) is
// assumed and marked so in the source.
//
// The zero pose is an upright stand with the arms hanging, palms to the thighs, feet flat on z = 0.
// A hinge knee bends about +Y and a hinge elbow about -Y, so that flexion is a positive angle.
namespace stride {

// How a part is held to the one before it.
enum class JointStyle {
  kFixed,      // no body of its own: mass and shapes go to the part before
  kHinge,      // 1 degree of freedom
  kUniversal,  // 2: two hinges with a massless link between
  kBall,       // 3
};

struct HumanParams {
  std::string name = "human";
  std::string description = "general human: de Leva's segment data scaled to height and mass";

  double height = 1.75;  // standing, sole to crown, m [0.3, 3]
  double mass = 70;      // kg [5, 400]

  // Lengths against the reference man's, before all are scaled together to `height`; so 1.2 for the
  // legs makes legs of 1.2 times the usual share, not a taller human. [0.3, 3]
  double leg_length = 1;
  double trunk_length = 1;
  double arm_length = 1;
  double head_size = 1;
  double foot_length = 1;
  // Distances between the two hips and the two shoulders. [0.3, 3]
  double hip_width = 1;
  double shoulder_width = 1;
  // Ankle from the heel, as a share of the foot's length. In life about 0.3; a servo without
  // feedforward sags by what the weight turns the ankle, so it stands better with the ankle near
  // the middle. [0.2, 0.5]
  double ankle_position = 0.42;
  // Masses against the reference man's, before all are scaled together to `mass`. Thickness follows
  // from mass and length at constant density. [0.3, 3]
  double leg_mass = 1;
  double trunk_mass = 1;
  double arm_mass = 1;

  JointStyle waist = JointStyle::kBall;  // pelvis to abdomen, at the navel
  JointStyle chest = JointStyle::kBall;  // abdomen to chest, at the end of the breastbone
  JointStyle neck = JointStyle::kBall;   // chest to neck
  JointStyle head = JointStyle::kFixed;  // neck to head
  JointStyle shoulder = JointStyle::kBall;
  JointStyle elbow = JointStyle::kHinge;
  JointStyle wrist = JointStyle::kBall;
  JointStyle hip = JointStyle::kBall;
  JointStyle knee = JointStyle::kHinge;
  JointStyle ankle = JointStyle::kBall;
  JointStyle toe = JointStyle::kHinge;

  // Servo gains grow with weight times height; this scales them all. [0.01, 100]
  double strength = 1;
};

// Throws InputError naming the parameter and its range. The result is valid, stands on z = 0 in its
// rest pose with its centre of mass over the middle of its feet, and has no bound on torques.
Character MakeHuman(const HumanParams& params = {});

}  // namespace stride
