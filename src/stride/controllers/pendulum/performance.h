#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stride/control/controller.h"
#include "stride/controllers/pendulum/pendulum.h"
#include "stride/controllers/pendulum/performance_planner.h"

// Clips that are performed once, and end standing: gymnastics, jumps, spins. The same two uses of
// the quadratic program as of pendulum.h.
namespace stride {

// Torques in an engine that knows nothing of the program.
class PerformanceController final : public Controller {
 public:
  PerformanceController(const World& world, std::shared_ptr<const PerformanceReference> reference,
                        const PendulumConfig& config);

  std::unique_ptr<Controller> Clone() const override {
    return std::make_unique<PerformanceController>(*this);
  }
  State Start() const override { return planner_.Start(); }
  void ChangeGround(const Terrain& terrain) override;
  void Step(const Observation& observation, const Command& command, Actuation* actuation) override;
  const State* Reference() const override { return &reference_; }
  std::vector<DebugChannel> Channels() const override;
  void ReadChannels(std::span<float> values) const override;
  double Frame() const { return planner_.Frame(); }  // of the clip, at kPlanRate

 private:
  void GoOn(double dt);

  PendulumConfig config_;
  Terrain terrain_;
  double time_step_, gravity_, friction_;
  PerformancePlanner planner_;
  WholeBodyQp program_;
  Model<double> model_;
  WholeBodyTarget target_;
  State reference_;
  std::vector<int> limb_of_body_;
  double plan_time_ = 0, program_time_ = 0;  // since the last of each, s
  bool begun_ = false;
  int unsolved_ = 0;
};

// The paper's use: the program's accelerations are integrated at 120 Hz, pushes are known. What a
// step of that length gets wrong of the body's whole momentum is put right, or a tuck would change
// the height of its own flight.
class PerformanceSimulation {
 public:
  PerformanceSimulation(std::shared_ptr<const PerformanceReference> reference,
                        const Terrain& terrain, double friction, const PerformanceConfig& config);

  void SetState(const State& state) { state_ = state; }
  // From the clip's frame `at` on, in its state.
  void Begin(int at) {
    planner_.Begin(at);
    state_ = planner_.Start(at);
  }
  void Step(std::span<const ExternalForce> pushes);

  const State& GetState() const { return state_; }
  double Time() const { return time_; }
  int Unsolved() const { return unsolved_; }
  const PerformancePlanner& GetPlanner() const { return planner_; }
  const WholeBodyQp& Program() const { return program_; }
  const WholeBodyTarget& Target() const { return target_; }

 private:
  std::shared_ptr<const PerformanceReference> reference_;
  Terrain terrain_;
  double friction_;
  PerformancePlanner planner_;
  WholeBodyQp program_;
  Model<double> model_;
  WholeBodyTarget target_;
  State state_;
  std::vector<int> limb_of_point_;
  double time_ = 0;
  int unsolved_ = 0;
};

}  // namespace stride
