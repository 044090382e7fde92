#include "stride/scenario/placement.h"

#include <algorithm>
#include <cmath>

#include "stride/character/rest_pose.h"
#include "stride/math/rotation.h"

namespace stride {
namespace {

Quatd QuatAt(const double* q) { return {q[0], q[1], q[2], q[3]}; }
void SetQuat(const Quatd& value, double* q) {
  q[0] = value.w, q[1] = value.x, q[2] = value.y, q[3] = value.z;
}

// Whether body i's joint and its parent's are one: a chain of hinges with massless links.
bool ContinuesChain(const Character& character, int i) {
  const int parent = character.bodies[i].parent;
  return parent >= 0 && character.bodies[parent].mass == 0;
}

// Turns the joints that hold a body to the one before it until its rotation in the world is
// `wanted`, as far as their axes and limits allow.
void TurnBody(const Character& character, const Layout& layout, int body, const Quatd& wanted,
              std::vector<double>* q) {
  constexpr int kSweeps = 20;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (int i = body;; i = character.bodies[i].parent) {
      const Joint& joint = character.bodies[i].joint;
      const BodyFrames frames = FramesAt(character, *q);
      const Vec3d error = Log(wanted * Conjugate(frames.rotation[body]));  // world axes
      if (Norm(error) < 1e-12) return;
      const Vec3d local = Rotate(Conjugate(frames.rotation[i]), error);
      double* qi = q->data() + layout.q[i];
      if (joint.kind == JointKind::kHinge) {
        *qi += Dot(joint.axis, local);
        if (joint.limited) *qi = std::clamp(*qi, joint.lower, joint.upper);
      } else if (joint.kind == JointKind::kBall) {
        SetQuat(Normalized(QuatAt(qi) * Exp(local)), qi);
      }
      if (!ContinuesChain(character, i)) break;
    }
  }
}

// From the middle between the ankles to the centre of mass, world.
Vec3d AnklesToCom(const Character& character, const std::vector<double>& q) {
  const BodyFrames frames = FramesAt(character, q);
  const Vec3d ankles = (frames.position[character.BodyOf(Role::kLeftFoot)] +
                        frames.position[character.BodyOf(Role::kRightFoot)]) *
                       0.5;
  return CenterOfMassAt(character, q) - ankles;
}

// Feet flat on the slope. Across it the pelvis rolls with the ground, while legs and trunk keep
// their directions: then both legs reach it.
void AdaptToSlope(const Character& character, const Terrain& terrain, std::vector<double>* q) {
  constexpr int kPasses = 6;
  const Layout layout = LayoutOf(character);
  const BodyFrames rest = FramesAt(character, *q);
  const Vec3d normal = SurfaceAt(terrain, 0, 0).normal;
  const Quatd tilt = RotationBetween({0, 0, 1}, normal);
  const Quatd roll = AxisAngle({1, 0, 0}, -std::asin(normal.y));
  const Vec3d rest_arm = AnklesToCom(character, *q);
  Quatd lean = Quatd::Identity();
  for (int pass = 0; pass < kPasses; ++pass) {
    SetQuat(Normalized(lean * roll * rest.rotation[0]), q->data() + 3);
    for (int i = 1; i < character.BodyCount(); ++i) {
      int before = character.bodies[i].parent;
      while (character.bodies[before].mass == 0) before = character.bodies[before].parent;
      if (before == 0 && character.bodies[i].mass > 0) {
        TurnBody(character, layout, i, lean * rest.rotation[i], q);
      }
    }
    for (const Role role : {Role::kLeftFoot, Role::kRightFoot}) {
      const int foot = character.BodyOf(role);
      TurnBody(character, layout, foot, tilt * rest.rotation[foot], q);
    }
    // The ankles shall bear what they bear on level ground: servos that hold a stand there hold it
    // here.
    const Vec3d off = (AnklesToCom(character, *q) - rest_arm) * (1 / rest_arm.z);
    lean = Exp({off.y, -off.x, 0}) * lean;
  }
}

// How far the deepest contact point lies in the ground, m; below 0: how far above it.
double DepthInGround(const Character& character, const Terrain& terrain,
                     const std::vector<double>& q) {
  const BodyFrames frames = FramesAt(character, q);
  double depth = -HUGE_VAL;
  for (const ContactPoint& point : character.contact_points) {
    const Vec3d at =
        frames.position[point.body] + Rotate(frames.rotation[point.body], point.position);
    const Surface ground = SurfaceAt(terrain, at.x, at.y);
    depth = std::max(depth, ground.height + point.radius / ground.normal.z - at.z);
  }
  return depth;
}

}  // namespace

void RaiseFromGround(const Character& character, const Terrain& terrain, State* state) {
  constexpr double kSunk = 0.01;  // m: what a stand or a landing sinks is less
  const bool level = terrain.kind == Terrain::Kind::kPlane && terrain.slope == 0;
  if (level || !RootMoves(character) || character.contact_points.empty()) return;
  const double depth = DepthInGround(character, terrain, state->q);
  if (depth > kSunk) RaiseRoot(character, depth, &state->q);
}

State StandOn(const Character& character, const Terrain& terrain) {
  State state = RestState(character);
  if (!RootMoves(character) || character.contact_points.empty()) {
    return state;
  }
  if (terrain.kind == Terrain::Kind::kPlane && terrain.slope != 0 && character.IsHuman()) {
    AdaptToSlope(character, terrain, &state.q);
  }
  RaiseRoot(character, DepthInGround(character, terrain, state.q), &state.q);
  return state;
}

}  // namespace stride
