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
  Articulation<Lanes> art{};
  art.joints = reinterpret_cast<JointState<Lanes>*>(memory.joints);
  art.root = reinterpret_cast<RootState<Lanes>*>(memory.root);
  art.motion = static_cast<BodyMotion<Lanes>*>(memory.scratch);
  const Lanes* b = reinterpret_cast<const Lanes*>(base);
  const Quat<Lanes> reference{Lanes(border.root.w), Lanes(border.root.x), Lanes(border.root.y),
                              Lanes(border.root.z)};
  const Facing<Lanes> facing = FacingOf(art.joints[0].rot, reference, b[0], b[1]);
  // Height of the plane below the root.
  const Lanes* g = reinterpret_cast<const Lanes*>(memory.ground);
  const Lanes ground = (g[3] - g[0] * art.root->position.x - g[1] * art.root->position.y) / g[2];
  Lanes* out = reinterpret_cast<Lanes*>(features);
  ComputeFeatures(tree, art, parts, facing, ground, out);
  if (cost) {
    *reinterpret_cast<Lanes*>(cost) =
        ComputeCost(tree, art, parts, border, weights, facing, ground, out);
  }
}

void Aim(const Tree<float>& tree, const BatchMemory& memory, const SkillParts& parts,
         const Quat<float>* pose, const float* actions) {
  JointDrive<Lanes>* drives = reinterpret_cast<JointDrive<Lanes>*>(memory.drives);
  const int n = static_cast<int>(tree.bodies.size());
  for (int i = 1; i < n; ++i) {
    drives[i].target = {Lanes(pose[i].w), Lanes(pose[i].x), Lanes(pose[i].y), Lanes(pose[i].z)};
  }
  const Lanes* a = reinterpret_cast<const Lanes*>(actions);
  ApplyAction(tree, parts, a, drives);
}

constexpr FragmentKernel kFragmentKernel = {
#if STRIDE_LANE_COUNT == 16
    "avx512",
#elif STRIDE_LANE_COUNT == 8
    "avx2",
#else
    "sse2",
#endif
    kLanes, Judge, Aim};

}  // namespace
}  // namespace STRIDE_LANES_NAMESPACE

#if STRIDE_LANE_COUNT == 16
const FragmentKernel& FragmentKernelAvx512() { return lanes_avx512::kFragmentKernel; }
#elif STRIDE_LANE_COUNT == 8
const FragmentKernel& FragmentKernelAvx2() { return lanes_avx2::kFragmentKernel; }
#else
const FragmentKernel& FragmentKernelSse2() { return lanes_sse2::kFragmentKernel; }
#endif

}  // namespace stride
