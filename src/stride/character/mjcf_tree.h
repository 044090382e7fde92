#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "stride/character/character.h"
#include "stride/character/infer.h"
#include "stride/character/mjcf_context.h"

// From <worldbody> to the bodies of a character. Internal to character/.
namespace stride::mjcf {

struct Tree {
  std::vector<Body> bodies;
  std::unordered_map<std::string, int> body_of_joint;  // named joints only
  std::vector<FlatCylinder> flat_cylinders;
  // Per body: the angle MJCF calls zero (`ref`), and the MJCF frame's orientation in the zero pose.
  std::vector<double> reference_angle;
  std::vector<Quatd> rest_rotation;
  // Where the character's coordinates are in MuJoCo's qpos, and how many there are in all.
  int first_coordinate = 0;
  int model_coordinates = 0;
  double ground_height = 0;       // z of the file's ground, which the bodies stand on z = 0 for
  bool stands_alone = true;       // nothing else moves in the file
  bool coordinates_known = true;  // no element that adds coordinates we cannot count
};

// Finds the one articulated body and builds it. Single free bodies beside it are things: left out,
// with a warning. Throws if nothing moves or there are several to choose from. A link without mass
// is named "body/joint"; in a file that WriteMjcf made, its joint has the link's name.
Tree ReadTree(Context* context, bool written_by_stride);

}  // namespace stride::mjcf
