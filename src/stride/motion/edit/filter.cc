#include "stride/motion/edit/filter.h"

#include <algorithm>
#include <cmath>

#include "stride/math/low_pass.h"
#include "stride/math/rotation.h"

namespace stride {

void LowPass(const Kinematics& kinematics, double cutoff, double fps,
             std::vector<std::vector<double>>* frames) {
  const int count = static_cast<int>(frames->size());
  const std::vector<double> kernel = LowPassKernel(cutoff, fps, count - 1);
  const int radius = static_cast<int>(kernel.size()) - 1;
  if (radius < 1) return;

  MakeSignsContinuous(kinematics, frames);
  const Character& character = kinematics.character();
  const int numbers = kinematics.layout().nq;
  std::vector<int> quaternions;
  for (int i = 0; i < character.BodyCount(); ++i) {
    const JointKind kind = character.bodies[i].joint.kind;
    if (!HasOneAxis(kind))
      quaternions.push_back(kinematics.layout().q[i] + (kind == JointKind::kFree ? 3 : 0));
  }
  // Beyond an end: its point reflection, for quaternions the turn the other way.
  const auto reflected = [&](int end, int inside) {
    const std::vector<double>& centre = (*frames)[end];
    const std::vector<double>& other = (*frames)[inside];
    std::vector<double> q(numbers);
    for (int i = 0; i < numbers; ++i) q[i] = 2 * centre[i] - other[i];
    for (const int at : quaternions) {
      const Quatd c = QuatAt(centre, at);
      Put(c * Conjugate(QuatAt(other, at)) * c, at, &q);
    }
    return q;
  };
  std::vector<std::vector<double>> before, after;
  for (int k = 1; k <= radius; ++k) {
    before.push_back(reflected(0, k));
    after.push_back(reflected(count - 1, count - 1 - k));
  }
  const auto at = [&](int f) -> const std::vector<double>& {
    return f < 0 ? before[-f - 1] : f >= count ? after[f - count] : (*frames)[f];
  };
  std::vector<std::vector<double>> result(count);
  for (int f = 0; f < count; ++f) {
    std::vector<double>& q = result[f];
    q.assign(numbers, 0);
    for (int k = -radius; k <= radius; ++k) {
      const std::vector<double>& other = at(f + k);
      const double weight = kernel[std::abs(k)];
      for (int i = 0; i < numbers; ++i) q[i] += weight * other[i];
    }
    for (const int i : quaternions) Put(Normalized(QuatAt(q, i)), i, &q);
  }
  *frames = std::move(result);
}

Motion Resampled(const Motion& motion, const Character& character, double fps) {
  if (fps == motion.fps) return motion;
  Motion result = motion;
  result.fps = fps;
  result.frames.clear();
  result.contacts.clear();
  const int count = static_cast<int>(std::floor(motion.Duration() * fps + 1e-6)) + 1;
  for (int f = 0; f < count; ++f) {
    // A loop's last frame is asked for as such, not as the first of the next round.
    const double t = std::min(f / fps, motion.Duration() - (motion.loops ? 1e-9 : 0));
    result.frames.push_back(SampleMotion(motion, character, t));
    result.contacts.push_back(SampleContacts(motion, t));
  }
  return result;
}

}  // namespace stride
