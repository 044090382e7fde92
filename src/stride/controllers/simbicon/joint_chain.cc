#include "stride/controllers/simbicon/joint_chain.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "stride/character/rest_pose.h"

namespace stride {

JointChain ChainOf(const Character& character, int body) {
  JointChain chain;
  if (body < 0) return chain;
  std::vector<int> bodies = {body};
  while (character.bodies[bodies.back()].joint.kind == JointKind::kHinge &&
         character.bodies[character.bodies[bodies.back()].parent].mass == 0 && bodies.size() < 3) {
    bodies.push_back(character.bodies[bodies.back()].parent);
  }
  for (auto at = bodies.rbegin(); at != bodies.rend(); ++at, ++chain.count) {
    const Joint& joint = character.bodies[*at].joint;
    const double axis[3] = {joint.axis.x, joint.axis.y, joint.axis.z};
    chain.body[chain.count] = *at;
    chain.axis[chain.count] = -1;
    if (joint.kind != JointKind::kHinge) continue;
    const int along = static_cast<int>(
        std::max_element(axis, axis + 3,
                         [](double a, double b) { return std::fabs(a) < std::fabs(b); }) -
        axis);
    chain.axis[chain.count] = along;
    chain.sign[chain.count] = axis[along] > 0 ? 1 : -1;
  }
  return chain;
}
JointChain ChainOf(const Character& character, Role role) {
  return ChainOf(character, character.BodyOf(role));
}

double StandAhead(const Character& character, const std::vector<double>& stand_q) {
  const BodyFrames frames = FramesAt(character, stand_q);
  return CenterOfMassAt(character, stand_q).x -
         0.5 * (frames.position[character.BodyOf(Role::kLeftFoot)].x +
                frames.position[character.BodyOf(Role::kRightFoot)].x);
}

std::string RefusesLegs(const Character& character) {
  for (const Role role : {Role::kPelvis, Role::kLeftThigh, Role::kLeftShank, Role::kLeftFoot,
                          Role::kRightThigh, Role::kRightShank, Role::kRightFoot}) {
    if (character.BodyOf(role) < 0) return fmt::format("it has no {}", RoleName(role));
  }
  if (character.BodyOf(Role::kPelvis) != 0 || character.bodies[0].joint.kind != JointKind::kFree) {
    return "its pelvis is not a root that moves freely";
  }
  const auto hangs_on = [&](int body) {
    return character.bodies[ChainOf(character, body).body[0]].parent;
  };
  for (const LegRoles& leg : kSides) {
    const int thigh = character.BodyOf(leg.thigh), shank = character.BodyOf(leg.shank),
              foot = character.BodyOf(leg.foot);
    if (hangs_on(thigh) != 0 || hangs_on(shank) != thigh || hangs_on(foot) != shank) {
      return "its thighs, shanks and feet are not joined one to the next, from the pelvis on";
    }
  }
  return "";
}

}  // namespace stride
