#include "stride/character/character_json.h"

#include <climits>

#include "stride/core/error.h"

namespace stride {
namespace {

using Json = nlohmann::ordered_json;

// In the order of the enumerations.
const std::vector<std::string>& JointKinds() {
  static const std::vector<std::string> names = {"free", "ball", "hinge", "slide"};
  return names;
}
const std::vector<std::string>& ShapeKinds() {
  static const std::vector<std::string> names = {"sphere", "capsule", "box"};
  return names;
}
Json VectorJson(const Vec3d& v) { return {v.x, v.y, v.z}; }
Vec3d ReadVector(const JsonNode& node) {
  const std::vector<double> v = node.Numbers(3);
  return {v[0], v[1], v[2]};
}
Quatd ReadQuaternion(const JsonNode& node) {
  const std::vector<double> q = node.Numbers(4);
  return {q[0], q[1], q[2], q[3]};
}

Json JointJson(const Joint& joint) {
  return {{"kind", JointKinds()[static_cast<int>(joint.kind)]},
          {"axis", VectorJson(joint.axis)},
          {"limited", joint.limited},
          {"lower", joint.lower},
          {"upper", joint.upper},
          {"armature", joint.armature},
          {"damping", joint.damping},
          {"stiffness", joint.stiffness},
          {"spring_angle", joint.spring_angle},
          {"kp", joint.kp},
          {"kd", joint.kd},
          {"max_torque", joint.max_torque}};
}

Joint JointFrom(const JsonNode& node) {
  Joint joint;
  joint.kind = static_cast<JointKind>(node["kind"].Choice(JointKinds()));
  joint.axis = ReadVector(node["axis"]);
  joint.limited = node["limited"].Bool();
  joint.lower = node["lower"].Number();
  joint.upper = node["upper"].Number();
  joint.armature = node["armature"].Number();
  joint.damping = node["damping"].Number();
  joint.stiffness = node["stiffness"].Number();
  joint.spring_angle = node["spring_angle"].Number();
  joint.kp = node["kp"].Number();
  joint.kd = node["kd"].Number();
  joint.max_torque = node["max_torque"].Number();
  return joint;
}

Json ShapeJson(const Shape& shape) {
  const Quatd& r = shape.rotation;
  return {{"kind", ShapeKinds()[static_cast<int>(shape.kind)]},
          {"center", VectorJson(shape.center)},
          {"rotation", Json::array({r.w, r.x, r.y, r.z})},
          {"size", VectorJson(shape.size)},
          {"collides", shape.collides}};
}

Shape ShapeFrom(const JsonNode& node) {
  return {static_cast<ShapeKind>(node["kind"].Choice(ShapeKinds())), ReadVector(node["center"]),
          ReadQuaternion(node["rotation"]), ReadVector(node["size"]), node["collides"].Bool()};
}

Json BodyJson(const Body& body) {
  const Sym3d& i = body.inertia;
  Json json = {{"name", body.name},
               {"parent", body.parent},
               {"offset", VectorJson(body.offset)},
               {"joint", JointJson(body.joint)},
               {"mass", body.mass},
               {"com", VectorJson(body.com)},
               {"inertia", Json::array({i.xx, i.yy, i.zz, i.xy, i.xz, i.yz})},
               {"shapes", Json::array()}};
  for (const Shape& shape : body.shapes) json["shapes"].push_back(ShapeJson(shape));
  return json;
}

Body BodyFrom(const JsonNode& node) {
  Body body;
  body.name = node["name"].Text();
  body.parent = node["parent"].Int(-1, INT_MAX);
  body.offset = ReadVector(node["offset"]);
  body.joint = JointFrom(node["joint"]);
  body.mass = node["mass"].Number();
  body.com = ReadVector(node["com"]);
  const std::vector<double> i = node["inertia"].Numbers();
  if (i.size() != 6) node["inertia"].Fail("a list of 6 numbers: xx, yy, zz, xy, xz, yz");
  body.inertia = {.xx = i[0], .xy = i[3], .xz = i[4], .yy = i[1], .yz = i[5], .zz = i[2]};
  const JsonNode shapes = node["shapes"];
  for (std::size_t s = 0; s < shapes.Size(); ++s) body.shapes.push_back(ShapeFrom(shapes.At(s)));
  return body;
}

std::vector<int> RolesFrom(const JsonNode& node) {
  std::vector<int> roles = Character().roles;
  if (!node.value().is_object()) node.Fail("an object of roles");
  for (const auto& item : node.value().items()) {
    const Role role = RoleFromName(item.key());
    // A role that a later version of stride knows is nothing to this one.
    if (role == Role::kCount) continue;
    roles[static_cast<int>(role)] = node[item.key().c_str()].Int(0, INT_MAX);
  }
  return roles;
}

}  // namespace

Json ToJson(const Character& character) {
  Json json = {{"name", character.name},  {"description", character.description},
               {"bodies", Json::array()}, {"contact_points", Json::array()},
               {"roles", Json::object()}, {"rest_q", character.rest_q}};
  for (const Body& body : character.bodies) json["bodies"].push_back(BodyJson(body));
  for (const ContactPoint& point : character.contact_points) {
    json["contact_points"].push_back(
        {{"body", point.body}, {"position", VectorJson(point.position)}, {"radius", point.radius}});
  }
  for (int role = 0; role < static_cast<int>(Role::kCount); ++role) {
    const int body = character.roles[role];
    if (body >= 0) json["roles"][RoleName(static_cast<Role>(role))] = body;
  }
  return json;
}

Character CharacterFromJson(const JsonNode& node) {
  Character character;
  character.name = node["name"].Text();
  character.description = node["description"].Text();
  const JsonNode bodies = node["bodies"];
  for (std::size_t i = 0; i < bodies.Size(); ++i)
    character.bodies.push_back(BodyFrom(bodies.At(i)));
  const JsonNode points = node["contact_points"];
  for (std::size_t i = 0; i < points.Size(); ++i) {
    const JsonNode point = points.At(i);
    character.contact_points.push_back(
        {point["body"].Int(0, INT_MAX), ReadVector(point["position"]), point["radius"].Number()});
  }
  character.roles = RolesFrom(node["roles"]);
  character.rest_q = node["rest_q"].Numbers();
  try {
    Validate(character);
  } catch (const InputError& error) {
    throw InputError(node.source(), 0, error.what());
  }
  return character;
}

}  // namespace stride
