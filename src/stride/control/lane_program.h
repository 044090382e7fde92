#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "stride/control/controller.h"
#include "stride/sim/lanes.h"

// Lane programs: a controller's step written once over the scalar. It runs in double as the
// reference (program_controller.h) and in lanes for learning, with parameters, memory and commands
// for each lane. A program is a plain struct of what all lanes share:
//
//   struct MyProgram {
//     int Parameters() const;   // numbers that learning may change
//     int MemorySlots() const;  // numbers it remembers from step to step
//     int Values() const;       // numbers it measures, for what is learned
//     template <class S, class Real> void Begin(const LaneView<S, Real>&, const LaneCommand<S>&,
//                                               const S* parameters, S* memory) const;
//     template <class S, class Real> void Step(const LaneView<S, Real>&, const LaneCommand<S>&,
//                                              const S* parameters, S* memory) const;  // aims
//                                              drives
//     template <class S, class Real> void Measure(const LaneView<S, Real>&, const S* memory,
//                                                 S* values) const;
//     std::optional<SpeedRange> Speeds() const;  // where it takes speeds
//     bool Turns() const;                        // where it takes no headings: false
//     bool TakesSpeed() const;                   // where it takes no speeds: false
//     std::vector<DebugChannel> Channels() const;
//     void ReadChannels(const double* memory, std::span<float> values) const;
//     static const LaneKernels<LaneProgramKernel>& Kernels();
//   };
// All templates STRIDE_INLINE. In its header STRIDE_LANE_KERNEL(LaneProgramKernel, MyKernels), and
// a source my_lanes.cc that includes lane_kernel.h and says STRIDE_LANE_PROGRAM(MyProgram,
// MyKernels).
namespace stride {

// What the user wants, for each lane.
template <class S>
struct LaneCommand {
  S speed, heading;              // m/s, rad
  S speed_given, heading_given;  // 1: commanded; 0: left to the controller
};
constexpr int kCommandSlots = 4;

// Numbers of all lanes, [slot][lane].
struct LaneNumbers {
  const float* commands;  // kCommandSlots
  const float* parameters;
  float* memory;
};

struct LaneProgramKernel {
  const char* instruction_set;
  int lanes;
  void (*begin)(const void* program, const Tree<float>& tree, const BatchMemory& memory,
                const LaneNumbers& numbers);
  void (*step)(const void* program, const Tree<float>& tree, const BatchMemory& memory,
               const LaneNumbers& numbers);
  void (*measure)(const void* program, const Tree<float>& tree, const BatchMemory& memory,
                  const LaneNumbers& numbers, float* values);
};

// A program of any kind, for what drives lanes.
class LaneProgram {
 public:
  virtual ~LaneProgram() = default;
  virtual int Parameters() const = 0;
  virtual int MemorySlots() const = 0;
  virtual int Values() const = 0;
  virtual const LaneProgramKernel& Kernel(const char* instruction_set) const = 0;
  virtual const void* Object() const = 0;
  // With which the controller runs that it is the step of.
  const std::vector<double>& OwnParameters() const { return own_parameters_; }

 protected:
  explicit LaneProgram(std::vector<double> own) : own_parameters_(std::move(own)) {}

 private:
  std::vector<double> own_parameters_;
};

template <class Program>
class LaneProgramOf final : public LaneProgram {
 public:
  LaneProgramOf(Program program, std::vector<double> own)
      : LaneProgram(std::move(own)), program_(std::move(program)) {}
  int Parameters() const override { return program_.Parameters(); }
  int MemorySlots() const override { return program_.MemorySlots(); }
  int Values() const override { return program_.Values(); }
  const LaneProgramKernel& Kernel(const char* instruction_set) const override {
    return Program::Kernels().For(instruction_set);
  }
  const void* Object() const override { return &program_; }

 private:
  Program program_;
};

// An actuation as the drives of a tree: the form in which programs aim servos.
std::vector<JointDrive<double>> DrivesOf(const Character& character, const Actuation& actuation);

template <class Program>
std::shared_ptr<const LaneProgram> MakeLaneProgram(Program program, std::vector<double> own = {}) {
  return std::make_shared<const LaneProgramOf<Program>>(std::move(program), std::move(own));
}

}  // namespace stride
