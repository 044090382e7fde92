#include "stride/optim/qp.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string>

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/random.h"

// Counts what the solver allocates, Eigen's own included. A sanitizer has a malloc of its own.
#ifndef __SANITIZE_ADDRESS__
namespace {
thread_local long allocations = 0;
}
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
#endif

namespace stride {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd RandomMatrix(int rows, int columns, Random* random) {
  MatrixXd m(rows, columns);
  for (int c = 0; c < columns; ++c) {
    for (int r = 0; r < rows; ++r) m(r, c) = random->Normal();
  }
  return m;
}

// A program with at least one feasible point, at which some rows hold with equality.
QuadraticProgram RandomProgram(int n, int equalities, int inequalities, Random* random) {
  QuadraticProgram p(n, equalities, inequalities);
  const MatrixXd b = RandomMatrix(n, n, random);
  p.hessian = b * b.transpose() + 0.01 * MatrixXd::Identity(n, n);
  p.gradient = 5 * RandomMatrix(n, 1, random);
  p.equalities = RandomMatrix(n, equalities, random);
  p.inequalities = RandomMatrix(n, inequalities, random);
  const VectorXd feasible = RandomMatrix(n, 1, random);
  p.equality_at = -p.equalities.transpose() * feasible;
  p.inequality_at = -p.inequalities.transpose() * feasible;
  for (int row = 0; row < inequalities; ++row) {
    if (random->Uniform() < 0.7) p.inequality_at[row] += random->Uniform(0, 2);
  }
  return p;
}

QuadraticProgram RandomProgram(Random* random) {
  const int n = 1 + static_cast<int>(random->Uniform() * 20);
  return RandomProgram(n, static_cast<int>(random->Uniform() * (n + 1) / 2),
                       static_cast<int>(random->Uniform() * 2 * n), random);
}

// The largest violation of the conditions of Karush, Kuhn and Tucker, which only the minimum meets.
double KktError(const QuadraticProgram& p, const QpSolver& solver) {
  const VectorXd x = solver.Solution(), y = solver.EqualityMultipliers(),
                 z = solver.InequalityMultipliers();
  const MatrixXd h = p.hessian.selfadjointView<Eigen::Lower>();
  const VectorXd slack = p.inequalities.transpose() * x + p.inequality_at;
  const double size = 1 + x.lpNorm<Eigen::Infinity>() * h.lpNorm<Eigen::Infinity>();
  double error =
      (h * x + p.gradient - p.equalities * y - p.inequalities * z).lpNorm<Eigen::Infinity>() / size;
  if (p.equality_count > 0) {
    error =
        std::max(error, (p.equalities.transpose() * x + p.equality_at).lpNorm<Eigen::Infinity>());
  }
  for (int row = 0; row < p.inequality_count; ++row) {
    error = std::max({error, -slack[row], -z[row], std::fabs(slack[row] * z[row]) / size});
  }
  return error;
}

TEST(QpTest, MinimumInACorner) {
  // (x - 2)^2 + (y - 1)^2 with x + y <= 2, x <= 1, y = 0.5: x = 1.
  QuadraticProgram p(2, 1, 2);
  p.hessian << 2, 0, 0, 2;
  p.gradient << -4, -2;
  p.equalities << 0, 1;
  p.equality_at << -0.5;
  p.inequalities << -1, -1, -1, 0;
  p.inequality_at << 2, 1;
  QpSolver solver(2, 2);
  ASSERT_EQ(solver.Solve(p), QpStatus::kSolved);
  EXPECT_NEAR(solver.Solution()[0], 1, 1e-14);
  EXPECT_NEAR(solver.Solution()[1], 0.5, 1e-14);
  EXPECT_THAT(solver.Active(), testing::ElementsAre(1));
  EXPECT_NEAR(solver.InequalityMultipliers()[1], 2, 1e-13);
}

TEST(QpTest, TenThousandProgramsMeetTheirConditions) {
  Random random(11);
  QpSolver solver(20, 40);
  for (int k = 0; k < 10000; ++k) {
    const QuadraticProgram p = RandomProgram(&random);
    ASSERT_EQ(solver.Solve(p), QpStatus::kSolved) << "program " << k;
    ASSERT_LT(KktError(p, solver), 1e-8) << "program " << k;
  }
}

// Thousands of programs against an interior-point solver of another kind.
TEST(QpTest, TenThousandProgramsAgreeWithCvxopt) {
  const std::string path = testing::TempDir() + "/qp_programs.bin";
  {
    std::ofstream file(path, std::ios::binary);
    const auto write = [&](const MatrixXd& m) {
      file.write(reinterpret_cast<const char*>(m.data()),
                 static_cast<std::streamsize>(m.size() * sizeof(double)));
    };
    Random random(12);
    QpSolver solver(20, 40);
    for (int k = 0; k < 10000; ++k) {
      const QuadraticProgram p = RandomProgram(&random);
      ASSERT_EQ(solver.Solve(p), QpStatus::kSolved);
      const double sizes[] = {double(p.variables), double(p.equality_count),
                              double(p.inequality_count)};
      write(Eigen::Map<const VectorXd>(sizes, 3));
      write(p.hessian);
      write(p.gradient);
      write(p.equalities);
      write(p.equality_at);
      write(p.inequalities);
      write(p.inequality_at);
      write(solver.Solution());
    }
  }
  const std::string command =
      "/usr/bin/python3 " STRIDE_SOURCE_DIR "/src/stride/optim/qp_cvxopt.py '" + path + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::remove(path.c_str());
}

TEST(QpTest, AWholeBodysSize) {
  Random random(13);
  QpSolver solver(100, 150);
  for (int k = 0; k < 50; ++k) {
    const QuadraticProgram p = RandomProgram(100, 27, 150, &random);
    ASSERT_EQ(solver.Solve(p), QpStatus::kSolved);
    ASSERT_LT(KktError(p, solver), 1e-7);
  }
}

// Rows that hold for no x, beside others that do.
TEST(QpTest, InfeasibleProgramsAreToldApart) {
  Random random(14);
  QpSolver solver(20, 42);
  for (int k = 0; k < 1000; ++k) {
    const int n = 2 + static_cast<int>(random.Uniform() * 18);
    QuadraticProgram p = RandomProgram(n, n / 4, 2 * n, &random);
    // A combination of rows, with positive shares, that would have to be negative.
    const VectorXd shares = RandomMatrix(2 * n - 1, 1, &random).cwiseAbs();
    p.inequalities.col(2 * n - 1) = -p.inequalities.leftCols(2 * n - 1) * shares;
    p.inequality_at[2 * n - 1] = -p.inequality_at.head(2 * n - 1).dot(shares) - 0.1;
    ASSERT_EQ(solver.Solve(p), QpStatus::kInfeasible) << "program " << k;
  }
  QuadraticProgram twice = RandomProgram(5, 2, 0, &random);
  twice.equalities.col(1) = twice.equalities.col(0);
  twice.equality_at[1] = twice.equality_at[0] + 1;
  EXPECT_EQ(solver.Solve(twice), QpStatus::kInfeasible);
}

TEST(QpTest, WhatIsNotConvexOrNotFiniteIsRefused) {
  Random random(15);
  QpSolver solver(5, 4);
  QuadraticProgram p = RandomProgram(5, 1, 4, &random);
  p.hessian(3, 3) = -1;
  EXPECT_EQ(solver.Solve(p), QpStatus::kNotConvex);
  p.hessian(3, 3) = std::nan("");
  EXPECT_EQ(solver.Solve(p), QpStatus::kNotConvex);
}

// Rows that occur twice, rows of zeros, rows that depend on the equalities.
TEST(QpTest, DegenerateRows) {
  Random random(16);
  QpSolver solver(10, 40);
  for (int k = 0; k < 500; ++k) {
    QuadraticProgram p = RandomProgram(10, 3, 40, &random);
    p.inequalities.rightCols(20) = p.inequalities.leftCols(20);
    p.inequality_at.tail(20) = p.inequality_at.head(20);
    p.inequalities.col(5).setZero();
    p.inequality_at[5] = 0;
    p.inequalities.col(6) = p.equalities.col(0) + p.equalities.col(1);
    p.inequality_at[6] = p.equality_at[0] + p.equality_at[1];
    ASSERT_EQ(solver.Solve(p), QpStatus::kSolved) << "program " << k;
    ASSERT_LT(KktError(p, solver), 1e-7) << "program " << k;
  }
}

// A program that changes a little, as from one control step to the next.
TEST(QpTest, WarmStartGivesTheSameInFewerSteps) {
  Random random(17);
  QpSolver warm(60, 100), cold(60, 100);
  QuadraticProgram p = RandomProgram(60, 6, 100, &random);
  const VectorXd feasible_at = p.inequality_at;
  int warm_steps = 0, cold_steps = 0;
  ASSERT_EQ(warm.Solve(p), QpStatus::kSolved);
  for (int k = 0; k < 100; ++k) {
    p.gradient += 0.05 * RandomMatrix(60, 1, &random);
    p.inequality_at = feasible_at + 0.02 * RandomMatrix(100, 1, &random).cwiseAbs();
    ASSERT_EQ(warm.Solve(p, true), QpStatus::kSolved);
    ASSERT_EQ(cold.Solve(p), QpStatus::kSolved);
    ASSERT_LT(KktError(p, warm), 1e-7);
    ASSERT_LT((warm.Solution() - cold.Solution()).lpNorm<Eigen::Infinity>(), 1e-7);
    warm_steps += warm.Steps(), cold_steps += cold.Steps();
  }
  EXPECT_LT(warm_steps, cold_steps);
}

#ifndef __SANITIZE_ADDRESS__
TEST(QpTest, SolvingAllocatesNothing) {
  Random random(19);
  QpSolver solver(100, 150);
  const QuadraticProgram large = RandomProgram(100, 27, 150, &random),
                         small = RandomProgram(60, 6, 80, &random);
  const long before = allocations;
  for (const bool warm : {false, true}) {
    for (const QuadraticProgram* p : {&large, &small, &large}) {
      ASSERT_EQ(solver.Solve(*p, warm), QpStatus::kSolved);
    }
  }
  EXPECT_EQ(allocations, before);
  const VectorXd counted = VectorXd::Ones(100);
  EXPECT_EQ(allocations, before + 1) << "Eigen's memory is not counted";
}
#endif

// Fewer variables and rows than there is memory for; what lies beyond must play no part.
TEST(QpTest, ASmallerProgramInTheSameMemory) {
  Random random(18);
  const QuadraticProgram small = RandomProgram(8, 2, 10, &random);
  QuadraticProgram large(20, 6, 30);
  for (MatrixXd* m : {&large.hessian, &large.equalities, &large.inequalities}) m->setConstant(1e6);
  for (VectorXd* v : {&large.gradient, &large.equality_at, &large.inequality_at})
    v->setConstant(-1e6);
  large.variables = 8, large.equality_count = 2, large.inequality_count = 10;
  large.hessian.topLeftCorner(8, 8) = small.hessian;
  large.gradient.head(8) = small.gradient;
  large.equalities.topLeftCorner(8, 2) = small.equalities;
  large.equality_at.head(2) = small.equality_at;
  large.inequalities.topLeftCorner(8, 10) = small.inequalities;
  large.inequality_at.head(10) = small.inequality_at;
  QpSolver solver(20, 30), other(8, 10);
  ASSERT_EQ(solver.Solve(large), QpStatus::kSolved);
  ASSERT_EQ(other.Solve(small), QpStatus::kSolved);
  EXPECT_EQ(VectorXd(solver.Solution()), VectorXd(other.Solution()));
}

}  // namespace
}  // namespace stride
