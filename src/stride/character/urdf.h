#pragma once

#include <string>
#include <vector>

#include "stride/character/mjcf_xml.h"

// URDF, as a model in MJCF's elements: links nest as bodies, every element and attribute keeps the
// place in the file that it comes from, and the MJCF reader does the rest (fixed links merged,
// contact points, gains, roles, rest pose). Internal to character/.
//
//   URDF                            becomes
//   link, inertial, inertia         body, inertial (any orientation, off-diagonal too)
//   collision: box, sphere,         geoms without mass that collide
//     cylinder, capsule
//   visual, of a link without       geoms that are drawn alone
//     collision
//   mesh                            nothing, with a warning
//   revolute, continuous            hinge
//   prismatic                       slide
//   planar                          two slides and a hinge
//   fixed                           no joint: the child becomes part of its parent
//   floating                        free joint, at the root alone
//   limit lower upper effort        range, and a motor of that torque
//   dynamics damping                damping
// A root link called "world" is the world; any other root is free.
namespace stride::mjcf {

struct UrdfWarning {
  Location at;
  std::string key, text;  // see Context::Warn
};
struct UrdfModel {
  Element mujoco;
  std::vector<UrdfWarning> warnings;
};

// The root of `urdf` is <robot>. Throws InputError with file and line: a link that is unknown, has
// two parents or is not connected, a loop, no inertia on what moves, a joint without limits, names
// given twice, numbers that are not finite.
UrdfModel TranslateUrdf(const Document& urdf);

}  // namespace stride::mjcf
