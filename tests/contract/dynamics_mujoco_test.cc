#include <cmath>
#include <cstdio>
#include <random>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/dynamics/rigid_body.h"
#include "stride/sim/engines/mujoco/mujoco_model.h"

// Every quantity of the dynamics against MuJoCo, on every built-in character and on MuJoCo's own
// humanoids, at random states with contacts and limits off.
namespace stride {
namespace {

constexpr int kStates = 1000;
constexpr double kTolerance = 1e-8;  // relative

State RandomState(const Character& character, std::mt19937_64* rng) {
  std::normal_distribution<double> normal;
  const Layout layout = LayoutOf(character);
  State state{std::vector<double>(layout.nq), std::vector<double>(layout.nv)};
  for (int i = 0; i < character.BodyCount(); ++i) {
    double* q = &state.q[layout.q[i]];
    const JointKind kind = character.bodies[i].joint.kind;
    if (HasOneAxis(kind)) {
      *q = normal(*rng);
      continue;
    }
    if (kind == JointKind::kFree) {
      for (int k = 0; k < 3; ++k) *q++ = normal(*rng);
    }
    Quatd r{normal(*rng), normal(*rng), normal(*rng), normal(*rng)};
    r = Normalized(r);
    q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
  }
  for (double& v : state.v) v = 3 * normal(*rng);
  return state;
}

double RelativeError(const double* ours, const double* theirs, int n) {
  double difference = 0, size = 0;
  for (int k = 0; k < n; ++k) {
    difference += (ours[k] - theirs[k]) * (ours[k] - theirs[k]);
    size += theirs[k] * theirs[k];
  }
  return std::sqrt(difference / std::max(size, 1e-30));
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const CharacterInfo& info : BuiltInCharacters()) names.push_back(info.name);
  names.emplace_back("/usr/share/mujoco/model/humanoid/humanoid.xml");
  names.emplace_back("/usr/share/mujoco/model/humanoid100/humanoid100.xml");
  for (const char* planar : {"half_cheetah", "planar_hopper", "planar_walker", "swimmer"}) {
    names.push_back(STRIDE_TEST_CHARACTERS + std::string("/") + planar + ".xml");
  }
  names.push_back(STRIDE_TEST_CHARACTERS "/slides.xml");  // inside the tree too
  return names;
}

class AgainstMujoco : public testing::TestWithParam<std::string> {};

TEST_P(AgainstMujoco, AllQuantitiesAgree) {
  World world;
  world.actors = {LoadCharacter(GetParam())};
  world.contacts = world.limits = false;
  const Character& character = world.actors[0];
  MujocoModel mujoco(world);
  mjModel* m = mujoco.model.get();
  mjData* d = mujoco.data.get();
  Model<double> model(character);
  const int nv = model.DofCount();
  ASSERT_EQ(nv, m->nv);
  std::mt19937_64 rng(20261115);
  std::normal_distribution<double> normal;
  std::vector<double> tau(nv), vdot(nv), inverse(nv), zero(nv, 0.0), bias(nv), full(nv * nv);
  DenseMatrix<double> mass, centroidal;
  double worst_acceleration = 0, worst_mass = 0, worst_bias = 0, worst_inverse = 0,
         worst_momentum = 0, worst_rate = 0;
  for (int trial = 0; trial < kStates; ++trial) {
    const State state = RandomState(character, &rng);
    for (double& t : tau) t = 50 * normal(rng);
    model.SetState(state);
    mujoco.SetState(0, state);
    mju_copy(d->qfrc_applied, tau.data(), nv);
    mj_forward(m, d);

    MassMatrix(&model, &mass);
    mj_fullM(m, full.data(), d->qM);
    worst_mass = std::max(worst_mass, RelativeError(mass.data.data(), full.data(), nv * nv));

    InverseDynamics<double>(&model, world.gravity, zero.data(), nullptr, 0, bias.data());
    worst_bias = std::max(worst_bias, RelativeError(bias.data(), d->qfrc_bias, nv));

    ForwardDynamics<double>(&model, world.gravity, tau.data(), nullptr, 0, vdot.data());
    // The mass matrix can be badly conditioned; the residual's size belongs to the comparison.
    worst_acceleration = std::max(worst_acceleration, RelativeError(vdot.data(), d->qacc, nv));

    for (int k = 0; k < nv; ++k) d->qacc[k] = vdot[k] = 10 * normal(rng);
    mju_zero(d->qfrc_applied, nv);
    mj_inverse(m, d);
    InverseDynamics<double>(&model, world.gravity, vdot.data(), nullptr, 0, inverse.data());
    worst_inverse = std::max(worst_inverse, RelativeError(inverse.data(), d->qfrc_inverse, nv));

    mj_subtreeVel(m, d);
    const Momentum<double> momentum = GetMomentum(&model);
    const int root = mujoco.actors[0].body[0];
    const double total = m->body_subtreemass[root];
    double theirs[6], ours[6] = {momentum.angular.x, momentum.angular.y, momentum.angular.z,
                                 momentum.linear.x,  momentum.linear.y,  momentum.linear.z};
    for (int k = 0; k < 3; ++k) {
      theirs[k] = d->subtree_angmom[3 * root + k];
      theirs[3 + k] = total * d->subtree_linvel[3 * root + k];
    }
    worst_momentum = std::max(worst_momentum, RelativeError(ours, theirs, 6));

    // The centroidal momentum matrix times v is the momentum.
    Vec3d angular_bias, linear_bias;
    CentroidalMomentum(&model, &centroidal, &angular_bias, &linear_bias);
    double product[6] = {};
    for (int r = 0; r < 6; ++r) {
      for (int k = 0; k < nv; ++k) product[r] += centroidal(r, k) * state.v[k];
    }
    worst_momentum = std::max(worst_momentum, RelativeError(product, theirs, 6));

    // Its bias is what MuJoCo's bias leaves at a free root, seen from the centre of mass and
    // without gravity.
    if (!model.GetTree().free_root) continue;
    const Vec3d com = momentum.com, weight{0, 0, total * world.gravity};
    const Vec3d force = Vec3d{d->qfrc_bias[0], d->qfrc_bias[1], d->qfrc_bias[2]} - weight;
    const Vec3d moment =
        model.Motion(0).r * Vec3d{d->qfrc_bias[3], d->qfrc_bias[4], d->qfrc_bias[5]} -
        Cross(com, weight) - Cross(com, force);
    const double rate[6] = {moment.x, moment.y, moment.z, force.x, force.y, force.z};
    const double ours_rate[6] = {angular_bias.x, angular_bias.y, angular_bias.z,
                                 linear_bias.x,  linear_bias.y,  linear_bias.z};
    worst_rate = std::max(worst_rate, RelativeError(ours_rate, rate, 6));
  }
  EXPECT_LT(worst_acceleration, kTolerance);
  EXPECT_LT(worst_mass, kTolerance);
  EXPECT_LT(worst_bias, kTolerance);
  EXPECT_LT(worst_inverse, kTolerance);
  EXPECT_LT(worst_momentum, kTolerance);
  EXPECT_LT(worst_rate, kTolerance);
  // For docs/results.md: --gtest_output=xml:FILE
  const auto record = [](const char* name, double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1e", value);
    testing::Test::RecordProperty(name, text);
  };
  record("acceleration", worst_acceleration);
  record("mass_matrix", worst_mass);
  record("bias", worst_bias);
  record("inverse", worst_inverse);
  record("momentum", worst_momentum);
  record("momentum_rate", worst_rate);
}

TEST_P(AgainstMujoco, JacobiansAgree) {
  World world;
  world.actors = {LoadCharacter(GetParam())};
  world.contacts = world.limits = false;
  const Character& character = world.actors[0];
  MujocoModel mujoco(world);
  Model<double> model(character);
  const int nv = model.DofCount();
  std::mt19937_64 rng(7);
  DenseMatrix<double> jacobian;
  std::vector<double> linear(3 * nv), angular(3 * nv);
  for (int trial = 0; trial < 20; ++trial) {
    const State state = RandomState(character, &rng);
    model.SetState(state);
    mujoco.SetState(0, state);
    mj_forward(mujoco.model.get(), mujoco.data.get());
    const int body = static_cast<int>(rng() % character.bodies.size());
    if (character.bodies[body].mass == 0) continue;
    const Vec3d local{0.1, -0.2, 0.05};
    const Vec3d at = model.PointPosition(body, local);
    const double point[3] = {at.x, at.y, at.z};
    mj_jac(mujoco.model.get(), mujoco.data.get(), linear.data(), angular.data(), point,
           mujoco.actors[0].body[body]);
    PointJacobian(model, body, local, &jacobian);
    EXPECT_LT(RelativeError(&jacobian(0, 0), angular.data(), 3 * nv), kTolerance);
    EXPECT_LT(RelativeError(&jacobian(3, 0), linear.data(), 3 * nv), kTolerance);

    // The bias of the body's own point: its acceleration when v' = 0. MuJoCo's rises with gravity.
    mju_zero(mujoco.data->qacc, nv);
    mj_rnePostConstraint(mujoco.model.get(), mujoco.data.get());
    double theirs[6];
    mj_objectAcceleration(mujoco.model.get(), mujoco.data.get(), mjOBJ_XBODY,
                          mujoco.actors[0].body[body], theirs, 0);
    theirs[5] -= world.gravity;
    Vec3d angular_bias, linear_bias;
    PointBias(&model, body, {}, &angular_bias, &linear_bias);
    const double ours[6] = {angular_bias.x, angular_bias.y, angular_bias.z,
                            linear_bias.x,  linear_bias.y,  linear_bias.z};
    const double size = mju_norm(theirs, 6);  // of the root none: rounding alone
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(ours[k], theirs[k], kTolerance * (1 + size));
  }
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(info.param.rfind('/') + 1);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Characters, AgainstMujoco, testing::ValuesIn(Names()), TestName);

}  // namespace
}  // namespace stride
