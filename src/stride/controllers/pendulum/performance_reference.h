#pragma once

#include <array>
#include <memory>
#include <vector>

#include "stride/controllers/pendulum/flight_physics.h"
#include "stride/controllers/pendulum/reference.h"

// What is known of a clip that is performed once, on feet and hands, before it is: kwon17, Section
// 4, for what is balanced by a pole that pivots on the ground.
namespace stride {

// A level move of a clip, about the vertical and then aside.
struct LevelMove {
  double yaw = 0;
  Level2 shift;
  Vec3d Point(const Vec3d& p) const;
  Quatd Turn() const { return AxisAngle({0, 0, 1}, yaw); }
  Vec3d Direction(const Vec3d& d) const { return Rotate(Turn(), d); }
};

class PerformanceReference {
 public:
  // `told`: the motion's labels are to be believed to the frame; else they are corrected by how low
  // limbs are. Throws InputError: no limb ever stands.
  PerformanceReference(const Character& character, const Motion& motion, bool told = false);
  // Its parts point at each other.
  PerformanceReference(const PerformanceReference&) = delete;
  // The supports that were found, as labels of the motion's frames.
  void LabelMotion(Motion* motion) const;

  const Character& character() const { return *character_; }
  const Kinematics& kinematics() const { return kinematics_; }
  std::span<const BodyMass> masses() const { return masses_; }
  const LimbSolver& limbs() const { return limbs_; }
  const PivotedPole& pole() const { return pole_; }
  const LumpedMass& lump() const { return lump_; }
  int Count() const { return count_; }
  int Inside(int at) const { return std::clamp(at, 0, count_ - 1); }

  // Of a frame inside the clip, in the clip's world.
  const State& StateAt(int at) const { return states_[at]; }
  const std::vector<double>& Acceleration(int at) const { return accelerations_[at]; }
  const BodyFrames& Frames(int at) const { return frames_[at]; }
  const WholeBody& Whole(int at) const { return wholes_[at]; }
  const Vec3d& AngularMomentum(int at) const { return angular_[at]; }
  const Vec3d& AngularRate(int at) const { return angular_rate_[at]; }
  // Of the centre of mass.
  const Vec3d& Velocity(int at) const { return velocity_[at]; }
  const Vec3d& Rise(int at) const { return rise_[at]; }  // its acceleration
  // The facing direction: the pelvis's where it is upright, linear between (Section 4).
  double HeadingAt(int at) const { return headings_[at]; }
  // The pole's foot: the middle of what stands, linear in time between.
  const Level2& Pivot(int at) const { return pivots_[at]; }

  bool Stands(int limb, int at) const;
  bool Flies(int at) const;  // no limb stands
  // How much the limb's place counts: 1 where it stands or is about to (Figure 8).
  double Weight(int limb, int at) const { return weights_[limb][Inside(at)]; }
  const LimbSolver::Place& Place(int limb, int at) const { return places_[limb][Inside(at)]; }
  // The frame of the next landing of a limb after `at`, -1: none.
  int NextLanding(int limb, int at) const;
  // The frame of its last lift-off at or before `at`; 0: none.
  int LastLift(int limb, int at) const;
  const std::vector<Flight>& Flights() const { return flights_; }
  const std::vector<FlightPath>& Paths() const { return paths_; }
  // Turn of the body in the last change that made its stances possible, rad: how far it converged.
  double GroundTurn() const { return ground_turn_; }
  double FitError() const { return fit_error_; }  // of the pole's centre against the clip's, m

 private:
  void Label(const Motion& motion, bool told);
  void ExtendToHeights();
  void Resample(const Motion& motion);
  void Measure();
  void Face();

  std::shared_ptr<const Character> character_;
  Kinematics kinematics_;
  std::vector<BodyMass> masses_;
  LimbSolver limbs_;
  PivotedPole pole_;
  LumpedMass lump_;
  int count_ = 0;
  double fit_error_ = 0, ground_turn_ = 0;
  std::vector<std::vector<double>> poses_;
  std::vector<State> states_;
  std::vector<std::vector<double>> accelerations_;
  std::vector<BodyFrames> frames_;
  std::vector<WholeBody> wholes_;
  std::vector<Vec3d> angular_, angular_rate_, velocity_, rise_;
  std::vector<double> headings_;
  std::vector<Level2> pivots_;
  std::array<std::vector<char>, kMostLimbs> stands_;
  std::array<std::vector<double>, kMostLimbs> weights_;
  std::array<std::vector<LimbSolver::Place>, kMostLimbs> places_;
  std::vector<Flight> flights_;
  std::vector<FlightPath> paths_;
};

}  // namespace stride
