#include "stride/controllers/pendulum/reference.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/motion/edit/filter.h"

namespace stride {
namespace {

constexpr double kCutoff = 12;         // Hz, of joint angles
constexpr double kFacingCutoff = 0.5;  // Hz, of the facing direction
constexpr double kMomentumCutoff = 6;  // Hz
constexpr int kRounds = 3;             // of a loop that are filtered and fitted together
constexpr double kShortest = 0.06;     // s, of a contact or a gap that is believed

double Turn(double from, double to) { return std::remainder(to - from, 2 * M_PI); }

Level2 LevelOf(const Vec3d& v) { return {v.x, v.y}; }

// Moving average by a Gaussian of a list that goes on by `continued(index)`.
template <class Continued>
std::vector<double> Smoothed(int count, double sigma, const Continued& continued) {
  const int reach = static_cast<int>(std::ceil(3 * sigma));
  std::vector<double> out(count);
  for (int i = 0; i < count; ++i) {
    double sum = 0, weights = 0;
    for (int k = -reach; k <= reach; ++k) {
      const double w = std::exp(-0.5 * k * k / (sigma * sigma));
      sum += w * continued(i + k), weights += w;
    }
    out[i] = sum / weights;
  }
  return out;
}

}  // namespace

ShearedFrame ShearOf(const CartPoleState& pole, double heading) {
  const Vec3d d = PoleDirection(pole);
  return {pole.cart, heading, {d.x / d.z, d.y / d.z}};
}
ShearedFrame Between(const ShearedFrame& a, const ShearedFrame& b, double t) {
  return {a.base + (b.base - a.base) * t, a.yaw + Turn(a.yaw, b.yaw) * t,
          a.shear + (b.shear - a.shear) * t};
}
Vec3d ToWorld(const ShearedFrame& frame, const Vec3d& local) {
  const Level2 level = frame.base + Turned({local.x, local.y}, frame.yaw) + frame.shear * local.z;
  return {level.x, level.y, local.z};
}
Vec3d ToLocal(const ShearedFrame& frame, const Vec3d& world) {
  const Level2 level = Turned(LevelOf(world) - frame.base - frame.shear * world.z, -frame.yaw);
  return {level.x, level.y, world.z};
}

PendulumReference::PendulumReference(const Character& character, const Motion& motion)
    : character_(std::make_shared<const Character>(character)),
      kinematics_(*character_),
      masses_(MassesOf(character)),
      feet_(FeetOf(character)),
      loops_(motion.loops) {
  if (motion.Duration() < 0.2) {
    throw InputError(fmt::format("the motion '{}' lasts {:.2f} s; expected at least 0.2 s",
                                 motion.name, motion.Duration()));
  }
  Resample(motion);
  Label(motion);
  FindFlights();
  Face();
  FitPole();
  Encode();
}

int PendulumReference::Wrapped(int at) const {
  if (!loops_) return std::clamp(at, 0, count_ - 1);
  const int rest = at % count_;
  return rest < 0 ? rest + count_ : rest;
}

PendulumReference::Move PendulumReference::MoveOfRound(int round) const {
  Move move;
  const int steps = std::abs(round);
  for (int k = 0; k < steps; ++k) {
    if (round > 0) {
      move.shift = round_.shift + Turned(move.shift, round_.turn);
    } else {
      move.shift = Turned(move.shift - round_.shift, -round_.turn);
    }
  }
  move.turn = round * round_.turn;
  return move;
}

// Smooth frames at kPlanRate with velocities and accelerations.
void PendulumReference::Resample(const Motion& motion) {
  const double duration = motion.Duration();
  const int steps = std::max(2, static_cast<int>(std::lround(duration * kPlanRate)));
  count_ = loops_ ? steps : steps + 1;
  const double dt = duration / steps;
  const int first = loops_ ? -steps * (kRounds / 2) : 0;
  const int all = loops_ ? steps * kRounds + 1 : count_;
  std::vector<std::vector<double>> frames(all);
  for (int k = 0; k < all; ++k) frames[k] = SampleMotion(motion, *character_, (first + k) * dt);
  MakeSignsContinuous(kinematics_, &frames);
  LowPass(kinematics_, kCutoff, kPlanRate, &frames);
  // The rate differs from kPlanRate by the rounding of the duration only.
  const auto at = [&](int k) -> const std::vector<double>& {
    return frames[std::clamp(k - first, 0, all - 1)];
  };
  const auto rate = [&](int k) {
    const int before = loops_ ? k - 1 : std::max(k - 1, 0);
    const int after = loops_ ? k + 1 : std::min(k + 1, count_ - 1);
    return PoseDifference(*character_, at(before), at(after), (after - before) * kPlanStep);
  };
  for (int k = 0; k < count_; ++k) {
    State state{at(k), rate(k)};
    // PoseDifference has the root's angular velocity in body axes, as State::v.
    const std::vector<double> before = rate(k - 1), after = rate(k + 1);
    std::vector<double> acceleration(before.size());
    for (std::size_t i = 0; i < acceleration.size(); ++i) {
      acceleration[i] = (after[i] - before[i]) * 0.5 * kPlanRate;
    }
    states_.push_back(std::move(state));
    accelerations_.push_back(std::move(acceleration));
  }
  if (loops_) {
    const std::vector<double>&a = at(0), &b = at(steps);
    round_.turn = Turn(NearestHeading(QuatAt(a, 3)), NearestHeading(QuatAt(b, 3)));
    round_.shift = LevelOf(Vec3At(b, 0)) - Turned(LevelOf(Vec3At(a, 0)), round_.turn);
  }
  frames_.resize(count_);
  for (int k = 0; k < count_; ++k) {
    kinematics_.Frames(states_[k].q, &frames_[k]);
    wholes_.push_back(MeasureWhole(masses_, frames_[k]));
  }
  double way = 0;
  for (int k = 0; k < count_; ++k) way += std::hypot(states_[k].v[0], states_[k].v[1]);
  speed_ = way / count_;
}

// Which foot stands in which frame; flickering labels are not believed.
void PendulumReference::Label(const Motion& motion) {
  const double dt = motion.Duration() / (loops_ ? count_ : count_ - 1);
  const int shortest = static_cast<int>(kShortest * kPlanRate);
  for (int limb = 0; limb < 2; ++limb) {
    std::vector<char>& stands = stands_[limb];
    for (int k = 0; k < count_; ++k) {
      stands.push_back((SampleContacts(motion, k * dt) & feet_[limb].flag) != 0);
    }
    // A run of equal labels that is too short takes the label around it.
    for (int pass = 0; pass < 2; ++pass) {
      for (int k = 0; k < count_; ++k) {
        const char before = stands[Wrapped(k - 1)];
        if (stands[k] == before) continue;
        int length = 1;
        while (length < count_ && stands[Wrapped(k + length)] == stands[k] &&
               (loops_ || k + length < count_)) {
          ++length;
        }
        if (length >= shortest || (!loops_ && k + length >= count_)) continue;
        for (int i = 0; i < length; ++i) stands[Wrapped(k + i)] = before;
      }
    }
    // Supports over a round before and after as well, in order.
    std::vector<Support>& supports = supports_[limb];
    const int from = loops_ ? -count_ : 0, to = loops_ ? 2 * count_ : count_;
    bool stood = false;
    for (int k = from; k < to; ++k) {
      const bool now = Stands(limb, k);
      if (now && !stood) supports.push_back({k, k});
      if (now) supports.back().last = k;
      stood = now;
    }
    if (supports.empty()) {
      throw InputError(fmt::format(
          "the motion '{}' has no frame in which the {} foot stands; expected contact labels of "
          "both feet",
          motion.name, limb == 0 ? "left" : "right"));
    }
  }
}

void PendulumReference::FindFlights() {
  for (int k = 0; k < count_; ++k) flies_ = flies_ || (!stands_[0][k] && !stands_[1][k]);
}

Support PendulumReference::SupportBefore(int limb, int at) const {
  const std::vector<Support>& supports = supports_[limb];
  const int round = loops_ ? static_cast<int>(std::floor(static_cast<double>(at) / count_)) : 0;
  const int inside = at - round * count_;
  Support found{loops_ ? -count_ : 0, loops_ ? -count_ : 0};
  for (const Support& s : supports) {
    if (s.first <= inside) found = s;
  }
  return {found.first + round * count_, found.last + round * count_};
}
Support PendulumReference::SupportAfter(int limb, int at) const {
  const std::vector<Support>& supports = supports_[limb];
  const int round = loops_ ? static_cast<int>(std::floor(static_cast<double>(at) / count_)) : 0;
  const int inside = at - round * count_;
  Support found{count_ - 1, count_ - 1};
  for (auto s = supports.rbegin(); s != supports.rend(); ++s) {
    if (s->last >= inside) found = *s;
  }
  return {found.first + round * count_, found.last + round * count_};
}

// The facing direction: the pelvis's heading without the sway of single steps.
void PendulumReference::Face() {
  std::vector<double> raw(count_);
  for (int k = 0; k < count_; ++k) {
    raw[k] = NearestHeading(QuatAt(states_[k].q, 3));
    if (k > 0) raw[k] = raw[k - 1] + Turn(raw[k - 1], raw[k]);
  }
  const double sigma = kPlanRate * 0.1325 / kFacingCutoff;
  headings_ = Smoothed(count_, sigma, [&](int k) {
    if (!loops_) return raw[std::clamp(k, 0, count_ - 1)];
    const int round = static_cast<int>(std::floor(static_cast<double>(k) / count_));
    return raw[Wrapped(k)] + round * round_.turn;
  });
  turn_rate_.resize(count_);
  for (int k = 0; k < count_; ++k) {
    const bool last = k == count_ - 1;
    const double next = !last    ? headings_[k + 1]
                        : loops_ ? headings_[0] + round_.turn
                                 : headings_[k];
    turn_rate_[k] = (next - headings_[k]) * kPlanRate;
  }
}

// The speeds that the pole has to want, one a change of contact and linear between, and where it
// begins, so that its centre goes where the body's does: least squares by Gauss and Newton. The
// paper does the same in stages by conjugate gradients, to stay clear of local minima; the pole's
// dynamics is so nearly linear that a few whole steps from the mean speed suffice.
void PendulumReference::FitPole() {
  double height = 0;
  Sym3d inertia{};
  for (int k = 0; k < count_; ++k) {
    height += wholes_[k].com.z / count_;
    inertia += wholes_[k].inertia * (1.0 / count_);
  }
  pole_ = MakeCartPole(wholes_[0].mass, height, 0.5 * (inertia.xx + inertia.yy));

  // Keys: frames at which some foot's label changes.
  std::vector<int> keys;
  for (int k = loops_ ? 0 : 1; k < count_; ++k) {
    for (int limb = 0; limb < 2; ++limb) {
      if (stands_[limb][k] != stands_[limb][Wrapped(k - 1)] &&
          (keys.empty() || k - keys.back() >= 4)) {
        keys.push_back(k);
      }
    }
  }
  if (!loops_ || keys.empty()) {
    if (keys.empty() || keys.front() > 4) keys.insert(keys.begin(), 0);
    if (!loops_ && keys.back() < count_ - 5) keys.push_back(count_ - 1);
  }
  Level2 way_ahead;
  for (int k = 0; k < count_; ++k) {
    way_ahead = way_ahead + Turned({states_[k].v[0], states_[k].v[1]}, -headings_[k]);
  }
  const double way_size = std::hypot(way_ahead.x, way_ahead.y);
  if (way_size > 0.1 * speed_ * count_) direction_ = way_ahead * (1 / way_size);

  const int n_keys = static_cast<int>(keys.size());
  // Wanted speed at a frame, relative to the heading.
  const auto wanted_at = [&](const Eigen::VectorXd& u, int k) -> Level2 {
    const auto key = [&](int i) { return Level2{u[8 + 2 * i], u[9 + 2 * i]}; };
    int after = 0;
    while (after < n_keys && keys[after] <= k) ++after;
    if (!loops_ && (after == 0 || after == n_keys)) return key(after == 0 ? 0 : n_keys - 1);
    const int a = (after + n_keys - 1) % n_keys, b = after % n_keys;
    const double from = keys[a] - (after == 0 ? count_ : 0),
                 to = keys[b] + (after == n_keys ? count_ : 0);
    const double t = to > from ? (k - from) / (to - from) : 0;
    return key(a) + (key(b) - key(a)) * t;
  };
  const int rounds = loops_ ? kRounds : 1, frames = count_ * rounds;
  std::vector<Level2> com(frames);
  std::vector<double> heading(frames);
  for (int r = 0; r < rounds; ++r) {
    const Move move = MoveOfRound(r);
    for (int k = 0; k < count_; ++k) {
      com[r * count_ + k] = move.shift + Turned(LevelOf(wholes_[k].com), move.turn);
      heading[r * count_ + k] = headings_[k] + move.turn;
    }
  }
  std::vector<CartPoleState> way(frames);
  std::vector<CartPoleRates> rates(frames);
  const auto simulate = [&](const Eigen::VectorXd& u) {
    CartPoleState s{{u[0], u[1]}, {u[2], u[3]}, {u[4], u[5]}, {u[6], u[7]}};
    for (int k = 0; k < frames; ++k) {
      way[k] = s;
      rates[k] = Advance(pole_, Turned(wanted_at(u, k % count_), heading[k]), kPlanStep, &s);
    }
  };
  const int parameters = 8 + 2 * n_keys;
  // So that a key that hardly matters stays near the mean.
  const double keep = 0.002 * std::sqrt(static_cast<double>(frames) / parameters);
  Eigen::VectorXd u(parameters);
  const Level2 start_speed = frames > 1 ? (com[1] - com[0]) * kPlanRate : Level2{};
  u << com[0].x, com[0].y, start_speed.x, start_speed.y, 0, 0, 0, 0,
      Eigen::VectorXd::Zero(2 * n_keys);
  Level2 by_heading{};
  for (int k = 0; k + 1 < frames; ++k) {
    by_heading = by_heading + Turned(com[k + 1] - com[k], -heading[k]) * (kPlanRate / (frames - 1));
  }
  for (int i = 0; i < n_keys; ++i) u[8 + 2 * i] = by_heading.x, u[9 + 2 * i] = by_heading.y;
  const Eigen::VectorXd prior = u;
  const int rows = 2 * frames + parameters;
  const auto residual = [&](const Eigen::VectorXd& at, Eigen::VectorXd* r) {
    simulate(at);
    for (int k = 0; k < frames; ++k) {
      const Level2 off = LevelOf(PoleCenter(pole_, way[k])) - com[k];
      (*r)[2 * k] = off.x, (*r)[2 * k + 1] = off.y;
    }
    r->tail(parameters) = (at - prior) * keep;
  };
  Eigen::VectorXd r(rows), moved(rows);
  Eigen::MatrixXd jacobian(rows, parameters);
  for (int iteration = 0; iteration < 8; ++iteration) {
    residual(u, &r);
    for (int p = 0; p < parameters; ++p) {
      Eigen::VectorXd nudged = u;
      nudged[p] += 1e-5;
      residual(nudged, &moved);
      jacobian.col(p) = (moved - r) / 1e-5;
    }
    const Eigen::VectorXd step =
        (jacobian.transpose() * jacobian).ldlt().solve(-jacobian.transpose() * r);
    u += step;
    if (step.lpNorm<Eigen::Infinity>() < 1e-7) break;
  }
  residual(u, &r);
  fit_error_ = std::sqrt(r.head(2 * frames).squaredNorm() / frames);

  const int middle = loops_ ? kRounds / 2 : 0;
  const Move back = MoveOfRound(-middle);
  poles_.resize(count_);
  pole_rates_.resize(count_);
  wanted_.resize(count_);
  for (int k = 0; k < count_; ++k) {
    const CartPoleState& s = way[middle * count_ + k];
    poles_[k] = {back.shift + Turned(s.cart, back.turn), Turned(s.speed, back.turn),
                 Turned(s.lean, back.turn), Turned(s.lean_rate, back.turn)};
    const CartPoleRates& a = rates[middle * count_ + k];
    pole_rates_[k] = {Turned(a.acceleration, back.turn), Turned(a.lean_acceleration, back.turn)};
    wanted_[k] = wanted_at(u, k);
  }

  // Momentum of the clip about its centre of mass, and its rate.
  const double dt = kPlanStep;
  angular_.resize(count_);
  linear_.resize(count_);
  const auto neighbours = [&](int k, int* before, int* after) {
    *before = loops_ ? Wrapped(k - 1) : std::max(k - 1, 0);
    *after = loops_ ? Wrapped(k + 1) : std::min(k + 1, count_ - 1);
  };
  for (int k = 0; k < count_; ++k) {
    // By the state's own velocity: a pose a moment later.
    std::vector<double> later = states_[k].q;
    const double h = 1e-4;
    const Layout& layout = kinematics_.layout();
    for (int b = 0; b < character_->BodyCount(); ++b) {
      const int q = layout.q[b], v = layout.v[b];
      const std::vector<double>& rate = states_[k].v;
      switch (character_->bodies[b].joint.kind) {
        case JointKind::kBall:
          Put(Integrate(QuatAt(later, q), Vec3At(rate, v), h), q, &later);
          break;
        case JointKind::kFree:
          Put(Vec3At(later, q) + Vec3At(rate, v) * h, q, &later);
          Put(Integrate(QuatAt(later, q + 3), Vec3At(rate, v + 3), h), q + 3, &later);
          break;
        default: later[q] += h * rate[v];  // one coordinate
      }
    }
    BodyFrames moved_frames;
    kinematics_.Frames(later, &moved_frames);
    const Twist v = AlignmentBetween(masses_, frames_[k], moved_frames);
    angular_[k] = wholes_[k].inertia * v.angular * (1 / h);
    linear_[k] = v.linear * (wholes_[k].mass / h);
  }
  // The rates are too rough to ask for as they are.
  const double sigma = kPlanRate * 0.1325 / kMomentumCutoff;
  for (std::vector<Vec3d>* list : {&angular_, &linear_}) {
    const std::vector<Vec3d> raw = *list;
    for (double Vec3d::*axis : {&Vec3d::x, &Vec3d::y, &Vec3d::z}) {
      const std::vector<double> smooth =
          Smoothed(count_, sigma, [&](int k) { return raw[Wrapped(k)].*axis; });
      for (int k = 0; k < count_; ++k) (*list)[k].*axis = smooth[k];
    }
  }
  angular_rate_.resize(count_);
  linear_rate_.resize(count_);
  for (int k = 0; k < count_; ++k) {
    int before, after;
    neighbours(k, &before, &after);
    const double span = loops_ ? 2 * dt : std::max(1, after - before) * dt;
    const auto seen = [&](const std::vector<Vec3d>& values, int at, int wanted) {
      // Of a loop that turns, the neighbour over the seam is turned.
      const double turn = loops_ && at != wanted ? (wanted < 0 ? -round_.turn : round_.turn) : 0;
      return Rotate(AxisAngle({0, 0, 1}, turn), values[at]);
    };
    angular_rate_[k] = (seen(angular_, after, k + 1) - seen(angular_, before, k - 1)) * (1 / span);
    linear_rate_[k] = (seen(linear_, after, k + 1) - seen(linear_, before, k - 1)) * (1 / span);
  }
}

CartPoleState PendulumReference::MovedPole(int at, double* heading) const {
  const int inside = Wrapped(at);
  const int round = loops_ ? static_cast<int>(std::floor(static_cast<double>(at) / count_)) : 0;
  const Move move = MoveOfRound(round);
  const CartPoleState& s = poles_[inside];
  *heading = headings_[inside] + move.turn;
  return {move.shift + Turned(s.cart, move.turn), Turned(s.speed, move.turn),
          Turned(s.lean, move.turn), Turned(s.lean_rate, move.turn)};
}

void PendulumReference::PoseAt(double at, std::vector<double>* q) const {
  const int before = static_cast<int>(std::floor(at));
  const double t = at - before;
  *q = poses_[Wrapped(before)];
  const std::vector<double>& next = poses_[Wrapped(before + 1)];
  const Layout& layout = kinematics_.layout();
  const auto turn = [&](int k) {
    const Quatd a = QuatAt(*q, k);
    Put(a * Exp(Log(Conjugate(a) * QuatAt(next, k)) * t), k, q);
  };
  for (int b = 0; b < character_->BodyCount(); ++b) {
    const int k = layout.q[b];
    switch (character_->bodies[b].joint.kind) {
      case JointKind::kBall: turn(k); break;
      case JointKind::kFree:
        Put(Vec3At(*q, k) + (Vec3At(next, k) - Vec3At(*q, k)) * t, k, q);
        turn(k + 3);
        break;
      default: (*q)[k] += (next[k] - (*q)[k]) * t;  // one coordinate
    }
  }
}

LimbPlace PendulumReference::LocalAt(int limb, double at) const {
  const int before = static_cast<int>(std::floor(at));
  const double t = at - before;
  const LimbPlace &a = local_[limb][Wrapped(before)], &b = local_[limb][Wrapped(before + 1)];
  return {a.position + (b.position - a.position) * t,
          a.rotation * Exp(Log(Conjugate(a.rotation) * b.rotation) * t)};
}

double PendulumReference::WayOf(int from, int to) const {
  double heading;
  const Level2 way = MovedPole(to, &heading).cart - MovedPole(from, &heading).cart;
  return std::max(0.2, std::hypot(way.x, way.y));
}

ShearedFrame PendulumReference::FrameOf(const Support& support) const {
  double heading;
  const CartPoleState pole = MovedPole(static_cast<int>(std::lround(support.Middle())), &heading);
  return ShearOf(pole, heading);
}

// S of eq. 7, of the clip itself.
ShearedFrame PendulumReference::FrameOfLimb(int limb, int at) const {
  const Support before = SupportBefore(limb, at);
  if (at <= before.last) return FrameOf(before);
  const Support after = SupportAfter(limb, at);
  const double t = after.first > before.last
                       ? static_cast<double>(at - before.last) / (after.first - before.last)
                       : 0;
  return Between(FrameOf(before), FrameOf(after), std::clamp(t, 0.0, 1.0));
}

void PendulumReference::Encode() {
  for (int k = 0; k < count_; ++k) {
    const RigidFrame pole = stride::FrameOf(pole_, poles_[k], headings_[k]);
    std::vector<double> q = states_[k].q;
    Put(Rotate(Conjugate(pole.rotation), Vec3At(q, 0) - pole.position), 0, &q);
    Put(Conjugate(pole.rotation) * QuatAt(q, 3), 3, &q);
    poses_.push_back(std::move(q));
  }
  for (int limb = 0; limb < 2; ++limb) {
    const int foot = feet_[limb].foot;
    for (int k = 0; k < count_; ++k) {
      const ShearedFrame frame = FrameOfLimb(limb, k);
      local_[limb].push_back({ToLocal(frame, frames_[k].position[foot]),
                              AxisAngle({0, 0, 1}, -frame.yaw) * frames_[k].rotation[foot]});
    }
  }
}

}  // namespace stride
