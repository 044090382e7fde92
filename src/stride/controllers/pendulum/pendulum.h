#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stride/control/controller.h"
#include "stride/controllers/pendulum/performance_planner.h"
#include "stride/controllers/pendulum/planner.h"

// Momentum-mapped inverted pendulums: Kwon, Hodgins (2017), `kwon17`. The body is seen as a pole on
// a cart, the pole's way is predicted, the clip is bent to it, and a quadratic program finds the
// torques.
namespace stride {

struct PendulumConfig {
  double program_rate = 480;  // Hz, of the quadratic program; the paper, its own simulator: 120
  double servo = 0.2;         // share of the body's own servos that rides on the torques
  double grip = 0.8;          // share of the ground's friction that is used
  double turning = 1.5;       // rad/s at most, of a turn that is told; the paper: 1.5
  PlannerConfig planner;
  WholeBodyConfig body;
  PerformanceConfig once;  // of clips that are performed once
};
template <class Visitor>
void VisitConfig(PendulumConfig& c, Visitor& visit) {
  visit("program_rate", c.program_rate, {60, 2000, "Hz"}, "of the quadratic program");
  visit("servo", c.servo, {0, 2}, "share of the body's own servos that rides on the torques");
  visit("grip", c.grip, {0.1, 1}, "share of the ground's friction that is used");
  visit("turning", c.turning, {0, 5, "rad/s"}, "rate of a turn that is told, at most");
  visit("planner", c.planner);
  visit("body", c.body);
  visit("once", c.once);
}

// What the command asks of the pole: heading and speed as a turn and a change of speed. Slow
// integrals remove what stays of the errors of speed and rate of turning.
class Steering {
 public:
  Steering(const PendulumReference& clip, double most_turning)
      : clip_(clip.Speed()), most_(most_turning), direction_(clip.Direction()) {}
  PlannerCommand Use(const Command& command, double heading, const Vec3d& velocity);

 private:
  double clip_, most_;
  Level2 direction_;   // in which the clip goes, relative to its heading
  double course_ = 0;  // kept unless told another, rad
  bool begun_ = false;
  Level2 mean_;               // velocity relative to the heading, m/s
  double heading_ = 0;        // of the step before, rad
  double integral_ = 0;       // m/s
  double turn_integral_ = 0;  // rad/s
};

// Torques in an engine that knows nothing of the program.
class PendulumController final : public Controller {
 public:
  PendulumController(const World& world, std::shared_ptr<const PendulumRig> rig,
                     const PendulumConfig& config);

  std::unique_ptr<Controller> Clone() const override {
    return std::make_unique<PendulumController>(*this);
  }
  State Start() const override { return planner_.Start(); }
  void ChangeGround(const Terrain& terrain) override { planner_.ChangeGround(terrain); }
  void Step(const Observation& observation, const Command& command, Actuation* actuation) override;
  const State* Reference() const override { return &reference_; }
  std::optional<SpeedRange> Speeds() const override;
  std::vector<DebugChannel> Channels() const override;
  void ReadChannels(std::span<float> values) const override;

 private:
  void GoOn(double dt);

  std::shared_ptr<const PendulumRig> rig_;
  PendulumConfig config_;
  Terrain terrain_;
  double time_step_, gravity_, friction_;
  PendulumPlanner planner_;
  WholeBodyQp program_;
  Steering steering_;
  Model<double> model_;
  WholeBodyTarget target_;
  State reference_;
  double plan_time_ = 0, program_time_ = 0;  // since the last of each, s
  bool begun_ = false;
  int unsolved_ = 0;  // programs, so far
};

// The paper's use of the program: it is the simulator too. Its accelerations are integrated at
// 120 Hz, and it knows the pushes.
class ProgramSimulation {
 public:
  ProgramSimulation(std::shared_ptr<const PendulumRig> rig, const Terrain& terrain, double friction,
                    const PendulumConfig& config);

  void Step(const Command& command, std::span<const ExternalForce> pushes);

  const State& GetState() const { return state_; }
  double Time() const { return time_; }
  bool Fell() const { return fell_; }
  int Unsolved() const { return unsolved_; }
  const PendulumPlanner& GetPlanner() const { return planner_; }

 private:
  std::shared_ptr<const PendulumRig> rig_;
  Terrain terrain_;
  double friction_;
  PendulumPlanner planner_;
  WholeBodyQp program_;
  Steering steering_;
  Model<double> model_;
  WholeBodyTarget target_;
  State state_;
  double time_ = 0;
  bool fell_ = false;
  int unsolved_ = 0;
};

}  // namespace stride
