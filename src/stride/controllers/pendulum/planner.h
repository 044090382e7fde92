#pragma once

#include <array>
#include <memory>
#include <vector>

#include "stride/controllers/pendulum/reference.h"
#include "stride/controllers/pendulum/whole_body_qp.h"
#include "stride/motion/edit/leg_ik.h"
#include "stride/sim/world.h"

// From the body as it is to the motion that it should make next: kwon17, Sections 5.1 and 5.2.
namespace stride {

struct PlannerConfig {
  double momentum_damping = 10;  // 1/s, of the angular momentum; the authors' program: 10
  double momentum_share = 0.3;   // of what the pole adds; the authors' program: 0.3
  double most_momentum = 50;     // N m that each of the two may ask for; the authors' program: 50
  // Of the mass on a spring; the paper's regulator: 173, 144; the authors' program: 1000, 346.
  double height_stiffness = 1000, height_damping = 346;  // N/m, N s/m
  double lateral = 0.3;     // share of the speed to the side for each rad/s of turning, eq. 10
  double early = 0.6;       // share of a swing before which a touch is no landing
  bool solve_root = false;  // eq. 8; off: the root moves rigidly with the pole
};
template <class Visitor>
void VisitConfig(PlannerConfig& c, Visitor& visit) {
  visit("momentum_damping", c.momentum_damping, {0, 100, "1/s"},
        "of the angular momentum towards the clip's");
  visit("momentum_share", c.momentum_share, {0, 1}, "of the pole's change of angular momentum");
  visit("most_momentum", c.most_momentum, {0, 1000, "N m"}, "that balance may ask for");
  visit("height_stiffness", c.height_stiffness, {0, 1e5, "N/m"}, "of the body's height");
  visit("height_damping", c.height_damping, {0, 1e4, "N s/m"}, "of the body's height");
  visit("lateral", c.lateral, {0, 2, "s/rad"}, "how far it goes to the inside of a turn");
  visit("early", c.early, {0, 1}, "share of a swing before which a touch is no landing");
  visit("solve_root", c.solve_root, "the root is solved for the planned pole (eq. 8)");
}

// How the user changes what the pole wants: eqs. 9 and 10.
struct PlannerCommand {
  double speed = 0;  // m/s more along the heading
  double turn = 0;   // rad/s more
};

// Places of limbs and a clip made for a body. Not copied: its parts point at each other.
struct PendulumRig {
  PendulumRig(const Character& character, const Motion& motion);
  PendulumRig(const PendulumRig&) = delete;
  PendulumReference reference;
  std::vector<LegIk> legs;
};

class PendulumPlanner {
 public:
  PendulumPlanner(std::shared_ptr<const PendulumRig> rig, const Terrain& terrain,
                  const PlannerConfig& config);

  // The clip from frame `at` on, on the ground at the origin.
  void ChangeGround(const Terrain& terrain) { terrain_ = terrain; }
  State Start(int at = 0) const;
  void Begin(int at = 0);

  // One plan. The model is at `state`; `touches`: feet that touch the ground.
  void Plan(Model<double>* model, const State& state, const PlannerCommand& command,
            std::array<bool, 2> touches, WholeBodyTarget* target);
  // Which feet stand in the plan.
  std::array<bool, 2> Stands() const;
  // Goes on by one step of kPlanStep.
  void Advance();

  // What it thinks.
  const CartPoleState& Pole() const { return pole_; }
  const CartPole& PoleModel() const { return rig_->reference.pole(); }
  double HeadingNow() const { return heading_; }
  double Frame() const { return frame_; }
  const std::vector<CartPoleState>& Predicted() const { return predicted_; }
  // Where the feet stand, or will land.
  const std::array<LimbPlace, 2>& Landings() const { return landings_; }

 private:
  struct Pose {
    std::vector<double> q;
    BodyFrames frames;
  };
  void Estimate(Model<double>* model, const State& state);
  void Predict(const PlannerCommand& command);
  void Synchronise(std::array<bool, 2> touches);
  void Land(int limb, int at);
  ShearedFrame PredictedFrame(const Support& support, int at) const;
  LimbPlace Place(int limb, int at) const;
  void Reconstruct(int ahead, Pose* pose);
  void SolveRoot(const RigidFrame& wanted, const std::array<LimbPlace, 2>& places, int at,
                 Pose* pose);
  void SolveLegs(const std::array<LimbPlace, 2>& places, Pose* pose) const;
  Level2 WantedAt(int at, double heading, const PlannerCommand& command) const;

  std::shared_ptr<const PendulumRig> rig_;
  Terrain terrain_;
  PlannerConfig config_;

  // Memory of the run.
  double frame_ = 0;
  std::array<bool, 2> stands_ = {true, true};
  std::array<ShearedFrame, 2> support_;  // of the present or last support
  std::array<int, 2> support_until_ = {0, 0};
  CartPoleState pole_;
  double heading_ = 0;
  double yaw_ = 0;  // that turns the clip to the body
  std::vector<CartPoleState> predicted_;
  std::vector<double> predicted_heading_;
  std::array<LimbPlace, 2> landings_;
  std::array<Pose, 2> desired_;
  BodyFrames frames_, aligned_;
  Pose scratch_;
};

}  // namespace stride
