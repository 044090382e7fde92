#pragma once

#include <optional>

#include "stride/character/character.h"
#include "stride/character/mjcf_context.h"

// Geoms and inertias of the MJCF reader. Internal to character/.
namespace stride::mjcf {

struct MassProperties {
  double mass = 0;  // kg
  Vec3d com;        // m
  Sym3d inertia;    // about the centre of mass, kg m^2
};

MassProperties Combine(const MassProperties& a, const MassProperties& b);
// Given in a frame; `origin` and `rotation` place that frame in the result's.
MassProperties Move(const MassProperties& properties, const Vec3d& origin, const Quatd& rotation);

struct Geom {
  MassProperties mass;         // MJCF body frame
  std::optional<Shape> shape;  // MJCF body frame; none for planes
  bool flat_cylinder = false;  // the shape stands for one
  int contype = 1, conaffinity = 1;
};

// `element` has its defaults filled in. Cylinders and ellipsoids keep their exact inertia; their
// shapes become capsules and boxes, with a warning. Meshes are an error.
Geom ReadGeom(const Element& element, Context* context);

// <inertial>. Throws: negative mass, inertia that is not positive definite or that no body can
// have.
MassProperties ReadInertial(const Element& element, const Context& context);

}  // namespace stride::mjcf
