#include "stride/sim/stand.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Dense>

#include "stride/dynamics/rigid_body.h"

namespace stride {
namespace {

// Points this close to the lowest one stand on the ground, m.
constexpr double kSupportHeight = 0.002;

// Shares f >= 0 of a unit weight over points (x, y) that put its centre at (cx, cy): least squares
// of f under the three balance conditions, leaving out points that would have to pull. Empty if
// there are none.
Eigen::VectorXd ShareWeight(std::vector<Vec3d> points, double cx, double cy,
                            std::vector<int>* used) {
  while (points.size() >= 3) {
    const int n = static_cast<int>(points.size());
    Eigen::MatrixXd balance(3, n);
    for (int k = 0; k < n; ++k) balance.col(k) << 1, points[k].x - cx, points[k].y - cy;
    const Eigen::Matrix3d gram = balance * balance.transpose();
    const Eigen::FullPivLU<Eigen::Matrix3d> lu(gram);
    if (!lu.isInvertible()) break;
    const Eigen::VectorXd f = balance.transpose() * lu.solve(Eigen::Vector3d(1, 0, 0));
    int worst = 0;
    if (f.minCoeff(&worst) >= 0) return f;
    points.erase(points.begin() + worst);
    used->erase(used->begin() + worst);
  }
  return {};
}

}  // namespace

std::vector<double> CarryingTorques(const Character& character, const std::vector<double>& q,
                                    double gravity) {
  Model<double> model(character);
  const int nv = model.DofCount();
  std::vector<double> torques(nv, 0.0), zero(nv, 0.0);
  if (!model.GetTree().free_root) return torques;
  model.SetState(q.data(), zero.data());

  double lowest = std::numeric_limits<double>::infinity();
  std::vector<Vec3d> places;
  for (const ContactPoint& point : character.contact_points) {
    places.push_back(model.PointPosition(point.body, point.position) - Vec3d{0, 0, point.radius});
    lowest = std::min(lowest, places.back().z);
  }
  std::vector<Vec3d> support;
  std::vector<int> used;
  for (int k = 0; k < static_cast<int>(places.size()); ++k) {
    if (places[k].z > lowest + kSupportHeight) continue;
    support.push_back(places[k]);
    used.push_back(k);
  }
  const Vec3d com = CenterOfMass(&model);
  const Eigen::VectorXd share = ShareWeight(support, com.x, com.y, &used);
  if (share.size() == 0) return torques;

  std::vector<BodyForce<double>> forces;
  for (int k = 0; k < share.size(); ++k) {
    const ContactPoint& point = character.contact_points[used[k]];
    forces.push_back(
        {point.body, {0, 0, share[k] * model.GetTree().mass * gravity}, {}, point.position});
  }
  InverseDynamics<double>(&model, gravity, zero.data(), forces.data(),
                          static_cast<int>(forces.size()), torques.data());
  std::fill(torques.begin(), torques.begin() + 6, 0.0);
  return torques;
}

}  // namespace stride
