#include "stride/character/structure.h"

#include <algorithm>

namespace stride {
namespace {

const char* NameOf(JointKind kind) {
  switch (kind) {
    case JointKind::kFree: return "free";
    case JointKind::kBall: return "ball";
    case JointKind::kHinge: return "hinge";
    case JointKind::kSlide: break;
  }
  return "slide";
}

}  // namespace

std::string StructureDifference(const Character& a, const Character& b) {
  const int count = std::min(a.BodyCount(), b.BodyCount());
  for (int i = 0; i < count; ++i) {
    const Body &x = a.bodies[i], &y = b.bodies[i];
    const std::string where =
        "body " + std::to_string(i) + " ('" + x.name + "' and '" + y.name + "') ";
    if (x.joint.kind != y.joint.kind) {
      return where + "has a " + NameOf(x.joint.kind) + " joint in the one, a " +
             NameOf(y.joint.kind) + " joint in the other";
    }
    if (x.parent != y.parent) {
      return where + "hangs on '" + a.bodies[x.parent].name + "' in the one, on '" +
             b.bodies[y.parent].name + "' in the other";
    }
    if (HasOneAxis(x.joint.kind) && Dot(x.joint.axis, y.joint.axis) < 0.999) {
      return where + "has another axis in the one than in the other";
    }
  }
  if (a.BodyCount() == b.BodyCount()) return "";
  return "the one has " + std::to_string(a.BodyCount()) + " bodies, the other " +
         std::to_string(b.BodyCount());
}

double LengthDifference(const Character& a, const Character& b) {
  double largest = 0;
  for (int i = 1; i < std::min(a.BodyCount(), b.BodyCount()); ++i) {
    largest = std::max(largest, Norm(a.bodies[i].offset - b.bodies[i].offset));
  }
  const double height = StandingHeight(a);
  return height > 0 ? largest / height : 0;
}

std::string WhyNotHuman(const Character& character) {
  if (character.IsHuman()) return "";
  if (character.bodies.empty() || character.bodies[0].joint.kind != JointKind::kFree) {
    return "its root is not free";
  }
  for (const Body& body : character.bodies) {
    if (body.joint.kind == JointKind::kSlide) return "the joint of '" + body.name + "' slides";
  }
  std::string missing;
  for (const Role role :
       {Role::kPelvis, Role::kTrunk, Role::kLeftThigh, Role::kLeftShank, Role::kLeftFoot,
        Role::kRightThigh, Role::kRightShank, Role::kRightFoot}) {
    if (character.BodyOf(role) >= 0) continue;
    missing += (missing.empty() ? "" : ", ") + std::string(RoleName(role));
  }
  return "it has no " + missing +
         "; `stride character FILE --roles` shows which body plays which part and how to say it";
}

}  // namespace stride
