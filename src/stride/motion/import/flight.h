#pragma once

#include <vector>

#include "stride/motion/motion.h"

// Whether a clip runs at the rate that its file says: in flight the centre of mass must fall as the
// Earth pulls.
namespace stride {

struct FlightCheck {
  // Fall of the centre of mass in each flight, m/s2: second derivative of a parabola fitted to its
  // height.
  std::vector<double> gravities;
  double gravity = 0;  // their median; 0: no flight
  double suggested_fps =
      0;  // a usual rate at which it would be about 9.8; 0: the rate is plausible, or unknown
};

// A flight: at least 0.2 s with all contact points more than 3 cm above the ground, in which the
// centre of mass moves on a parabola (one that hangs from a bar does not). Contact labels are not
// asked: at a wrong rate speeds, and with them the labels, are wrong. The motion must stand on z =
// 0 (PutFeetOnGround). The character's size stands for the captured body's, so an error of a tenth
// is nothing; a rate wrong by half or twice is four times off.
FlightCheck CheckFlights(const Character& character, const Motion& motion);

}  // namespace stride
