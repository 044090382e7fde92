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
  double lateral = 0.3;  // share of the speed to the side for each rad/s of turning, eq. 10
  double early = 0.6;    // share of a swing before which a touch is no landing
  // Faster steps for who goes further than the clip, Section 5.2: the clip's rate is the ratio of
  // both ways to this power; the paper: 1.
  double haste = 1;
  double most_haste = 2;        // the paper: 2
  double haste_share = 0.1;     // of a change of rate that each plan takes up
  double reach = 0.99;          // of a leg, to which a foot that stands may stretch it
  double most_lowering = 0.05;  // m that the body gives way to that
  double most_step = 0.7;       // m of a landing from the centre of mass
  double clearance = 0;         // m that a swinging foot is lifted more than the clip's
  // Landings further out for who is too fast, m for each m/s, and m/s for each m/s, in place of a
  // displacement map that is found off-line.
  double shift_gain = 0, shift_gain_side = 0, shift_integral = 0;
  // Landings always further ahead and further from each other, m: a displacement map (eq. 7) that
  // is the same for both feet and all steps.
  double shift_ahead = 0, shift_out = 0;
  double most_force = 200;  // N, of the pole's control force in the level momentum's rate
  bool late = true;         // a foot that is late stands where it has got to, until it touches
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
  visit("haste", c.haste, {0, 2}, "power of the way's ratio to the clip's in the rate of steps");
  visit("most_haste", c.most_haste, {1, 4}, "how much faster than the clip's steps can be");
  visit("haste_share", c.haste_share, {0, 1}, "of a change of rate that each plan takes up");
  visit("reach", c.reach, {0.8, 1}, "of a leg, to which a standing foot may stretch it");
  visit("most_lowering", c.most_lowering, {0, 0.5, "m"}, "that the body gives way to a long step");
  visit("most_step", c.most_step, {0.1, 2, "m"}, "of a landing from the centre of mass");
  visit("clearance", c.clearance, {0, 0.3, "m"}, "that a swinging foot is lifted more");
  visit("shift_gain", c.shift_gain, {0, 1, "s"}, "landings further out for who is too fast");
  visit("shift_gain_side", c.shift_gain_side, {0, 1, "s"}, "the same, to the side");
  visit("shift_integral", c.shift_integral, {0, 1}, "the same ahead, little by little");
  visit("shift_ahead", c.shift_ahead, {-0.5, 0.5, "m"}, "landings always further ahead");
  visit("shift_out", c.shift_out, {-0.2, 0.2, "m"}, "landings always further from each other");
  visit("most_force", c.most_force, {1, 1e4, "N"}, "of the pole in the level momentum's rate");
  visit("late", c.late, "a foot that is late stands where it has got to");
  visit("solve_root", c.solve_root, "the root is solved for the planned pole (eq. 8)");
}

// How the user changes what the pole wants: eqs. 9 and 10.
struct PlannerCommand {
  double speed = 0;  // m/s more along the heading
  double turn = 0;   // rad/s more
  double total = 0;  // m/s along the heading that are asked for in all
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
  // Its stages, in order; Plan calls them.
  struct Pose {
    std::vector<double> q;
    BodyFrames frames;
    double lowered = 0;  // m, by Lower
  };
  void Estimate(Model<double>* model, const State& state);
  void Predict(const PlannerCommand& command);
  void Reconstruct(int ahead, Pose* pose);
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
  void Synchronise(std::array<bool, 2> touches);
  void Land(int limb, int at);
  void Pace();
  void Adapt(const PlannerCommand& command);
  Level2 ShiftOf(int limb) const;
  double RateAt(double at) const;
  int StepsUntil(double frame) const;
  ShearedFrame PredictedFrame(const Support& support) const;
  void Bound(int limb, const Support& support, ShearedFrame* frame) const;
  LimbPlace Place(int limb, double at) const;
  void Lower(const std::array<LimbPlace, 2>& places, Pose* pose) const;
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
  std::array<bool, 2> late_ = {false, false};
  std::array<ShearedFrame, 2> support_;  // of the present or last support
  std::array<int, 2> support_until_ = {0, 0};
  CartPoleState pole_;
  double heading_ = 0;
  double yaw_ = 0;  // that turns the clip to the body
  std::vector<CartPoleState> predicted_;
  std::vector<double> predicted_heading_;
  std::vector<double> clip_at_;  // frames of the clip at the steps that are predicted
  bool planned_ = false;
  Level2 mean_speed_;  // relative to the heading, m/s
  double learned_ = 0;
  Level2 shift_;     // of landings to come, m
  double rate_ = 1;  // frames of the clip a step while one foot stands alone
  std::array<LimbPlace, 2> landings_;
  std::array<Pose, 2> desired_;
  BodyFrames frames_, aligned_;
  Pose scratch_;
};

}  // namespace stride
