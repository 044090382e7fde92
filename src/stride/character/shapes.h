#pragma once

#include <vector>

#include "stride/character/character.h"
#include "stride/math/rotation.h"

// Shapes from the points that say where they are, as the builders of bodies think of them. Body
// frame, m.
namespace stride {

inline Shape SphereAt(const Vec3d& center, double radius) {
  return {ShapeKind::kSphere, center, Quatd::Identity(), {radius, 0, 0}};
}
// From end centre to end centre.
inline Shape CapsuleBetween(const Vec3d& from, const Vec3d& to, double radius) {
  const Vec3d axis = from - to;
  const double length = Norm(axis);
  const Quatd rotation = length > 0 ? RotationBetween({0, 0, 1}, axis) : Quatd::Identity();
  return {ShapeKind::kCapsule, (from + to) * 0.5, rotation, {radius, 0.5 * length, 0}};
}
// Lying across the body at height z, its end centres at y = +-half_width.
inline Shape CrossCapsule(double z, double half_width, double radius) {
  return CapsuleBetween({0, half_width, z}, {0, -half_width, z}, radius);
}
// From corner to opposite corner, low before high.
inline Shape BoxBetween(const Vec3d& low, const Vec3d& high) {
  return {ShapeKind::kBox, (low + high) * 0.5, Quatd::Identity(), (high - low) * 0.5};
}
// Only drawn.
inline Shape Decoration(Shape shape) {
  shape.collides = false;
  return shape;
}
// A limb that narrows from one end to the other: one capsule of the smaller radius collides, the
// others give it its shape.
inline std::vector<Shape> Tapered(const Vec3d& from, const Vec3d& to, double from_radius,
                                  double to_radius) {
  constexpr int kPieces = 3;
  std::vector<Shape> shapes = {CapsuleBetween(from, to, to_radius)};
  const auto at = [&](double share) { return from + (to - from) * share; };
  for (int i = 0; i < kPieces; ++i) {
    const double share = static_cast<double>(i) / kPieces;
    const double radius = from_radius + (to_radius - from_radius) * share;
    shapes.push_back(Decoration(CapsuleBetween(at(share), at(share + 1.0 / kPieces), radius)));
  }
  return shapes;
}

}  // namespace stride
