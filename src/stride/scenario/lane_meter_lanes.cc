// Compiled once for each instruction set: see cmake/lanes.cmake.
#include "stride/math/lanes.h"
#include "stride/scenario/fall.h"
#include "stride/scenario/lane_meter.h"

namespace stride {
namespace STRIDE_LANES_NAMESPACE {
namespace {

using View = LaneView<Lanes, float>;

Lanes RootHeight(const LaneMeterFacts& facts, const View& view) {
  return view.Root().position.z + view.Motion(facts.root).o.z - view.ground_height;
}

void Begin(const LaneMeterFacts& facts, const Tree<float>& tree, const BatchMemory& memory,
           float* slots) {
  const View view = ViewOf<Lanes>(tree, memory);
  Lanes* s = reinterpret_cast<Lanes*>(slots);
  s[kMeterFallen] = s[kMeterWork] = Lanes(0.0f);
  s[kMeterStartHeight] = RootHeight(facts, view);
  const Mat3<Lanes>& r = view.Motion(facts.trunk).r;
  const Vec3<Lanes> up = TransposeMul(r, Vec3<Lanes>{Lanes(0.0f), Lanes(0.0f), Lanes(1.0f)});
  s[kMeterStartUp] = up.x, s[kMeterStartUp + 1] = up.y, s[kMeterStartUp + 2] = up.z;
}

void Add(const LaneMeterFacts& facts, const Tree<float>& tree, const BatchMemory& memory,
         float* slots) {
  const View view = ViewOf<Lanes>(tree, memory);
  Lanes* s = reinterpret_cast<Lanes*>(slots);
  const Vec3<Lanes> up{s[kMeterStartUp], s[kMeterStartUp + 1], s[kMeterStartUp + 2]};
  const Lanes cosine = (view.Motion(facts.trunk).r * up).z;
  const Lanes size = Min(Abs(cosine), Lanes(1.0f));
  const Lanes acute = AcosOverSin(size) * Sqrt(Lanes(1.0f) - size * size);
  const Lanes tilt = Select(cosine < Lanes(0.0f), Lanes(3.14159265f) - acute, acute);
  LaneMask fallen = TooTilted(kFallFromStart, tilt * tilt);
  if (facts.root_moves) {
    fallen = fallen | TooLow(kFallFromStart, RootHeight(facts, view), s[kMeterStartHeight]);
  }
  s[kMeterFallen] = Select(fallen, Lanes(1.0f), s[kMeterFallen]);
  Lanes power(0.0f);
  const int n = view.Bodies();
  for (int i = 0; i < n; ++i) {
    if (tree.bodies[i].kind == JointKind::kFree) continue;
    power += Abs(Dot(ServoTorque(view, i), view.Joint(i).w));
  }
  s[kMeterWork] += power * view.time_step;
}

}  // namespace
}  // namespace STRIDE_LANES_NAMESPACE

STRIDE_DEFINE_LANE_KERNEL(LaneMeterKernel, LaneMeterKernels, Begin, Add)

}  // namespace stride
