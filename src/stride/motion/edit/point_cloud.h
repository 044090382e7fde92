#pragma once

#include <vector>

#include <Eigen/Dense>

#include "stride/motion/edit/ground_move.h"

// How alike two moments of motions are, and how to lay one over the other: Kovar, Gleicher and
// Pighin (2002), "Motion graphs", section 3.1.
//
// Around each frame stands a window of time; the body's points in it make a cloud, which knows
// velocities as well as positions. The distance of two clouds is the root mean square distance of
// their points (m) after the best rigid motion in the ground plane, which has a closed form: with
// clouds p and p' about their centres,
//   heading = atan2(sum x' y - y' x, sum x' x + y' y),
//   least sum |p - R p'|^2 = sum |p|^2 + sum |p'|^2 - 2 |(sum x' x + y' y, sum x' y - y' x)|
//   (ground plane).
namespace stride {

// Joints and the ends of what hangs on no further joint.
struct BodyPoint {
  int body = 0;
  Vec3d position;  // body frame
};
std::vector<BodyPoint> BodyPoints(const Character& character);

class WindowClouds {
 public:
  // A window reaches `half_window` seconds to both sides. Beyond the ends of the motion a loop goes
  // on; another motion goes on with the speed that it ends with.
  WindowClouds(const Character& character, const Motion& motion, double half_window);

  int FrameCount() const { return static_cast<int>(z_.cols()); }
  double Distance(int frame, const WindowClouds& other, int other_frame) const;
  // Lays the other window over this one.
  GroundMove Alignment(int frame, const WindowClouds& other, int other_frame) const;

 private:
  // A column a frame: the cloud's points about their centre in the ground plane, x above y; the
  // same turned by 90 degrees; heights. All divided by the root of the number of points.
  Eigen::MatrixXd level_, turned_, z_;
  Eigen::VectorXd size_;  // sum of all squares
  std::vector<Vec3d> centre_;
};

}  // namespace stride
