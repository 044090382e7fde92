#pragma once

#include <span>
#include <vector>

#include "stride/control/lane_program.h"

// A controller that stands in for every method that will come: three parameters, one number to
// remember, one to measure. It leans the character's pose: every hinge or ball about its y axis
// swings as offset + amplitude sin(rate t), and what is learned is to bring the root to a height.
namespace stride {

STRIDE_LANE_KERNEL(LaneProgramKernel, ToyKernels)

struct ToyProgram {
  std::vector<JointDrive<double>> drives;  // the pose to begin with
  double wanted = 0;                       // height of the root above the ground, m

  enum Parameter { kOffset, kAmplitude, kRate, kParameterCount };
  enum Slot { kTime, kError, kSlotCount };

  int Parameters() const { return kParameterCount; }
  int MemorySlots() const { return kSlotCount; }
  int Values() const { return 1; }  // time integral of the squared error, m^2 s

  template <class S, class Real>
  STRIDE_INLINE void Begin(const LaneView<S, Real>&, const LaneCommand<S>&, const S*,
                           S* memory) const {
    memory[kTime] = memory[kError] = S(0);
  }

  template <class S, class Real>
  STRIDE_INLINE void Step(const LaneView<S, Real>& view, const LaneCommand<S>&, const S* parameters,
                          S* memory) const {
    S sine, cosine;
    SinCos(parameters[kRate] * memory[kTime], &sine, &cosine);
    const S angle = parameters[kOffset] + parameters[kAmplitude] * sine;
    S half_sine, half_cosine;
    SinCos(angle * S(0.5), &half_sine, &half_cosine);
    const Quat<S> turn{half_cosine, S(0), half_sine, S(0)};
    const JointDrive<double>* from = drives.data();
    for (int i = 1; i < view.Bodies(); ++i) {
      const JointDrive<double>& d = from[i];
      JointDrive<S>& drive = view.drives[i];
      drive.kp = S(d.kp), drive.kd = S(d.kd);
      drive.torque = {S(d.torque.x), S(d.torque.y), S(d.torque.z)};
      drive.target_v = {S(0), S(0), S(0)};
      const Quat<S> pose{S(d.target.w), S(d.target.x), S(d.target.y), S(d.target.z)};
      if (HasOneAxis(view.tree.bodies[i].kind)) {
        drive.target = {pose.w + angle, S(0), S(0), S(0)};
      } else {
        drive.target = pose * turn;
      }
    }
    const S error = view.Root().position.z - view.ground_height - S(wanted);
    memory[kError] += error * error * view.time_step;
    memory[kTime] += view.time_step;
  }

  template <class S, class Real>
  STRIDE_INLINE void Measure(const LaneView<S, Real>&, const S* memory, S* values) const {
    values[0] = memory[kError];
  }

  std::vector<DebugChannel> Channels() const {
    return {{"time", "s", DebugChannel::Kind::kScalar}};
  }
  void ReadChannels(const double* memory, std::span<float> values) const {
    values[0] = static_cast<float>(memory[kTime]);
  }
  static const LaneKernels<LaneProgramKernel>& Kernels() { return ToyKernels(); }
};

}  // namespace stride
