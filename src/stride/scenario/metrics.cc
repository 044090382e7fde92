#include "stride/scenario/metrics.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/dynamics/rigid_body.h"
#include "stride/math/path_smoother.h"
#include "stride/sim/servo.h"

namespace stride {
namespace {

constexpr double kSampleSeconds = 0.02;
constexpr double kSmoothingSeconds = 1;
constexpr double kStepPause = 0.1;  // a foot must have been this long off the ground, s

// Mean and standard deviation of what comes one by one (Welford).
struct Moments {
  long count = 0;
  double mean = 0, squares = 0;
  void Add(double x) {
    ++count;
    const double off = x - mean;
    mean += off / static_cast<double>(count);
    squares += off * (x - mean);
  }
  double Deviation() const {
    return count > 0 ? std::sqrt(squares / static_cast<double>(count)) : 0;
  }
};

// Angle of the rotation from a to b and its axis, in child axes; Log of math/rotation.h, but
// without atan2 for the small angles of a servo's error.
Vec3d SmallLog(const Quatd& q) {
  const Vec3d v = q.w < 0 ? Vec3d{-q.x, -q.y, -q.z} : Vec3d{q.x, q.y, q.z};
  const double s = Dot(v, v);
  if (s > 0.01) return Log(q);
  // 2 asin(x) / x with x^2 = s; the first term left out is below 1e-11.
  return v * (2 + s * (1.0 / 3 + s * (3.0 / 20 + s * (5.0 / 56 + s * (35.0 / 576)))));
}

struct Foot {
  int ankle = -1;                     // the body whose place counts
  std::array<int, 2> bodies{-1, -1};  // foot and toe
  double since_ground = 0;            // s
  bool Has(int body) const { return body == bodies[0] || body == bodies[1]; }
};

// A joint as the meter sees it.
struct MeteredJoint {
  int q = 0, v = 0;
  int dof = 0;
  int leg_part = -1;  // 0 hip, 1 knee, 2 ankle
  bool turns = true;
};

}  // namespace

struct MetricsMeter::Impl {
  Impl(const World& world, const State& start, int actor);
  void AddPower(const State& before, const State& after, const Actuation& actuation);
  void AddContacts(std::span<const Contact> contacts, const State& after);
  void AddSample(const State& state, std::span<const Contact> contacts, const State* reference);
  void AddTracking(const State& state, const State& reference);
  void AddSlip(std::span<const Contact> contacts);
  Vec3d Root(const State& state) const { return RootFrameAt(character, state.q).offset; }

  int actor;
  Character character;
  Terrain terrain;
  double time_step, gravity, mass;
  Layout layout;
  bool free_root;
  int head, sample_every;
  std::vector<MeteredJoint> joints;  // without a free root
  std::array<Foot, 2> feet;
  Model<double> model;
  std::vector<double> torques;

  long steps_done = 0;
  Vec3d from, until;
  PathSmoother root_path, com_path;
  double path = 0;
  int touch_downs = 0;
  Vec3d last_place;
  double last_touch = 0, lengths = 0, intervals = 0;
  double tracking = 0;
  long tracked = 0;
  double work = 0;
  std::array<double, 3> leg_work{};
  Moments height, sway;
  std::optional<Vec3d> head_velocity;
  double head_squares = 0;
  long head_samples = 0;
  double slip = 0, slip_weight = 0;
  double deepest = 0;
  double peak_force = 0;  // N
};

MetricsMeter::Impl::Impl(const World& world, const State& start, int actor_in)
    : actor(actor_in),
      character(world.actors.at(actor)),
      terrain(world.terrain),
      time_step(world.time_step),
      gravity(std::fabs(world.gravity)),
      mass(TotalMass(character)),
      layout(LayoutOf(character)),
      free_root(character.bodies[0].joint.kind == JointKind::kFree),
      head(character.BodyOf(Role::kHead)),
      sample_every(std::max(1, static_cast<int>(std::lround(kSampleSeconds / world.time_step)))),
      model(character),
      torques(layout.nv),
      root_path(static_cast<int>(std::lround(kSmoothingSeconds / (sample_every * time_step)))),
      com_path(root_path) {
  std::vector<int> parts(character.bodies.size(), -1);
  const auto mark = [&](Role role, int part) {
    // Links of a chain of hinges belong to the joint.
    for (int i = character.BodyOf(role); i >= 0; i = character.bodies[i].parent) {
      if (i != character.BodyOf(role) && character.bodies[i].mass > 0) break;
      parts[i] = part;
    }
  };
  mark(Role::kLeftThigh, 0), mark(Role::kRightThigh, 0);
  mark(Role::kLeftShank, 1), mark(Role::kRightShank, 1);
  mark(Role::kLeftFoot, 2), mark(Role::kRightFoot, 2);
  for (int i = 0; i < character.BodyCount(); ++i) {
    const JointKind kind = character.bodies[i].joint.kind;
    if (kind == JointKind::kFree) continue;
    joints.push_back(
        {layout.q[i], layout.v[i], DofCount(kind), parts[i], kind != JointKind::kSlide});
  }
  feet[0] = {character.BodyOf(Role::kLeftFoot),
             {character.BodyOf(Role::kLeftFoot), character.BodyOf(Role::kLeftToe)}};
  feet[1] = {character.BodyOf(Role::kRightFoot),
             {character.BodyOf(Role::kRightFoot), character.BodyOf(Role::kRightToe)}};
  from = until = Root(start);
  AddSample(start, {}, nullptr);
}

void MetricsMeter::Impl::AddPower(const State& before, const State& after,
                                  const Actuation& actuation) {
  ServoTorques(character, layout, actuation, before, after, time_step, torques);
  for (const MeteredJoint& joint : joints) {
    double power = 0;
    for (int k = joint.v; k < joint.v + joint.dof; ++k) {
      // The mean velocity of the step: then the work is the change of energy.
      power += torques[k] * 0.5 * (before.v[k] + after.v[k]);
    }
    power = std::fabs(power);
    work += power;
    if (joint.leg_part >= 0) leg_work[joint.leg_part] += power;
  }
}

void MetricsMeter::Impl::AddContacts(std::span<const Contact> contacts, const State& after) {
  std::array<bool, 2> down{};
  double force = 0;
  for (const Contact& contact : contacts) {
    if (contact.actor != actor) continue;
    deepest = std::max(deepest, contact.depth);
    if (contact.other_actor >= 0) continue;
    force += contact.force.z;
    for (int k = 0; k < 2; ++k) down[k] |= feet[k].Has(contact.body);
  }
  peak_force = std::max(peak_force, force);
  const double now = static_cast<double>(steps_done) * time_step;
  for (int k = 0; k < 2; ++k) {
    Foot& foot = feet[k];
    if (!down[k]) {
      foot.since_ground += time_step;
      continue;
    }
    const bool landed = foot.since_ground > kStepPause - 1e-9;
    foot.since_ground = 0;
    if (!landed) continue;
    model.SetState(after);
    const Vec3d place = model.Position(foot.ankle);
    if (touch_downs > 0) {
      lengths += std::hypot(place.x - last_place.x, place.y - last_place.y);
      intervals += now - last_touch;
    }
    ++touch_downs;
    last_place = place;
    last_touch = now;
  }
}

void MetricsMeter::Impl::AddTracking(const State& state, const State& reference) {
  for (const MeteredJoint& joint : joints) {
    if (!joint.turns) continue;
    const double *a = &state.q[joint.q], *b = &reference.q[joint.q];
    if (joint.dof == 1) {
      tracking += std::fabs(a[0] - b[0]);
    } else {
      tracking += Norm(Log(Quatd{a[0], -a[1], -a[2], -a[3]} * Quatd{b[0], b[1], b[2], b[3]}));
    }
  }
  tracked +=
      std::count_if(joints.begin(), joints.end(), [](const MeteredJoint& j) { return j.turns; });
}

void MetricsMeter::Impl::AddSlip(std::span<const Contact> contacts) {
  for (const Contact& contact : contacts) {
    if (contact.actor != actor || contact.other_actor >= 0) continue;
    if (!feet[0].Has(contact.body) && !feet[1].Has(contact.body)) continue;
    const double weight = Dot(contact.force, contact.normal);
    if (weight <= 0) continue;
    const BodyMotion<double>& m = model.Motion(contact.body);
    const Vec3d velocity = m.v + Cross(m.w, contact.position - model.Position(contact.body));
    slip += weight * Norm(velocity - contact.normal * Dot(velocity, contact.normal));
    slip_weight += weight;
  }
}

void MetricsMeter::Impl::AddSample(const State& state, std::span<const Contact> contacts,
                                   const State* reference) {
  model.SetState(state);
  const Vec3d root = Root(state), com = CenterOfMass(&model);
  height.Add(com.z - SurfaceAt(terrain, com.x, com.y).height);
  const double sample_seconds = sample_every * time_step;
  path += root_path.Add(root.x, root.y).moved;
  if (const PathSmoother::Point point = com_path.Add(com.x, com.y); point.valid) {
    // Across the way it goes; a body that stands, across its heading.
    double dx = point.dx, dy = point.dy;
    if (point.moved < kHardlyMoving * sample_seconds) {
      const double heading =
          free_root ? Heading({state.q[3], state.q[4], state.q[5], state.q[6]}) : 0;
      dx = std::cos(heading), dy = std::sin(heading);
    }
    sway.Add((dx * (point.raw_y - point.y) - dy * (point.raw_x - point.x)) / std::hypot(dx, dy));
  }
  if (head >= 0) {
    const Vec3d velocity = model.PointVelocity(head, character.bodies[head].com);
    if (head_velocity) {
      head_squares += SquaredNorm((velocity - *head_velocity) * (1 / sample_seconds));
      ++head_samples;
    }
    head_velocity = velocity;
  }
  AddSlip(contacts);
  if (reference) AddTracking(state, *reference);
}

MetricsMeter::MetricsMeter(const World& world, const State& start, int actor)
    : impl_(std::make_unique<Impl>(world, start, actor)) {}
MetricsMeter::~MetricsMeter() = default;
MetricsMeter::MetricsMeter(const MetricsMeter& other)
    : impl_(std::make_unique<Impl>(*other.impl_)) {}
MetricsMeter& MetricsMeter::operator=(const MetricsMeter& other) {
  impl_ = std::make_unique<Impl>(*other.impl_);
  return *this;
}
MetricsMeter::MetricsMeter(MetricsMeter&&) noexcept = default;
MetricsMeter& MetricsMeter::operator=(MetricsMeter&&) noexcept = default;

void MetricsMeter::Add(const State& before, const State& after, const Actuation& actuation,
                       std::span<const Contact> contacts, const State* reference) {
  Impl& m = *impl_;
  ++m.steps_done;
  m.until = m.Root(after);
  m.AddPower(before, after, actuation);
  m.AddContacts(contacts, after);
  if (m.steps_done % m.sample_every == 0) m.AddSample(after, contacts, reference);
}

void MetricsMeter::ChangeGround(const Terrain& terrain) { impl_->terrain = terrain; }

Metrics MetricsMeter::Result() const {
  const Impl& m = *impl_;
  Metrics r;
  if (m.steps_done == 0) return r;
  const double steps = static_cast<double>(m.steps_done);
  r.seconds = steps * m.time_step;
  r.distance = std::hypot(m.until.x - m.from.x, m.until.y - m.from.y);
  r.path = m.path + m.root_path.Tail(m.until.x, m.until.y);
  r.speed = r.path / r.seconds;
  r.steps = m.touch_downs;
  if (m.touch_downs > 1) {
    r.step_length = m.lengths / (m.touch_downs - 1);
    r.step_seconds = m.intervals / (m.touch_downs - 1);
  }
  if (m.tracked > 0) {
    r.tracking_error_deg = m.tracking / static_cast<double>(m.tracked) * 180 / std::numbers::pi;
  }
  r.joint_power = m.work / steps;
  r.cost_of_transport = CostOfTransport(r.joint_power, m.mass, m.gravity, r.speed);
  const double legs = m.leg_work[0] + m.leg_work[1] + m.leg_work[2];
  for (int k = 0; k < 3 && legs > 0; ++k) r.leg_power_ratio[k] = m.leg_work[k] / legs;
  r.com_height = m.height.mean;
  r.com_bounce = m.height.Deviation();
  r.com_sway = m.sway.Deviation();
  if (m.head_samples > 0) {
    r.head_motion = std::sqrt(m.head_squares / static_cast<double>(m.head_samples));
  }
  if (m.slip_weight > 0) r.foot_slip = m.slip / m.slip_weight;
  r.max_penetration = m.deepest;
  if (m.gravity > 0) r.peak_force = m.peak_force / (m.mass * m.gravity);
  return r;
}

nlohmann::ordered_json ToJson(const Metrics& m) {
  nlohmann::ordered_json json = {{"seconds", m.seconds},
                                 {"distance", m.distance},
                                 {"path", m.path},
                                 {"speed", m.speed},
                                 {"steps", m.steps},
                                 {"step_length", m.step_length},
                                 {"step_seconds", m.step_seconds}};
  json["tracking_error_deg"] =
      m.tracking_error_deg ? nlohmann::ordered_json(*m.tracking_error_deg) : nullptr;
  json.update(nlohmann::ordered_json{{"joint_power", m.joint_power},
                                     {"cost_of_transport", m.cost_of_transport},
                                     {"leg_power_ratio", m.leg_power_ratio},
                                     {"com_height", m.com_height},
                                     {"com_bounce", m.com_bounce},
                                     {"com_sway", m.com_sway},
                                     {"head_motion", m.head_motion},
                                     {"foot_slip", m.foot_slip},
                                     {"max_penetration", m.max_penetration},
                                     {"peak_force", m.peak_force}});
  return json;
}

void ServoTorques(const Character& character, const Layout& layout, const Actuation& actuation,
                  const State& before, const State& after, double time_step,
                  std::span<double> torques) {
  STRIDE_CHECK(static_cast<int>(torques.size()) == layout.nv);
  for (std::size_t i = 0; i < character.bodies.size(); ++i) {
    const Joint& joint = character.bodies[i].joint;
    const double* q = &before.q[layout.q[i]];
    const double* target = &actuation.target_q[layout.q[i]];
    const int at = layout.v[i];
    if (joint.kind == JointKind::kFree) {
      std::fill_n(torques.begin() + at, 6, 0.0);
      continue;
    }
    const int dof = DofCount(joint.kind);
    const auto vector = [&](const std::vector<double>& values) {
      return dof == 1 ? Vec3d{values[at]} : Vec3d{values[at], values[at + 1], values[at + 2]};
    };
    ServoInput input{.kp = actuation.kp[i],
                     .kd = actuation.kd[i],
                     .target_v = vector(actuation.target_v),
                     .torque = vector(actuation.torque)};
    input.error = dof == 1 ? Vec3d{target[0] - q[0]}
                           : SmallLog(Quatd{q[0], -q[1], -q[2], -q[3]} *
                                      Quatd{target[0], target[1], target[2], target[3]});
    const Vec3d v = vector(before.v);
    const Joint servo_alone{.max_torque = joint.max_torque};
    const ImplicitForce servo = ServoForce(servo_alone, input, {}, v, time_step);
    const Vec3d t = servo.force - (vector(after.v) - v) * (servo.inertia / time_step);
    torques[at] = t.x;
    if (dof == 3) torques[at + 1] = t.y, torques[at + 2] = t.z;
  }
}

}  // namespace stride
