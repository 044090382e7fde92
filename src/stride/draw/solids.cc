#include "stride/draw/solids.h"

#include <algorithm>
#include <cmath>

#include "stride/character/rest_pose.h"
#include "stride/math/rotation.h"
#include "stride/motion/motion.h"

namespace stride {
namespace {

constexpr Color kTrunk{0.80f, 0.80f, 0.82f};
constexpr Color kHead{0.90f, 0.80f, 0.72f};
constexpr Color kLeft{0.38f, 0.60f, 0.90f};
constexpr Color kRight{0.95f, 0.62f, 0.34f};
constexpr Color kLeftDown{0.05f, 0.58f, 0.30f};
constexpr Color kRightDown{0.40f, 0.78f, 0.20f};

bool IntersectSphere(const Vec3d& center, double radius, const Vec3d& origin,
                     const Vec3d& direction, RayHit* hit) {
  const Vec3d o = origin - center;
  const double a = SquaredNorm(direction), b = Dot(direction, o),
               c = SquaredNorm(o) - radius * radius;
  const double h = b * b - a * c;
  if (h < 0) return false;
  hit->t = (-b - std::sqrt(h)) / a;
  hit->normal = (o + direction * hit->t) * (1 / radius);
  return hit->t > 0;
}

bool IntersectCapsule(const Solid& solid, const Vec3d& origin, const Vec3d& direction,
                      RayHit* hit) {
  const Vec3d axis = solid.b - solid.a, o = origin - solid.a;
  const double length2 = SquaredNorm(axis), along = Dot(axis, direction), start = Dot(axis, o);
  const double a = length2 * SquaredNorm(direction) - along * along;
  if (a <= 1e-12 * length2) {  // a sphere, or a ray along the axis: the end that faces the ray
    return IntersectSphere(along > 0 ? solid.a : solid.b, solid.radius, origin, direction, hit);
  }
  const double b = length2 * Dot(direction, o) - start * along;
  const double c = length2 * (SquaredNorm(o) - solid.radius * solid.radius) - start * start;
  const double h = b * b - a * c;
  if (h < 0) return false;
  hit->t = (-b - std::sqrt(h)) / a;
  const double share = (start + hit->t * along) / length2;
  if (share <= 0) return IntersectSphere(solid.a, solid.radius, origin, direction, hit);
  if (share >= 1) return IntersectSphere(solid.b, solid.radius, origin, direction, hit);
  hit->normal = (o + direction * hit->t - axis * share) * (1 / solid.radius);
  return hit->t > 0;
}

bool IntersectBox(const Solid& solid, const Vec3d& origin, const Vec3d& direction, RayHit* hit) {
  const Vec3d o = TransposeMul(solid.rotation, origin - solid.center);
  const Vec3d d = TransposeMul(solid.rotation, direction);
  const double os[] = {o.x, o.y, o.z}, ds[] = {d.x, d.y, d.z};
  const double half[] = {solid.half.x, solid.half.y, solid.half.z};
  double enter = -1e300, leave = 1e300;
  int side = 0;
  for (int i = 0; i < 3; ++i) {
    if (ds[i] == 0) {
      if (std::fabs(os[i]) > half[i]) return false;
      continue;
    }
    const double center = -os[i] / ds[i], reach = half[i] / std::fabs(ds[i]);
    if (center - reach > enter) {
      enter = center - reach;
      side = i;
    }
    leave = std::min(leave, center + reach);
  }
  if (enter > leave || enter <= 0) return false;
  const double sign = ds[side] > 0 ? -1.0 : 1.0;
  hit->t = enter;
  hit->normal = (side == 0   ? solid.rotation.Col0()
                 : side == 1 ? solid.rotation.Col1()
                             : solid.rotation.Col2()) *
                sign;
  return true;
}

// +1 left, -1 right, 0 neither: a body takes the side of the limb it belongs to.
int SideOf(const Character& character, int body) {
  for (int i = body; i >= 0; i = character.bodies[i].parent) {
    if (i == character.BodyOf(Role::kLeftThigh) || i == character.BodyOf(Role::kLeftUpperArm))
      return 1;
    if (i == character.BodyOf(Role::kRightThigh) || i == character.BodyOf(Role::kRightUpperArm))
      return -1;
  }
  return 0;
}

bool IsBelow(const Character& character, int body, Role role) {
  const int top = character.BodyOf(role);
  for (int i = body; i >= 0; i = character.bodies[i].parent) {
    if (i == top) return true;
  }
  return false;
}

// A hand's mark goes to the forearm where there is no hand.
Role HandOr(const Character& character, Role hand, Role forearm) {
  return character.BodyOf(hand) >= 0 ? hand : forearm;
}

Color ColorOf(const Character& character, int body, std::uint8_t contacts) {
  const auto marked = [&](int flag, Role role) {
    return (contacts & flag) != 0 && character.BodyOf(role) >= 0 && IsBelow(character, body, role);
  };
  if (marked(kLeftFootDown, Role::kLeftFoot) ||
      marked(kLeftHandDown, HandOr(character, Role::kLeftHand, Role::kLeftForearm))) {
    return kLeftDown;
  }
  if (marked(kRightFootDown, Role::kRightFoot) ||
      marked(kRightHandDown, HandOr(character, Role::kRightHand, Role::kRightForearm))) {
    return kRightDown;
  }
  const int side = SideOf(character, body);
  if (side != 0) return side > 0 ? kLeft : kRight;
  return body == character.BodyOf(Role::kHead) ? kHead : kTrunk;
}

}  // namespace

bool Intersect(const Solid& solid, const Vec3d& origin, const Vec3d& direction, RayHit* hit) {
  return solid.is_box ? IntersectBox(solid, origin, direction, hit)
                      : IntersectCapsule(solid, origin, direction, hit);
}

void AddSolids(const Figure& figure, std::vector<Solid>* solids) {
  const Character& character = *figure.character;
  const BodyFrames frames = FramesAt(character, figure.q);
  for (int i = 0; i < character.BodyCount(); ++i) {
    for (const Shape& shape : character.bodies[i].shapes) {
      const Quatd rotation = frames.rotation[i] * shape.rotation;
      Solid solid;
      solid.color = ColorOf(character, i, figure.contacts);
      solid.center = frames.position[i] + Rotate(frames.rotation[i], shape.center);
      Vec3d reach;  // from the centre to an end, in the shape's axes
      if (shape.kind == ShapeKind::kBox) {
        solid.is_box = true;
        solid.rotation = ToMat3(rotation);
        solid.half = shape.size;
        double s[] = {shape.size.x, shape.size.y, shape.size.z};
        const double longest = *std::max_element(s, s + 3);
        solid.radius = 0.5 * (s[0] + s[1] + s[2] - longest);
        const double length = std::max(0.0, longest - solid.radius);
        reach = longest == s[0]   ? Vec3d{length, 0, 0}
                : longest == s[1] ? Vec3d{0, length, 0}
                                  : Vec3d{0, 0, length};
      } else {
        solid.radius = shape.size.x;
        if (shape.kind == ShapeKind::kCapsule) reach = {0, 0, shape.size.y};
      }
      const Vec3d half = Rotate(rotation, reach);
      solid.a = solid.center - half;
      solid.b = solid.center + half;
      solids->push_back(solid);
    }
  }
}

}  // namespace stride
