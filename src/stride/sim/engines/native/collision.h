#pragma once

#include <vector>

#include "stride/character/character.h"

// Where two shapes touch: spheres, capsules and boxes. A capsule touches in one point, a box in its
// corners and where a sphere or capsule meets its faces; edges of two boxes that cross each other
// are not found.
namespace stride::native_engine {

// A shape placed in the world.
struct PlacedShape {
  ShapeKind kind;
  Vec3d center;
  Mat3d rotation;  // shape to world
  Vec3d size;      // as Shape::size
};
PlacedShape Place(const Shape& shape, const Mat3d& body_rotation, const Vec3d& body_position);

// Radius of a sphere about the shape's centre that holds it.
double BoundingRadius(const Shape& shape);

struct Touch {
  Vec3d point;   // world, midway between the surfaces
  Vec3d normal;  // unit, from b towards a
  double depth;  // > 0
};
void FindTouches(const PlacedShape& a, const PlacedShape& b, std::vector<Touch>* touches);

}  // namespace stride::native_engine
