#pragma once

#include <span>
#include <vector>

#include "stride/control/lane_program.h"

namespace stride {

STRIDE_LANE_KERNEL(LaneProgramKernel, HoldKernels)

// Holds one pose with fixed servos. The smallest lane program: nothing to learn, nothing to
// remember.
struct HoldProgram {
  std::vector<JointDrive<double>> drives;  // of each body

  int Parameters() const { return 0; }
  int MemorySlots() const { return 0; }
  int Values() const { return 0; }

  template <class S, class Real>
  STRIDE_INLINE void Begin(const LaneView<S, Real>&, const LaneCommand<S>&, const S*, S*) const {}

  template <class S, class Real>
  STRIDE_INLINE void Step(const LaneView<S, Real>& view, const LaneCommand<S>&, const S*,
                          S*) const {
    const JointDrive<double>* from = drives.data();
    for (int i = 0; i < view.Bodies(); ++i) {
      const JointDrive<double>& d = from[i];
      view.drives[i] = {{S(d.target.w), S(d.target.x), S(d.target.y), S(d.target.z)},
                        {S(d.target_v.x), S(d.target_v.y), S(d.target_v.z)},
                        {S(d.torque.x), S(d.torque.y), S(d.torque.z)},
                        S(d.kp),
                        S(d.kd)};
    }
  }

  template <class S, class Real>
  STRIDE_INLINE void Measure(const LaneView<S, Real>&, const S*, S*) const {}

  bool Turns() const { return false; }
  bool TakesSpeed() const { return false; }
  std::vector<DebugChannel> Channels() const { return {}; }
  void ReadChannels(const double*, std::span<float>) const {}
  static const LaneKernels<LaneProgramKernel>& Kernels() { return HoldKernels(); }
};

}  // namespace stride
