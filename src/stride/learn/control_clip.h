#pragma once

#include <string>
#include <vector>

#include "stride/learn/features.h"
#include "stride/motion/motion.h"
#include "stride/sim/world.h"

// A clip cut into control fragments (liu16, Section 4): what the servos are aimed at in every step,
// and the reference at every border.
namespace stride {

struct ClipOptions {
  double fragment = 0.1;  // s, about (paper: 0.1)
  // The servo's target runs this far ahead of the reference, in units of the lag kd / kp of a servo
  // without target velocity (ours; the paper's servo trails its target by 0.1 s).
  double lead = 0.9;
  // Policies of the first half cycle, mirrored, serve the second (paper: walking and running).
  bool symmetric = false;
};

struct ControlClip {
  ClipOptions options;
  Character character;
  Motion motion;  // scaled in time by less than a step so that the cycle is a whole number of steps
  SkillParts parts;
  double time_step = 0.005;
  std::vector<int> begin;                // first step of each fragment, and the number of steps
  std::vector<Quat<float>> targets;      // [step][body]
  std::vector<BorderReference> borders;  // Fragments() + 1
  std::vector<State> border_states;      // the reference's own; Fragments() + 1
  double turn = 0;                       // of a cycle, rad
  double travel_heading = 0;  // of its way over ground, in the axes of its beginning; 0 if it stays
  bool loops = false;

  int Fragments() const { return static_cast<int>(begin.size()) - 1; }
  int Steps(int fragment) const { return begin[fragment + 1] - begin[fragment]; }
  double Seconds() const { return begin.back() * time_step; }
  // Which policy a fragment uses, and whether in the mirror.
  int PolicyCount() const { return options.symmetric ? Fragments() / 2 : Fragments(); }
  int PolicyOf(int fragment) const { return fragment % PolicyCount(); }
  bool Mirrored(int fragment) const { return fragment >= PolicyCount(); }
  const Quat<float>* Target(int step) const {
    return &targets[static_cast<std::size_t>(step) * character.bodies.size()];
  }
};

// Throws InputError: the character lacks a part, a joint that cannot take an action; a clip shorter
// than three fragments; `symmetric` of a clip that is no loop or whose halves are no mirror images
// (by more than 15 degrees of a joint on average).
ControlClip MakeControlClip(const Motion& motion, const Character& character,
                            const ClipOptions& options, double time_step);

SkillParts PartsOf(const Character& character);  // throws InputError

// The border that a state would be, in the axes it is given in.
BorderReference BorderOf(const Character& character, const SkillParts& parts, const State& state);

}  // namespace stride
