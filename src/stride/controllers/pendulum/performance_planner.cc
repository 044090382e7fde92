#include "stride/controllers/pendulum/performance_planner.h"

#include <algorithm>
#include <cmath>

#include "stride/controllers/pendulum/pose_rates.h"
#include "stride/dynamics/rigid_body.h"

namespace stride {
namespace {

constexpr Vec3d kUp{0, 0, 1};
constexpr double kGravity = 9.81;
constexpr double kHeldWithin = 0.05;   // m of its place within which a foot that has landed is held
constexpr double kSameHeight = 0.005;  // m, of the contact points that stand
constexpr double kCarryingHeight = 0.012;  // m, of a contact point that may carry
constexpr int kLeaving = 18;               // steps before a lift-off in which a foot rolls off
constexpr double kMostTurned = 0.6, kMostOff = 0.4;  // rad, m: that a planned pose is moved by

double SoftClamp(double x, double most) { return most * std::tanh(x / most); }
Vec3d SoftClamp(const Vec3d& v, double most) {
  const double size = Norm(v);
  return size > 0 ? v * (SoftClamp(size, most) / size) : v;
}
double Turn(double from, double to) { return std::remainder(to - from, 2 * M_PI); }

LevelMove Between(const LevelMove& a, const LevelMove& b, double t) {
  return {a.yaw + Turn(a.yaw, b.yaw) * t, a.shift + (b.shift - a.shift) * t};
}
// The move with a turn that brings one point over another.
LevelMove Bringing(double yaw, const Vec3d& from, const Vec3d& to) {
  return {yaw, Level2{to.x, to.y} - Turned({from.x, from.y}, yaw)};
}

}  // namespace

PerformancePlanner::PerformancePlanner(std::shared_ptr<const PerformanceReference> reference,
                                       const Terrain& terrain, const PerformanceConfig& config)
    : reference_(std::move(reference)),
      terrain_(terrain),
      config_(config),
      in_flight_(config.body),
      pole_(MakePivotedPole(reference_->pole().mass, reference_->pole().length,
                            reference_->pole().inertia, config.pole_weight)),
      sway_(MakeSwayGains(reference_->pole().mass, reference_->pole().length,
                          reference_->pole().inertia, config.sway)),
      limb_of_point_(LimbOfPoints(reference_->character())) {
  // In flight there is no momentum to change: the authors' program leaves its terms out.
  in_flight_.weight_momentum = in_flight_.weight_linear = in_flight_.weight_height = 0;
  in_flight_.weight_joints = config.flight_joints;
  in_flight_.weight_feet = config.flight_feet;
  in_flight_.weight_torque = config.flight_torque;
  Begin();
}

State PerformancePlanner::Start(int at) const {
  State start = reference_->StateAt(at);
  start.q[0] = start.q[1] = 0;
  BodyFrames frames;
  reference_->kinematics().Frames(start.q, &frames);
  double lowest = HUGE_VAL;
  for (const ContactPoint& point : reference_->character().contact_points) {
    const Vec3d p = PointAt(frames, point);
    lowest = std::min(lowest, p.z - SurfaceAt(terrain_, p.x, p.y).height);
  }
  if (!reference_->Flies(at)) start.q[2] -= lowest;
  return start;
}

void PerformancePlanner::Begin(int at) {
  frame_ = at;
  waited_ = 0;
  lands_ = false;
  const Vec3d from = Vec3At(reference_->StateAt(at).q, 0);
  move_ = {0, Level2{} - Level2{from.x, from.y}};
  landed_.fill(move_);
  for (int limb = 0; limb < kMostLimbs; ++limb) {
    holds_[limb] = carries_[limb] = reference_->Stands(limb, at);
  }
}

double PerformancePlanner::HeadingNow() const {
  return reference_->HeadingAt(reference_->Inside(static_cast<int>(std::lround(frame_)))) +
         move_.yaw + turned_.z;
}

Vec3d PerformancePlanner::Pivot() const {
  const Level2& pivot =
      reference_->Pivot(reference_->Inside(static_cast<int>(std::lround(frame_))));
  Vec3d at = move_.Point({pivot.x, pivot.y, 0});
  at.z = SurfaceAt(terrain_, at.x, at.y).height;
  return at;
}

// Section 5.1: how the body differs from the clip as the plan has it, by momentum mapping.
void PerformancePlanner::Estimate(Model<double>* model, const State& state) {
  const PerformanceReference& ref = *reference_;
  const int at = ref.Inside(static_cast<int>(std::lround(frame_)));
  ref.kinematics().Frames(state.q, &frames_);
  whole_ = MeasureWhole(ref.masses(), frames_);
  momentum_ = GetMomentum(model);
  const BodyFrames& clip = ref.Frames(at);
  aligned_ = clip;
  const double ground = SurfaceAt(terrain_, whole_.com.x, whole_.com.y).height;
  const auto align = [&] {
    const Quatd turn = move_.Turn();
    for (std::size_t b = 0; b < aligned_.position.size(); ++b) {
      aligned_.position[b] = move_.Point(clip.position[b]) + kUp * ground;
      aligned_.rotation[b] = turn * clip.rotation[b];
    }
    turned_ = -AlignmentBetween(ref.masses(), frames_, aligned_).angular;
    off_ = whole_.com - move_.Point(ref.Whole(at).com) - kUp * ground;
  };
  align();
  if (flies_) {
    // Nothing holds it: the plan goes where the body goes.
    move_ = Bringing(move_.yaw + turned_.z, ref.Whole(at).com, whole_.com);
    align();
  }
  // After its end the clip rests.
  const double goes = Over() ? 0 : 1;
  off_speed_ = momentum_.linear * (1 / whole_.mass) - move_.Direction(ref.Velocity(at)) * goes;
  off_momentum_ = momentum_.angular - move_.Direction(ref.AngularMomentum(at)) * goes;
}

// How far the next landing has to move so that the body comes to stand over it.
Level2 PerformancePlanner::NextStep(double seconds) const {
  const Vec3d spin = Inverse(whole_.inertia) * off_momentum_;
  const Vec3d lean = turned_ + spin * seconds;
  Level2 step = Level2{off_.x, off_.y} +
                Level2{off_speed_.x, off_speed_.y} * (std::min(seconds, 0.5) + config_.step_speed) +
                Level2{lean.y, -lean.x} * config_.step_turning;
  const double size = std::hypot(step.x, step.y);
  return size > 0 ? step * (SoftClamp(size, config_.most_step) / size) : step;
}

// The move of the clip that places a limb at a frame: eq. 6, for supports frozen where it landed,
// and between them on the way to the next.
LevelMove PerformancePlanner::MoveOf(int limb, int at) const {
  const PerformanceReference& ref = *reference_;
  if (ref.Stands(limb, at) && holds_[limb]) return landed_[limb];
  const int now = static_cast<int>(std::lround(frame_));
  const int lands = ref.Stands(limb, at) ? at : ref.NextLanding(limb, at);
  if (lands < 0) return move_;
  const int lifted = ref.LastLift(limb, std::min(at, lands - 1));
  const double t = lands > lifted
                       ? std::clamp(static_cast<double>(at - lifted) / (lands - lifted), 0.0, 1.0)
                       : 1;
  LevelMove next = move_;
  next.shift = next.shift + NextStep(std::max(0, lands - now) * kPlanStep);
  return Between(landed_[limb], next, t * t * (3 - 2 * t));
}

LimbSolver::Place PerformancePlanner::PlannedPlace(int limb, int at) const {
  const LimbSolver::Place& clip = reference_->Place(limb, at);
  const LevelMove move = MoveOf(limb, at);
  LimbSolver::Place place{move.Point(clip.position), move.Turn() * clip.rotation};
  const Surface ground = SurfaceAt(terrain_, place.position.x, place.position.y);
  place.position.z += ground.height;
  place.rotation = RotationBetween(kUp, ground.normal) * place.rotation;
  return place;
}

// The middle of a limb's lowest contact points as the body has it, in the limb's frame.
Vec3d PerformancePlanner::Standing(int limb) const {
  const Character& character = reference_->character();
  double lowest = HUGE_VAL;
  const auto bottom = [&](const ContactPoint& point) { return PointAt(frames_, point); };
  for (std::size_t p = 0; p < limb_of_point_.size(); ++p) {
    if (limb_of_point_[p] != limb) continue;
    lowest = std::min(lowest, bottom(character.contact_points[p]).z);
  }
  Vec3d sum;
  int n = 0;
  for (std::size_t p = 0; p < limb_of_point_.size(); ++p) {
    if (limb_of_point_[p] != limb) continue;
    const Vec3d at = bottom(character.contact_points[p]);
    if (at.z > lowest + kSameHeight) continue;
    sum += at, ++n;
  }
  const int body = reference_->limbs().limbs()[limb].body;
  return Rotate(Conjugate(frames_.rotation[body]), sum * (1.0 / n) - frames_.position[body]);
}

// Landings, early and late; where the plan is after them.
void PerformancePlanner::Follow(std::span<const bool> touches) {
  const PerformanceReference& ref = *reference_;
  int now = static_cast<int>(std::lround(frame_));
  bool touched = false;
  for (const bool touch : touches) touched = touched || touch;
  // A flight ends early.
  if (ref.Flies(now) && now < ref.Count() - 1) {
    int lands = ref.Count();
    for (int limb = 0; limb < kMostLimbs; ++limb) {
      const int next = ref.NextLanding(limb, now);
      if (next >= 0) lands = std::min(lands, next);
    }
    for (int limb = 0; limb < kMostLimbs; ++limb) {
      if (touches[limb] && lands < ref.Count() && ref.NextLanding(limb, now) <= lands + 6 &&
          (lands - now) * kPlanStep <= config_.early) {
        frame_ = now = lands;
        break;
      }
    }
  }
  flies_ = ref.Flies(now);
  supported_ = touched;
  // Or late: the clip waits.
  waits_ = false;
  if (flies_) lands_ = true;
  if (touched && !flies_) lands_ = false;
  if (!flies_ && lands_ && waited_ < config_.late) {
    waits_ = true;
    waited_ += kPlanStep;
    flies_ = true;
  }
  if (touched) waited_ = 0;
  LevelMove sum{0, {}};
  double weights = 0;
  for (int limb = 0; limb < kMostLimbs; ++limb) {
    const bool stands = ref.Stands(limb, now);
    if (!stands) holds_[limb] = false;
    if (stands && !holds_[limb] && touches[limb]) {
      landed_[limb] = Bringing(move_.yaw, ref.Place(limb, now).position,
                               LimbSolver::Place(ref.limbs().PlaceOf(limb, frames_)).position);
      holds_[limb] = true;
    }
    carries_[limb] = stands;
    if (stands && holds_[limb]) {
      sum.shift = sum.shift + landed_[limb].shift;
      sum.yaw += Turn(move_.yaw, landed_[limb].yaw);
      weights += 1;
    }
  }
  if (weights > 0) {
    const double share = kPlanStep / std::max(kPlanStep, config_.follow);
    move_.shift = move_.shift + (sum.shift * (1 / weights) - move_.shift) * share;
    move_.yaw += sum.yaw / weights * share;
  }
}

// The clip's pose moved as the body is off it, limbs where they are planned (Section 5.2).
void PerformancePlanner::Reconstruct(int at, std::vector<double>* q) {
  const PerformanceReference& ref = *reference_;
  const int inside = ref.Inside(at);
  *q = ref.StateAt(inside).q;
  const Quatd turn = Exp(SoftClamp(turned_, kMostTurned));
  const Vec3d com = move_.Point(ref.Whole(inside).com);
  Vec3d aside = SoftClamp(off_, kMostOff);
  if (!flies_) aside.z = 0;
  const double ground = SurfaceAt(terrain_, whole_.com.x, whole_.com.y).height;
  Put(com + aside + Rotate(turn, move_.Point(Vec3At(*q, 0)) - com) + kUp * ground, 0, q);
  Put(Normalized(turn * move_.Turn() * QuatAt(*q, 3)), 3, q);
  for (int limb = 0; limb < kMostLimbs; ++limb) {
    const double weight = ref.limbs().Has(limb) ? ref.Weight(limb, inside) : 0;
    if (weight <= 0) continue;
    ref.kinematics().Frames(*q, &scratch_);
    LimbSolver::Place place = PlannedPlace(limb, at);
    const LimbSolver::Place own = ref.limbs().PlaceOf(limb, scratch_);
    place.position = own.position + (place.position - own.position) * weight;
    place.rotation = Slerp(own.rotation, place.rotation, weight);
    ref.limbs().Solve(limb, scratch_, place, q);
  }
}

// A push from under what stands, with which the centre of mass goes where it shall, turns the body
// between two bounds. More is not asked for, or the program gives up balance for the turning.
void PerformancePlanner::AskWhatIsPossible(WholeBodyTarget* target) const {
  const Character& character = reference_->character();
  double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL}, ground = 0;
  for (std::size_t p = 0; p < limb_of_point_.size(); ++p) {
    if (limb_of_point_[p] < 0 || !carries_[limb_of_point_[p]]) continue;
    const Vec3d at = PointAt(frames_, character.contact_points[p]);
    ground = SurfaceAt(terrain_, at.x, at.y).height;
    if (at.z - ground > kCarryingHeight) continue;
    low[0] = std::min(low[0], at.x), high[0] = std::max(high[0], at.x);
    low[1] = std::min(low[1], at.y), high[1] = std::max(high[1], at.y);
  }
  if (low[0] > high[0]) return;
  const Vec3d com = whole_.com, force = target->linear_rate + Vec3d{0, 0, kGravity * whole_.mass};
  if (force.z <= 0) return;
  const double height = com.z - ground;
  // Cross product of the way from the centre of mass to the push with the push.
  const double x0 = (low[1] - com.y) * force.z + height * force.y,
               x1 = (high[1] - com.y) * force.z + height * force.y;
  const double y0 = -(high[0] - com.x) * force.z - height * force.x,
               y1 = -(low[0] - com.x) * force.z - height * force.x;
  target->angular_rate.x = std::clamp(target->angular_rate.x, x0, x1);
  target->angular_rate.y = std::clamp(target->angular_rate.y, y0, y1);
}

void PerformancePlanner::Plan(Model<double>* model, const State& state,
                              std::span<const bool> touches, WholeBodyTarget* target) {
  const PerformanceReference& ref = *reference_;
  ref.kinematics().Frames(state.q, &frames_);
  Follow(touches);
  Estimate(model, state);
  const int now = static_cast<int>(std::lround(frame_)), at = ref.Inside(now);
  const bool still = waits_ || now >= ref.Count() - 1;
  Reconstruct(now, &desired_[0]);
  Reconstruct(still ? now : now + 1, &desired_[1]);
  target->q = desired_[0];
  target->v.resize(ref.kinematics().layout().nv);
  RateBetween(ref.kinematics(), desired_[0], desired_[1], kPlanRate, &target->v);
  target->acceleration = ref.Acceleration(at);
  if (still) std::fill(target->acceleration.begin(), target->acceleration.end(), 0.0);
  for (int k = 0; k < 6; ++k) target->acceleration[k] = 0;

  // Eq. 18: the clip's rates, and what the pole on its pivot and the mass on its spring add for the
  // differences.
  const double m = whole_.mass;
  const Vec3d turning = whole_.inertia * turned_ * config_.turning_stiffness +
                        off_momentum_ * config_.turning_damping;
  target->angular_rate = move_.Direction(still ? Vec3d{} : ref.AngularRate(at)) -
                         SoftClamp(turning, config_.most_turning);
  const Vec3d rise = still ? Vec3d{} : ref.Rise(at);
  const auto lean = [&](double aside, double speed) {
    // Difference of the accelerations of two poles, one of which is the clip's.
    const double l = pole_.length;
    return LeanAcceleration(pole_, aside / l, speed / l, 0) * l;
  };
  const Vec3d aside{lean(off_.x, off_speed_.x), lean(off_.y, off_speed_.y), 0};
  target->linear_rate = move_.Direction(rise) * m + SoftClamp(aside * m, config_.most_aside);
  if (const double share = config_.sways; share > 0) {
    // Level: force and turning that the ground can give at once.
    const Vec3d spin = Inverse(whole_.inertia) * off_momentum_;
    const double weight = m * std::max(0.2 * kGravity, rise.z + kGravity);
    const Sway x = SwayFor(sway_, weight, off_.x, off_speed_.x, turned_.y, spin.y),
               y = SwayFor(sway_, weight, off_.y, off_speed_.y, -turned_.x, -spin.x);
    const Vec3d force =
        move_.Direction(rise) * m + SoftClamp(Vec3d{x.force, y.force, 0}, config_.most_aside);
    const Vec3d turns = move_.Direction(still ? Vec3d{} : ref.AngularRate(at)) +
                        SoftClamp(Vec3d{-y.turning, x.turning, 0}, config_.most_turning);
    target->linear_rate += (force - target->linear_rate) * share;
    target->angular_rate.x += (turns.x - target->angular_rate.x) * share;
    target->angular_rate.y += (turns.y - target->angular_rate.y) * share;
  }
  target->linear_rate.z =
      rise.z * m - config_.height_stiffness * off_.z - config_.height_damping * off_speed_.z;

  if (flies_) {
    // A foot that is still down, or down too early, does not push.
    target->angular_rate = {};
    target->linear_rate = {0, 0, -kGravity * m};
  }

  if (!flies_ && config_.possible) AskWhatIsPossible(target);

  for (int limb = 0; limb < kMostLimbs; ++limb) {
    WholeBodyTarget::Limb& end = target->limbs[limb];
    end.body = -1;
    end.holds = end.lands = false;
    if (!ref.limbs().Has(limb)) continue;
    end.weight = ref.Weight(limb, at);
    if (end.weight <= 0) continue;
    end.body = ref.limbs().limbs()[limb].body;
    end.point = ref.limbs().limbs()[limb].point;
    end.turning = limb < 2 ? 0.5 : 0;
    const bool down = ref.Stands(limb, now) && !flies_ && config_.body.own_ground;
    end.lands = down && !holds_[limb];
    const LimbSolver::Place here = PlannedPlace(limb, now);
    end.holds = holds_[limb] && ref.Stands(limb, std::min(now + kLeaving, ref.Count() - 1)) &&
                Norm(here.position - ref.limbs().PlaceOf(limb, frames_).position) < kHeldWithin;
    const LimbSolver::Place after = still ? here : PlannedPlace(limb, now + 1);
    LimbSolver::Place before = still ? here : PlannedPlace(limb, now - 1);
    // The ground has stopped what has landed: the clip's way of stopping would throw it up again.
    if (!still && holds_[limb] && !ref.Stands(limb, now - 1)) {
      before.position = here.position * 2.0 - after.position;
      before.rotation = here.rotation * Conjugate(after.rotation) * here.rotation;
    }
    const Vec3d arm = down ? Standing(limb) - end.point : Vec3d{};
    const auto placed = [&](const LimbSolver::Place& place) {
      return place.position + Rotate(place.rotation, arm);
    };
    end.point += arm;
    end.position = placed(here);
    end.rotation = here.rotation;
    end.velocity = (placed(after) - placed(before)) * (0.5 * kPlanRate);
    end.acceleration =
        (placed(after) - placed(here) * 2.0 + placed(before)) * (kPlanRate * kPlanRate);
    if (down) {
      // What stands is down, whatever it is turned by.
      end.position.z = SurfaceAt(terrain_, end.position.x, end.position.y).height;
      end.velocity.z = end.acceleration.z = 0;
    }
    const Vec3d was = Log(here.rotation * Conjugate(before.rotation)) * kPlanRate,
                is = Log(after.rotation * Conjugate(here.rotation)) * kPlanRate;
    end.angular_velocity = (was + is) * 0.5;
    end.angular_acceleration = (is - was) * kPlanRate;
  }
}

void PerformancePlanner::Advance() {
  if (!waits_) frame_ += 1;
}

}  // namespace stride
