#include "stride/character/character.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <unordered_set>

#include "stride/character/inertia.h"
#include "stride/core/error.h"

namespace stride {
namespace {

constexpr const char* kRoleNames[] = {
    "pelvis",        "trunk",          "head",         "left_thigh",  "left_shank",
    "left_foot",     "left_toe",       "right_thigh",  "right_shank", "right_foot",
    "right_toe",     "left_upper_arm", "left_forearm", "left_hand",   "right_upper_arm",
    "right_forearm", "right_hand"};
static_assert(std::size(kRoleNames) == static_cast<std::size_t>(Role::kCount));

bool IsFinite(const Vec3d& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}
bool IsFinite(const Sym3d& m) {
  return IsFinite(Vec3d{m.xx, m.xy, m.xz}) && IsFinite(Vec3d{m.yy, m.yz, m.zz});
}
bool IsUnit(double squared_norm) { return std::fabs(squared_norm - 1) < 1e-6; }
bool IsUnit(const Quatd& q) { return IsUnit(Dot(q, q)); }

bool IsPlainLine(const std::string& text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

class Validator {
 public:
  explicit Validator(const Character& character)
      : character_(character), child_count_(character.bodies.size()) {}

  void Run() {
    if (character_.bodies.empty()) Fail("has no body; expected at least one");
    if (!IsPlainLine(character_.name) || !IsPlainLine(character_.description)) {
      Fail("has control characters in its name or description; expected one line of text");
    }
    for (int i = 0; i < character_.BodyCount(); ++i) CheckBody(i);
    for (int i = 0; i < character_.BodyCount(); ++i) CheckMass(i);
    CheckContactPoints();
    CheckRoles();
    CheckRestPose();
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const {
    throw InputError("character '" + character_.name + "' " + what);
  }
  [[noreturn]] void Fail(int body, const std::string& what) const {
    Fail("body " + std::to_string(body) + " '" + character_.bodies[body].name + "': " + what);
  }

  void CheckBody(int i) {
    const Body& body = character_.bodies[i];
    if (body.name.empty() || !IsPlainLine(body.name)) {
      Fail(i, "the name is empty or has control characters; expected one line of text");
    }
    if (!names_.insert(body.name).second) Fail(i, "another body has the same name");
    CheckOrder(i);
    if (!IsFinite(body.offset)) Fail(i, "the offset is not finite");
    CheckJoint(i);
    for (const Shape& shape : body.shapes) CheckShape(i, shape);
  }

  // Depth-first: the parent is the body before or one of its ancestors.
  void CheckOrder(int i) {
    const int parent = character_.bodies[i].parent;
    if (i == 0 && parent != -1) Fail(i, "body 0 is the root; expected parent -1");
    if (i == 0) return;
    int ancestor = i - 1;
    while (ancestor > parent) ancestor = character_.bodies[ancestor].parent;
    if (parent < 0 || ancestor != parent) {
      Fail(i, "parent " + std::to_string(parent) +
                  " is neither the body before nor an ancestor of it; expected depth-first order");
    }
    ++child_count_[parent];
  }

  void CheckJoint(int i) const {
    const Joint& joint = character_.bodies[i].joint;
    for (const double value :
         {joint.armature, joint.damping, joint.stiffness, joint.kp, joint.kd, joint.max_torque}) {
      if (!(std::isfinite(value) && value >= 0)) {
        Fail(i, "a joint parameter is " + std::to_string(value) + "; expected 0 or more");
      }
    }
    if (!std::isfinite(joint.lower) || !std::isfinite(joint.upper) ||
        !std::isfinite(joint.spring_angle)) {
      Fail(i, "a joint angle is not finite");
    }
    const double lower = joint.kind == JointKind::kBall ? 0 : joint.lower;
    if (joint.limited && !(lower < joint.upper)) {
      Fail(i, "the joint's lower limit " + std::to_string(lower) + " is not below its upper " +
                  std::to_string(joint.upper));
    }
    if (HasOneAxis(joint.kind) && !IsUnit(SquaredNorm(joint.axis))) {
      Fail(i, "the joint's axis is not a unit vector");
    }
    if (joint.kind != JointKind::kFree) return;
    if (i > 0) Fail(i, "has a free joint; only the root may have one");
    if (joint.limited || joint.armature > 0 || joint.damping > 0 || joint.stiffness > 0) {
      Fail(i, "the free joint has a limit, armature, damping or stiffness; expected none");
    }
  }

  void CheckShape(int i, const Shape& shape) const {
    if (!IsFinite(shape.center) || !IsFinite(shape.size)) Fail(i, "a shape is not finite");
    if (!IsUnit(shape.rotation)) Fail(i, "the rotation of a shape is not a unit quaternion");
    const int sizes = shape.kind == ShapeKind::kSphere    ? 1
                      : shape.kind == ShapeKind::kCapsule ? 2
                                                          : 3;
    if (!(shape.size.x > 0 && (sizes < 2 || shape.size.y > 0) && (sizes < 3 || shape.size.z > 0)))
      Fail(i, "a shape has no extent; expected sizes above 0");
  }

  void CheckMass(int i) const {
    const Body& body = character_.bodies[i];
    if (!std::isfinite(body.mass) || body.mass < 0) {
      Fail(i, "mass " + std::to_string(body.mass) + " kg; expected more than 0");
    }
    if (!IsFinite(body.com) || !IsFinite(body.inertia)) Fail(i, "the inertia is not finite");
    if (body.mass == 0) return CheckMassless(i);
    if (!IsPositiveDefinite(body.inertia)) Fail(i, "the inertia is not positive definite");
    if (!HasPossibleMoments(body.inertia)) {
      Fail(i, "no body has this inertia: one principal moment exceeds the sum of the other two");
    }
  }

  void CheckMassless(int i) const {
    const Body& body = character_.bodies[i];
    // In depth-first order a body's first child follows it.
    if (child_count_[i] == 0) Fail(i, "a leaf without mass; expected more than 0 kg");
    if (child_count_[i] > 1 || !HasOneAxis(body.joint.kind) ||
        !HasOneAxis(character_.bodies[i + 1].joint.kind)) {
      Fail(i,
           "has no mass; only a hinge or slide that carries exactly one other hinge or slide may "
           "have none");
    }
    CheckSlides(i);
    if (!(body.inertia == Sym3d{} && body.com == Vec3d{})) {
      Fail(i, "has an inertia or a centre of mass but no mass");
    }
    if (!body.shapes.empty()) Fail(i, "has shapes but no mass; put them on the body it carries");
  }

  // The slides after one without mass must lead out of what it and those between span: nothing
  // resists a way that two of them share.
  void CheckSlides(int i) const {
    std::vector<Vec3d> spanned;  // orthonormal
    for (; character_.bodies[i].joint.kind == JointKind::kSlide; ++i) {
      Vec3d rest = character_.bodies[i].joint.axis;
      for (const Vec3d& axis : spanned) rest = rest - axis * Dot(axis, rest);
      if (Norm(rest) < 1e-3) {
        Fail(i, "slides along a line that the slides it hangs on without mass cover already");
      }
      spanned.push_back(rest * (1 / Norm(rest)));
      if (character_.bodies[i].mass > 0) return;
    }
  }

  void CheckContactPoints() const {
    for (const ContactPoint& point : character_.contact_points) {
      if (point.body < 0 || point.body >= character_.BodyCount()) {
        Fail("has a contact point on body " + std::to_string(point.body) +
             ", which does not exist");
      }
      if (!IsFinite(point.position) || !std::isfinite(point.radius) || point.radius < 0) {
        Fail(point.body, "a contact point is not finite, or its radius is negative");
      }
      if (character_.bodies[point.body].mass == 0) Fail(point.body, "a contact point without mass");
    }
  }

  void CheckRoles() const {
    if (character_.roles.size() != std::size(kRoleNames)) {
      Fail("lists " + std::to_string(character_.roles.size()) + " roles; expected " +
           std::to_string(std::size(kRoleNames)));
    }
    for (const int body : character_.roles) {
      if (body < -1 || body >= character_.BodyCount()) {
        Fail("gives a role to body " + std::to_string(body) + ", which does not exist");
      }
    }
  }

  void CheckRestPose() const {
    const Layout layout = LayoutOf(character_);
    const std::vector<double>& q = character_.rest_q;
    if (static_cast<int>(q.size()) != layout.nq) {
      Fail("has a rest pose of " + std::to_string(q.size()) + " numbers; expected " +
           std::to_string(layout.nq));
    }
    if (!std::all_of(q.begin(), q.end(), [](double value) { return std::isfinite(value); })) {
      Fail("has a rest pose that is not finite");
    }
    for (int i = 0; i < character_.BodyCount(); ++i) {
      const JointKind kind = character_.bodies[i].joint.kind;
      if (HasOneAxis(kind)) continue;
      const double* w = &q[layout.q[i] + (kind == JointKind::kFree ? 3 : 0)];
      if (!IsUnit(Quatd{w[0], w[1], w[2], w[3]})) {
        Fail(i, "the rest pose's quaternion is not a unit quaternion");
      }
    }
  }

  const Character& character_;
  std::unordered_set<std::string> names_;
  std::vector<int> child_count_;
};

// Half of the shape's extent along each of the world's axes, body frame aligned with the world.
Vec3d HalfExtent(const Shape& shape) {
  const Mat3d r = ToMat3(shape.rotation);
  const Vec3d& s = shape.size;
  const auto along = [&](double x, double y, double z) {
    switch (shape.kind) {
      case ShapeKind::kSphere: return s.x;
      case ShapeKind::kCapsule: return s.x + std::fabs(z) * s.y;
      case ShapeKind::kBox: break;
    }
    return std::fabs(x) * s.x + std::fabs(y) * s.y + std::fabs(z) * s.z;
  };
  return {along(r.xx, r.xy, r.xz), along(r.yx, r.yy, r.yz), along(r.zx, r.zy, r.zz)};
}

}  // namespace

bool Character::IsHuman() const {
  const Role parts[] = {Role::kPelvis,   Role::kTrunk,      Role::kLeftThigh,  Role::kLeftShank,
                        Role::kLeftFoot, Role::kRightThigh, Role::kRightShank, Role::kRightFoot};
  const bool slides = std::any_of(bodies.begin(), bodies.end(), [](const Body& body) {
    return body.joint.kind == JointKind::kSlide;
  });
  return !bodies.empty() && bodies[0].joint.kind == JointKind::kFree && !slides &&
         std::all_of(std::begin(parts), std::end(parts),
                     [this](Role role) { return BodyOf(role) >= 0; });
}

Layout LayoutOf(const Character& character) {
  Layout layout;
  for (const Body& body : character.bodies) {
    layout.q.push_back(layout.nq);
    layout.v.push_back(layout.nv);
    layout.nq += CoordinateCount(body.joint.kind);
    layout.nv += DofCount(body.joint.kind);
  }
  return layout;
}

State ZeroState(const Character& character) {
  State state;
  for (const Body& body : character.bodies) {
    if (body.joint.kind == JointKind::kFree) {
      state.q.insert(state.q.end(), {body.offset.x, body.offset.y, body.offset.z});
    }
    if (HasOneAxis(body.joint.kind)) {
      state.q.push_back(0);
    } else {
      state.q.insert(state.q.end(), {1, 0, 0, 0});
    }
    state.v.insert(state.v.end(), DofCount(body.joint.kind), 0.0);
  }
  return state;
}

State RestState(const Character& character) {
  State state = ZeroState(character);
  state.q = character.rest_q;
  return state;
}

double TotalMass(const Character& character) {
  double mass = 0;
  for (const Body& body : character.bodies) mass += body.mass;
  return mass;
}

Vec3d Extent(const Character& character) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Vec3d low{kFar, kFar, kFar}, high = -low;
  std::vector<Vec3d> origin;  // of the bodies' frames
  for (const Body& body : character.bodies) {
    origin.push_back(body.offset + (body.parent < 0 ? Vec3d{} : origin[body.parent]));
    for (const Shape& shape : body.shapes) {
      const Vec3d center = origin.back() + shape.center, half = HalfExtent(shape);
      const Vec3d a = center - half, b = center + half;
      low = {std::min(low.x, a.x), std::min(low.y, a.y), std::min(low.z, a.z)};
      high = {std::max(high.x, b.x), std::max(high.y, b.y), std::max(high.z, b.z)};
    }
  }
  return {std::max(0.0, high.x - low.x), std::max(0.0, high.y - low.y),
          std::max(0.0, high.z - low.z)};
}

double StandingHeight(const Character& character) { return Extent(character).z; }

int RootBody(const Character& character) {
  int i = 0;
  while (i + 1 < character.BodyCount() && character.bodies[i].mass == 0) ++i;
  return i;
}

bool RunsOnRails(const Character& character) {
  for (int i = RootBody(character); i >= 0; --i) {
    if (character.bodies[i].joint.kind == JointKind::kSlide) return true;
  }
  return false;
}

int FindBody(const Character& character, const std::string& name) {
  const auto found = std::find_if(character.bodies.begin(), character.bodies.end(),
                                  [&](const Body& body) { return body.name == name; });
  return found == character.bodies.end() ? -1 : static_cast<int>(found - character.bodies.begin());
}

void Validate(const Character& character) { Validator(character).Run(); }

void AddContactPoints(Character* character, int body, const Shape& shape) {
  const auto add = [&](const Vec3d& local, double radius) {
    character->contact_points.push_back(
        {body, shape.center + Rotate(shape.rotation, local), radius});
  };
  switch (shape.kind) {
    case ShapeKind::kSphere: add({0, 0, 0}, shape.size.x); break;
    case ShapeKind::kCapsule:
      add({0, 0, shape.size.y}, shape.size.x);
      add({0, 0, -shape.size.y}, shape.size.x);
      break;
    case ShapeKind::kBox:
      for (const double x : {shape.size.x, -shape.size.x}) {
        for (const double y : {shape.size.y, -shape.size.y}) {
          for (const double z : {shape.size.z, -shape.size.z}) add({x, y, z}, 0);
        }
      }
      break;
  }
}

const char* RoleName(Role role) {
  STRIDE_CHECK(role < Role::kCount);
  return kRoleNames[static_cast<int>(role)];
}

Role RoleFromName(const std::string& name) {
  const auto found = std::find(std::begin(kRoleNames), std::end(kRoleNames), name);
  return static_cast<Role>(found - std::begin(kRoleNames));
}

}  // namespace stride
