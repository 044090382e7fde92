#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "stride/control/controller.h"
#include "stride/control/lane_program.h"
#include "stride/sim/batch.h"

// Who drives the lanes of a batch: a lane program, all lanes at once, or clones of any controller,
// one after the other. Both do the same; the program is many times faster.
namespace stride {

class LaneDriver {
 public:
  virtual ~LaneDriver() = default;
  // All lanes begin anew in the states that the batch has, each with parameters of its own:
  // parameters[lane], all of one size.
  virtual void Begin(std::span<const std::span<const double>> parameters, Batch* batch) = 0;
  // Of the lane's ground, a plane through the origin; before Begin, each time.
  virtual void SetSlope(int lane, double slope, double heading) {
    (void)lane, (void)slope, (void)heading;
  }
  virtual void SetCommand(int lane, const Command& command) = 0;
  // Before every step of the batch; `time` since Begin. No allocation.
  virtual void Step(double time, Batch* batch) = 0;
  // What the program measures (LaneProgram::Values), so far.
  virtual int Values() const { return 0; }
  virtual void Measure(int lane, Batch* batch, std::span<double> values) {
    (void)lane, (void)batch, (void)values;
  }
};

using LaneDriverMaker = std::function<std::unique_ptr<LaneDriver>(const Batch& batch)>;

LaneDriverMaker DriveByProgram(std::shared_ptr<const LaneProgram> program);

// `make`: the controller with these parameters. `character`: that of the batch.
using ControllerMaker =
    std::function<std::unique_ptr<Controller>(std::span<const double> parameters)>;
LaneDriverMaker DriveByClones(const Character& character, ControllerMaker make);

}  // namespace stride
