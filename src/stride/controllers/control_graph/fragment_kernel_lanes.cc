// Compiled once for each instruction set: see cmake/lanes.cmake.
#include "stride/controllers/control_graph/action.h"
#include "stride/controllers/control_graph/fragment_kernel.h"
#include "stride/math/lanes.h"

namespace stride {
namespace STRIDE_LANES_NAMESPACE {
namespace {

void Judge(const Tree<float>& tree, const BatchMemory& memory, const SkillParts& parts,
           const BorderReference& border, const CostWeights& weights, const float* base,
           float* features, float* cost) {
  const LaneView<Lanes, float> view = ViewOf<Lanes>(tree, memory);
  const Lanes* b = reinterpret_cast<const Lanes*>(base);
  const Quat<Lanes> reference{Lanes(border.root.w), Lanes(border.root.x), Lanes(border.root.y),
                              Lanes(border.root.z)};
  const Facing<Lanes> facing = FacingOf(view.Joint(0).rot, reference, b[0], b[1]);
  Lanes* out = reinterpret_cast<Lanes*>(features);
  ComputeFeatures(tree, view.art, parts, facing, view.ground_height, out);
  if (cost) {
    *reinterpret_cast<Lanes*>(cost) =
        ComputeCost(tree, view.art, parts, border, weights, facing, view.ground_height, out);
  }
}

void Aim(const Tree<float>& tree, const BatchMemory& memory, const SkillParts& parts,
         const Quat<float>* pose, const float* actions) {
  JointDrive<Lanes>* drives = DrivesOf<Lanes>(memory);
  const int n = static_cast<int>(tree.bodies.size());
  for (int i = 1; i < n; ++i) {
    drives[i].target = {Lanes(pose[i].w), Lanes(pose[i].x), Lanes(pose[i].y), Lanes(pose[i].z)};
  }
  const Lanes* a = reinterpret_cast<const Lanes*>(actions);
  ApplyAction(tree, parts, a, drives);
}

}  // namespace
}  // namespace STRIDE_LANES_NAMESPACE

STRIDE_DEFINE_LANE_KERNEL(FragmentKernel, FragmentKernels, Judge, Aim)

}  // namespace stride
