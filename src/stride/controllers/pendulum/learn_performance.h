#pragma once

#include <memory>
#include <optional>

#include "stride/controllers/pendulum/improve_pendulum.h"
#include "stride/controllers/pendulum/learn_pendulum.h"
#include "stride/controllers/pendulum/performance_reference.h"
#include "stride/core/random.h"
#include "stride/motion/import/motion_source.h"

// The part of `stride learn pendulum` for clips that are performed once.
namespace stride::pendulum_controller {

// `told`: the motion's labels are from a file. `improve`: search for gains first.
struct PerformancePlan {
  std::shared_ptr<const PerformanceReference> reference;
  PendulumConfig engine, program;  // settings of both uses
  bool told = false;
  std::optional<ImproveSettings> improve;
  double seconds = 0;  // that the analysis took
};
std::unique_ptr<LearningJob> MakePerformanceJob(const LearningRequest& request, MotionSource source,
                                                PerformancePlan plan, const Workers& workers);

// How a performance went: in the paper's mode or in the native engine, and for two seconds after
// its end.
struct Performed {
  bool stands = false;     // at the end
  double joint_error = 0;  // of all coordinates of joints, degrees, root mean square over the clip
  double height = 0;       // highest place of the centre of mass, m
};
Performed PerformByProgram(const std::shared_ptr<const PerformanceReference>& reference,
                           const PerformanceConfig& config, const State& start,
                           std::span<const ExternalForce> push = {}, double push_at = 0);
Performed PerformInEngine(const std::shared_ptr<const PerformanceReference>& reference,
                          const PendulumConfig& config, const State& start,
                          std::span<const ExternalForce> push = {}, double push_at = 0);
// The clip's first state, disturbed: joints by `degrees`, the root's speed by `speed` m/s, one
// standard deviation each.
State DisturbedStart(const std::shared_ptr<const PerformanceReference>& reference, Random* random,
                     double degrees = 2, double speed = 0.05);
// Of the clip's centre of mass.
double HighestOf(const PerformanceReference& reference);

}  // namespace stride::pendulum_controller
