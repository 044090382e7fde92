#include <array>
#include <cmath>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/motion/edit/edit.h"
#include "stride/motion/kinematics.h"

// Mirroring in the plane y = 0. A vector (x, y, z) becomes (x, -y, z); a rotation vector, being an
// axial vector,
// (-x, y, -z).
namespace stride {
namespace {

constexpr std::array<std::pair<Role, Role>, 7> kSides = {{
    {Role::kLeftThigh, Role::kRightThigh},
    {Role::kLeftShank, Role::kRightShank},
    {Role::kLeftFoot, Role::kRightFoot},
    {Role::kLeftToe, Role::kRightToe},
    {Role::kLeftUpperArm, Role::kRightUpperArm},
    {Role::kLeftForearm, Role::kRightForearm},
    {Role::kLeftHand, Role::kRightHand},
}};

Vec3d MirroredVector(const Vec3d& v) { return {v.x, -v.y, v.z}; }
Vec3d MirroredAxis(const Vec3d& v) { return {-v.x, v.y, -v.z}; }

[[noreturn]] void Fail(const Character& character, int body, const std::string& what) {
  throw InputError(fmt::format(
      "character '{}' cannot be mirrored: body '{}' {}; expected the same on both sides",
      character.name, character.bodies[body].name, what));
}

// The child of `parent` that is the mirror image of `body`, or -1.
int ImageAmongChildren(const Character& character, int body, int parent) {
  int best = -1;
  double least = 0.01;  // m
  for (int i = 1; i < character.BodyCount(); ++i) {
    const Body& candidate = character.bodies[i];
    if (candidate.parent != parent || candidate.joint.kind != character.bodies[body].joint.kind)
      continue;
    const double off = Norm(candidate.offset - MirroredVector(character.bodies[body].offset));
    if (off < least) {
      least = off;
      best = i;
    }
  }
  return best;
}

std::uint8_t MirroredLabel(std::uint8_t label) {
  constexpr int kLeft = kLeftFootDown | kLeftHandDown | kLeftKneeDown;
  constexpr int kRight = kRightFootDown | kRightHandDown | kRightKneeDown;
  return static_cast<std::uint8_t>((label & kLeft) << 1 | (label & kRight) >> 1 |
                                   (label & ~(kLeft | kRight)));
}

}  // namespace

std::vector<int> MirrorBodies(const Character& character) {
  std::vector<int> image(character.BodyCount(), -1);
  for (const auto& [left, right] : kSides) {
    int a = character.BodyOf(left), b = character.BodyOf(right);
    if (a < 0 && b < 0) continue;
    if (a < 0 || b < 0) Fail(character, std::max(a, b), "has no counterpart");
    // What lies between two parts belongs to the same side.
    for (; a >= 0 && b >= 0 && a != b;
         a = character.bodies[a].parent, b = character.bodies[b].parent) {
      image[a] = b;
      image[b] = a;
    }
  }
  if (image[0] < 0) image[0] = 0;
  for (int i = 1; i < character.BodyCount(); ++i) {
    if (image[i] < 0) {
      const int found = ImageAmongChildren(character, i, image[character.bodies[i].parent]);
      if (found < 0) Fail(character, i, "has no counterpart");
      image[i] = found;
    }
  }
  for (int i = 0; i < character.BodyCount(); ++i) {
    const Body &body = character.bodies[i], &other = character.bodies[image[i]];
    if (image[image[i]] != i || body.joint.kind != other.joint.kind)
      Fail(character, i, "has no counterpart");
    if (body.parent >= 0 && Norm(other.offset - MirroredVector(body.offset)) > 0.01) {
      Fail(character, i, "hangs at another place than its counterpart '" + other.name + "'");
    }
    if (body.joint.kind == JointKind::kHinge &&
        std::fabs(Dot(MirroredAxis(body.joint.axis), other.joint.axis)) < 0.9999) {
      Fail(character, i, "turns about another axis than its counterpart '" + other.name + "'");
    }
  }
  return image;
}

Motion Mirrored(const Motion& motion, const Character& character) {
  const std::vector<int> image = MirrorBodies(character);
  const Layout layout = LayoutOf(character);
  Motion result = motion;
  for (int f = 0; f < motion.FrameCount(); ++f) {
    const std::vector<double>& from = motion.frames[f];
    std::vector<double>& to = result.frames[f];
    for (int i = 0; i < character.BodyCount(); ++i) {
      const Joint& joint = character.bodies[i].joint;
      int at = layout.q[i], other = layout.q[image[i]];
      switch (joint.kind) {
        case JointKind::kSlide: Fail(character, i, "slides, which no mirrored motion does");
        case JointKind::kHinge: {
          const bool same =
              Dot(MirroredAxis(joint.axis), character.bodies[image[i]].joint.axis) > 0;
          to[other] = same ? from[at] : -from[at];
          continue;
        }
        case JointKind::kFree:
          Put(MirroredVector(Vec3At(from, at)), other, &to);
          at += 3;
          other += 3;
          break;
        case JointKind::kBall: break;
      }
      const Quatd turn = QuatAt(from, at);
      Put(Quatd{turn.w, -turn.x, turn.y, -turn.z}, other, &to);
    }
    result.contacts[f] = MirroredLabel(motion.contacts[f]);
  }
  return result;
}

}  // namespace stride
