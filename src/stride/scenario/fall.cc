#include "stride/scenario/fall.h"

#include <algorithm>
#include <cmath>

#include "stride/character/rest_pose.h"
#include "stride/math/rotation.h"
#include "stride/scenario/push.h"

namespace stride {
namespace {

double AngleOf(double cosine) { return std::acos(std::clamp(cosine, -1.0, 1.0)); }

}  // namespace

double TiltBetween(const Quatd& a, const Quatd& b) {
  return AngleOf(Rotate(a * Conjugate(b), Vec3d{0, 0, 1}).z);
}

FallDetector::FallDetector(const Character& character, const Terrain& terrain, const State& start)
    : terrain_(terrain), root_moves_(RootMoves(character)) {
  const Layout layout = LayoutOf(character);
  for (int i = PushedBody(character); i >= 0; i = character.bodies[i].parent) {
    const Joint& joint = character.bodies[i].joint;
    if (joint.kind == JointKind::kSlide) continue;  // it does not turn
    chain_.push_back(
        {joint.kind, joint.axis, layout.q[i] + (joint.kind == JointKind::kFree ? 3 : 0)});
  }
  std::reverse(chain_.begin(), chain_.end());
  root_.bodies.assign(character.bodies.begin(), character.bodies.begin() + RootBody(character) + 1);
  start_height_ = RootHeight(start);
  start_up_ = Rotate(Conjugate(TrunkRotation(start)), Vec3d{0, 0, 1});
}

Quatd FallDetector::TrunkRotation(const State& state) const {
  Quatd rotation = Quatd::Identity();
  for (const Link& link : chain_) {
    const double* q = &state.q[link.q];
    rotation = rotation * (link.kind == JointKind::kHinge ? AxisAngle(link.axis, q[0])
                                                          : Quatd{q[0], q[1], q[2], q[3]});
  }
  return rotation;
}

double FallDetector::RootHeight(const State& state) const {
  if (!root_moves_) return 0;
  const Vec3d root = RootFrameAt(root_, state.q).offset;
  return root.z - SurfaceAt(terrain_, root.x, root.y).height;
}

bool FallDetector::Fallen(const State& state) const {
  if (root_moves_ && TooLow(kFallFromStart, RootHeight(state), start_height_)) return true;
  const double tilt = AngleOf(Rotate(TrunkRotation(state), start_up_).z);
  return TooTilted(kFallFromStart, tilt * tilt);
}

}  // namespace stride
