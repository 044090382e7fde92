#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

// Dense, strictly convex quadratic programs:
//
//     minimise   1/2 x' H x + g' x
//     subject to E x + e  = 0
//                A x + a >= 0
//
// by the dual active-set method of Goldfarb and Idnani (1983), "A numerically stable dual method
// for solving strictly convex quadratic programs": it begins with the unconstrained minimum and
// takes up one violated row after the other, so it needs no feasible point to begin with and knows
// an infeasible program when a row can neither be taken up nor make room for itself.
namespace stride {

// Memory for programs up to a size, of which the leading part is used. Rows of constraints are the
// columns of the matrices here, so that a row's numbers lie together.
struct QuadraticProgram {
  QuadraticProgram() = default;
  QuadraticProgram(int most_variables, int most_equalities, int most_inequalities)
      : variables(most_variables),
        equality_count(most_equalities),
        inequality_count(most_inequalities),
        hessian(variables, variables),
        gradient(variables),
        equalities(variables, equality_count),
        equality_at(equality_count),
        inequalities(variables, inequality_count),
        inequality_at(inequality_count) {}

  int variables = 0, equality_count = 0, inequality_count = 0;  // in use
  Eigen::MatrixXd hessian;        // symmetric and positive definite; the lower half is read
  Eigen::VectorXd gradient;       // g
  Eigen::MatrixXd equalities;     // E'
  Eigen::VectorXd equality_at;    // e
  Eigen::MatrixXd inequalities;   // A'
  Eigen::VectorXd inequality_at;  // a
};

enum class QpStatus {
  kSolved,
  kInfeasible,  // no x meets the constraints, or the equalities depend on each other
  kNotConvex,   // the Hessian is not positive definite, or a number is not finite
  kTooLong,     // more steps than rounding can explain; x is not feasible
};
const char* Name(QpStatus status);

// Memory for programs up to a size; Solve allocates nothing. A plain value: a copy goes on as the
// original would.
class QpSolver {
 public:
  QpSolver() = default;
  QpSolver(int most_variables, int most_inequalities);

  // `warm`: begins with the inequalities that were active in the last solution, which may have been
  // of another program with rows of the same meaning; the solution is the same but for rounding.
  QpStatus Solve(const QuadraticProgram& program, bool warm = false);

  // Of the last Solve, where it was solved.
  auto Solution() const { return x_.head(n_); }
  // H x + g = E' y + A' z with z >= 0, zero where the row is not active.
  Eigen::VectorXd EqualityMultipliers() const;
  Eigen::VectorXd InequalityMultipliers() const;
  // Rows of the inequalities that hold with equality.
  std::span<const int> Active() const {
    return std::span(active_).subspan(equalities_, active_.size() - equalities_);
  }
  int Steps() const { return steps_; }  // constraints taken up and dropped

 private:
  bool Factor(const QuadraticProgram& program);
  auto Normal(const QuadraticProgram& program, int constraint) const;
  double Slack(const QuadraticProgram& program, int constraint) const;
  void Directions(const QuadraticProgram& program, int constraint);
  void BackSubstitute(int k, Eigen::VectorXd* b) const;
  bool Append();
  void Remove(int position);
  bool TakeUpEqualities(const QuadraticProgram& program);
  void BeginWarm(const QuadraticProgram& program);
  void SolveActive(const QuadraticProgram& program);
  QpStatus TakeUp(const QuadraticProgram& program, int row);

  int n_ = 0, equalities_ = 0, inequalities_ = 0;
  int steps_ = 0;
  Eigen::MatrixXd lower_;  // Cholesky factor of H
  // j' H j = 1; its first columns span the active normals: j' N = (r; 0).
  Eigen::MatrixXd j_, r_;
  Eigen::VectorXd x_, free_, d_, z_, step_, u_, norms_;
  // Constraints in the order they were taken up: the equalities first (as -1 - row), then rows of
  // the inequalities.
  std::vector<int> active_, last_;
  std::vector<char> is_active_;
};

}  // namespace stride
