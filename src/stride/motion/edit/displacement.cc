#include "stride/motion/edit/displacement.h"

#include <algorithm>

#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/motion/kinematics.h"

namespace stride {
namespace {

// Calls position(q index, v index) for the free root, turn(q, v) for each quaternion and angle(q,
// v) for each hinge or slide.
template <class Position, class Turn, class Angle>
void ForJoints(const Character& character, const Layout& layout, Position position, Turn turn,
               Angle angle) {
  for (int i = 0; i < character.BodyCount(); ++i) {
    const int q = layout.q[i], v = layout.v[i];
    switch (character.bodies[i].joint.kind) {
      case JointKind::kFree:
        position(q, v);
        turn(q + 3, v + 3);
        break;
      case JointKind::kBall: turn(q, v); break;
      case JointKind::kSlide:
      case JointKind::kHinge: angle(q, v); break;
    }
  }
}

}  // namespace

Displacement operator+(const Displacement& a, const Displacement& b) {
  Displacement sum = a;
  for (std::size_t i = 0; i < sum.u.size(); ++i) sum.u[i] += b.u[i];
  return sum;
}
Displacement operator-(const Displacement& a, const Displacement& b) { return a + -1.0 * b; }
Displacement operator*(double alpha, const Displacement& d) {
  Displacement scaled = d;
  for (double& number : scaled.u) number *= alpha;
  return scaled;
}

std::vector<double> Compose(const Character& character, const std::vector<double>& p1,
                            const std::vector<double>& p2) {
  const Layout layout = LayoutOf(character);
  std::vector<double> p(layout.nq);
  ForJoints(
      character, layout,
      [&](int i, int) { Put(Rotate(QuatAt(p1, i + 3), Vec3At(p2, i)) + Vec3At(p1, i), i, &p); },
      [&](int i, int) { Put(Normalized(QuatAt(p1, i) * QuatAt(p2, i)), i, &p); },
      [&](int i, int) { p[i] = p1[i] + p2[i]; });
  return p;
}

std::vector<double> Quotient(const Character& character, const std::vector<double>& p1,
                             const std::vector<double>& p2) {
  const Layout layout = LayoutOf(character);
  std::vector<double> p(layout.nq);
  ForJoints(
      character, layout,
      [&](int i, int) {
        Put(Rotate(Conjugate(QuatAt(p2, i + 3)), Vec3At(p1, i) - Vec3At(p2, i)), i, &p);
      },
      [&](int i, int) { Put(Normalized(Conjugate(QuatAt(p2, i)) * QuatAt(p1, i)), i, &p); },
      [&](int i, int) { p[i] = p1[i] - p2[i]; });
  return p;
}

std::vector<double> ExpPose(const Character& character, const Displacement& d) {
  const Layout layout = LayoutOf(character);
  std::vector<double> p(layout.nq);
  ForJoints(
      character, layout, [&](int i, int v) { Put(Vec3At(d.u, v), i, &p); },
      [&](int i, int v) { Put(Exp(Vec3At(d.u, v)), i, &p); }, [&](int i, int v) { p[i] = d.u[v]; });
  return p;
}

Displacement LogPose(const Character& character, const std::vector<double>& p) {
  const Layout layout = LayoutOf(character);
  Displacement d{std::vector<double>(layout.nv)};
  ForJoints(
      character, layout, [&](int i, int v) { Put(Vec3At(p, i), v, &d.u); },
      [&](int i, int v) { Put(Log(QuatAt(p, i)), v, &d.u); }, [&](int i, int v) { d.u[v] = p[i]; });
  return d;
}

std::vector<double> Power(const Character& character, const std::vector<double>& p, double alpha) {
  return ExpPose(character, alpha * LogPose(character, p));
}

double ForwardTransition(double x, double a, double b) {
  const double y = std::clamp((x - a) / (b - a), 0.0, 1.0);
  return y * y * (3 - 2 * y);
}
double BackwardTransition(double x, double a, double b) { return 1 - ForwardTransition(x, a, b); }

void WarpStart(const Character& character, const std::vector<double>& pose,
               const WarpOptions& options, Motion* motion) {
  const Layout layout = LayoutOf(character);
  std::vector<double> share(layout.nv, options.share);
  for (const WarpOptions::Exception& exception : options.exceptions) {
    STRIDE_CHECK(exception.body >= 0 && exception.body < character.BodyCount());
    std::fill_n(share.begin() + layout.v[exception.body],
                DofCount(character.bodies[exception.body].joint.kind), exception.share);
  }
  const Displacement whole = LogPose(character, Quotient(character, pose, motion->frames[0]));
  const int last = std::max(1, motion->FrameCount() - 1);
  for (int f = 0; f < motion->FrameCount(); ++f) {
    Displacement part = whole;
    for (int i = 0; i < layout.nv; ++i) {
      part.u[i] *= share[i] > 0 ? BackwardTransition(f, 0, share[i] * last) : f == 0;
    }
    motion->frames[f] = Compose(character, motion->frames[f], ExpPose(character, part));
  }
  MakeSignsContinuous(Kinematics(character), &motion->frames);
}

std::vector<double> PoseSum(const Character& character, const std::vector<double>& q,
                            const std::vector<double>& v, double dt) {
  const Layout layout = LayoutOf(character);
  std::vector<double> sum(layout.nq);
  ForJoints(
      character, layout, [&](int i, int j) { Put(Vec3At(q, i) + Vec3At(v, j) * dt, i, &sum); },
      [&](int i, int j) { Put(Normalized(QuatAt(q, i) * Exp(Vec3At(v, j) * dt)), i, &sum); },
      [&](int i, int j) { sum[i] = q[i] + v[j] * dt; });
  return sum;
}

}  // namespace stride
