#pragma once

#include <string>

#include "stride/character/character.h"

// The bodies of the papers whose controllers stride implements. What a paper states is taken from
// it; the rest comes from the builder in human.h. docs/characters.md lists what was assumed.
namespace stride {

// Lee, Kim, Lee (2010), Figure 3: 13 parts, 12 ball joints, 42 degrees of freedom, 47 kg.
// `round_soles`: the authors' program has six balls a foot instead of a box.
Character MakeLee10(bool round_soles = false);
// With round soles and SIMBICON's masses, 88.6 kg.
Character MakeLee10Heavy();

// Liu, van de Panne, Yin (2016): 45 degrees of freedom, 1.7 m, 62 kg. `strong` takes the gains for
// highly dynamic stunts instead of those for basic locomotion.
Character MakeLiu16(bool strong = false);

// Kwon, Hodgins (2017): 44 degrees of freedom, hinge knees and elbows, all else three axes.
Character MakeKwon17();

// Wang, Fleet, Hertzmann (2009), Figure 8: 30 internal degrees of freedom.
enum class Wang09Body { kShort, kTall, kStocky, kOverweight, kThin, kLongArm };
Character MakeWang09(Wang09Body body);

// Boeing (2008): a pelvis on two hinge legs with large feet; a human-sized biped whose hips also
// swing sideways; three legs without feet; a chain.
struct BipedSize {
  std::string name = "biped";
  std::string description = "Boeing 2008: pelvis on two legs of three hinges, large feet";
  double torso = 0.2;      // above the hips, m
  double torso_mass = 10;  // kg
  double segment = 0.35;   // thigh and shank, m
  double kp = 400;         // N m/rad
};
// The legs' masses grow with their length.
Character MakeBiped(const BipedSize& size = {});
Character MakeAndroid();
Character MakeTripod();
// The chain's joints turn by turns about the vertical and the left-right axis. Throws InputError
// unless 1 <= links <= 10000. The paper's has 6 joints.
Character MakeSnake(int links = 7);

// Ours, in the manner of Boeing's bodies: they stand by themselves, every joint is a hinge with a
// servo, left and right mirror each other.
Character MakeQuadruped();
Character MakeHexapod();
Character MakeHopper();

}  // namespace stride
