#include "stride/controllers/pendulum/whole_body_qp.h"

#include <algorithm>
#include <cmath>

#include "stride/dynamics/tree_dynamics.h"
#include "stride/motion/kinematics.h"

namespace stride {
namespace {

constexpr int kEdges = 4;        // of a friction cone
constexpr double kGlide = 0.05;  // friction under a foot that grazes the ground in its swing
constexpr double kHeld = 0.3;    // of the margin, depth from which a contact that holds sticks
constexpr double kMostDown = 1;  // m/s, of a foot that comes down
constexpr int kMostPoints = 24;  // that touch at once; more are left out, the deepest stay

Eigen::Vector3d ToEigen(const Vec3d& v) { return {v.x, v.y, v.z}; }

// x between -most and most, smoothly.
double SoftClamp(double x, double most) { return most * std::tanh(x / most); }

}  // namespace

WholeBodyQp::WholeBodyQp(const Character& character, const WholeBodyConfig& config)
    : character_(&character), config_(config), layout_(LayoutOf(character)) {
  const int nv = layout_.nv, forces = kEdges * kMostPoints, n = nv + forces;
  const int rows = 2 * forces + 2 * nv + 2;
  program_ = QuadraticProgram(n, 6, rows);
  solver_ = QpSolver(n, rows);
  mass_.resize(nv, nv);
  momentum_.resize(6, nv);
  jacobian_.resize(6, nv);
  edges_.resize(nv, forces);
  edge_directions_.resize(3, forces);
  bias_.resize(nv);
  edge_bias_.resize(forces);
  zero_.assign(nv, 0);
  acceleration_.assign(nv, 0);
  torque_.assign(nv, 0);
  contacts_.reserve(character.contact_points.size());
  forces_.reserve(kMostPoints);
  body_forces_.reserve(64);
  limb_of_point_ = LimbOfPoints(character);
}

void WholeBodyQp::FindContacts(const Model<double>& model, const Terrain& terrain,
                               std::span<const bool> limbs) {
  contacts_.clear();
  for (std::size_t p = 0; p < character_->contact_points.size(); ++p) {
    const int limb = limb_of_point_[p];
    const bool grazes = limb >= 0 && limb < static_cast<int>(limbs.size()) && !limbs[limb];
    if (grazes && !config_.own_ground) continue;
    const ContactPoint& point = character_->contact_points[p];
    const Vec3d at = model.PointPosition(point.body, point.position);
    const Surface surface = SurfaceAt(terrain, at.x, at.y);
    const double height = (at.z - surface.height) * surface.normal.z - point.radius;
    const double depth = config_.margin - height;
    if (depth > (grazes ? config_.margin : 0))
      contacts_.push_back({static_cast<int>(p), surface.normal, depth, grazes});
  }
  if (contacts_.size() > kMostPoints) {
    std::partial_sort(contacts_.begin(), contacts_.begin() + kMostPoints, contacts_.end(),
                      [](const auto& a, const auto& b) { return a.depth > b.depth; });
    contacts_.resize(kMostPoints);
  }
}

// Adds |jacobian x - wanted|^2 with weights a row, of the accelerations.
void WholeBodyQp::AddTask(const RowMatrix& jacobian, const Vector6& wanted,
                          const Vector6& weights) {
  const int nv = layout_.nv;
  for (int row = 0; row < jacobian.rows(); ++row) {
    const auto j = jacobian.row(row).transpose();
    for (int c = 0; c < nv; ++c) {
      if (j[c] == 0) continue;
      program_.hessian.col(c).segment(c, nv - c) += (weights[row] * j[c]) * j.segment(c, nv - c);
    }
    program_.gradient.head(nv) -= (weights[row] * wanted[row]) * j;
  }
}

QpStatus WholeBodyQp::Solve(Model<double>* model, const State& state, const WholeBodyTarget& target,
                            std::span<const ExternalForce> pushes, double gravity, double friction,
                            double dt) {
  const int nv = layout_.nv;
  const int points = static_cast<int>(contacts_.size()), forces = kEdges * points, n = nv + forces;
  Articulation<double> art = model->View();
  const Tree<double>& tree = model->GetTree();

  // M, b with the known pushes, momentum.
  body_forces_.clear();
  for (const ExternalForce& push : pushes) {
    body_forces_.push_back({push.body, push.force, push.torque, push.point});
  }
  InverseDynamics(tree, gravity, zero_.data(), body_forces_.data(),
                  static_cast<int>(body_forces_.size()), &art, bias_.data());
  MassMatrix(tree, &art, mass_.data());
  Vec3d angular_bias, linear_bias;
  CentroidalMomentum(tree, &art, momentum_.data(), &angular_bias, &linear_bias);

  program_.variables = n;
  program_.hessian.topLeftCorner(n, n).setZero();
  program_.gradient.head(n).setZero();

  // Joints, eqs. 19 and 20.
  for (int b = 0; b < character_->BodyCount(); ++b) {
    const JointKind kind = character_->bodies[b].joint.kind;
    const int q = layout_.q[b], v = layout_.v[b], dofs = DofCount(kind);
    Vec3d error{}, extra{};
    if (kind == JointKind::kFree) {
      extra = Vec3At(target.q, q) - Vec3At(state.q, q);
      error = Log(Conjugate(QuatAt(state.q, q + 3)) * QuatAt(target.q, q + 3));
    } else if (kind == JointKind::kBall) {
      error = Log(Conjugate(QuatAt(state.q, q)) * QuatAt(target.q, q));
    } else {
      error.x = target.q[q] - state.q[q];
    }
    const double weight = b == 0 ? config_.weight_root : config_.weight_joints;
    const double errors[6] = {extra.x, extra.y, extra.z, error.x, error.y, error.z};
    const double* e = kind == JointKind::kFree ? errors : errors + 3;
    for (int k = 0; k < dofs; ++k) {
      const double asked = config_.joint_stiffness * e[k] +
                           config_.joint_damping * (target.v[v + k] - state.v[v + k]);
      const double wanted =
          SoftClamp(asked, config_.most_acceleration) + target.acceleration[v + k];
      program_.hessian(v + k, v + k) += weight;
      program_.gradient[v + k] -= weight * wanted;
    }
  }

  // Momentum, eqs. 16 and 17.
  {
    Vector6 wanted, weights;
    wanted << ToEigen(target.angular_rate - angular_bias),
        ToEigen(target.linear_rate - linear_bias);
    weights << Eigen::Vector3d::Constant(config_.weight_momentum), config_.weight_linear,
        config_.weight_linear, config_.weight_height;
    AddTask(momentum_, wanted, weights);
  }

  // Ends of limbs, eqs. 21 to 24.
  for (const WholeBodyTarget::Limb& limb : target.limbs) {
    if (limb.body < 0 || limb.weight <= 0) continue;
    PointJacobian(tree, &model->Motion(0), limb.body, limb.point, jacobian_.data());
    Vec3d turning, moving;
    PointBias(tree, limb.body, limb.point, &art, &turning, &moving);
    const BodyMotion<double>& m = model->Motion(limb.body);
    const Quatd rotation = FromMat3(m.r);
    const Vec3d turn = Log(limb.rotation * Conjugate(rotation));
    const Vec3d way = limb.position - model->PointPosition(limb.body, limb.point);
    const Vec3d angular = turn * config_.foot_stiffness +
                          (limb.angular_velocity - m.w) * config_.foot_damping +
                          limb.angular_acceleration - turning;
    Vec3d linear =
        way * config_.foot_stiffness +
        (limb.velocity - model->PointVelocity(limb.body, limb.point)) * config_.foot_damping +
        limb.acceleration - moving;
    // What has landed, or should have, comes down at once: a spring would let it hover, and what
    // hovers carries nothing.
    if ((limb.holds || limb.lands) && config_.own_ground) {
      const double steps = way.z < 0 ? config_.steps_down : config_.steps_up;
      const double speed = std::max(way.z / (steps * dt), -kMostDown);
      linear.z = (speed - model->PointVelocity(limb.body, limb.point).z) / dt - moving.z;
    }
    Vector6 wanted, weights;
    wanted << ToEigen(angular), ToEigen(linear);
    const double w = (limb.holds ? config_.weight_held : config_.weight_feet) * limb.weight;
    weights << Eigen::Vector3d::Constant(limb.turning * w), Eigen::Vector3d::Constant(w);
    if (limb.lands && config_.own_ground) weights[5] = config_.weight_held * limb.weight;
    AddTask(jacobian_, wanted, weights);
  }

  // The ground: eq. 12 for the root, eqs. 13 and 14 for each edge of a friction cone.
  int row = 0;
  const auto begin_row = [&](double at) {
    program_.inequalities.col(row).head(n).setZero();
    program_.inequality_at[row] = at;
    return row++;
  };
  double depth_sum[kMostLimbs] = {};
  int depth_count[kMostLimbs] = {};
  for (int p = 0; p < points; ++p) {
    const TouchingPoint& contact = contacts_[p];
    const ContactPoint& point = character_->contact_points[contact.index];
    // The place that touches: below the ball's middle.
    const BodyMotion<double>& m = model->Motion(point.body);
    const Vec3d local = point.position - TransposeMul(m.r, contact.normal) * point.radius;
    PointJacobian(tree, &model->Motion(0), point.body, local, jacobian_.data());
    Vec3d turning, moving;
    PointBias(tree, point.body, local, &art, &turning, &moving);
    const Vec3d velocity = model->PointVelocity(point.body, local);
    const Vec3d aside = Normalized(
        Cross(contact.normal, std::fabs(contact.normal.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0}));
    const Vec3d ahead = Cross(aside, contact.normal);
    const int of = limb_of_point_[contact.index];
    const bool holds = of >= 0 && target.limbs[of].holds && contact.depth > kHeld * config_.margin;
    const double ramp =
        holds ? 0 : std::clamp(1 - (contact.depth / config_.margin - 1) / 0.5, 0.0, 1.0);
    // One that holds may come down to where it carries, or what has risen a little never would.
    const double allowed =
        holds ? config_.settling * std::max(0.0, config_.margin - contact.depth) / dt
              : ramp * config_.margin / dt;
    if (const int limb = limb_of_point_[contact.index]; limb >= 0) {
      depth_sum[limb] += contact.depth, ++depth_count[limb];
    }
    for (int e = 0; e < kEdges; ++e) {
      const Vec3d tangent = e == 0 ? ahead : e == 1 ? aside : e == 2 ? -ahead : -aside;
      const double grip = contact.grazes ? kGlide : friction;
      const Vec3d edge = contact.normal + tangent * grip;
      const int f = kEdges * p + e;
      const Eigen::Vector3d direction = ToEigen(edge);
      edge_directions_.col(f) = direction;
      edges_.col(f).noalias() = jacobian_.bottomRows(3).transpose() * direction;
      // Where the program is the ground: v + dt a must not go into the cone's other side, but for
      // what a shallow contact allows. A shallow one does not stick either: a swinging foot that
      // grazes the ground would be stopped within one step.
      program_.inequalities.col(begin_row(0))[nv + f] = 1;
      program_.hessian(nv + f, nv + f) += config_.weight_force;
      if (!config_.own_ground) continue;
      const Vec3d sticky = contact.normal + tangent * (contact.grazes ? 0 : friction * (1 - ramp));
      const int r =
          begin_row(Dot(sticky, moving) + Dot(sticky, velocity + contact.normal * allowed) / dt);
      program_.inequalities.col(r).head(nv).noalias() =
          jacobian_.bottomRows(3).transpose() * ToEigen(sticky);
    }
  }
  for (int limb = 0; limb < kMostLimbs && config_.own_ground; ++limb) {
    if (depth_count[limb] == 0) continue;
    const double settled = 2 * depth_sum[limb] / depth_count[limb] / config_.margin;
    if (settled > 1) continue;
    const int r = begin_row(config_.soft_landing * settled);
    for (int p = 0; p < points; ++p) {
      if (limb_of_point_[contacts_[p].index] != limb) continue;
      for (int e = 0; e < kEdges; ++e) program_.inequalities.col(r)[nv + kEdges * p + e] = -1;
    }
  }
  program_.equality_count = 6;
  for (int r = 0; r < 6; ++r) {
    program_.equalities.col(r).head(nv) = mass_.row(r).transpose();
    program_.equalities.col(r).segment(nv, forces) = -edges_.row(r).head(forces).transpose();
    program_.equality_at[r] = bias_[r];
  }

  // Torques: M v' + b - J' B f of the joints. They cost a little and have bounds.
  for (int r = 6; r < nv; ++r) {
    if (config_.most_torque > 0) {
      for (const double sign : {1.0, -1.0}) {
        const int at = begin_row(config_.most_torque + sign * bias_[r]);
        program_.inequalities.col(at).head(nv) = sign * mass_.row(r).transpose();
        program_.inequalities.col(at).segment(nv, forces) =
            -sign * edges_.row(r).head(forces).transpose();
      }
    }
  }
  if (const double w = config_.weight_torque; w > 0) {
    const auto m = mass_.bottomRows(nv - 6);
    const auto e = edges_.block(6, 0, nv - 6, forces);
    const auto b = bias_.tail(nv - 6);
    program_.hessian.topLeftCorner(nv, nv).noalias() += w * m.transpose() * m;
    program_.hessian.block(nv, 0, forces, nv).noalias() -= w * e.transpose() * m;
    program_.hessian.block(nv, nv, forces, forces).noalias() += w * e.transpose() * e;
    program_.gradient.head(nv).noalias() += w * m.transpose() * b;
    program_.gradient.segment(nv, forces).noalias() -= w * e.transpose() * b;
  }
  program_.inequality_count = row;

  const QpStatus status = solver_.Solve(program_);
  forces_.assign(points, Vec3d{});
  if (status != QpStatus::kSolved) return status;
  const auto x = solver_.Solution();
  for (int k = 0; k < nv; ++k) acceleration_[k] = x[k];
  for (int p = 0; p < points; ++p) {
    const Eigen::Vector3d f =
        edge_directions_.middleCols(kEdges * p, kEdges) * x.segment(nv + kEdges * p, kEdges);
    forces_[p] = {f[0], f[1], f[2]};
  }
  Eigen::Map<Eigen::VectorXd> torque(torque_.data(), nv);
  torque.noalias() = mass_ * x.head(nv) + bias_ - edges_.leftCols(forces) * x.segment(nv, forces);
  torque.head(6).setZero();
  return status;
}

}  // namespace stride
