#include "stride/math/vec.h"

#include <cmath>
#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "stride/math/rotation.h"

// The small mathematics against Eigen and against its own inverse functions.
namespace stride {
namespace {

class Random {
 public:
  double Number() { return normal_(rng_); }
  Vec3d Vector() { return {Number(), Number(), Number()}; }
  Quatd Turn() { return Normalized(Quatd{Number(), Number(), Number(), Number()}); }
  Sym3d Symmetric() {
    // Positive definite, as inertias are.
    return Outer(Vector()) + Outer(Vector()) + Outer(Vector()) + Sym3d::Diagonal(0.1);
  }

 private:
  std::mt19937_64 rng_{42};
  std::normal_distribution<double> normal_;
};

Eigen::Vector3d E(const Vec3d& v) { return {v.x, v.y, v.z}; }
Eigen::Matrix3d E(const Mat3d& m) {
  Eigen::Matrix3d e;
  e << m.xx, m.xy, m.xz, m.yx, m.yy, m.yz, m.zx, m.zy, m.zz;
  return e;
}
Eigen::Matrix3d E(const Sym3d& m) { return E(ToMat3(m)); }
Eigen::Quaterniond E(const Quatd& q) { return {q.w, q.x, q.y, q.z}; }

TEST(VecTest, AgreesWithEigen) {
  Random random;
  for (int k = 0; k < 100; ++k) {
    const Vec3d a = random.Vector(), b = random.Vector();
    const Sym3d s = random.Symmetric();
    const Quatd q = random.Turn(), p = random.Turn();
    const Mat3d m = ToMat3(q) * 1.7;
    EXPECT_LT((E(Cross(a, b)) - E(a).cross(E(b))).norm(), 1e-12);
    EXPECT_LT((E(m * a) - E(m) * E(a)).norm(), 1e-12);
    EXPECT_LT((E(TransposeMul(m, a)) - E(m).transpose() * E(a)).norm(), 1e-12);
    EXPECT_LT((E(m * ToMat3(p)) - E(m) * E(ToMat3(p))).norm(), 1e-12);
    EXPECT_LT((E(Inverse(s)) - E(s).inverse()).norm(), 1e-9);
    EXPECT_LT((E(Rotate(m, s)) - E(m) * E(s) * E(m).transpose()).norm(), 1e-11);
    EXPECT_LT((E(s * m) - E(s) * E(m)).norm(), 1e-11);
    EXPECT_LT((E(Skew(a)) * E(b) - E(a).cross(E(b))).norm(), 1e-12);
    EXPECT_LT((E(PointInertia(a)) + E(Skew(a)) * E(Skew(a))).norm(), 1e-12);
    EXPECT_LT((E(ToMat3(q)) - E(q).toRotationMatrix()).norm(), 1e-12);
    EXPECT_LT((E(ToMat3(q * p)) - (E(q) * E(p)).toRotationMatrix()).norm(), 1e-12);
    EXPECT_LT((E(Rotate(q, a)) - E(q) * E(a)).norm(), 1e-12);
  }
}

TEST(RotationTest, ExpAndLogAreInverse) {
  Random random;
  for (int k = 0; k < 100; ++k) {
    Vec3d v = random.Vector();
    v *= 3.1 / std::max(3.1, Norm(v));  // within half a turn
    EXPECT_LT(Norm(Log(Exp(v)) - v), 1e-12);
    EXPECT_LT(Norm(RotationVector(Exp(v)) - v), 1e-9);
    const Eigen::AngleAxisd reference(E(Exp(v)));
    EXPECT_NEAR(reference.angle(), Norm(v), 1e-12);
  }
  EXPECT_EQ(Log(Quatd::Identity()), (Vec3d{0, 0, 0}));
  const Vec3d tiny{1e-11, 0, -1e-11};
  EXPECT_LT(Norm(Log(Exp(tiny)) - tiny), 1e-20);
}

TEST(RotationTest, IntegrateFollowsAConstantRate) {
  const Vec3d rate{1, -2, 0.5};
  Quatd q = Quatd::Identity();
  for (int k = 0; k < 200; ++k) q = Integrate(q, rate, 0.005);
  EXPECT_LT(Norm(Log(Conjugate(Exp(rate * 1.0)) * q)), 1e-12);
}

TEST(RotationTest, ConversionsAgree) {
  Random random;
  for (int k = 0; k < 100; ++k) {
    const Quatd q = random.Turn();
    const Quatd back = FromMat3(ToMat3(q));
    EXPECT_NEAR(std::fabs(Dot(q, back)), 1, 1e-12);
    const Vec3d a = random.Vector(), b = random.Vector();
    const Vec3d turned = Rotate(RotationBetween(a, b), Normalized(a));
    EXPECT_LT(Norm(turned - Normalized(b)), 1e-9);
    EXPECT_LT(Norm(Log(Conjugate(Slerp(q, back, 0.3)) * q)), 1e-7);
  }
  EXPECT_LT(Norm(Rotate(RotationBetween({0, 0, 1}, {0, 0, -1}), Vec3d{0, 0, 1}) - Vec3d{0, 0, -1}),
            1e-9);
  EXPECT_NEAR(Heading(AxisAngle({0, 0, 1}, 0.7)), 0.7, 1e-12);
  EXPECT_NEAR(TwistAngle(AxisAngle({0, 0, 1}, -2.5) * AxisAngle({1, 0, 0}, 0.4), {0, 0, 1}), -2.5,
              1e-9);
}

}  // namespace
}  // namespace stride
