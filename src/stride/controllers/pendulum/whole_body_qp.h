#pragma once

#include <array>
#include <vector>

#include "stride/controllers/pendulum/limbs.h"
#include "stride/controllers/pendulum/momentum_map.h"
#include "stride/dynamics/model.h"
#include "stride/optim/qp.h"
#include "stride/sim/world.h"

// Joint accelerations, contact forces and torques that follow a planned motion as well as the
// equations of motion and the ground allow: kwon17, Section 5.3, as a quadratic program in the
// accelerations and the forces along the edges of the friction cones. Torques are not variables
// here: the equations of motion (eq. 12) give them.
namespace stride {

struct WholeBodyConfig {
  // Of the joints, eq. 20; the paper: 200, 30 and for hips and spine 800, 120; the authors' program
  // 120, 20.
  double joint_stiffness = 120, joint_damping = 20;  // 1/s^2, 1/s
  double foot_stiffness = 120, foot_damping = 24;    // the authors' program: the same
  double most_acceleration = 400;                    // rad/s^2 that a joint's error may ask for
  // Weights; those of the authors' program: joints 1e4, feet 6e4 (turning half of it), angular
  // momentum 8000, torques 1e-4, forces 1e-4 to 5.
  double weight_joints = 1e4, weight_root = 1e-2, weight_feet = 6e4, weight_momentum = 8000;
  double weight_linear = 0, weight_height = 100;
  double weight_torque = 1e-4, weight_force = 1;
  double most_torque = 400;  // N m; the authors' program: 400
  double margin = 0.01;      // m, depth at which a contact carries; the authors' program: 0.01
  bool own_ground = true;  // keeps the body out of the ground itself, for who integrates the result
  double weight_held = 6e4;  // of feet that have landed to stay
  double settling = 0.5;     // share of its height that a contact of theirs may lose in a step
  double steps_down = 2, steps_up = 10;
  double soft_landing = 500;  // N that a foot may carry while it has come half of the margin
};

template <class Visitor>
void VisitConfig(WholeBodyConfig& c, Visitor& visit) {
  visit("joint_stiffness", c.joint_stiffness, {0, 1e4, "1/s^2"}, "of the joints' tracking");
  visit("joint_damping", c.joint_damping, {0, 1e3, "1/s"}, "of the joints' tracking");
  visit("foot_stiffness", c.foot_stiffness, {0, 1e4, "1/s^2"}, "of the feet's tracking");
  visit("foot_damping", c.foot_damping, {0, 1e3, "1/s"}, "of the feet's tracking");
  visit("most_acceleration", c.most_acceleration, {1, 1e5, "rad/s^2"},
        "that an error of a joint may ask for");
  visit("weight_joints", c.weight_joints, {0, 1e8}, "of the joints' accelerations");
  visit("weight_root", c.weight_root, {1e-6, 1e8}, "of the root's");
  visit("weight_feet", c.weight_feet, {0, 1e8}, "of the feet's; turning has half of it");
  visit("weight_momentum", c.weight_momentum, {0, 1e8}, "of the angular momentum's rate");
  visit("weight_linear", c.weight_linear, {0, 1e8}, "of the level momentum's rate");
  visit("weight_height", c.weight_height, {0, 1e8}, "of the vertical momentum's rate");
  visit("weight_torque", c.weight_torque, {0, 1e4}, "of the torques");
  visit("weight_force", c.weight_force, {1e-9, 1e4}, "of the contact forces");
  visit("most_torque", c.most_torque, {0, 1e5, "N m"},
        "of each coordinate of a joint; 0: no bound");
  visit("margin", c.margin, {1e-4, 0.1, "m"}, "height below which a standing foot may carry");
  visit("weight_held", c.weight_held, {0, 1e8}, "of feet that have landed to stay");
  visit("settling", c.settling, {0, 1},
        "share of its height that their contact may lose in a step");
  visit("steps_down", c.steps_down, {1, 100}, "steps in which a foot that has landed comes down");
  visit("steps_up", c.steps_up, {1, 100}, "the same, up");
  visit("soft_landing", c.soft_landing, {1, 1e5, "N"},
        "that a foot may carry while it comes down, where the program is the ground");
}

// What the planner wants of the next step.
struct WholeBodyTarget {
  std::vector<double> q, v, acceleration;  // layouts of State
  Vec3d angular_rate, linear_rate;         // of the momentum, N m and N
  struct Limb {
    int body = -1;
    Vec3d point;  // of the body, its frame
    Vec3d position, velocity, acceleration;
    Quatd rotation = Quatd::Identity();
    Vec3d angular_velocity, angular_acceleration;
    double weight = 1;
    double turning = 0.5;  // share of the weight that its rotation has
    bool lands = false;    // it should be down
    bool holds = false;    // it has landed to stay: its contacts stick, shallow as they may be
  };
  std::array<Limb, kMostLimbs> limbs;
};

// A contact point that touches: where the program may let the ground push.
struct TouchingPoint {
  int index;            // in Character::contact_points
  Vec3d normal;         // of the ground
  double depth;         // m, from `margin` above the ground on
  bool grazes = false;  // of a foot that is not to carry
};

class WholeBodyQp {
 public:
  WholeBodyQp(const Character& character, const WholeBodyConfig& config);
  // Gains and weights from now on.
  void Use(const WholeBodyConfig& config) { config_ = config; }

  // Points of the body that touch, as the program sees the ground.
  // `limbs`: the first ones that may carry or not; those that it does not name may. Where the
  // program is the ground, one that may not and is in it glides over it.
  void FindContacts(const Model<double>& model, const Terrain& terrain,
                    std::span<const bool> limbs = {});
  const std::vector<TouchingPoint>& Contacts() const { return contacts_; }

  // `pushes`: forces on the body that are known. The model is at the present state.
  QpStatus Solve(Model<double>* model, const State& state, const WholeBodyTarget& target,
                 std::span<const ExternalForce> pushes, double gravity, double friction, double dt);

  const std::vector<double>& Acceleration() const { return acceleration_; }
  const std::vector<double>& Torque() const { return torque_; }
  // On each of Contacts(), world axes, N.
  const std::vector<Vec3d>& Forces() const { return forces_; }
  int Steps() const { return solver_.Steps(); }

 private:
  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  void AddTask(const RowMatrix& jacobian, const Vector6& wanted, const Vector6& weights);

  const Character* character_;
  WholeBodyConfig config_;
  Layout layout_;
  std::vector<int> limb_of_point_;  // contact point to limb; -1: none
  std::vector<TouchingPoint> contacts_;
  QuadraticProgram program_;
  QpSolver solver_;
  RowMatrix mass_, momentum_, jacobian_, edges_;  // edges_: nv x forces, J' B
  Eigen::VectorXd bias_, edge_bias_;
  std::vector<double> zero_, acceleration_, torque_;
  std::vector<Vec3d> forces_;
  std::vector<BodyForce<double>> body_forces_;
  RowMatrix edge_directions_;  // 3 x forces
};

}  // namespace stride
