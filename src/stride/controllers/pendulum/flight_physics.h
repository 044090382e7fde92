#pragma once

#include <array>
#include <span>
#include <vector>

#include "stride/controllers/pendulum/limbs.h"
#include "stride/controllers/pendulum/momentum_map.h"
#include "stride/motion/edit/leg_ik.h"
#include "stride/motion/kinematics.h"

// A captured flight is no flight of the character's: its masses are others and markers slip. Here a
// clip's flights become what a free body does: its centre of mass on a parabola, its angular
// momentum constant. The ground on both sides gives way smoothly, feet and hands staying where they
// stand.
namespace stride {

// A body's four limbs, brought to places in the world: legs with their feet, arms to the middle of
// their hands.
class LimbSolver {
 public:
  explicit LimbSolver(const Kinematics& kinematics);
  const std::array<LimbParts, kMostLimbs>& limbs() const { return limbs_; }
  bool Has(int limb) const { return limbs_[limb].body >= 0; }
  struct Place {
    Vec3d position;
    Quatd rotation = Quatd::Identity();  // of the limb's body
  };
  Place PlaceOf(int limb, const BodyFrames& frames) const;
  // `frames` are those of q as it comes; only coordinates of the limb change.
  void Solve(int limb, const BodyFrames& frames, const Place& place, std::vector<double>* q) const;

 private:
  std::array<LimbParts, kMostLimbs> limbs_;
  std::vector<LegIk> legs_;
  std::vector<LimbIk> arms_;
  std::array<int, 2> arm_of_ = {-1, -1};  // in arms_
  std::array<int, 2> lower_ = {-1, -1};   // body
};

// Brings the standing limbs of a pose to places and keeps its centre of mass where it is told.
// `placed`: a pose whose limbs are at their places.
void StandOn(const Kinematics& kinematics, std::span<const BodyMass> masses,
             const LimbSolver& limbs, const std::array<bool, kMostLimbs>& stands,
             const BodyFrames& placed, const Vec3d& com, std::vector<double>* q);

// Frames between the last that stands and the first that stands again.
struct Flight {
  int last_before = 0, first_after = 0;
  friend bool operator==(const Flight&, const Flight&) = default;
};
// Of labels per frame and limb.
std::vector<Flight> FlightsOf(const std::array<std::vector<char>, kMostLimbs>& stands);

// After joints on the ground were changed from `given`: those changes fade into the flight from
// both sides, without a jump of angle or speed.
void FadeIntoFlight(const Kinematics& kinematics, const Flight& flight, double rate,
                    const std::vector<std::vector<double>>& given,
                    std::vector<std::vector<double>>* poses);

// A flight's parabola and what it turns with.
struct FlightPath {
  Flight flight;
  double rate = 0;          // frames/s
  Vec3d begin, speed;       // of the centre of mass at the last frame that stands
  Vec3d angular_momentum;   // kg m^2/s
  double clip_gravity = 0;  // m/s^2, of the clip's own way
  double moved = 0;         // of the clip's centre of mass, at most, m
  double turned = 0;        // of the clip's body in the last change, at most, rad
  Vec3d At(int frame) const;
  Vec3d SpeedAt(int frame) const;
};
// Parabolas nearest to a clip's flights.
std::vector<FlightPath> FitFlights(const Kinematics& kinematics, std::span<const BodyMass> masses,
                                   const std::vector<Flight>& flights, double rate,
                                   const std::vector<std::vector<double>>& poses);
// Puts the poses on the paths. `window`: seconds of ground on each side that give way.
void MakeFlightsPhysical(const Kinematics& kinematics, std::span<const BodyMass> masses,
                         const LimbSolver& limbs,
                         const std::array<std::vector<char>, kMostLimbs>& stands, double window,
                         std::vector<FlightPath>* paths, std::vector<std::vector<double>>* poses);

}  // namespace stride
