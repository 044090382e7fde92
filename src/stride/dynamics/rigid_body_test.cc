#include "stride/dynamics/rigid_body.h"

#include <cmath>
#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/math/rotation.h"
#include "stride/testing/random_state.h"

// Identities the dynamics must satisfy, and derivatives against finite differences. The comparison
// of every quantity with MuJoCo is in tests/contract/dynamics_mujoco_test.cc.
namespace stride {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class Random {
 public:
  double Number() { return normal_(rng_); }
  Vec3d Vector() { return {Number(), Number(), Number()}; }
  State StateOf(const Character& character) { return RandomState(character, &rng_); }

 private:
  std::mt19937_64 rng_{11};
  std::normal_distribution<double> normal_;
};

// The state after a short time dt at constant v.
State Drift(const Character& character, const State& state, double dt) {
  const Layout layout = LayoutOf(character);
  State next = state;
  for (int i = 0; i < character.BodyCount(); ++i) {
    double* q = &next.q[layout.q[i]];
    const double* v = &state.v[layout.v[i]];
    const JointKind kind = character.bodies[i].joint.kind;
    if (HasOneAxis(kind)) {
      *q += v[0] * dt;
      continue;
    }
    if (kind == JointKind::kFree) {
      for (int k = 0; k < 3; ++k) *q++ += *v++ * dt;
    }
    const Quatd r = Quatd{q[0], q[1], q[2], q[3]} * Exp(Vec3d{v[0], v[1], v[2]} * dt);
    q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
  }
  return next;
}

class RigidBody : public testing::TestWithParam<std::string> {
 protected:
  RigidBody() : character_(LoadCharacter(GetParam())), model_(character_), nv_(model_.DofCount()) {}
  Character character_;
  Model<double> model_;
  int nv_;
  Random random_;
};

TEST_P(RigidBody, ForwardInvertsInverseWithExternalForces) {
  for (int trial = 0; trial < 20; ++trial) {
    model_.SetState(random_.StateOf(character_));
    std::vector<double> vdot(nv_), tau(nv_), back(nv_);
    for (double& a : vdot) a = 10 * random_.Number();
    const BodyForce<double> force{character_.BodyCount() - 1, random_.Vector() * 100.0,
                                  random_.Vector() * 10.0, random_.Vector() * 0.2};
    InverseDynamics<double>(&model_, 9.81, vdot.data(), &force, 1, tau.data());
    ForwardDynamics<double>(&model_, 9.81, tau.data(), &force, 1, back.data());
    double size = 0, difference = 0;
    for (int k = 0; k < nv_; ++k) {
      size += vdot[k] * vdot[k];
      difference += (vdot[k] - back[k]) * (vdot[k] - back[k]);
    }
    EXPECT_LT(std::sqrt(difference / size), 1e-8);
  }
}

TEST_P(RigidBody, HybridDynamicsLeavesTheRootUnactuated) {
  for (int trial = 0; trial < 20; ++trial) {
    model_.SetState(random_.StateOf(character_));
    std::vector<double> vdot(nv_), tau(nv_), forward(nv_);
    for (double& a : vdot) a = 10 * random_.Number();
    const std::vector<double> wanted = vdot;
    const BodyForce<double> force{0, {10, 20, 300}, {1, 2, 3}, {0.1, 0, 0}};
    HybridDynamics<double>(&model_, 9.81, &force, 1, vdot.data(), tau.data());
    for (int k = 0; k < 6; ++k) EXPECT_EQ(tau[k], 0);
    // The wanted joint accelerations come about when those torques act.
    ForwardDynamics<double>(&model_, 9.81, tau.data(), &force, 1, forward.data());
    for (int k = 0; k < nv_; ++k) {
      EXPECT_NEAR(forward[k], vdot[k], 1e-6 * (1 + std::fabs(vdot[k])));
      if (k >= 6) {
        EXPECT_EQ(vdot[k], wanted[k]);
      }
    }
  }
}

TEST_P(RigidBody, KineticEnergyIsHalfVMv) {
  for (int trial = 0; trial < 20; ++trial) {
    const State state = random_.StateOf(character_);
    model_.SetState(state);
    DenseMatrix<double> mass;
    MassMatrix(&model_, &mass);
    const Eigen::Map<const Matrix> m(mass.data.data(), nv_, nv_);
    const Eigen::Map<const Eigen::VectorXd> v(state.v.data(), nv_);
    EXPECT_NEAR(KineticEnergy(&model_), 0.5 * v.dot(m * v), 1e-9 * KineticEnergy(&model_));
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(m).eigenvalues().minCoeff(), 0);
  }
}

TEST_P(RigidBody, JacobianTimesVelocityIsThePointsVelocityAndItsRateTheBias) {
  constexpr double kDt = 1e-6;
  for (int trial = 0; trial < 20; ++trial) {
    const State state = random_.StateOf(character_);
    const int body = trial % character_.BodyCount();
    const Vec3d point = random_.Vector() * 0.2;
    const Eigen::Map<const Eigen::VectorXd> v(state.v.data(), nv_);
    const auto velocity = [&](double dt) {
      model_.SetState(Drift(character_, state, dt));
      DenseMatrix<double> jacobian;
      PointJacobian(model_, body, point, &jacobian);
      return Eigen::VectorXd(Eigen::Map<const Matrix>(jacobian.data.data(), 6, nv_) * v);
    };
    const Eigen::VectorXd now = velocity(0);
    const Vec3d linear = model_.PointVelocity(body, point);
    EXPECT_NEAR(now[3], linear.x, 1e-9);
    EXPECT_NEAR(now[4], linear.y, 1e-9);
    EXPECT_NEAR(now[5], linear.z, 1e-9);
    Vec3d angular_bias, linear_bias;
    PointBias(&model_, body, point, &angular_bias, &linear_bias);
    const Eigen::VectorXd rate = (velocity(kDt) - velocity(-kDt)) / (2 * kDt);
    const double bias[6] = {angular_bias.x, angular_bias.y, angular_bias.z,
                            linear_bias.x,  linear_bias.y,  linear_bias.z};
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(rate[k], bias[k], 1e-5 * (1 + rate.norm()));
  }
}

TEST_P(RigidBody, CentroidalBiasIsTheRateOfMomentumAtConstantVelocity) {
  constexpr double kDt = 1e-6;
  for (int trial = 0; trial < 20; ++trial) {
    const State state = random_.StateOf(character_);
    const auto momentum = [&](double dt) {
      model_.SetState(Drift(character_, state, dt));
      const Momentum<double> m = GetMomentum(&model_);
      return Eigen::Matrix<double, 6, 1>(m.angular.x, m.angular.y, m.angular.z, m.linear.x,
                                         m.linear.y, m.linear.z);
    };
    const Eigen::Matrix<double, 6, 1> rate = (momentum(kDt) - momentum(-kDt)) / (2 * kDt);
    model_.SetState(state);
    DenseMatrix<double> matrix;
    Vec3d angular, linear;
    CentroidalMomentum(&model_, &matrix, &angular, &linear);
    const double bias[6] = {angular.x, angular.y, angular.z, linear.x, linear.y, linear.z};
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(rate[k], bias[k], 1e-5 * (1 + rate.norm()));
  }
}

TEST_P(RigidBody, RunsOnFloatToo) {
  Model<float> single(character_);
  const State state = random_.StateOf(character_);
  const std::vector<float> q(state.q.begin(), state.q.end()), v(state.v.begin(), state.v.end());
  model_.SetState(state);
  single.SetState(q.data(), v.data());
  std::vector<float> zero(nv_, 0.0f), bias(nv_);
  std::vector<double> zero_double(nv_, 0.0), expected(nv_);
  InverseDynamics<float>(&single, 9.81f, zero.data(), nullptr, 0, bias.data());
  InverseDynamics<double>(&model_, 9.81, zero_double.data(), nullptr, 0, expected.data());
  double size = 0, difference = 0;
  for (int k = 0; k < nv_; ++k) {
    size += expected[k] * expected[k];
    difference += (expected[k] - bias[k]) * (expected[k] - bias[k]);
  }
  EXPECT_LT(std::sqrt(difference / size), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Characters, RigidBody,
                         testing::Values("liu16", "lee10", "kwon17", "wang09-tall", "snake"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace stride
