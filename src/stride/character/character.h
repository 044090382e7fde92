#pragma once

#include <string>
#include <vector>

#include "stride/math/vec.h"

// A character: a tree of rigid bodies, as a plain value.
//
// Frames. The frame of a body sits at the joint that holds it to its parent, and in the zero pose
// (every joint angle zero, every quaternion the identity) all body frames are aligned with the
// world: Z up, the character facing +X, its left +Y. So a joint needs an offset from its parent's
// frame and nothing else, and what belongs to a body (centre of mass, inertia, shapes) is given in
// its own frame.
//
// Order. Bodies are depth-first, each after its parent; body 0 is the root. Body i is moved by
// joint i.
//
// Coordinates (MuJoCo's layout), joint after joint in body order:
//   joint   in q                       in v
//   free    position, quaternion (7)   velocity of the frame's origin in world axes,
//                                      angular velocity in body axes (6)
//   ball    quaternion (4)             angular velocity relative to the parent, in child axes (3)
//   hinge   angle, rad (1)             rate (1)
//   slide   way along its axis, m (1)  rate (1)
namespace stride {

enum class JointKind { kFree, kBall, kHinge, kSlide };

struct Joint {
  JointKind kind = JointKind::kBall;
  // The units below are those of a joint that turns; a slide has m for rad and N for N m.
  Vec3d axis{0, 1, 0};  // hinge, slide: unit vector, body frame
  // Hinge, slide: lower <= coordinate <= upper. Ball: the rotation angle from the zero pose is at
  // most upper.
  bool limited = false;
  double lower = 0, upper = 0;
  double armature = 0;  // rotor inertia added on the joint's coordinates, kg m^2
  double damping = 0;   // passive, N m s/rad
  double stiffness =
      0;  // passive spring towards the zero pose (one axis: towards spring_angle), N m/rad
  double spring_angle = 0;  // hinge and slide only, rad
  // Default gains of the joint's servo, and the largest torque it may apply (0: no bound).
  double kp = 0;          // N m/rad
  double kd = 0;          // N m s/rad
  double max_torque = 0;  // N m
  friend bool operator==(const Joint&, const Joint&) = default;
};

enum class ShapeKind { kSphere, kCapsule, kBox };

// Collision and drawing. `size`: sphere (radius, -, -); capsule (radius, half length along local z
// between the end centres, -); box (half extents).
struct Shape {
  ShapeKind kind = ShapeKind::kBox;
  Vec3d center;                        // body frame, m
  Quatd rotation = Quatd::Identity();  // shape to body
  Vec3d size;
  bool collides = true;
  friend bool operator==(const Shape&, const Shape&) = default;
};

// A sphere fixed to a body (radius 0: a corner) that the native engines test against the ground.
struct ContactPoint {
  int body = 0;
  Vec3d position;     // body frame, m
  double radius = 0;  // m
  friend bool operator==(const ContactPoint&, const ContactPoint&) = default;
};

struct Body {
  std::string name;
  int parent = -1;
  Vec3d offset;  // this frame's origin in the parent's frame, m; root: its height in the zero pose
  Joint joint;
  double mass = 0;  // kg; 0 only for a link inside a chain of hinges and slides
  Vec3d com;        // m
  Sym3d inertia;    // about the centre of mass, body axes, kg m^2
  std::vector<Shape> shapes;
  friend bool operator==(const Body&, const Body&) = default;
};

// Which body plays which part, -1 where there is none. Controllers, retargeting and metrics ask for
// parts, never for names.
enum class Role {
  kPelvis,
  kTrunk,
  kHead,
  kLeftThigh,
  kLeftShank,
  kLeftFoot,
  kLeftToe,
  kRightThigh,
  kRightShank,
  kRightFoot,
  kRightToe,
  kLeftUpperArm,
  kLeftForearm,
  kLeftHand,
  kRightUpperArm,
  kRightForearm,
  kRightHand,
  kCount
};

struct Character {
  std::string name;
  std::string description;  // one line: where it comes from
  std::vector<Body> bodies;
  std::vector<ContactPoint> contact_points;
  std::vector<int> roles = std::vector<int>(static_cast<int>(Role::kCount), -1);
  // Coordinates of a quiet stand on z = 0 (or another natural pose); same layout as State::q.
  std::vector<double> rest_q;

  int BodyCount() const { return static_cast<int>(bodies.size()); }
  int BodyOf(Role role) const { return roles[static_cast<int>(role)]; }
  // Has a free root, pelvis, trunk, both thighs, shanks and feet, and nothing that slides.
  bool IsHuman() const;
  friend bool operator==(const Character&, const Character&) = default;
};

// Whether one number says how a joint stands: a hinge or a slide.
inline bool HasOneAxis(JointKind kind) {
  return kind == JointKind::kHinge || kind == JointKind::kSlide;
}
inline int CoordinateCount(JointKind kind) {
  return kind == JointKind::kFree ? 7 : kind == JointKind::kBall ? 4 : 1;
}
inline int DofCount(JointKind kind) {
  return kind == JointKind::kFree ? 6 : kind == JointKind::kBall ? 3 : 1;
}

// Where each joint's numbers start in q and v.
struct Layout {
  std::vector<int> q, v;  // per body
  int nq = 0, nv = 0;
};
Layout LayoutOf(const Character& character);

// What moves: coordinates and velocities of one character.
struct State {
  std::vector<double> q, v;
  friend bool operator==(const State&, const State&) = default;
};

// The zero pose (root at its offset, all angles zero) and the rest pose, at rest.
State ZeroState(const Character& character);
State RestState(const Character& character);

double TotalMass(const Character& character);
// Of the box around all shapes in the zero pose, m; StandingHeight is its z.
Vec3d Extent(const Character& character);
double StandingHeight(const Character& character);

// The first body with mass: what says where a character is. Before it stand at most links without
// mass, of a root that hangs on several joints.
int RootBody(const Character& character);
// The root is not free, but slides from its place: half a cheetah in its plane, a cart. The joints
// up to it are rails, which no muscle moves.
bool RunsOnRails(const Character& character);
// Whether the root can leave its place.
inline bool RootMoves(const Character& character) {
  return character.bodies[0].joint.kind == JointKind::kFree || RunsOnRails(character);
}

// Index of the body of that name, or -1.
int FindBody(const Character& character, const std::string& name);

// Throws InputError naming the character, the body and what is wrong with it: not depth-first, a
// negative or non-finite mass or inertia, a massless leaf, an axis that is not unit, a free joint
// below the root, links without mass that slide along the same line, wrong size of rest_q, a point
// or shape that is not finite, a duplicate name.
void Validate(const Character& character);

// Contact points for a shape: sphere 1, capsule 2, box 8 (corners).
void AddContactPoints(Character* character, int body, const Shape& shape);

const char* RoleName(Role role);             // "left_foot"
Role RoleFromName(const std::string& name);  // kCount if there is none of that name

}  // namespace stride
