#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "stride/controllers/control_graph/features.h"
#include "stride/core/random.h"
#include "stride/motion/motion.h"
#include "stride/sim/world.h"

// Motion cut into control fragments (liu16, Sections 4 and 7): what the servos are aimed at in
// every step, the reference at every border, and which fragment may follow which. A clip that loops
// is the smallest graph.
namespace stride {

struct ClipOptions {
  double fragment = 0.1;  // s, about (paper: 0.1)
  // The servo's target runs this far ahead of the reference, in units of the lag kd / kp of a servo
  // without target velocity (ours; the paper's servo trails its target by 0.1 s).
  double lead = 0.9;
  // Policies of the first half cycle, mirrored, serve the second (paper: walking and running).
  bool symmetric = false;
  // The axes of a symmetric clip lie in its mirror plane, which is its mean heading. In those of
  // its first frame, whose pelvis is turned, what the mirror shows is off, and the gait goes up to
  // 15 degrees aside. False: skills learned so.
  bool mirror_axes = true;
};

// About a tenth of a second of a segment.
struct Fragment {
  int segment = 0;
  int begin = 0, end = 0;          // steps, of all segments one after the other
  int border = 0, end_border = 0;  // references at its beginning and its end
  int policy = 0;
  bool mirrored = false;  // uses its policy in the mirror
  // Borders are in axes turned with their segment's beginning: so far these turn after the
  // fragment, rad.
  double turn = 0;
  std::vector<int> next;  // what may follow; none at the end of what does not loop
};

inline constexpr double kStandingSpeed = 0.3;  // m/s: what is slower stands

// A piece of motion, its fragments one after the other.
struct Segment {
  std::string name;
  Motion motion;      // scaled in time by less than a step so that the segment is a whole number of
                      // steps; a clip's first frame faces along +X, a symmetric one on average
  double offset = 0;  // s of the motion at which the segment begins
  int clip = 0;       // of the plan; -1: a transition
  int from = 0, to = 0;       // clips of a transition
  bool rises = false;         // begins lying; entered after a fall only
  int first = 0, count = 0;   // fragments
  int begin = 0, end = 0;     // steps
  bool travels = false;       // gets anywhere, over ground: faster than kStandingSpeed
  double travel_heading = 0;  // of its way, in its axes; 0 if it stays
};

// A loop that goes somewhere.
inline bool IsGait(const Segment& segment) {
  return segment.clip >= 0 && segment.motion.loops && segment.travels;
}

struct ControlGraph {
  Character character;
  SkillParts parts;
  double time_step = 0.005;
  std::vector<Segment> segments;
  std::vector<Fragment> fragments;
  std::vector<Quat<float>> targets;  // [step][body]
  std::vector<BorderReference> borders;
  std::vector<State> border_states;  // the reference's own
  int policies = 0;

  int Fragments() const { return static_cast<int>(fragments.size()); }
  int Steps(int fragment) const { return fragments[fragment].end - fragments[fragment].begin; }
  double Seconds(int fragment) const { return Steps(fragment) * time_step; }
  // Of all segments together.
  double Seconds() const { return fragments.back().end * time_step; }
  const Quat<float>* Target(int step) const {
    return &targets[static_cast<std::size_t>(step) * character.bodies.size()];
  }
};

// A graph of one segment, which follows itself if the motion loops. Throws InputError: the
// character lacks a part, a joint that cannot take an action; a clip shorter than three fragments;
// `symmetric` of a clip that is no loop or whose halves are no mirror images (by more than 15
// degrees of a joint on average).
ControlGraph MakeControlGraph(const Motion& motion, const Character& character,
                              const ClipOptions& options, double time_step);

// What graphs are built of (graph_plan.h): none yet; and one segment more, the part of a motion
// from `offset` on that lasts `seconds`, its fragments followed by each other, the last by none.
// `keep_axes`: as they are, instead of turned with the motion's first frame. Throw InputError.
ControlGraph EmptyGraph(const Character& character, double time_step);
Segment* AddSegment(const Motion& motion, double offset, double seconds, bool keep_axes,
                    const ClipOptions& options, ControlGraph* graph);
// The end of one segment may be followed by the beginning of another.
void Connect(const Segment& from, const Segment& to, ControlGraph* graph);
// How far the axes turn from those of one state's reference to those of another alike it.
double TurnOfAxes(const State& from, const State& to);

// A random walk over the graph: `count` fragments from `start` on, or fewer where nothing follows.
// Of those that may follow, one of the least visited (liu16, Section 7: even visits). `distance` of
// every fragment from what is wanted, if given: three times in four one of the nearest.
std::vector<int> RandomCourse(const ControlGraph& graph, int start, int count, Random* random,
                              std::span<const int> distance = {});

// Number of fragments from each on to the nearest for which `wanted`; where none comes,
// Fragments().
std::vector<int> DistanceTo(const ControlGraph& graph, const std::function<bool(int)>& wanted);

SkillParts PartsOf(const Character& character);  // throws InputError
// Why a character has not all of them; empty: it has.
std::string WhyNoParts(const Character& character);

// Turned about the vertical through the origin.
State Turned(const Character& character, const State& state, double heading);

// The border that a state would be, in the axes it is given in.
BorderReference BorderOf(const Character& character, const SkillParts& parts, const State& state);

}  // namespace stride
