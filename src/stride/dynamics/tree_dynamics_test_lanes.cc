// Compiled once for each instruction set: see cmake/lanes.cmake.
#include "stride/dynamics/tree_dynamics.h"
#include "stride/math/lanes.h"
#include "stride/testing/lane_dynamics.h"

namespace stride {
namespace STRIDE_LANES_NAMESPACE {
namespace {

// What is kept of a body; the sizes are whole numbers of lanes.
struct BodyMemory {
  JointState<Lanes> joint;
  BodyMotion<Lanes> motion;
  ArticulatedBody<Lanes> articulated;
  JointDrive<Lanes> drive;
};

std::size_t Bytes(int bodies) { return bodies * sizeof(BodyMemory) + sizeof(RootState<Lanes>); }

Lanes* Out(float* numbers) { return reinterpret_cast<Lanes*>(numbers); }
const Lanes* In(const float* numbers) { return reinterpret_cast<const Lanes*>(numbers); }
void Put(const Vec3<Lanes>& upper, const Vec3<Lanes>& lower, float* numbers) {
  Lanes* out = Out(numbers);
  out[0] = upper.x, out[1] = upper.y, out[2] = upper.z;
  out[3] = lower.x, out[4] = lower.y, out[5] = lower.z;
}

void RunAll(const LaneDynamics& p) {
  const Tree<float>& tree = *p.tree;
  const std::size_t n = tree.bodies.size();
  Articulation<Lanes> art = {};
  art.root = static_cast<RootState<Lanes>*>(p.memory);
  art.joints = reinterpret_cast<JointState<Lanes>*>(art.root + 1);
  art.motion = reinterpret_cast<BodyMotion<Lanes>*>(art.joints + n);
  art.articulated = reinterpret_cast<ArticulatedBody<Lanes>*>(art.motion + n);
  auto* drives = reinterpret_cast<JointDrive<Lanes>*>(art.articulated + n);
  const Lanes gravity(p.gravity);
  const Vec3<Lanes> point = Broadcast<Lanes>(p.point);

  SetState(tree, In(p.q), In(p.v), &art);
  InverseDynamics<Lanes>(tree, gravity, In(p.vdot), nullptr, 0, &art, Out(p.inverse));
  ForwardDynamics<Lanes>(*p.bare, gravity, In(p.tau), nullptr, 0, drives, &art, Out(p.forward));
  for (int k = 0; k < tree.nv; ++k) Out(p.hybrid_vdot)[k] = In(p.vdot)[k];
  HybridDynamics<Lanes>(tree, gravity, nullptr, 0, &art, Out(p.hybrid_vdot), Out(p.hybrid_tau));
  MassMatrix(tree, &art, Out(p.mass));
  PointJacobian(tree, art.motion, p.body, point, Out(p.jacobian));
  Vec3<Lanes> angular, linear;
  PointBias(tree, p.body, point, &art, &angular, &linear);
  Put(angular, linear, p.point_bias);
  CentroidalMomentum(tree, &art, Out(p.centroidal), &angular, &linear);
  Put(angular, linear, p.centroidal_bias);
  const Momentum<Lanes> momentum = MeasureMomentum(tree, art);
  Put(momentum.angular, momentum.linear, p.momentum);
  *Out(p.energy) = KineticEnergy(tree, art);
}

constexpr LaneDynamicsKernel kKernel = {kLanes, Bytes, RunAll};

}  // namespace
}  // namespace STRIDE_LANES_NAMESPACE

const LaneDynamicsKernel& STRIDE_LANE_NAME(LaneDynamics)() {
  return STRIDE_LANES_NAMESPACE::kKernel;
}

}  // namespace stride
