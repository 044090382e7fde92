#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "stride/controllers/pendulum/performance_reference.h"
#include "stride/controllers/pendulum/whole_body_qp.h"
#include "stride/sim/world.h"

// From the body as it is to what a clip that is performed once makes next: kwon17, Sections 5.1 and
// 5.2, with the pole that pivots where the body stands.
namespace stride {

// The authors' program where it says so; stiffer feet than when walking, and torques that a tuck in
// flight needs.
inline WholeBodyConfig PerformanceBody() {
  WholeBodyConfig body;
  body.joint_stiffness = 150;
  body.foot_stiffness = 400, body.foot_damping = 40;
  body.weight_linear = body.weight_height = 8000;  // the authors' program, standing: the same
  body.most_torque = 800;
  body.soft_landing = 4000;
  body.weight_held = 1e6;  // 6e4: feet hover while the body rises
  return body;
}

template <class Visitor>
void VisitConfig(SwayWeights& c, Visitor& visit) {
  visit("aside", c.aside, {1e-3, 10, "m"}, "of the centre of mass, that counts as much as");
  visit("speed", c.speed, {1e-3, 10, "m/s"}, "of it");
  visit("turned", c.turned, {1e-3, 10, "rad"}, "of the body");
  visit("turning", c.turning, {1e-3, 100, "rad/s"}, "of the body");
  visit("force", c.force, {1, 1e4, "N"}, "level, of the ground");
  visit("pushed", c.pushed, {1e-3, 1, "m"}, "that the ground's push is moved by");
}

struct PerformanceConfig {
  // Of the whole body's turning towards the clip's; damping of the authors' program: 10.
  double turning_stiffness = 40, turning_damping = 10;    // 1/s^2, 1/s
  double most_turning = 1200;                             // N m that both may ask for
  double pole_weight = 30000;                             // of the pole's regulator; the paper's
  double most_aside = 800;                                // N that the pole may ask for
  double height_stiffness = 4000, height_damping = 1000;  // N/m, N s/m
  // Share of a regulator for balance and turning at once, beside the pole and the spring.
  double sways = 0;
  SwayWeights sway;
  bool possible = false;      // turning that feet could not push without falling is not asked for
  double step_speed = 0.25;   // m that the next landing moves for each m/s of speed too much
  double step_turning = 0.1;  // m that it moves for each rad of lean too much
  double most_step = 0.4;     // m
  double early = 0.12;        // s before the clip's landing from which a touch is one
  double late = 0.25;         // s that the clip waits for a landing
  double follow = 0.1;        // s in which the plan comes to where the limbs landed
  // In flight; the authors' program: 1000, 6e4, 1.
  double flight_joints = 1000, flight_feet = 6e4, flight_torque = 1e-4;
  WholeBodyConfig body = PerformanceBody();
};
template <class Visitor>
void VisitConfig(PerformanceConfig& c, Visitor& visit) {
  visit("turning_stiffness", c.turning_stiffness, {0, 1000, "1/s^2"},
        "of the whole body's turning towards the clip's");
  visit("turning_damping", c.turning_damping, {0, 100, "1/s"}, "of the same");
  visit("most_turning", c.most_turning, {0, 1e4, "N m"}, "that turning may ask for");
  visit("pole_weight", c.pole_weight, {1, 1e8}, "of the pivoted pole's regulator");
  visit("most_aside", c.most_aside, {0, 1e4, "N"}, "that the pole may ask for");
  visit("height_stiffness", c.height_stiffness, {0, 1e5, "N/m"}, "of the body's height");
  visit("height_damping", c.height_damping, {0, 1e4, "N s/m"}, "of the body's height");
  visit("sways", c.sways, {0, 1}, "share of one regulator for balance and turning at once");
  visit("sway", c.sway);
  visit("possible", c.possible, "asks for no turning that costs the balance");
  visit("step_speed", c.step_speed, {0, 2, "s"}, "of the next landing by speed");
  visit("step_turning", c.step_turning, {-2, 2, "m/rad"}, "of the next landing by lean");
  visit("most_step", c.most_step, {0, 1, "m"}, "that a landing is moved by");
  visit("early", c.early, {0, 0.5, "s"}, "before a landing from which a touch is one");
  visit("late", c.late, {0, 1, "s"}, "that the clip waits for a landing");
  visit("follow", c.follow, {0.001, 1, "s"}, "in which the plan follows the landings");
  visit("flight_joints", c.flight_joints, {0, 1e8}, "weight of the joints in flight");
  visit("flight_feet", c.flight_feet, {0, 1e8}, "weight of the feet in flight");
  visit("flight_torque", c.flight_torque, {0, 1e4}, "weight of the torques in flight");
  visit("body", c.body);
}

class PerformancePlanner {
 public:
  PerformancePlanner(std::shared_ptr<const PerformanceReference> reference, const Terrain& terrain,
                     const PerformanceConfig& config);

  void ChangeGround(const Terrain& terrain) { terrain_ = terrain; }
  // The clip's state at its frame `at` on the ground at the origin.
  State Start(int at = 0) const;
  void Begin(int at = 0);

  // One plan. The model is at `state`; `touches`: limbs that touch the ground.
  void Plan(Model<double>* model, const State& state, std::span<const bool> touches,
            WholeBodyTarget* target);
  // Which limbs may carry in the plan.
  std::array<bool, kMostLimbs> Stands() const { return carries_; }
  // Gains and weights for what was planned.
  const WholeBodyConfig& Body() const { return supported_ ? config_.body : in_flight_; }
  void Advance();

  double Frame() const { return frame_; }
  bool Over() const { return frame_ >= reference_->Count() - 1; }
  double HeadingNow() const;
  const PerformanceReference& reference() const { return *reference_; }
  const Vec3d& OffCenter() const { return off_; }   // of the centre of mass from the plan, m
  const Vec3d& OffTurn() const { return turned_; }  // of the whole body, rad
  const Vec3d& Center() const { return whole_.com; }
  Vec3d Pivot() const;  // of the pole, on the ground
  LimbSolver::Place PlannedPlace(int limb, int at) const;

 private:
  LevelMove MoveOf(int limb, int at) const;
  void Estimate(Model<double>* model, const State& state);
  Vec3d Standing(int limb) const;
  void AskWhatIsPossible(WholeBodyTarget* target) const;
  void Follow(std::span<const bool> touches);
  void Reconstruct(int at, std::vector<double>* q);
  Level2 NextStep(double seconds) const;

  std::shared_ptr<const PerformanceReference> reference_;
  Terrain terrain_;
  PerformanceConfig config_;
  WholeBodyConfig in_flight_;
  PivotedPole pole_;
  SwayGains sway_;
  std::vector<int> limb_of_point_;

  // Memory of the run.
  double frame_ = 0;
  double waited_ = 0;   // s, for a landing
  bool lands_ = false;  // no limb has touched since the flight
  bool waits_ = false, flies_ = false, supported_ = true;
  LevelMove move_;                            // of the clip
  std::array<LevelMove, kMostLimbs> landed_;  // of the limb's present or last support
  std::array<bool, kMostLimbs> holds_ = {};   // it stands where it landed
  std::array<bool, kMostLimbs> carries_ = {};
  Vec3d off_, off_speed_, turned_, off_momentum_;
  WholeBody whole_;
  Momentum<double> momentum_;
  BodyFrames frames_, aligned_, scratch_;
  std::array<std::vector<double>, 2> desired_;
  std::vector<double> solved_;
};

}  // namespace stride
