#include "stride/optim/qp.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stride {
namespace {

// Of the size of the numbers involved: what is violated by less counts as met.
constexpr double kTolerance = 1e-10;
// Of a normal's length: what is left of it beside the active ones, below which it depends on them.
constexpr double kDependent = 1e-11;

}  // namespace

const char* Name(QpStatus status) {
  switch (status) {
    case QpStatus::kSolved: return "solved";
    case QpStatus::kInfeasible: return "infeasible";
    case QpStatus::kNotConvex: return "not convex";
    case QpStatus::kTooLong: return "too long";
  }
  return "";
}

QpSolver::QpSolver(int variables, int inequalities)
    : lower_(variables, variables),
      j_(variables, variables),
      r_(variables, variables),
      x_(variables),
      free_(variables),
      d_(variables),
      z_(variables),
      step_(variables),
      u_(variables + 1),
      norms_(inequalities) {
  active_.reserve(variables + 1);
  last_.reserve(variables + 1);
  is_active_.reserve(inequalities);
}

// The constraint's normal: of an equality -1 - row, of an inequality its row.
auto QpSolver::Normal(const QuadraticProgram& program, int constraint) const {
  return constraint < 0 ? program.equalities.col(-1 - constraint).head(n_)
                        : program.inequalities.col(constraint).head(n_);
}

double QpSolver::Slack(const QuadraticProgram& program, int constraint) const {
  const double at =
      constraint < 0 ? program.equality_at[-1 - constraint] : program.inequality_at[constraint];
  return Normal(program, constraint).dot(x_.head(n_)) + at;
}

// Cholesky factor of H, its inverse transposed as j, and the unconstrained minimum. By hand,
// because Eigen's decompositions allocate when they are given another size.
bool QpSolver::Factor(const QuadraticProgram& program) {
  const int n = n_;
  lower_.topLeftCorner(n, n).triangularView<Eigen::Lower>() = program.hessian.topLeftCorner(n, n);
  double largest = 0;
  for (int k = 0; k < n; ++k) largest = std::max(largest, std::fabs(program.hessian(k, k)));
  const double least = largest * n * std::numeric_limits<double>::epsilon();
  for (int k = 0; k < n; ++k) {
    const double pivot = lower_(k, k);
    if (!(pivot > least) || !std::isfinite(pivot)) return false;
    const double root = std::sqrt(pivot);
    const int below = n - k - 1;
    lower_(k, k) = root;
    lower_.col(k).segment(k + 1, below) /= root;
    for (int c = k + 1; c < n; ++c) {
      lower_.col(c).segment(c, n - c) -= lower_.col(k).segment(c, n - c) * lower_(c, k);
    }
  }
  // j = L^-T: column k solves L' j = unit vector k, from the bottom up.
  j_.topLeftCorner(n, n).setZero();
  for (int k = 0; k < n; ++k) {
    j_(k, k) = 1 / lower_(k, k);
    for (int row = k - 1; row >= 0; --row) {
      j_(row, k) =
          -lower_.col(row).segment(row + 1, k - row).dot(j_.col(k).segment(row + 1, k - row)) /
          lower_(row, row);
    }
  }
  d_.head(n).noalias() = j_.topLeftCorner(n, n).transpose() * program.gradient.head(n);
  free_.head(n).noalias() = -j_.topLeftCorner(n, n) * d_.head(n);
  x_.head(n) = free_.head(n);
  return x_.head(n).allFinite();
}

// Where x goes (z) and what the active multipliers lose (step) for each unit of the constraint's
// multiplier.
void QpSolver::Directions(const QuadraticProgram& program, int constraint) {
  const int n = n_, k = static_cast<int>(active_.size());
  d_.head(n).noalias() = j_.topLeftCorner(n, n).transpose() * Normal(program, constraint);
  z_.head(n).noalias() = j_.block(0, k, n, n - k) * d_.segment(k, n - k);
  step_.head(k) = d_.head(k);
  BackSubstitute(k, &step_);
}

// b becomes r^-1 b, of the first k numbers.
void QpSolver::BackSubstitute(int k, Eigen::VectorXd* b) const {
  for (int row = k - 1; row >= 0; --row) {
    (*b)[row] /= r_(row, row);
    b->head(row) -= (*b)[row] * r_.col(row).head(row);
  }
}

// Takes up the constraint whose d_ is current: turns j so that d_ has nothing below its first
// k + 1 numbers, which become a column of r. False: it depends on the active ones.
bool QpSolver::Append() {
  const int n = n_, k = static_cast<int>(active_.size());
  const double length = d_.head(n).norm();
  for (int row = n - 1; row > k; --row) {
    const double a = d_[row - 1], b = d_[row];
    if (b == 0) continue;
    const double h = std::hypot(a, b), c = a / h, s = b / h;
    d_[row - 1] = h;
    d_[row] = 0;
    double* p = j_.col(row - 1).data();
    double* q = j_.col(row).data();
    for (int i = 0; i < n; ++i) {
      const double left = p[i], right = q[i];
      p[i] = c * left + s * right;
      q[i] = c * right - s * left;
    }
  }
  if (k >= n || std::fabs(d_[k]) <= kDependent * length) return false;
  r_.col(k).head(k + 1) = d_.head(k + 1);
  return true;
}

// Drops the constraint at a position: the later columns of r move up, and turns make r triangular
// again.
void QpSolver::Remove(int position) {
  const int n = n_, k = static_cast<int>(active_.size());
  for (int col = position + 1; col < k; ++col) {
    r_.col(col - 1).head(col + 1) = r_.col(col).head(col + 1);
    u_[col - 1] = u_[col];
    active_[col - 1] = active_[col];
  }
  u_[k - 1] = u_[k];  // that of the constraint being taken up
  active_.pop_back();
  for (int col = position; col < k - 1; ++col) {
    const double a = r_(col, col), b = r_(col + 1, col);
    if (b == 0) continue;
    const double h = std::hypot(a, b), c = a / h, s = b / h;
    r_(col, col) = h;
    r_(col + 1, col) = 0;
    for (int other = col + 1; other < k - 1; ++other) {
      const double upper = r_(col, other), lower = r_(col + 1, other);
      r_(col, other) = c * upper + s * lower;
      r_(col + 1, other) = c * lower - s * upper;
    }
    double* p = j_.col(col).data();
    double* q = j_.col(col + 1).data();
    for (int i = 0; i < n; ++i) {
      const double left = p[i], right = q[i];
      p[i] = c * left + s * right;
      q[i] = c * right - s * left;
    }
  }
}

bool QpSolver::TakeUpEqualities(const QuadraticProgram& program) {
  for (int row = 0; row < equalities_; ++row) {
    const int constraint = -1 - row;
    Directions(program, constraint);
    const double slack = Slack(program, constraint);
    const double along = z_.head(n_).dot(Normal(program, constraint));
    const int k = static_cast<int>(active_.size());
    if (!(along > 0) || !Append()) return false;
    const double t = -slack / along;
    x_.head(n_) += t * z_.head(n_);
    u_.head(k) -= t * step_.head(k);
    u_[k] = t;
    active_.push_back(constraint);
    ++steps_;
  }
  return true;
}

// x and multipliers of the program with the active constraints as equalities, from j and r.
void QpSolver::SolveActive(const QuadraticProgram& program) {
  const int n = n_, k = static_cast<int>(active_.size());
  // x = free + j1 y with r' y = -(N' free + b), and r u = y.
  for (int row = 0; row < k; ++row) {
    const int constraint = active_[row];
    const double at =
        constraint < 0 ? program.equality_at[-1 - constraint] : program.inequality_at[constraint];
    const double rest = -(Normal(program, constraint).dot(free_.head(n)) + at);
    step_[row] = (rest - r_.col(row).head(row).dot(step_.head(row))) / r_(row, row);
  }
  x_.head(n) = free_.head(n);
  x_.head(n).noalias() += j_.topLeftCorner(n, k) * step_.head(k);
  u_.head(k) = step_.head(k);
  BackSubstitute(k, &u_);
}

// The last active rows that pull the right way are a legitimate point to go on from: the minimum
// under them alone.
void QpSolver::BeginWarm(const QuadraticProgram& program) {
  for (const int row : last_) {
    if (row >= inequalities_ || static_cast<int>(active_.size()) >= n_) continue;
    d_.head(n_).noalias() = j_.topLeftCorner(n_, n_).transpose() * Normal(program, row);
    if (!Append()) continue;
    active_.push_back(row);
    ++steps_;
  }
  while (true) {
    SolveActive(program);
    int worst = -1;
    double least = 0;
    for (int k = equalities_; k < static_cast<int>(active_.size()); ++k) {
      if (u_[k] < least) least = u_[k], worst = k;
    }
    if (worst < 0) break;
    Remove(worst);
  }
  for (int k = equalities_; k < static_cast<int>(active_.size()); ++k) is_active_[active_[k]] = 1;
}

// Goldfarb and Idnani's steps 2(a) to 2(c) until the violated row is active.
QpStatus QpSolver::TakeUp(const QuadraticProgram& program, int row) {
  u_[active_.size()] = 0;
  while (true) {
    ++steps_;
    Directions(program, row);
    const int k = static_cast<int>(active_.size());
    // The longest step that keeps the multipliers of the active inequalities positive.
    double most = std::numeric_limits<double>::infinity();
    int leaves = -1;
    for (int i = equalities_; i < k; ++i) {
      if (step_[i] > 0 && u_[i] < most * step_[i]) most = u_[i] / step_[i], leaves = i;
    }
    const double beside = d_.segment(k, n_ - k).norm();
    const bool depends = k >= n_ || beside <= kDependent * std::max(d_.head(n_).norm(), 1e-300);
    const double slack = Slack(program, row);
    const double full =
        depends ? std::numeric_limits<double>::infinity() : -slack / (beside * beside);
    const double t = std::min(most, full);
    if (!std::isfinite(t)) return QpStatus::kInfeasible;
    u_.head(k) -= t * step_.head(k);
    u_[k] += t;
    if (!depends) x_.head(n_) += t * z_.head(n_);
    if (t == full) {
      if (!Append()) return QpStatus::kInfeasible;
      active_.push_back(row);
      is_active_[row] = 1;
      return QpStatus::kSolved;
    }
    is_active_[active_[leaves]] = 0;
    Remove(leaves);
    if (steps_ > 50 * (n_ + inequalities_)) return QpStatus::kTooLong;
  }
}

QpStatus QpSolver::Solve(const QuadraticProgram& program, bool warm) {
  n_ = program.variables;
  equalities_ = program.equality_count;
  inequalities_ = program.inequality_count;
  steps_ = 0;
  last_.clear();
  if (warm) {
    for (const int constraint : active_) {
      if (constraint >= 0) last_.push_back(constraint);
    }
  }
  active_.clear();
  is_active_.assign(inequalities_, 0);
  if (!Factor(program)) return QpStatus::kNotConvex;
  for (int row = 0; row < inequalities_; ++row) norms_[row] = Normal(program, row).norm();
  if (!TakeUpEqualities(program)) return QpStatus::kInfeasible;
  if (!last_.empty()) BeginWarm(program);

  while (true) {
    // The row that is violated most, as a distance.
    int worst = -1;
    double least = 0;
    const double size = x_.head(n_).lpNorm<Eigen::Infinity>();
    for (int row = 0; row < inequalities_; ++row) {
      if (is_active_[row]) continue;
      const double slack = Slack(program, row);
      const double at = std::fabs(program.inequality_at[row]);
      const double tolerance = kTolerance * (norms_[row] * (1 + size) + at);
      if (slack >= -tolerance) continue;
      if (norms_[row] == 0) return QpStatus::kInfeasible;
      if (slack < least * norms_[row]) least = slack / norms_[row], worst = row;
    }
    if (worst < 0) break;
    if (const QpStatus status = TakeUp(program, worst); status != QpStatus::kSolved) return status;
    if (steps_ > 50 * (n_ + inequalities_)) return QpStatus::kTooLong;
  }
  if (!x_.head(n_).allFinite()) return QpStatus::kNotConvex;
  return QpStatus::kSolved;
}

Eigen::VectorXd QpSolver::EqualityMultipliers() const {
  Eigen::VectorXd y = Eigen::VectorXd::Zero(equalities_);
  for (int k = 0; k < equalities_; ++k) y[-1 - active_[k]] = u_[k];
  return y;
}

Eigen::VectorXd QpSolver::InequalityMultipliers() const {
  Eigen::VectorXd z = Eigen::VectorXd::Zero(inequalities_);
  for (std::size_t k = equalities_; k < active_.size(); ++k) z[active_[k]] = u_[k];
  return z;
}

}  // namespace stride
