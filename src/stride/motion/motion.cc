#include "stride/motion/motion.h"

#include <algorithm>
#include <cmath>

#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/motion/kinematics.h"

namespace stride {
namespace {

bool HasFreeRoot(const Character& character) {
  return !character.bodies.empty() && character.bodies[0].joint.kind == JointKind::kFree;
}

// Turns the pose at the start of a loop into the one at its end.
void ContinueLoop(const Motion& motion, const Character& character, double cycles,
                  std::vector<double>* q) {
  if (!HasFreeRoot(character) || cycles == 0) return;
  const std::vector<double>& first = motion.frames.front();
  const std::vector<double>& last = motion.frames.back();
  const Quatd turn = QuatAt(last, 3) * Conjugate(QuatAt(first, 3));
  const double angle = TwistAngle(turn, {0, 0, 1});
  const Vec3d shift = Vec3At(last, 0) - Rotate(AxisAngle({0, 0, 1}, angle), Vec3At(first, 0));
  // The n-th power of p -> R p + shift turns by n angle; about the centre of the turn, or straight
  // on.
  Vec3d total = shift * cycles;
  if (std::fabs(std::sin(0.5 * angle)) > 1e-9) {
    // 1 + R + ... + R^(n-1), applied to the shift: sin(n a / 2) / sin(a / 2), turned by (n - 1) a
    // / 2.
    const double gain = std::sin(0.5 * cycles * angle) / std::sin(0.5 * angle);
    const Vec3d level =
        Rotate(AxisAngle({0, 0, 1}, 0.5 * (cycles - 1) * angle), Vec3d{shift.x, shift.y, 0});
    total = level * gain + Vec3d{0, 0, shift.z * cycles};
  }
  MovePose(character, cycles * angle, total, q);
}

struct Place {
  int frame = 0;        // the frame before
  double fraction = 0;  // from there to the next one
  double cycles = 0;    // whole loops before
};
Place Locate(const Motion& motion, double t) {
  STRIDE_CHECK(!motion.frames.empty() && std::isfinite(t));
  const int last = motion.FrameCount() - 1;
  double at = t * motion.fps;
  Place place;
  if (motion.loops && last > 0) {
    place.cycles = std::floor(at / last);
    at -= place.cycles * last;
  }
  at = std::clamp(at, 0.0, static_cast<double>(last));
  place.frame = static_cast<int>(at);
  place.fraction = at - place.frame;
  return place;
}

}  // namespace

std::vector<double> SampleMotion(const Motion& motion, const Character& character, double t) {
  const Place place = Locate(motion, t);
  std::vector<double> q = motion.frames[place.frame];
  if (place.fraction > 0)
    q = BlendPoses(character, q, motion.frames[place.frame + 1], place.fraction);
  ContinueLoop(motion, character, place.cycles, &q);
  return q;
}

State SampleState(const Motion& motion, const Character& character, double t) {
  State state;
  state.q = SampleMotion(motion, character, t);
  const double half = 0.5 / motion.fps;
  double before = t - half, after = t + half;
  if (!motion.loops) {
    // One-sided at the ends; at rest beyond them.
    before = std::clamp(before, 0.0, motion.Duration());
    after = std::clamp(after, 0.0, motion.Duration());
  }
  if (after > before && motion.FrameCount() > 1) {
    state.v = PoseDifference(character, SampleMotion(motion, character, before),
                             SampleMotion(motion, character, after), after - before);
  } else {
    state.v.assign(LayoutOf(character).nv, 0.0);
  }
  return state;
}

std::uint8_t SampleContacts(const Motion& motion, double t) {
  if (motion.contacts.empty()) return 0;
  const Place place = Locate(motion, t);
  const int nearest = place.frame + (place.fraction >= 0.5 ? 1 : 0);
  return motion.contacts[std::min(nearest, motion.FrameCount() - 1)];
}

void Validate(const Motion& motion, const Character& character) {
  const auto fail = [&](const std::string& what) {
    throw InputError("motion '" + motion.name + "' of character '" + character.name + "': " + what);
  };
  if (motion.frames.empty()) fail("has no frame; expected at least one");
  if (!(motion.fps > 0 && motion.fps <= 1e6)) {
    fail("has " + std::to_string(motion.fps) + " frames a second; expected a positive number");
  }
  if (motion.contacts.size() != motion.frames.size()) {
    fail("has " + std::to_string(motion.contacts.size()) + " contact labels for " +
         std::to_string(motion.frames.size()) + " frames; expected one a frame");
  }
  const Layout layout = LayoutOf(character);
  for (int f = 0; f < motion.FrameCount(); ++f) {
    const std::vector<double>& q = motion.frames[f];
    const std::string frame = "frame " + std::to_string(f) + " ";
    if (static_cast<int>(q.size()) != layout.nq) {
      fail(frame + "has " + std::to_string(q.size()) + " coordinates; expected " +
           std::to_string(layout.nq));
    }
    for (const double number : q) {
      if (!std::isfinite(number)) fail(frame + "has a number that is not finite");
    }
    for (int i = 0; i < character.BodyCount(); ++i) {
      const JointKind kind = character.bodies[i].joint.kind;
      if (HasOneAxis(kind)) continue;
      const Quatd turn = QuatAt(q, layout.q[i] + (kind == JointKind::kFree ? 3 : 0));
      if (std::fabs(Dot(turn, turn) - 1) > 1e-6) {
        fail(frame + "has a quaternion at '" + character.bodies[i].name +
             "' that is not of unit length");
      }
    }
  }
}

void MovePose(const Character& character, double heading, const Vec3d& shift,
              std::vector<double>* q) {
  STRIDE_CHECK(HasFreeRoot(character));
  const Quatd turn = AxisAngle({0, 0, 1}, heading);
  Put(Rotate(turn, Vec3At(*q, 0)) + shift, 0, q);
  Put(Normalized(turn * QuatAt(*q, 3)), 3, q);
}

std::vector<double> PoseDifference(const Character& character, const std::vector<double>& a,
                                   const std::vector<double>& b, double dt) {
  const Layout layout = LayoutOf(character);
  std::vector<double> v(layout.nv);
  for (int i = 0; i < character.BodyCount(); ++i) {
    int at = layout.q[i], to = layout.v[i];
    switch (character.bodies[i].joint.kind) {
      case JointKind::kSlide:
      case JointKind::kHinge: v[to] = (b[at] - a[at]) / dt; continue;
      case JointKind::kFree:
        Put((Vec3At(b, at) - Vec3At(a, at)) * (1 / dt), to, &v);
        at += 3;
        to += 3;
        break;
      case JointKind::kBall: break;
    }
    Put(Log(Conjugate(QuatAt(a, at)) * QuatAt(b, at)) * (1 / dt), to, &v);
  }
  return v;
}

std::vector<double> BlendPoses(const Character& character, const std::vector<double>& a,
                               const std::vector<double>& b, double t) {
  const Layout layout = LayoutOf(character);
  std::vector<double> q(layout.nq);
  for (int i = 0; i < character.BodyCount(); ++i) {
    int at = layout.q[i];
    switch (character.bodies[i].joint.kind) {
      case JointKind::kSlide:
      case JointKind::kHinge: q[at] = a[at] + t * (b[at] - a[at]); continue;
      case JointKind::kFree:
        Put(Vec3At(a, at) + (Vec3At(b, at) - Vec3At(a, at)) * t, at, &q);
        at += 3;
        break;
      case JointKind::kBall: break;
    }
    Put(Slerp(QuatAt(a, at), QuatAt(b, at), t), at, &q);
  }
  return q;
}

}  // namespace stride
