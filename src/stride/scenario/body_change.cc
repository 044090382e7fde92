#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/scenario/scenario.h"

namespace stride {
namespace {

struct Group {
  const char* name;
  std::vector<Role> roles;
};
// What a change of a limb's length changes: feet and hands stay as they are.
const std::vector<Group>& Groups() {
  static const std::vector<Group> groups = {
      {"left_leg", {Role::kLeftThigh, Role::kLeftShank}},
      {"right_leg", {Role::kRightThigh, Role::kRightShank}},
      {"legs", {Role::kLeftThigh, Role::kLeftShank, Role::kRightThigh, Role::kRightShank}},
      {"arms",
       {Role::kLeftUpperArm, Role::kLeftForearm, Role::kRightUpperArm, Role::kRightForearm}}};
  return groups;
}

std::vector<int> BodiesOf(const Character& character, const std::string& name) {
  std::vector<int> bodies;
  if (name == "all") {
    for (int i = 0; i < character.BodyCount(); ++i) {
      if (character.bodies[i].mass > 0) bodies.push_back(i);
    }
    return bodies;
  }
  for (const Group& group : Groups()) {
    if (group.name != name) continue;
    for (const Role role : group.roles) {
      if (character.BodyOf(role) >= 0) bodies.push_back(character.BodyOf(role));
    }
    if (!bodies.empty()) return bodies;
  }
  try {
    return {ScenarioBody(character, name, "changes (--change)")};
  } catch (const InputError& error) {
    std::string more;
    for (const Group& group : Groups()) more += fmt::format("{}, ", group.name);
    throw InputError(fmt::format("{}; or {}all", error.what(), more));
  }
}

// Symmetric stretch by `factor` along the unit vector `axis`.
struct Stretch {
  Vec3d axis;
  double factor;
  Vec3d operator()(const Vec3d& v) const { return v + axis * (Dot(axis, v) * (factor - 1)); }
};

// The way to the joints of the body's children, or for a body at an end to its centre of mass.
Vec3d LengthAxis(const Character& character, int body) {
  Vec3d sum;
  int children = 0;
  for (const Body& other : character.bodies) {
    if (other.parent != body) continue;
    sum += other.offset;
    ++children;
  }
  if (children > 0) sum *= 1.0 / children;
  if (Norm(sum) < 0.01) sum = character.bodies[body].com;
  return Norm(sum) < 1e-6 ? Vec3d{0, 0, 1} : Normalized(sum);
}

void StretchShape(const Stretch& stretch, Shape* shape) {
  shape->center = stretch(shape->center);
  const auto along = [&](const Vec3d& axis) {
    return Norm(stretch(Rotate(shape->rotation, axis)));
  };
  if (shape->kind == ShapeKind::kCapsule) {
    const Vec3d axis = Rotate(shape->rotation, Vec3d{0, 0, 1});
    shape->size.y *= Norm(stretch(axis));
    shape->rotation = Normalized(RotationBetween(axis, stretch(axis)) * shape->rotation);
  } else if (shape->kind == ShapeKind::kBox) {
    shape->size = {shape->size.x * along({1, 0, 0}), shape->size.y * along({0, 1, 0}),
                   shape->size.z * along({0, 0, 1})};
  }
}

// Inertia of the stretched mass: its second moments are stretched on both sides.
Sym3d StretchInertia(const Stretch& stretch, const Sym3d& inertia) {
  const double half = 0.5 * (inertia.xx + inertia.yy + inertia.zz);
  const Mat3d second = ToMat3(Sym3d::Diagonal(half) - inertia);
  const Mat3d map = Mat3d::FromColumns(stretch({1, 0, 0}), stretch({0, 1, 0}), stretch({0, 0, 1}));
  const Mat3d m = map * second * Transpose(map);
  const double trace = m.xx + m.yy + m.zz;
  return Sym3d::Diagonal(trace) - Sym3d{m.xx, m.xy, m.xz, m.yy, m.yz, m.zz};
}

void ChangeBody(const BodyChange& change, int index, Character* character) {
  Body& body = character->bodies[index];
  if (change.length != 1) {
    const Stretch stretch = {LengthAxis(*character, index), change.length};
    for (Body& other : character->bodies) {
      if (other.parent == index) other.offset = stretch(other.offset);
    }
    body.com = stretch(body.com);
    body.inertia = StretchInertia(stretch, body.inertia);
    for (Shape& shape : body.shapes) StretchShape(stretch, &shape);
    for (ContactPoint& point : character->contact_points) {
      if (point.body == index) point.position = stretch(point.position);
    }
  }
  body.mass *= change.mass;
  body.inertia = body.inertia * change.mass;
}

// Roots of changed bodies stand as high above the ground as their legs now reach.
void LiftRestPose(Character* character) {
  if (!RootMoves(*character) || character->contact_points.empty()) return;
  const double before = RootFrameAt(*character, character->rest_q).offset.z;
  PutOnGround(*character, &character->rest_q);
  // A free root's zero pose stands as high; on rails the coordinate alone says how high it is.
  if (character->bodies[0].joint.kind != JointKind::kFree) return;
  character->bodies[0].offset.z += character->rest_q[2] - before;
}

}  // namespace

int ScenarioBody(const Character& character, const std::string& name, const std::string& what) {
  int body = FindBody(character, name);
  if (const Role role = RoleFromName(name); body < 0 && role != Role::kCount) {
    body = character.BodyOf(role);
  }
  if (body >= 0) return body;
  std::vector<std::string> names;
  for (const Body& each : character.bodies) names.push_back(each.name);
  throw InputError(fmt::format("{}: '{}' has no body '{}'; expected one of: {}", what,
                               character.name, name, fmt::join(names, ", ")));
}

void ApplyChanges(const Scenario& scenario, Character* character) {
  for (const BodyChange& change : scenario.changes) {
    for (const int body : BodiesOf(*character, change.body)) ChangeBody(change, body, character);
  }
  if (!scenario.changes.empty()) LiftRestPose(character);
  for (const Load& load : scenario.loads) {
    const int body = ScenarioBody(*character, load.body, "loads (--load)");
    AddLoad(character, body, load.mass, character->bodies[body].com);
  }
}

}  // namespace stride
