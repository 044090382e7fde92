#include "stride/character/mjcf_geom.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "stride/character/inertia.h"
#include "stride/math/rotation.h"

namespace stride::mjcf {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kSmallestSize = 1e-9;  // m

enum class GeomKind { kPlane, kSphere, kCapsule, kEllipsoid, kCylinder, kBox };

GeomKind KindOf(const Element& element, const Context& context) {
  static const std::map<std::string, GeomKind> kinds{
      {"plane", GeomKind::kPlane},       {"sphere", GeomKind::kSphere},
      {"capsule", GeomKind::kCapsule},   {"ellipsoid", GeomKind::kEllipsoid},
      {"cylinder", GeomKind::kCylinder}, {"box", GeomKind::kBox}};
  const std::string type = element.Text("type", "sphere");
  const Attribute* given = element.Find("type");
  const Location at = given ? given->at : element.at;
  const std::string name = element.Text("name").empty() ? "" : " '" + element.Text("name") + "'";
  if (type == "mesh" || type == "hfield" || type == "sdf" || element.Find("mesh")) {
    context.Doc().Fail(at,
                       "geom" + name + " is a " + (type == "sphere" ? "mesh" : type) +
                           ", which is not supported; replace it by capsules, boxes or spheres of "
                           "the same mass (keep the mesh in a copy for drawing)");
  }
  const auto found = kinds.find(type);
  if (found == kinds.end()) {
    context.Doc().Fail(at, "geom" + name + " has type \"" + type +
                               "\"; expected sphere, capsule, box, cylinder, ellipsoid or plane");
  }
  return found->second;
}

// Sizes of a geom: radius; radius and half length; or half extents.
int SizeCount(GeomKind kind) {
  switch (kind) {
    case GeomKind::kSphere: return 1;
    case GeomKind::kCapsule:
    case GeomKind::kCylinder: return 2;
    default: return 3;
  }
}

struct Solid {
  GeomKind kind = GeomKind::kSphere;
  std::array<double, 3> size{};
  Vec3d center;
  Quatd rotation = Quatd::Identity();
};

Solid ReadSolid(const Element& element, GeomKind kind, const Context& context) {
  Solid solid;
  solid.kind = kind;
  const int needed = SizeCount(kind);
  const Attribute* size = element.Find("size");
  const Attribute* from_to = element.Find("fromto");
  int given = 0;
  if (size) {
    const std::vector<double> n = context.Doc().Numbers(*size, 1, 3);
    given = static_cast<int>(n.size());
    std::copy(n.begin(), n.end(), solid.size.begin());
  }
  if (from_to) {
    if (needed < 2) {
      context.Doc().Fail(from_to->at,
                         "fromto on a sphere; expected a capsule, box, cylinder or ellipsoid");
    }
    const std::vector<double> n = context.Doc().Numbers(*from_to, 6, 6);
    const Vec3d from{n[0], n[1], n[2]}, to{n[3], n[4], n[5]};
    const double half_length = 0.5 * Norm(to - from);
    if (half_length < kSmallestSize) {
      context.Doc().Fail(from_to->at, "the two points of fromto are the same; expected a distance");
    }
    solid.center = (from + to) * 0.5;
    solid.rotation = RotationToZAxis(from - to);
    // The length comes from the points; boxes and ellipsoids are as wide as deep.
    if (given > 0) given = needed;
    if (needed == 3) solid.size[1] = solid.size[0];
    solid.size[needed - 1] = half_length;
  } else {
    solid.center = context.Vector(element, "pos", {});
    solid.rotation = context.Orientation(element);
  }
  if (given < needed) {
    context.Doc().Fail(size ? size->at : element.at,
                       "geom has " + std::to_string(given) + " sizes; expected " +
                           std::to_string(needed - (from_to ? 1 : 0)) + " for its type");
  }
  for (int i = 0; i < needed; ++i) {
    if (!(solid.size[i] >= kSmallestSize)) {
      context.Doc().Fail(size ? size->at : element.at,
                         "geom has a size of 0 or less; expected lengths above 1e-9 m");
    }
  }
  return solid;
}

// Volume, and principal moments per unit mass, of the solid in its own axes.
struct UnitMoments {
  double volume = 0;
  Vec3d moments;
};
UnitMoments MomentsOf(const Solid& solid) {
  const double a = solid.size[0], b = solid.size[1], c = solid.size[2];
  switch (solid.kind) {
    case GeomKind::kSphere:
      return {4 * kPi / 3 * a * a * a, {0.4 * a * a, 0.4 * a * a, 0.4 * a * a}};
    case GeomKind::kCapsule: {
      // A cylinder of length 2 b and two hemispheres; ball is the hemispheres' part of the mass.
      const double h = 2 * b, ball = 4 * a / (4 * a + 3 * h), cylinder = 1 - ball;
      const double across =
          cylinder * (3 * a * a + h * h) / 12 + ball * (0.4 * a * a + 0.375 * a * h + 0.25 * h * h);
      return {kPi * a * a * (h + 4 * a / 3),
              {across, across, cylinder * 0.5 * a * a + ball * 0.4 * a * a}};
    }
    case GeomKind::kCylinder: {
      const double across = a * a / 4 + b * b / 3;
      return {2 * kPi * a * a * b, {across, across, 0.5 * a * a}};
    }
    case GeomKind::kEllipsoid:
      return {4 * kPi / 3 * a * b * c,
              {0.2 * (b * b + c * c), 0.2 * (a * a + c * c), 0.2 * (a * a + b * b)}};
    case GeomKind::kBox:
      return {8 * a * b * c, {(b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3}};
    case GeomKind::kPlane: break;
  }
  return {};
}

MassProperties MassOf(const Element& element, const Solid& solid, const Context& context) {
  const UnitMoments unit = MomentsOf(solid);
  MassProperties properties;
  properties.mass = element.Find("mass") ? context.Amount(element, "mass", 0)
                                         : context.Amount(element, "density", 1000) * unit.volume;
  const Vec3d m = unit.moments * properties.mass;
  properties.inertia = {m.x, 0, 0, m.y, 0, m.z};
  return Move(properties, solid.center, solid.rotation);
}

// A capsule of the ellipsoid's length along its longest axis and of the mean of its other two.
void ApproximateEllipsoid(const Solid& solid, Shape* shape) {
  const auto longest = std::max_element(solid.size.begin(), solid.size.end()) - solid.size.begin();
  const double radius = 0.5 * (solid.size[(longest + 1) % 3] + solid.size[(longest + 2) % 3]);
  const double half_length = solid.size[longest] - radius;
  const Vec3d axis{longest == 0 ? 1.0 : 0.0, longest == 1 ? 1.0 : 0.0, longest == 2 ? 1.0 : 0.0};
  const bool is_round = half_length < kSmallestSize;
  shape->kind = is_round ? ShapeKind::kSphere : ShapeKind::kCapsule;
  shape->size = {radius, is_round ? 0 : half_length, 0};
  shape->rotation = solid.rotation * RotationToZAxis(axis);
}

// Long: a capsule of the same length. Flat: a box of the same height and base area.
void ApproximateCylinder(const Solid& solid, Shape* shape) {
  const double radius = solid.size[0], half_height = solid.size[1];
  if (half_height > 1.01 * radius) {
    shape->kind = ShapeKind::kCapsule;
    shape->size = {radius, half_height - radius, 0};
  } else {
    const double half_side = radius * std::sqrt(kPi) / 2;
    shape->size = {half_side, half_side, half_height};
  }
}

Shape ShapeOf(const Element& element, const Solid& solid, Context* context) {
  Shape shape;
  shape.center = solid.center;
  shape.rotation = solid.rotation;
  shape.size = {solid.size[0], solid.size[1], solid.size[2]};
  switch (solid.kind) {
    case GeomKind::kSphere:
      shape.kind = ShapeKind::kSphere;
      shape.size = {solid.size[0], 0, 0};
      break;
    case GeomKind::kCapsule:
      shape.kind = ShapeKind::kCapsule;
      shape.size = {solid.size[0], solid.size[1], 0};
      break;
    case GeomKind::kEllipsoid:
      ApproximateEllipsoid(solid, &shape);
      context->Warn(element.at, "ellipsoid",
                    "an ellipsoid collides as a capsule or sphere; its inertia is exact");
      break;
    case GeomKind::kCylinder:
      ApproximateCylinder(solid, &shape);
      context->Warn(element.at, "cylinder",
                    "a cylinder collides as a capsule or box; its inertia is exact");
      break;
    default: break;
  }
  return shape;
}

int Bits(const Element& element, const char* attribute, const Context& context) {
  const double value = context.Value(element, attribute, 1);
  if (value != std::floor(value) || std::fabs(value) > 2147483647.0) {
    context.Doc().Fail(element.Find(attribute)->at, std::string(attribute) + "=\"" +
                                                        element.Text(attribute) +
                                                        "\"; expected a 32-bit whole number");
  }
  return static_cast<int>(value);
}

}  // namespace

MassProperties Combine(const MassProperties& a, const MassProperties& b) {
  if (a.mass == 0) return b;
  if (b.mass == 0) return a;
  MassProperties sum;
  sum.mass = a.mass + b.mass;
  sum.com = (a.com * a.mass + b.com * b.mass) * (1 / sum.mass);
  sum.inertia = a.inertia + b.inertia + PointInertia(a.com - sum.com) * a.mass +
                PointInertia(b.com - sum.com) * b.mass;
  return sum;
}

MassProperties Move(const MassProperties& properties, const Vec3d& origin, const Quatd& rotation) {
  // Left alone where nothing turns, so that what was written is read back exactly.
  const bool turned = !(rotation == Quatd::Identity());
  return {properties.mass, origin + Rotate(rotation, properties.com),
          turned ? Rotate(ToMat3(rotation), properties.inertia) : properties.inertia};
}

Geom ReadGeom(const Element& element, Context* context) {
  Geom geom;
  geom.contype = Bits(element, "contype", *context);
  geom.conaffinity = Bits(element, "conaffinity", *context);
  const GeomKind kind = KindOf(element, *context);
  if (kind == GeomKind::kPlane) return geom;
  if (context->IsTrue(element, "shellinertia")) {
    context->Doc().Fail(element.at, "shellinertia is not supported; give the body an <inertial>");
  }
  const Solid solid = ReadSolid(element, kind, *context);
  geom.mass = MassOf(element, solid, *context);
  geom.shape = ShapeOf(element, solid, context);
  geom.flat_cylinder = kind == GeomKind::kCylinder && geom.shape->kind == ShapeKind::kBox;
  return geom;
}

MassProperties ReadInertial(const Element& element, const Context& context) {
  const Attribute* mass = element.Find("mass");
  if (!mass) context.Doc().Fail(element.at, "<inertial> has no mass; expected mass=\"kg\"");
  MassProperties properties;
  properties.mass = context.Amount(element, "mass", 0);
  const Attribute* full = element.Find("fullinertia");
  const Attribute* diagonal = element.Find("diaginertia");
  if (!full == !diagonal) {
    context.Doc().Fail(element.at, "<inertial> needs either diaginertia or fullinertia");
  }
  const Quatd rotation = context.Orientation(element);
  if (full) {
    const std::vector<double> n = context.Doc().Numbers(*full, 6, 6);
    properties.inertia = {n[0], n[3], n[4], n[1], n[5], n[2]};
    if (!(rotation == Quatd::Identity())) {
      context.Doc().Fail(full->at,
                         "<inertial> has fullinertia and an orientation; expected one of them");
    }
  } else {
    const std::vector<double> n = context.Doc().Numbers(*diagonal, 3, 3);
    properties.inertia = {n[0], 0, 0, n[1], 0, n[2]};
  }
  const Location at = full ? full->at : diagonal->at;
  Sym3d& m = properties.inertia;
  if (properties.mass > 0 && !IsPositiveDefinite(m)) {
    context.Doc().Fail(at, "the inertia is not positive definite; expected three positive moments");
  }
  if (properties.mass > 0 && !HasPossibleMoments(m)) {
    if (!context.Compiler().balance_inertia) {
      context.Doc().Fail(
          at,
          "no body has this inertia: one principal moment exceeds the sum of the other "
          "two; correct it or set balanceinertia=\"true\" in <compiler>");
    }
    m = Sym3d::Diagonal((m.xx + m.yy + m.zz) / 3);
  }
  return Move(properties, context.Vector(element, "pos", {}), rotation);
}

}  // namespace stride::mjcf
