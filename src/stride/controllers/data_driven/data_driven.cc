#include "stride/controllers/data_driven/data_driven.h"

#include <algorithm>
#include <cmath>

#include "stride/dynamics/rigid_body.h"
#include "stride/math/rotation.h"
#include "stride/motion/edit/displacement.h"

namespace stride {
namespace {

constexpr double kFrame = 1 / kControlRate;  // s
constexpr Vec3d kUp{0, 0, 1};
// The stance foot goes over to the next fragment in this share of it (Section 4.2).
constexpr double kStanceFootShare = 0.2;
// A touch this late in a step is a landing, wherever the foot is; before, it must have come half of
// its way.
constexpr double kSurelyLanded = 0.9;
// A step is hastened by where the body is going to be in so many seconds, from so many metres off
// on, and at most by so much.
constexpr double kAhead = 0.3, kNotOff = 0.1, kMostHaste = 1;
// Inertia that holds a joint to its prescribed acceleration, kg m^2: much more than the whole body
// has about any of its joints.
constexpr double kPrescribing = 5000;
// A step is prolonged by so many frames at most; then the pose stays.
constexpr int kMostLate = 12;
// The trailing foot pushes off in this share of its swing; the authors' program: 0.6.
constexpr double kPushOffShare = 0.4;
// What the way's direction is corrected by: share of the error a step, and at most, rad.
constexpr double kDriftRate = 0.1, kMostDrift = 0.2;
constexpr double kTurnedAway = 0.1;  // rad
constexpr double kStepsOut = 0.12;   // m that a stand may be off, as a step's haste is measured
constexpr double kForgets = 0.1;     // a step, of what the steps before were off
constexpr int kBack = 3;             // frames over which the velocity at its end is taken

double Smooth(double x) { return ForwardTransition(x, 0, 1); }

Vec3d Level(const Vec3d& v) { return {v.x, v.y, 0}; }

// Log of a rotation that is mostly small, as tracking errors are: by the series of the arc sine up
// to half a radian or so (error below 1e-6), beyond that exactly.
Vec3d SmallLog(const Quatd& q) {
  const double x = q.x * q.x + q.y * q.y + q.z * q.z;
  if (x > 0.06) return Log(q);
  const double k = 2 + x * (1.0 / 3 + x * (3.0 / 20 + x * (5.0 / 56 + x * (35.0 / 576))));
  return Vec3d{q.x, q.y, q.z} * (q.w < 0 ? -k : k);
}

// Calls use(kind, index in q of the joint's own rotation or angle, index in v) for every joint; the
// root's rotation is that of a ball.
template <class Use>
void ForEachJoint(const Rig& rig, Use use) {
  const Layout& layout = rig.kinematics.layout();
  for (int i = 0; i < rig.character.BodyCount(); ++i) {
    const bool free = rig.character.bodies[i].joint.kind == JointKind::kFree;
    const bool hinge = rig.character.bodies[i].joint.kind == JointKind::kHinge;
    use(hinge ? JointKind::kHinge : JointKind::kBall, layout.q[i] + (free ? 3 : 0),
        layout.v[i] + (free ? 3 : 0), i);
  }
}

// Rotation vectors from one pose to another, by the joint: out = log(from^-1 to) * scale.
void Difference(const Rig& rig, const std::vector<double>& from, const std::vector<double>& to,
                double scale, std::vector<double>* out) {
  ForEachJoint(rig, [&](JointKind kind, int q, int v, int) {
    if (kind == JointKind::kHinge) {
      (*out)[v] = (to[q] - from[q]) * scale;
    } else {
      Put(Log(Conjugate(QuatAt(from, q)) * QuatAt(to, q)) * scale, v, out);
    }
  });
}

// q <- q exp(scale u), by the joint.
void Displace(const Rig& rig, const std::vector<double>& u, double scale, std::vector<double>* q) {
  ForEachJoint(rig, [&](JointKind kind, int at, int v, int) {
    if (kind == JointKind::kHinge) {
      (*q)[at] += scale * u[v];
    } else {
      Put(Normalized(QuatAt(*q, at) * Exp(Vec3At(u, v) * scale)), at, q);
    }
  });
}

}  // namespace

DataDrivenController::DataDrivenController(const World& world, std::shared_ptr<const Rig> rig,
                                           std::shared_ptr<const Animation> animation,
                                           const DataDrivenConfig& config)
    : config_(config),
      rig_(std::move(rig)),
      animation_(std::move(animation)),
      terrain_(world.terrain),
      time_step_(world.time_step),
      gravity_(world.gravity),
      tracking_(config.tracking == "servo"     ? Tracking::kServo
                : config.tracking == "inverse" ? Tracking::kInverse
                                               : Tracking::kPrescribed),
      start_(RestState(rig_->character)),
      model_(rig_->character) {
  const std::size_t nv = start_.v.size();
  for (EditedPose* pose : {&target_, &unwarped_, &simulated_, &scratch_, &landing_}) {
    pose->q = start_.q;
    rig_->kinematics.Frames(pose->q, &pose->frames);
  }
  before_ = start_.q;
  for (std::vector<double>* v :
       {&displacement_, &late_rate_, &rate_, &rate_before_, &acceleration_, &torque_}) {
    v->assign(nv, 0);
  }
  forces_.reserve(rig_->character.contact_points.size() + 16);

  ahead_ = kAhead * std::sqrt(animation_->Legs());

  animation_->Next(-1, 0, {}, &state_, &now_);
  BeginWalking();
}

// In the middle of a walk: the first fragment's first frame, at its velocity.
void DataDrivenController::BeginWalking() {
  ground_ = config_.knows_ground ? SurfaceAt(terrain_, 0, 0) : Surface{0, kUp};
  Unwarped(0, &unwarped_);
  start_.q = unwarped_.q;
  double lift = -HUGE_VAL;
  for (const ContactPoint& point : rig_->character.contact_points) {
    const Vec3d at = PointAt(unwarped_.frames, point);
    lift = std::max(lift, SurfaceAt(terrain_, at.x, at.y).height - at.z);
  }
  start_.q[2] += lift;
  const double step = kFrame / now_.seconds;
  Unwarped(step, &scratch_);
  Difference(*rig_, unwarped_.q, scratch_.q, kControlRate, &start_.v);
  const Vec3d velocity = Level(ReferenceVelocity(0));
  Put(velocity - kUp * (Dot(velocity, ground_.normal) / ground_.normal.z), 0, &start_.v);
  Unwarped(1, &landing_);
  target_ = unwarped_;
  before_ = target_.q;
  Displace(*rig_, start_.v, -kFrame, &before_);
  rate_ = rate_before_ = start_.v;
  reference_ = start_;
}

void DataDrivenController::ChangeGround(const Terrain& terrain) {
  terrain_ = terrain;
  if (!begun_) BeginWalking();
}

std::unique_ptr<Controller> DataDrivenController::Clone() const {
  auto clone = std::make_unique<DataDrivenController>(*this);
  clone->forces_.reserve(forces_.capacity());
  return clone;
}

std::optional<SpeedRange> DataDrivenController::Speeds() const {
  if (animation_->IsGraph()) return {};
  return animation_->Speeds();
}

double DataDrivenController::BendAt(double phase) const { return now_.bend * Smooth(phase); }

void DataDrivenController::Unwarped(double phase, EditedPose* pose) const {
  SampleBlend(rig_->character, now_.Parts(), phase, &pose->q);
  const Quatd turn = AxisAngle(kUp, heading_ + BendAt(phase) + drift_);
  Put(turn * QuatAt(pose->q, 3), 3, &pose->q);
  pose->q[0] = pose->q[1] = 0;
  rig_->kinematics.Frames(pose->q, &pose->frames);
  const double lean = now_.gains.lean - now_.gains.slow_lean * slow_;
  if (lean != 0) {
    // The legs stay as they are in the world.
    const Quatd thighs[2] = {pose->frames.rotation[rig_->feet[0].thigh],
                             pose->frames.rotation[rig_->feet[1].thigh]};
    Put(turn * AxisAngle({0, 1, 0}, lean) * Conjugate(turn) * QuatAt(pose->q, 3), 3, &pose->q);
    rig_->kinematics.Frames(pose->q, &pose->frames);
    for (int side = 0; side < 2; ++side) MatchStanceHip(*rig_, side, thighs[side], 1, pose);
  }
  if (ground_.normal.z < 1) FollowGround(pose);
}

// The reference on a slope: sheared along the vertical, so that the pelvis goes parallel to the
// ground. That takes an inverted pendulum no speed, unlike raising the foot that lands.
void DataDrivenController::FollowGround(EditedPose* pose) const {
  const Vec3d& n = ground_.normal;
  const Quatd tilt = RotationBetween(kUp, n);
  const double lower = now_.gains.crouch * std::hypot(n.x, n.y) / n.z;
  for (int side = 0; side < 2; ++side) {
    const FootParts& foot = rig_->feet[side];
    Vec3d ankle = pose->frames.position[foot.foot];
    const Vec3d from_root = ankle - Vec3At(pose->q, 0);
    ankle.z += lower - (n.x * from_root.x + n.y * from_root.y) / n.z;
    rig_->legs[side].Solve(pose->frames, ankle, tilt * pose->frames.rotation[foot.foot],
                           rig_->legs[side].ToeAngle(pose->frames), &pose->q);
    rig_->UpdateLeg(side, pose->q, &pose->frames);
  }
}

Vec3d DataDrivenController::ReferenceVelocity(double phase) const {
  // Central, within the fragment.
  const double half = 0.5 * kFrame / now_.seconds;
  const double a = std::clamp(phase - half, 0.0, 1 - 2 * half), b = a + 2 * half;
  Vec3d way;
  for (const BlendPart& part : now_.Parts()) {
    const int last = static_cast<int>(part.fragment->frames.size()) - 1;
    const auto at = [&](double p) {
      const double f = p * last;
      const int i = std::min(static_cast<int>(f), last - 1);
      return Vec3At(part.fragment->frames[i], 0) * (1 - (f - i)) +
             Vec3At(part.fragment->frames[i + 1], 0) * (f - i);
    };
    way += (at(b) - at(a)) * part.weight;
  }
  return Rotate(AxisAngle(kUp, heading_ + BendAt(phase)), way * kControlRate);
}

void DataDrivenController::Warp(double phase, std::vector<double>* q) const {
  const int swing = now_.Swing();
  const int stance_foot = swing >= 0 ? rig_->feet[1 - swing].foot : -1;
  ForEachJoint(*rig_, [&](JointKind kind, int at, int v, int body) {
    const double share = body == stance_foot ? kStanceFootShare : 1;
    const double r = BackwardTransition(phase, 0, share);
    if (r <= 0) return;
    if (kind == JointKind::kHinge) {
      (*q)[at] += r * displacement_[v];
    } else {
      Put(Normalized(QuatAt(*q, at) * Exp(Vec3At(displacement_, v) * r)), at, q);
    }
  });
}

bool DataDrivenController::SwingFootTouches(const Observation& observation) const {
  const int swing = now_.Swing();
  if (swing < 0) return false;
  const FootParts& foot = rig_->feet[swing];
  return std::any_of(
      observation.contacts.begin(), observation.contacts.end(), [&](const Contact& contact) {
        return contact.force.z > 0 && (contact.body == foot.foot || contact.body == foot.toe);
      });
}

// Of a foot that touches.
bool DataDrivenController::HasLanded() const {
  if (phase_ <= config_.landing) return false;
  if (phase_ > kSurelyLanded) return true;
  // Toes that scrape along the ground beside the standing foot have not landed.
  const double half = 0.5 * Dot(StepOf(landing_.frames), error_.along);
  return std::fabs(half) < 0.05 || Dot(StepOf(simulated_.frames), error_.along) / half > 1;
}

// From the standing ankle to the swinging one.
Vec3d DataDrivenController::StepOf(const BodyFrames& frames) const {
  const int swing = now_.Swing();
  return frames.position[rig_->feet[swing].foot] - frames.position[rig_->feet[1 - swing].foot];
}

// The next fragment begins: what is left between its first pose and the last target fades over it.
void DataDrivenController::BeginFragment() {
  phase_ = 0;
  heights_known_ = false;
  const int stance = now_.Swing() == 0 ? 1 : 0;
  ground_ = GroundUnder(stance);
  ground_at_ = simulated_.frames.position[rig_->feet[stance].foot];
  Unwarped(1, &landing_);
  Unwarped(0, &unwarped_);
  Difference(*rig_, unwarped_.q, target_.q, 1, &displacement_);
}

// A gait may go a little aside of where it faces: turned back, slowly, by what the last two steps
// have shown.
void DataDrivenController::KeepDirection(const Vec3d& root) {
  Vec3d intended;
  for (const BlendPart& part : now_.Parts()) {
    intended += Vec3At(part.fragment->frames.back(), 0) * part.weight;
  }
  intended = Rotate(AxisAngle(kUp, heading_ + 0.5 * now_.bend), Level(intended));
  if (way_known_) {
    const Vec3d way = Level(root - step_start_) + last_way_;
    const Vec3d wanted = intended + last_intended_;
    if (Norm(way) > 0.2 && Norm(wanted) > 0.2) {
      const double off = std::atan2(Cross(wanted, way).z, Dot(wanted, way));
      drift_ =
          std::clamp(drift_ - kDriftRate * std::clamp(off, -0.3, 0.3), -kMostDrift, kMostDrift);
    }
  }
  last_way_ = Level(root - step_start_);
  last_intended_ = intended;
  way_known_ = true;
  step_start_ = root;
}

// What this step was off joins what the last ones were.
void DataDrivenController::LearnFromStep() {
  const int swing = now_.Swing();
  if (swing >= 0 && step_frames_ > 0) {
    slow_ += kForgets * (std::clamp(step_slow_ / step_frames_, -1.0, 1.0) - slow_);
    double& aside = aside_[1 - swing];
    aside += kForgets * (std::clamp(step_aside_ / step_frames_, -0.3, 0.3) - aside);
  }
  step_slow_ = step_aside_ = 0;
  step_frames_ = 0;
}

void DataDrivenController::Plan(const Observation& observation, const Command& command) {
  const Vec3d root = Vec3At(observation.state.q, 0);
  if (now_.leads && !animation_->IsGraph()) {
    // The steps of an act say nothing of the gait.
    way_known_ = false;
    step_start_ = root;
    step_slow_ = step_aside_ = 0;
    step_frames_ = 0;
  } else {
    LearnFromStep();
    KeepDirection(root);
  }
  heading_ = std::remainder(heading_ + now_.turn + now_.bend, 2 * M_PI);
  // Turned away by a push or a slip, it goes on from how it stands, and steers back.
  const double off = std::remainder(NearestHeading(simulated_.frames.rotation[rig_->pelvis]) -
                                        NearestHeading(target_.frames.rotation[rig_->pelvis]),
                                    2 * M_PI);
  if (std::fabs(off) > kTurnedAway)
    heading_ = std::remainder(heading_ + config_.realign * off, 2 * M_PI);
  Command told = command;
  if (!told.heading) told.heading = course_;
  const bool stop = command.speed && *command.speed == 0 && !animation_->IsGraph();
  if (stop && state_.speed_known && std::fabs(state_.speed) < 0.01) {
    animation_->Stand(&state_, &now_);
  } else {
    animation_->Next(now_.Swing(), heading_, told, &state_, &now_);
  }
  if (now_.leads) course_ = std::remainder(course_ + now_.turn, 2 * M_PI);
  if (command.heading) course_ = *command.heading;
  BeginFragment();
}

// Errors against the reference as it is, at the same moment.
void DataDrivenController::ErrorAt(double phase, const State& state) {
  const double p = std::min(phase, 1.0);
  Unwarped(p, &unwarped_);
  const int swing = now_.Swing();
  const auto support = [&](const BodyFrames& frames) {
    if (swing >= 0) return frames.position[rig_->feet[1 - swing].foot];
    return (frames.position[rig_->feet[0].foot] + frames.position[rig_->feet[1].foot]) * 0.5;
  };
  const Vec3d wanted_velocity = Level(ReferenceVelocity(p));
  const Vec3d d = Level(Vec3At(state.q, 0) - support(simulated_.frames));
  const Vec3d wanted_d = Level(Vec3At(unwarped_.q, 0) - support(unwarped_.frames));
  error_.velocity = Level(velocity_) - wanted_velocity;
  error_.position = d - wanted_d;
  error_.along = Norm(wanted_velocity) > 0.2
                     ? Normalized(wanted_velocity)
                     : Rotate(AxisAngle(kUp, heading_ + BendAt(p)), Vec3d{1, 0, 0});
}

Surface DataDrivenController::GroundUnder(int side) const {
  if (!config_.knows_ground) return {0, kUp};
  const Vec3d& foot = simulated_.frames.position[rig_->feet[side].foot];
  return SurfaceAt(terrain_, foot.x, foot.y);
}

// Of the plane that the step stands on, under a foot.
double DataDrivenController::PlaneHeight(int side) const {
  const Vec3d& n = ground_.normal;
  const Vec3d from = simulated_.frames.position[rig_->feet[side].foot] - ground_at_;
  return ground_.height - (n.x * from.x + n.y * from.y) / n.z;
}

// Lowest point of a foot in the simulation.
double DataDrivenController::SoleHeight(int side) const {
  double lowest = HUGE_VAL;
  for (const ContactPoint& point : rig_->feet[side].sole) {
    lowest = std::min(lowest, PointAt(simulated_.frames, point).z);
  }
  return lowest;
}

// Beyond the fragment's end the joints go on as they did, but the stance leg stays as it is in the
// world: going on it would push off too hard (Section 4.2).
void DataDrivenController::Prolong(double phase, EditedPose* pose) {
  const double frames = std::min((phase - 1) * now_.seconds / kFrame, 1.0 * kMostLate);
  const int stance = 1 - now_.Swing();
  const FootParts& foot = rig_->feet[stance];
  const Quatd thigh = pose->frames.rotation[foot.thigh];
  Unwarped(std::max(0.0, 1 - kBack * kFrame / now_.seconds), &scratch_);
  Difference(*rig_, scratch_.q, landing_.q, 1.0 / kBack, &late_rate_);
  for (const int i : rig_->LegBodies(stance)) {
    std::fill_n(&late_rate_[rig_->kinematics.layout().v[i]],
                DofCount(rig_->character.bodies[i].joint.kind), 0.0);
  }
  Displace(*rig_, late_rate_, frames, &pose->q);
  rig_->kinematics.Frames(pose->q, &pose->frames);
  MatchStanceHip(*rig_, stance, thigh, 1, pose);
}

void DataDrivenController::Edit(double phase, const State& state) {
  const double p = std::min(phase, 1.0);
  const int swing = now_.Swing();
  const double s = Smooth(p);
  const FeedbackGains& gains = now_.gains;
  EditedPose& pose = target_;

  Unwarped(p, &unwarped_);
  pose.q = unwarped_.q;
  Warp(p, &pose.q);
  rig_->kinematics.Frames(pose.q, &pose.frames);
  if (phase > 1 && swing >= 0) Prolong(phase, &pose);

  if (swing < 0) {  // both feet stand
    ankle_feedback_ = AnkleFeedback(gains, error_);
    swing_feedback_ = {};
    if (config_.stance_ankle) {
      for (int side = 0; side < 2; ++side) TurnStanceAnkle(*rig_, side, ankle_feedback_ * s, &pose);
    }
    return;
  }
  const int stance = 1 - swing;
  const FootParts& stance_foot = rig_->feet[stance];

  // The angle of the stance foot to the ground is the reference's, soon after it has landed.
  Quatd foot =
      Slerp(pose.frames.rotation[stance_foot.foot], unwarped_.frames.rotation[stance_foot.foot],
            ForwardTransition(p, 0, kStanceFootShare));
  if (gains.flat > 0) {
    foot = Slerp(foot, RotationBetween(kUp, ground_.normal) * AxisAngle(kUp, Heading(foot)),
                 gains.flat * ForwardTransition(p, 0, kStanceFootShare));
  }
  SetFoot(*rig_, stance, foot, &pose);

  if (config_.stance_hip) {
    MatchStanceHip(*rig_, stance, simulated_.frames.rotation[stance_foot.thigh],
                   gains.c0 * ForwardTransition(p, 0, gains.stance_by), &pose);
  }
  // Who is late keeps the feedback that it had.
  if (phase <= 1) {
    const Vec3d left = Cross(kUp, error_.along);
    swing_feedback_ = (SwingFeedback(gains, error_) + error_.along * (gains.slow_swing * slow_) +
                       left * (gains.slow_coronal * aside_[stance])) *
                      ForwardTransition(p, 0, gains.swing_by);
  }
  if (config_.swing_hip) TurnSwingHip(*rig_, swing, swing_feedback_, gains.level, &pose);
  const double pushing = std::sin(M_PI * std::min(p / kPushOffShare, 1.0));
  const double push =
      (gains.push_off + gains.push_off_behind * behind_at_landing_ - gains.slow_push_off * slow_) *
      pushing;
  double extend = (gains.extend + gains.extend_behind * behind_at_landing_) * pushing;
  if (p < now_.both) {
    extend += gains.press * std::max(0.0, SoleHeight(swing) - SoleHeight(stance));
  }
  if (push != 0) {
    const Vec3d left = Cross(kUp, error_.along);
    SetFoot(*rig_, swing, Exp(left * push) * pose.frames.rotation[rig_->feet[swing].foot], &pose);
  }

  const Quatd root = QuatAt(state.q, 3);
  const double lift = gains.lift * 0.5 * (1 - std::cos(2 * M_PI * p));
  // Of the swing ankle over the stance ankle: the same on a slope.
  const double height = StepOf(simulated_.frames).z;
  // Where the ground rises above the plane that it stands on, the swing foot has to come higher;
  // where it sinks, it just comes down later.
  const double rise = std::max(0.0, GroundUnder(swing).height - PlaneHeight(swing)) * s;
  const double wanted = StepOf(unwarped_.frames).z + lift + rise;
  height_feedback_ = 0;
  if (config_.swing_height && heights_known_) {
    const double rate = (height - foot_height_) * kControlRate;
    const double wanted_rate = (wanted - reference_foot_height_) * kControlRate;
    height_feedback_ = (gains.c5 * (wanted - height) + gains.c6 * (wanted_rate - rate)) * s;
  }
  foot_height_ = height, reference_foot_height_ = wanted, heights_known_ = true;
  const double raise = height_feedback_ + lift + rise;
  if (extend != 0) RaiseFoot(*rig_, swing, root, -extend, &pose, &scratch_);
  if (raise > 0) {
    RaiseFoot(*rig_, swing, root, raise, &pose, &scratch_);
  } else if (raise < 0) {
    RaiseFoot(*rig_, stance, root, -raise, &pose, &scratch_);
  }

  ankle_feedback_ = (AnkleFeedback(gains, error_) + error_.along * (gains.slow_ankle * slow_)) * s;
  if (config_.stance_ankle) TurnStanceAnkle(*rig_, stance, ankle_feedback_, &pose);
}

double DataDrivenController::Tempo() const {
  if (now_.Swing() < 0) return 1;
  const double off =
      Norm(error_.position + error_.velocity * ahead_) - kNotOff * animation_->Legs();
  return 1 + std::clamp(now_.gains.haste * off, 0.0, kMostHaste);
}

void DataDrivenController::Control(const Observation& observation, const Command& command) {
  const State& state = observation.state;
  simulated_.q = state.q;
  rig_->kinematics.Frames(simulated_.q, &simulated_.frames);
  velocity_ = velocity_count_ > 0 ? velocity_sum_ * (1.0 / velocity_count_) : Vec3At(state.v, 0);
  velocity_sum_ = {};
  velocity_count_ = 0;

  if (now_.Swing() < 0) {
    ErrorAt(phase_, state);
    const Vec3d falls = error_.position + error_.velocity * ahead_;
    if (Norm(falls) > kStepsOut * animation_->Legs() && !now_.leads) {
      // Who loses its stand steps, with the foot on the side that it falls to. An act goes on.
      animation_->StepInPlace(Dot(Cross(kUp, error_.along), falls) > 0 ? 0 : 1, &state_, &now_);
      BeginFragment();
    } else if (phase_ >= 1) {
      Plan(observation, command);
    }
  } else if (config_.synchronisation ? SwingFootTouches(observation) && HasLanded() : phase_ >= 1) {
    Plan(observation, command);
  }
  ErrorAt(phase_, state);
  step_slow_ += Dot(error_.along, error_.velocity);
  step_aside_ += Dot(Cross(kUp, error_.along), error_.position);
  ++step_frames_;
  if (phase_ == 0) behind_at_landing_ = std::max(0.0, -Dot(error_.along, error_.position));
  phase_ += kFrame / now_.seconds * Tempo();
  before_ = target_.q;
  rate_before_ = rate_;
  Edit(phase_, state);
  Difference(*rig_, before_, target_.q, kControlRate, &rate_);

  reference_.q = target_.q;
  reference_.q[0] = state.q[0], reference_.q[1] = state.q[1];
  reference_.q[2] += SurfaceAt(terrain_, state.q[0], state.q[1]).height;
}

// Eq. 1 on the spline through the targets.
void DataDrivenController::Track(const Observation& observation, double time,
                                 Actuation* actuation) {
  const State& state = observation.state;
  const double k_t = config_.k_t / animation_->Legs(), k_v = 2 * std::sqrt(k_t), h = time_step_;
  const bool servo = tracking_ == Tracking::kServo, prescribed = tracking_ == Tracking::kPrescribed;
  const Layout& layout = rig_->kinematics.layout();
  for (int i = 0; i < rig_->character.BodyCount(); ++i) {
    const Joint& joint = rig_->character.bodies[i].joint;
    const int q = layout.q[i], v = layout.v[i];
    if (joint.kind == JointKind::kFree) {
      std::copy_n(&reference_.q[q], 7, &actuation->target_q[q]);
      continue;
    }
    actuation->kp[i] = servo ? joint.kp : 0;
    actuation->kd[i] = servo ? joint.kd : 0;
    if (joint.kind == JointKind::kHinge) {
      const double a = (rate_[v] - rate_before_[v]) * kControlRate;
      const double w = rate_before_[v] + a * time;
      const double angle =
          before_[q] - rate_before_[v] * 0.5 * kFrame + (rate_before_[v] + 0.5 * a * time) * time;
      acceleration_[v] = k_t * (angle - state.q[q]) + k_v * (w - state.v[v]) + a;
      actuation->target_q[q] = angle, actuation->target_v[v] = w;
    } else {
      const Vec3d w0 = Vec3At(rate_before_, v);
      const Vec3d a = (Vec3At(rate_, v) - w0) * kControlRate;
      const Vec3d w = w0 + a * time;
      const Quatd target =
          Integrate(QuatAt(before_, q), w0 * (time - 0.5 * kFrame) + a * (0.5 * time * time), 1.0);
      const Vec3d error = SmallLog(Conjugate(QuatAt(state.q, q)) * target);
      Put(error * k_t + (w - Vec3At(state.v, v)) * k_v + a, v, &acceleration_);
      Put(target, q, &actuation->target_q);
      Put(w, v, &actuation->target_v);
    }
    if (prescribed) {
      actuation->kd[i] = kPrescribing / h;
      for (int k = 0; k < DofCount(joint.kind); ++k) {
        actuation->target_v[v + k] = state.v[v + k] + h * acceleration_[v + k];
      }
    }
  }
  if (tracking_ != Tracking::kInverse) return;
  model_.SetState(state);
  forces_.clear();
  for (const Contact& contact : observation.contacts) {
    if (forces_.size() == forces_.capacity()) break;
    const BodyMotion<double>& m = model_.Motion(contact.body);
    const Vec3d arm = contact.position - model_.Position(contact.body);
    forces_.push_back({contact.body, contact.force, {}, TransposeMul(m.r, arm)});
  }
  HybridDynamics(&model_, gravity_, forces_.data(), static_cast<int>(forces_.size()),
                 acceleration_.data(), torque_.data());
  actuation->torque = torque_;
}

// The spline is left in the middle of a frame: as if the targets had been such that a frame ended
// here, at the same place and rate.
void DataDrivenController::CutFrame(double time) {
  ForEachJoint(*rig_, [&](JointKind kind, int q, int v, int) {
    const double shift = time - 0.5 * kFrame;
    if (kind == JointKind::kHinge) {
      const double w0 = rate_before_[v], a = (rate_[v] - w0) * kControlRate, w = w0 + a * time;
      target_.q[q] = before_[q] + w0 * shift + 0.5 * a * time * time + 0.5 * kFrame * w;
      rate_[v] = w;
      return;
    }
    const Vec3d w0 = Vec3At(rate_before_, v), a = (Vec3At(rate_, v) - w0) * kControlRate;
    const Vec3d w = w0 + a * time;
    const Quatd here = Integrate(QuatAt(before_, q), w0 * shift + a * (0.5 * time * time), 1.0);
    Put(Integrate(here, w, 0.5 * kFrame), q, &target_.q);
    Put(w, v, &rate_);
  });
  rig_->kinematics.Frames(target_.q, &target_.frames);
  phase_ -= (1 - time * kControlRate) * kFrame / now_.seconds * Tempo();
}

// Between two controls: a foot that lands begins the next step at once.
bool DataDrivenController::LandsNow(const Observation& observation) {
  if (!config_.synchronisation || phase_ <= config_.landing || !SwingFootTouches(observation)) {
    return false;
  }
  simulated_.q = observation.state.q;
  rig_->kinematics.Frames(simulated_.q, &simulated_.frames);
  return HasLanded();
}

void DataDrivenController::Step(const Observation& observation, const Command& command,
                                Actuation* actuation) {
  if (!begun_) {
    begun_ = true;
    Control(observation, command);
  } else {
    velocity_sum_ += Vec3At(observation.state.v, 0);
    ++velocity_count_;
    frame_time_ += time_step_;
    if (frame_time_ > kFrame - 0.5 * time_step_) {
      frame_time_ -= kFrame;
      Control(observation, command);
    } else if (LandsNow(observation)) {
      CutFrame(frame_time_);
      frame_time_ = 0;
      Control(observation, command);
    }
  }
  Track(observation, std::max(frame_time_, 0.0), actuation);
}

std::vector<DebugChannel> DataDrivenController::Channels() const {
  using Kind = DebugChannel::Kind;
  return {{"phase", "share of the step; above 1: late", Kind::kScalar},
          {"swing foot", "0 left, 1 right, -1 none", Kind::kScalar},
          {"velocity error along the way", "m/s", Kind::kScalar},
          {"velocity error across the way", "m/s", Kind::kScalar},
          {"position error along the way", "m", Kind::kScalar},
          {"position error across the way", "m", Kind::kScalar},
          {"swing hip feedback", "rad", Kind::kScalar},
          {"stance ankle feedback", "rad", Kind::kScalar},
          {"swing height feedback", "m", Kind::kScalar},
          {"heading of the reference", "rad", Kind::kScalar}};
}

void DataDrivenController::ReadChannels(std::span<float> values) const {
  const Vec3d left = Cross(kUp, error_.along);
  const double all[] = {phase_,
                        1.0 * now_.Swing(),
                        Dot(error_.along, error_.velocity),
                        Dot(left, error_.velocity),
                        Dot(error_.along, error_.position),
                        Dot(left, error_.position),
                        Norm(swing_feedback_),
                        Norm(ankle_feedback_),
                        height_feedback_,
                        heading_ + BendAt(phase_)};
  for (std::size_t k = 0; k < std::size(all); ++k) values[k] = static_cast<float>(all[k]);
}

}  // namespace stride
