#include "stride/controllers/pendulum/ground_physics.h"

#include <algorithm>
#include <cmath>

#include "stride/optim/qp.h"

namespace stride {
namespace {

constexpr double kGravity = 9.81;
constexpr double kShare = 0.75;  // of the soles that carry
constexpr double kFriction = 0.7;
constexpr double kLow = 0.02;    // m, height up to which a contact point may carry
constexpr double kTwist = 0.12;  // m: torque about the vertical for each N
constexpr int kMostSteps = 90;
// Weights, for each step of a 120th of a second: of the way aside for each m, of its acceleration
// for each m/s^2, of the momentum for each kg m^2/s, of what it adds up to for each kg m^2; of the
// rate's jumps; of where it ends.
constexpr double kWay = 2e3, kAcceleration = 1, kMomentum = 0.3, kSum = 60, kJump = 1e-7;
constexpr double kRest = 1e6;    // of the clip's end: at rest over the feet
constexpr double kOut = 1e5;     // of a push from outside of the feet, for each m
constexpr double kCenter = 1e3;  // of the push for each m from the middle of the feet
constexpr double kArrive = 1e4;
constexpr double kLeastUp = 0.15, kMostUp = 4;  // of the body's weight, that the ground pushes
constexpr double kStart = 1e6;
constexpr double kHeight = 2e4;  // of the height, where kWay is of the way aside
constexpr double kRelax = 0.7;   // share of each correction that is made

struct Box {
  double low = 0, high = 0;
};

// One axis of a stance, in steps: what the body does and what its feet allow.
struct Axis {
  std::vector<double> momentum;           // n + 1, of the clip; feet ahead add to it
  std::vector<double> unchanged;          // n + 1, momentum of the clip as it came
  std::vector<double> moved;              // n + 1, m that the way was moved so far
  std::vector<double> pushed;             // n, m/s^2 that its acceleration was changed so far
  double hurried = 0;                     // m/s that its speed at the begin was
  std::vector<double> way, acceleration;  // n, of the centre of mass, at the middle of a step
  std::vector<double> height, up;         // n, of it; upward force
  std::vector<Box> feet;                  // n, where the ground may push
  double begin = 0, end = 0;              // momentum, where flights are
  double end_speed = 0;                   // of the way
  bool moves = true;                      // whether the way may change: not about the vertical
};
struct Solved {
  std::vector<double> momentum;      // n + 1
  std::vector<double> acceleration;  // n, changes
  double shift = 0, speed = 0;       // changes at the begin
};

// The nearest motion with: rate of momentum = (foot - way) up + height mass acceleration, foot
// inside of its box. Unknown are the rates of momentum, the changes of acceleration, and where no
// flight is before, of place and speed at the begin.
Solved Feasible(const Axis& axis, const std::vector<double>& dt, double mass, bool from_flight,
                bool to_flight) {
  const int n = static_cast<int>(axis.feet.size()), m = axis.moves ? n : 0;
  const bool free = axis.moves && !from_flight;
  // Last of all: how far the push is outside of its box, m.
  const int out = n + m + (free ? 2 : 0), all = out + n;
  QuadraticProgram program(all, 0, 5 * n);
  program.hessian.setZero();
  program.gradient.setZero();
  program.inequalities.setZero();
  Eigen::VectorXd row(all);
  const auto add = [&](double weight, double target) {
    program.hessian.noalias() += weight * row * row.transpose();
    program.gradient -= weight * target * row;
  };
  const double start = from_flight ? axis.begin : axis.momentum[0];
  std::vector<double> time(n + 1, 0.0);
  for (int k = 0; k < n; ++k) time[k + 1] = time[k] + dt[k];
  // Momentum and what it adds up to.
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(all);
  double sum = 0;
  for (int k = 1; k <= n; ++k) {
    const double h = dt[k - 1], share = h * 120, rise = axis.momentum[k] - start;
    row.setZero();
    for (int i = 0; i < k; ++i) row[i] = dt[i];
    sums += row * h;
    sum += rise * h;
    add(kMomentum * share, rise);
    if (k == n && to_flight) add(kArrive, axis.end - start);
    row = sums;
    add(kSum * share, sum);
  }
  for (int i = 0; i < n; ++i) {
    row.setZero();
    row[i] = 1;
    add(1e-8, 0);
    if (i == 0) continue;
    row[i - 1] = -1;
    const double was = (axis.momentum[i] - axis.momentum[i - 1]) / dt[i - 1];
    add(kJump, (axis.momentum[i + 1] - axis.momentum[i]) / dt[i] - was);
  }
  // The change of the way at a time within step k.
  const auto way_at = [&](int k, double t) {
    row.setZero();
    for (int i = 0; i < k; ++i) row[n + i] = dt[i] * (t - time[i] - 0.5 * dt[i]);
    if (k < n) row[n + k] += 0.5 * (t - time[k]) * (t - time[k]);
    if (free) row[n + m] = 1, row[n + m + 1] = t;
  };
  for (int k = 1; k <= m; ++k) {
    const double share = dt[k - 1] * 120;
    row.setZero();
    row[n + k - 1] = 1;
    add(kAcceleration * share, -axis.pushed[k - 1]);
    if (k > 1) {
      row[n + k - 2] = -1;
      add(kAcceleration, axis.pushed[k - 2] - axis.pushed[k - 1]);
    }
    way_at(k, time[k]);
    if (k == m && to_flight) {
      add(1e4 * kArrive, 0);
    } else {
      add(kWay * share, -axis.moved[k]);
    }
    if (k < m) continue;
    if (!to_flight)
      add(kRest, 0.5 * (axis.feet.back().low + axis.feet.back().high) - axis.way.back());
    row.setZero();
    for (int i = 0; i < m; ++i) row[n + i] = dt[i];
    if (free) row[n + m + 1] = 1;
    if (to_flight) {
      add(100 * kArrive, 0);
    } else {
      add(kRest, -axis.end_speed);
    }
  }
  if (free) {
    row.setZero();
    row[n + m] = 1;
    add(kStart, -axis.moved[0]);
    row.setZero();
    row[n + m + 1] = 1;
    add(kStart, -axis.hurried);
  }
  int at = 0;
  const auto bound = [&](double rest) {
    program.inequalities.col(at) = row;
    program.inequality_at[at++] = rest;
  };
  for (int k = 0; k < n; ++k) {
    row.setZero();
    row[out + k] = 1;
    add(kOut * dt[k] * 120, 0);
    bound(0);
    // rate - h m da + up dway - (low - way) up - h m a >= 0, and the same from above.
    const double up = axis.up[k], h = axis.height[k] * mass;
    if (up < 0.1 * mass * kGravity) continue;
    if (m > 0) {
      way_at(k, time[k] + 0.5 * dt[k]);
      row *= up;
      row[n + k] -= h;
    } else {
      row.setZero();
    }
    row[k] += 1;
    const double pushed = h * axis.acceleration[k];
    const double center = 0.5 * (axis.feet[k].low + axis.feet[k].high);
    if (m > 0) add(kCenter * dt[k] * 120 / (up * up), (center - axis.way[k]) * up + pushed);
    row[out + k] = up;
    bound(-(axis.feet[k].low - axis.way[k]) * up - pushed);
    row = -row;
    row[out + k] = up;
    bound((axis.feet[k].high - axis.way[k]) * up + pushed);
    if (m == 0) continue;
    const double most = kFriction * up / mass, a = axis.acceleration[k];
    row.setZero();
    row[n + k] = 1;
    bound(std::max(most, -a) + a);
    row = -row;
    bound(std::max(most, a) - a);
  }
  program.inequality_count = at;
  Solved solved{axis.momentum, std::vector<double>(n, 0.0)};
  QpSolver solver(all, std::max(at, 1));
  if (solver.Solve(program) != QpStatus::kSolved) return solved;
  const auto x = solver.Solution();
  solved.momentum[0] = start;
  for (int k = 0; k < n; ++k) {
    solved.momentum[k + 1] = solved.momentum[k] + dt[k] * x[k];
    if (m > 0) solved.acceleration[k] = x[n + k];
  }
  if (free) solved.shift = x[n + m], solved.speed = x[n + m + 1];
  return solved;
}

// Changes of the upward acceleration, one a step, so that the ground pushes up all the time; where
// no flight is before, of height and speed at the begin. Of the axis its accelerations and what was
// changed so far are used.
Solved Lifted(const Axis& axis, const std::vector<double>& dt, bool from_flight, bool to_flight) {
  const int n = static_cast<int>(dt.size());
  const int all = n + (from_flight ? 0 : 2);
  QuadraticProgram program(all, 0, 2 * n);
  program.hessian.setZero();
  program.gradient.setZero();
  program.inequalities.setZero();
  Eigen::VectorXd row(all);
  const auto add = [&](double weight, double target) {
    program.hessian.noalias() += weight * row * row.transpose();
    program.gradient -= weight * target * row;
  };
  double time = 0;
  for (int k = 0; k < n; ++k) {
    const double share = dt[k] * 120;
    row.setZero();
    row[k] = 1;
    program.inequalities.col(2 * k) = row;
    program.inequality_at[2 * k] = axis.acceleration[k] + (1 - kLeastUp) * kGravity;
    program.inequalities.col(2 * k + 1) = -row;
    program.inequality_at[2 * k + 1] = (kMostUp - 1) * kGravity - axis.acceleration[k];
    add(kAcceleration * share, -axis.pushed[k]);
    if (k > 0) {
      row[k - 1] = -1;
      add(kAcceleration, axis.pushed[k - 1] - axis.pushed[k]);
    }
    time += dt[k];
    const bool arrives = k + 1 == n;
    double since = 0;
    row.setZero();
    for (int i = 0; i <= k; ++i) {
      row[i] = dt[i] * (time - since - 0.5 * dt[i]);
      since += dt[i];
    }
    if (!from_flight) row[n] = 1, row[n + 1] = time;
    if (arrives && to_flight) {
      add(1e4 * kArrive, 0);
    } else {
      add(kHeight * share, -axis.moved[k + 1]);
    }
    if (!arrives) continue;
    row.setZero();
    for (int i = 0; i < n; ++i) row[i] = dt[i];
    if (!from_flight) row[n + 1] = 1;
    if (to_flight) {
      add(100 * kArrive, 0);
    } else {
      add(kRest, -axis.end_speed);
    }
  }
  for (int i = n; i < all; ++i) {
    row.setZero();
    row[i] = 1;
    add(kStart, i == n ? -axis.moved[0] : -axis.hurried);
  }
  program.inequality_count = 2 * n;
  Solved solved{{}, std::vector<double>(n, 0.0)};
  QpSolver solver(all, 2 * n);
  if (solver.Solve(program) != QpStatus::kSolved) return solved;
  const auto x = solver.Solution();
  for (int k = 0; k < n; ++k) solved.acceleration[k] = x[k];
  if (!from_flight) solved.shift = x[n], solved.speed = x[n + 1];
  return solved;
}

}  // namespace

double MakeGroundPhysical(const Kinematics& kinematics, std::span<const BodyMass> masses,
                          const LimbSolver& limbs,
                          const std::array<std::vector<char>, kMostLimbs>& stands, double rate,
                          std::span<const FlightPath> paths,
                          const std::vector<std::vector<double>>& clip,
                          std::vector<std::vector<double>>* poses) {
  const Character& character = kinematics.character();
  const std::vector<int> limb_of = LimbOfPoints(character);
  const int count = static_cast<int>(poses->size());
  std::vector<BodyFrames> frames(count);
  std::vector<WholeBody> wholes;
  for (int k = 0; k < count; ++k) {
    kinematics.Frames((*poses)[k], &frames[k]);
    wholes.push_back(MeasureWhole(masses, frames[k]));
  }
  const double mass = wholes[0].mass;
  const std::vector<std::vector<double>> given = *poses;
  std::vector<BodyFrames> clip_frames(count);
  std::vector<WholeBody> clip_wholes;
  for (int k = 0; k < count; ++k) {
    kinematics.Frames(clip[k], &clip_frames[k]);
    clip_wholes.push_back(MeasureWhole(masses, clip_frames[k]));
  }
  // Between frame k and the next, k from `first` to before `last`.
  const auto turning = [&](int k) {
    return wholes[k].inertia * AlignmentBetween(masses, frames[k], frames[k + 1]).angular * rate;
  };
  const auto clip_turning = [&](int k) {
    return clip_wholes[k].inertia *
           AlignmentBetween(masses, clip_frames[k], clip_frames[k + 1]).angular * rate;
  };
  double most = 0;
  for (std::size_t stance = 0; stance <= paths.size(); ++stance) {
    const FlightPath* before = stance > 0 ? &paths[stance - 1] : nullptr;
    const FlightPath* after = stance < paths.size() ? &paths[stance] : nullptr;
    const int first = before ? before->flight.first_after : 0;
    const int last = after ? after->flight.last_before : count - 1;
    if (last - first < 4) continue;
    const int stride = (last - first + kMostSteps - 1) / kMostSteps;
    std::vector<int> nodes;
    for (int k = first; k < last; k += stride) nodes.push_back(k);
    nodes.push_back(last);
    const int n = static_cast<int>(nodes.size()) - 1;
    std::vector<double> dt;
    std::vector<Vec3d> momentum, speed, clip_momentum, clip_speed, moved_so_far;
    for (int j = 0; j <= n; ++j) {
      const int k = nodes[j], a = std::max(k - 1, first), b = std::min(k + 1, last);
      Vec3d sum;
      for (int i = a; i < b; ++i) sum += turning(i) * (1.0 / (b - a));
      momentum.push_back(sum);
      sum = {};
      for (int i = a; i < b; ++i) sum += clip_turning(i) * (1.0 / (b - a));
      clip_momentum.push_back(sum);
      clip_speed.push_back((clip_wholes[b].com - clip_wholes[a].com) * (rate / (b - a)));
      moved_so_far.push_back(wholes[k].com - clip_wholes[k].com);
      speed.push_back((wholes[b].com - wholes[a].com) * (rate / (b - a)));
      if (j < n) dt.push_back((nodes[j + 1] - k) / rate);
    }
    if (before) speed.front() = before->SpeedAt(first);
    if (after) speed.back() = after->SpeedAt(last);
    // Along x, along y, about the vertical. Feet ahead along x turn about -y, along y about +x.
    std::array<Axis, 3> axes;
    const auto axis_of = [](const Vec3d& l, int i) { return i == 0 ? -l.y : i == 1 ? l.x : l.z; };
    axes[2].moves = false;
    for (int i = 0; i < 3; ++i) {
      for (const Vec3d& l : momentum) axes[i].momentum.push_back(axis_of(l, i));
      for (const Vec3d& l : clip_momentum) axes[i].unchanged.push_back(axis_of(l, i));
      if (before) axes[i].begin = axis_of(before->angular_momentum, i);
      axes[i].end_speed = i == 0 ? speed.back().x : speed.back().y;
      if (after) axes[i].end = axis_of(after->angular_momentum, i);
    }
    Axis height;
    Axis* changed_axes[3] = {&axes[0], &axes[1], &height};
    for (int i = 0; i < 3; ++i) {
      const auto of = [&](const Vec3d& v) { return i == 0 ? v.x : i == 1 ? v.y : v.z; };
      Axis* axis = changed_axes[i];
      for (const Vec3d& by : moved_so_far) axis->moved.push_back(of(by));
      axis->hurried = of(speed[0]) - of(clip_speed[0]);
      for (int j = 0; j < n; ++j) {
        const double now = (of(speed[j + 1]) - of(speed[j])) / dt[j];
        axis->pushed.push_back(now - (of(clip_speed[j + 1]) - of(clip_speed[j])) / dt[j]);
        if (i == 2) axis->acceleration.push_back(now);
      }
    }
    height.end_speed = speed.back().z;
    const Solved lifted = Lifted(height, dt, before != nullptr, after != nullptr);
    for (int j = 0; j < n; ++j) {
      const int middle = (nodes[j] + nodes[j + 1]) / 2;
      const Vec3d com = wholes[middle].com, a = (speed[j + 1] - speed[j]) * (1 / dt[j]);
      const double up =
          std::max(mass * (height.acceleration[j] + lifted.acceleration[j] + kGravity), 0.0);
      Box boxes[3] = {{HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, -HUGE_VAL}, {-kTwist, kTwist}};
      for (std::size_t p = 0; p < limb_of.size(); ++p) {
        if (limb_of[p] < 0 || !stands[limb_of[p]][middle]) continue;
        const Vec3d at = PointAt(frames[middle], character.contact_points[p]);
        if (at.z > kLow) continue;
        boxes[0] = {std::min(boxes[0].low, at.x), std::max(boxes[0].high, at.x)};
        boxes[1] = {std::min(boxes[1].low, at.y), std::max(boxes[1].high, at.y)};
      }
      const double way[] = {com.x, com.y, 0}, acceleration[] = {a.x, a.y, 0};
      for (int i = 0; i < 3; ++i) {
        Box box = boxes[i];
        if (box.low > box.high) box = {way[i], way[i]};
        const double center = 0.5 * (box.low + box.high),
                     half = 0.5 * kShare * (box.high - box.low);
        axes[i].feet.push_back({center - half, center + half});
        axes[i].way.push_back(way[i]);
        axes[i].acceleration.push_back(acceleration[i]);
        axes[i].height.push_back(i < 2 ? com.z : 0);
        axes[i].up.push_back(up);
      }
    }
    std::array<Solved, 3> solved;
    for (int i = 0; i < 3; ++i) {
      solved[i] = Feasible(axes[i], dt, mass, before != nullptr, after != nullptr);
    }
    // The body turned by what its momentum changes, and moved.
    Vec3d turn;
    const Solved* ways[3] = {&solved[0], &solved[1], &lifted};
    double shift[3], moved[3];
    for (int i = 0; i < 3; ++i) shift[i] = ways[i]->shift, moved[i] = ways[i]->speed;
    for (int j = 0; j < n; ++j) {
      for (int k = nodes[j]; k < nodes[j + 1] + (j + 1 == n ? 1 : 0); ++k) {
        const double t = (k - nodes[j]) / rate, s = t / dt[j];
        Vec3d wanted;
        const auto between = [&](int i) {
          return solved[i].momentum[j] + (solved[i].momentum[j + 1] - solved[i].momentum[j]) * s;
        };
        wanted = {between(1), -between(0), between(2)};
        const Vec3d now = momentum[j] + (momentum[j + 1] - momentum[j]) * s;
        const auto changed = [&](int i) {
          return shift[i] + moved[i] * t + 0.5 * ways[i]->acceleration[j] * t * t;
        };
        const Vec3d aside{changed(0), changed(1), changed(2)};
        if (k > first) turn += Inverse(wholes[k].inertia) * (wanted - now) * (kRelax / rate);
        std::vector<double>* q = &(*poses)[k];
        const Vec3d com = wholes[k].com + aside * kRelax;
        const Quatd by = Exp(turn);
        Put(com + Rotate(by, Vec3At(*q, 0) - wholes[k].com), 0, q);
        Put(Normalized(by * QuatAt(*q, 3)), 3, q);
        std::array<bool, kMostLimbs> held;
        for (int limb = 0; limb < kMostLimbs; ++limb) {
          held[limb] = !stands[limb].empty() && stands[limb][k];
        }
        StandOn(kinematics, masses, limbs, held, frames[k], com, q);
        most = std::max(most, Norm(turn));
      }
      for (int i = 0; i < 3; ++i) {
        const double a = ways[i]->acceleration[j];
        shift[i] += moved[i] * dt[j] + 0.5 * a * dt[j] * dt[j];
        moved[i] += a * dt[j];
      }
    }
  }
  for (const FlightPath& path : paths) {
    FadeIntoFlight(kinematics, path.flight, rate, given, poses);
  }
  return most;
}

}  // namespace stride
