#include "stride/motion/edit/symmetry.h"

#include <cmath>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/motion/edit/edit.h"
#include "stride/motion/edit/seam.h"

namespace stride {

Motion MakeSymmetric(const Character& character, const Motion& loop) {
  if (!loop.loops || loop.FrameCount() < 5) {
    throw InputError(
        fmt::format("'{}' is no loop: a symmetric gait is made of half a cycle", loop.name));
  }
  // Twice the rate, so that the half falls on a frame.
  Motion fine = loop;
  fine.frames.clear();
  fine.contacts.clear();
  fine.fps = 2 * loop.fps;
  const int count = 2 * (loop.FrameCount() - 1);
  for (int k = 0; k <= count; ++k) {
    fine.frames.push_back(SampleMotion(loop, character, k / fine.fps));
    fine.contacts.push_back(SampleContacts(loop, k / fine.fps));
  }
  fine.loops = false;
  const Motion half = Cut(fine, 0, count / 2);
  const Motion mirror = Mirrored(half, character);
  const Motion whole = Join(character, {{&half, 0, count / 2}, {&mirror, 0, count / 2}});
  return MakeLoop(character, whole, 0, whole.FrameCount() - 1);
}

double MeanJointAngle(const Character& character, const std::vector<double>& a,
                      const std::vector<double>& b) {
  const std::vector<double> d = PoseDifference(character, a, b, 1);
  const Layout layout = LayoutOf(character);
  double sum = 0;
  for (int i = 1; i < character.BodyCount(); ++i) {
    double square = 0;
    for (int k = 0; k < DofCount(character.bodies[i].joint.kind); ++k) {
      square += d[layout.v[i] + k] * d[layout.v[i] + k];
    }
    sum += std::sqrt(square);
  }
  return sum / (character.BodyCount() - 1);
}

}  // namespace stride
