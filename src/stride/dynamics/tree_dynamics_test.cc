#include "stride/dynamics/tree_dynamics.h"

#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/dynamics/rigid_body.h"
#include "stride/testing/lane_dynamics.h"
#include "stride/testing/random_state.h"

// Lanes of float against double, each lane with a state of its own. Double against MuJoCo is in
// tests/contract/dynamics_mujoco_test.cc.
namespace stride {
namespace {

// [number][lane] floats.
class LaneNumbers {
 public:
  LaneNumbers(int count, int lanes)
      : lanes_(lanes), data_(static_cast<float*>(std::aligned_alloc(64, Bytes(count, lanes)))) {}
  float* data() { return data_.get(); }
  void Set(int lane, const std::vector<double>& numbers) {
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      data_.get()[k * lanes_ + lane] = static_cast<float>(numbers[k]);
    }
  }
  double Get(int lane, std::size_t k) const { return data_.get()[k * lanes_ + lane]; }

 private:
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  static std::size_t Bytes(int count, int lanes) {
    return (sizeof(float) * count * lanes + 63) / 64 * 64;
  }

  int lanes_;
  std::unique_ptr<float, Free> data_;
};

double Error(const LaneNumbers& lanes, int lane, const std::vector<double>& expected) {
  double difference = 0, size = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    difference += std::pow(lanes.Get(lane, k) - expected[k], 2);
    size += std::pow(expected[k], 2);
  }
  return std::sqrt(difference / size);
}

std::vector<double> Joined(const Vec3d& a, const Vec3d& b) {
  return {a.x, a.y, a.z, b.x, b.y, b.z};
}

// In what float holds, so that both start from the same numbers.
State StateInFloat(const Character& character, std::mt19937_64* rng) {
  State state = RandomState(character, rng);
  for (auto* numbers : {&state.q, &state.v}) {
    for (double& x : *numbers) x = static_cast<float>(x);
  }
  return state;
}

std::vector<double> RandomNumbers(int count, double size, std::mt19937_64* rng) {
  std::normal_distribution<double> normal;
  std::vector<double> numbers(count);
  for (double& x : numbers) x = static_cast<float>(size * normal(*rng));
  return numbers;
}

class InLanes : public testing::TestWithParam<std::string> {
 protected:
  void Compare(const LaneDynamicsKernel& kernel) {
    const Character character = LoadCharacter(GetParam());
    const Tree<float> tree = BuildTree<float>(character), bare = WithoutServos(tree);
    const int nv = tree.nv, lanes = kernel.lanes;
    std::mt19937_64 rng(5);
    LaneNumbers q(tree.nq, lanes), v(nv, lanes), tau(nv, lanes), vdot(nv, lanes),
        inverse(nv, lanes), forward(nv, lanes), hybrid_tau(nv, lanes), hybrid_vdot(nv, lanes),
        mass(nv * nv, lanes), jacobian(6 * nv, lanes), centroidal(6 * nv, lanes),
        point_bias(6, lanes), centroidal_bias(6, lanes), momentum(6, lanes), energy(1, lanes);
    LaneNumbers memory(static_cast<int>(kernel.bytes(character.BodyCount()) / sizeof(float)), 1);
    std::vector<State> states;
    std::vector<std::vector<double>> torques, accelerations;
    for (int lane = 0; lane < lanes; ++lane) {
      states.push_back(StateInFloat(character, &rng));
      torques.push_back(RandomNumbers(nv, 50, &rng));
      accelerations.push_back(RandomNumbers(nv, 10, &rng));
      q.Set(lane, states[lane].q);
      v.Set(lane, states[lane].v);
      tau.Set(lane, torques[lane]);
      vdot.Set(lane, accelerations[lane]);
    }
    const int body = character.BodyCount() - 1;
    const Vec3d point{0.125, -0.25, 0.0625};
    kernel.run({.tree = &tree,
                .bare = &bare,
                .body = body,
                .gravity = 9.75f,
                .point = {0.125f, -0.25f, 0.0625f},
                .q = q.data(),
                .v = v.data(),
                .tau = tau.data(),
                .vdot = vdot.data(),
                .inverse = inverse.data(),
                .forward = forward.data(),
                .hybrid_tau = hybrid_tau.data(),
                .hybrid_vdot = hybrid_vdot.data(),
                .mass = mass.data(),
                .jacobian = jacobian.data(),
                .centroidal = centroidal.data(),
                .point_bias = point_bias.data(),
                .centroidal_bias = centroidal_bias.data(),
                .momentum = momentum.data(),
                .energy = energy.data(),
                .memory = memory.data()});

    Model<double> model(character);
    std::vector<double> out(nv);
    DenseMatrix<double> matrix;
    Vec3d angular, linear;
    for (int lane = 0; lane < lanes; ++lane) {
      SCOPED_TRACE("lane " + std::to_string(lane));
      model.SetState(states[lane]);
      InverseDynamics<double>(&model, 9.75, accelerations[lane].data(), nullptr, 0, out.data());
      EXPECT_LT(Error(inverse, lane, out), 3e-6);
      // What is solved for loses digits where joints nearly line up.
      ForwardDynamics<double>(&model, 9.75, torques[lane].data(), nullptr, 0, out.data());
      EXPECT_LT(Error(forward, lane, out), 3e-5);
      std::vector<double> given = accelerations[lane];
      HybridDynamics<double>(&model, 9.75, nullptr, 0, given.data(), out.data());
      EXPECT_LT(Error(hybrid_tau, lane, out), 3e-4);
      EXPECT_LT(Error(hybrid_vdot, lane, given), 3e-4);
      MassMatrix(&model, &matrix);
      EXPECT_LT(Error(mass, lane, matrix.data), 3e-6);
      PointJacobian(model, body, point, &matrix);
      EXPECT_LT(Error(jacobian, lane, matrix.data), 3e-6);
      PointBias(&model, body, point, &angular, &linear);
      EXPECT_LT(Error(point_bias, lane, Joined(angular, linear)), 1e-5);
      CentroidalMomentum(&model, &matrix, &angular, &linear);
      EXPECT_LT(Error(centroidal, lane, matrix.data), 3e-6);
      EXPECT_LT(Error(centroidal_bias, lane, Joined(angular, linear)), 3e-6);
      const Momentum<double> whole = GetMomentum(&model);
      EXPECT_LT(Error(momentum, lane, Joined(whole.angular, whole.linear)), 3e-6);
      EXPECT_LT(Error(energy, lane, {KineticEnergy(&model)}), 3e-6);
    }
  }
};

TEST_P(InLanes, EveryQuantityIsThatOfDouble) {
  Compare(LaneDynamicsSse2());
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    Compare(LaneDynamicsAvx2());
  }
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    Compare(LaneDynamicsAvx512());
  }
}

INSTANTIATE_TEST_SUITE_P(Characters, InLanes,
                         testing::Values("liu16", "lee10", "kwon17", "wang09-tall", "snake"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace stride
