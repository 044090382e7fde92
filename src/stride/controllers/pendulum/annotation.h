#pragma once

#include <array>
#include <string>
#include <vector>

#include "stride/controllers/pendulum/limbs.h"
#include "stride/motion/motion.h"

// Which limbs stand when, and by which pendulum a clip is balanced: what the paper's Section 4 has
// an animator mark by hand, found here and written to a file that can be edited (docs/formats.md).
namespace stride {

// A pole on a cart, for stepping loops; a pole that pivots where the body stands, for what is
// performed once.
enum class PendulumKind { kCart, kPivoted };
const char* NameOf(PendulumKind kind);

struct AnnotatedSpan {
  int first = 0, last = 0;  // frames of the motion
  friend bool operator==(const AnnotatedSpan&, const AnnotatedSpan&) = default;
};
struct Annotation {
  PendulumKind pendulum = PendulumKind::kCart;
  std::array<std::vector<AnnotatedSpan>, kMostLimbs> supports;
  friend bool operator==(const Annotation&, const Annotation&) = default;
};

// Of the motion's labels; a loop has a cart.
Annotation AnnotationOf(const Motion& motion);
// The motion with these supports as labels of its limbs.
void Apply(const Annotation& annotation, Motion* motion);

std::string AnnotationText(const Annotation& annotation, const Motion& motion,
                           const Character& character);
// Throws InputError: not of this motion; frames outside of it or in disorder, supports that
// overlap; a limb that the body has not; nothing that ever stands; a pivoted pole for a loop.
Annotation ParseAnnotation(const std::string& text, const std::string& file_name,
                           const Motion& motion, const Character& character);

}  // namespace stride
