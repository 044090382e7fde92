#include "stride/controllers/control_graph/control_graph.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/dynamics/model.h"
#include "stride/math/rotation.h"
#include "stride/motion/edit/blend.h"
#include "stride/motion/edit/edit.h"
#include "stride/motion/edit/symmetry.h"

namespace stride {
namespace {

constexpr double kStraight = 0.26;  // rad: a loop that turns less is meant to go straight

Quatd RootOf(const std::vector<double>& q) { return {q[3], q[4], q[5], q[6]}; }

Quat<float> ToFloat(const Quatd& q) {
  return {static_cast<float>(q.w), static_cast<float>(q.x), static_cast<float>(q.y),
          static_cast<float>(q.z)};
}

// Joint rotations (hinge: angle in w) of coordinates.
void PutJoints(const Character& character, const Layout& layout, const std::vector<double>& q,
               Quat<float>* out) {
  for (int i = 0; i < character.BodyCount(); ++i) {
    const double* at = &q[layout.q[i]];
    if (character.bodies[i].joint.kind == JointKind::kHinge) {
      out[i] = {static_cast<float>(at[0]), 0, 0, 0};
      continue;
    }
    if (character.bodies[i].joint.kind == JointKind::kFree) at += 3;
    out[i] = ToFloat({at[0], at[1], at[2], at[3]});
  }
}

// Heading of the rotation that takes one root orientation to another, about the vertical.
double TurnBetween(const Quatd& from, const Quatd& to) {
  const Quatd d = to * Conjugate(from);
  return 2 * std::atan2(d.w < 0 ? -d.z : d.z, std::fabs(d.w));
}

void CheckSymmetric(const Motion& motion, const Character& character) {
  if (!motion.loops) {
    throw InputError(
        fmt::format("'{}' is no loop, so its halves cannot be mirrored; leave out the "
                    "symmetry",
                    motion.name));
  }
  if (std::fabs(TurnBetween(RootOf(motion.frames.front()), RootOf(motion.frames.back()))) >
      kStraight) {
    throw InputError(
        fmt::format("'{}' turns, so its halves are no mirror images; leave out the "
                    "symmetry",
                    motion.name));
  }
  const Motion mirrored = Mirrored(motion, character);
  double worst = 0;
  for (int k = 0; k < 8; ++k) {
    const double t = motion.Duration() * k / 8;
    worst = std::max(worst,
                     MeanJointAngle(character, SampleMotion(motion, character, t),
                                    SampleMotion(mirrored, character, t + motion.Duration() / 2)));
  }
  constexpr double kLimit = 15 * 3.14159265358979 / 180;
  if (worst > kLimit) {
    throw InputError(fmt::format(
        "the halves of '{}' are no mirror images ({:.0f} degrees of a joint on average, at most "
        "{:.0f} "
        "expected); leave out the symmetry, or have it made symmetric (--symmetric yes)",
        motion.name, worst * 57.29577951, kLimit * 57.29577951));
  }
}

// Velocities over a tenth of a second: captured clips have kinks from frame to frame that no body
// could follow.
State SmoothState(const Motion& motion, const Character& character, double t) {
  constexpr double kHalf = 0.05;
  double from = t - kHalf, to = t + kHalf;
  if (!motion.loops) from = std::max(from, 0.0), to = std::min(to, motion.Duration());
  State state;
  state.q = SampleMotion(motion, character, t);
  state.v = PoseDifference(character, SampleMotion(motion, character, from),
                           SampleMotion(motion, character, to), to - from);
  return state;
}

// Direction of the root's way over ground during a part of a motion (0 to 1), rad.
double PathHeading(const Motion& motion, double from, double to) {
  const int last = motion.FrameCount() - 1;
  const std::vector<double>& a = motion.frames[static_cast<int>(std::lround(from * last))];
  const std::vector<double>& b = motion.frames[static_cast<int>(std::lround(to * last))];
  return std::atan2(b[1] - a[1], b[0] - a[0]);
}

// Mean over the frames, each of a loop once.
double MeanHeading(const Motion& motion) {
  double x = 0, y = 0;
  for (int k = 0; k + 1 < motion.FrameCount(); ++k) {
    const double heading = Heading(RootOf(motion.frames[k]));
    x += std::cos(heading), y += std::sin(heading);
  }
  return std::atan2(y, x);
}

// Takes a small turn of heading and of path out of a loop, evenly over its length, so that it goes
// straight. (Captured loops may face elsewhere at their end without having walked a curve.)
void Straighten(const Character& character, double turn, double path_turn, Motion* motion) {
  Vec3d before{motion->frames[0][0], motion->frames[0][1], 0}, at = before;
  const int last = motion->FrameCount() - 1;
  for (int k = 1; k <= last; ++k) {
    std::vector<double>& q = motion->frames[k];
    const Vec3d here{q[0], q[1], 0};
    at += Rotate(AxisAngle({0, 0, 1}, -path_turn * (k - 0.5) / last), here - before);
    before = here;
    const double z = q[2];
    q[0] = q[1] = 0;
    MovePose(character, -turn * k / last, {}, &q);
    q[0] = at.x, q[1] = at.y, q[2] = z;
  }
}

}  // namespace

std::string WhyNoParts(const Character& character) {
  try {
    PartsOf(character);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

SkillParts PartsOf(const Character& character) {
  const auto need = [&](Role role) {
    const int body = character.BodyOf(role);
    if (body < 0) {
      throw InputError(fmt::format("'{}' has no {}: skills need a human character", character.name,
                                   RoleName(role)));
    }
    return body;
  };
  if (character.bodies[0].joint.kind != JointKind::kFree) {
    throw InputError(
        fmt::format("'{}' has no root that moves freely; skills need one", character.name));
  }
  SkillParts p;
  // Hinges of one joint are links without mass, from the one nearest to the root on.
  const auto chain = [&](int body) {
    PartChain joint;
    for (; body > 0; body = character.bodies[body].parent) {
      const JointKind kind = character.bodies[body].joint.kind;
      if (kind != JointKind::kBall && kind != JointKind::kHinge) {
        throw InputError(fmt::format("the joint of '{}' slides; skills take balls and hinges",
                                     character.bodies[body].name));
      }
      if (joint.count == static_cast<int>(std::size(joint.body))) {
        throw InputError(
            fmt::format("'{}' hangs on more than three hinges in a row; skills take "
                        "three for a joint",
                        character.bodies[body].name));
      }
      joint.body[joint.count++] = body;
      const Body& parent = character.bodies[character.bodies[body].parent];
      if (parent.mass > 0 || character.bodies[body].parent == 0) break;
    }
    return joint;
  };
  // The waist is the joint above the pelvis on the way to the trunk, where they are two bodies.
  const int pelvis = need(Role::kPelvis);
  int waist = need(Role::kTrunk);
  const auto below = [&](int body) {  // the next one with mass
    int parent = character.bodies[body].parent;
    while (parent > 0 && character.bodies[parent].mass == 0) {
      parent = character.bodies[parent].parent;
    }
    return parent;
  };
  while (waist > pelvis && below(waist) > pelvis) waist = below(waist);
  if (waist > pelvis) p.waist = chain(waist);
  p.left_hip = chain(need(Role::kLeftThigh));
  p.right_hip = chain(need(Role::kRightThigh));
  p.left_knee = chain(need(Role::kLeftShank));
  p.right_knee = chain(need(Role::kRightShank));
  p.left_foot = need(Role::kLeftFoot);
  p.right_foot = need(Role::kRightFoot);
  const auto com = [&](int body, float* out) {
    const Vec3d& c = character.bodies[body].com;
    out[0] = static_cast<float>(c.x), out[1] = static_cast<float>(c.y),
    out[2] = static_cast<float>(c.z);
  };
  com(p.left_foot, p.foot_com[0]);
  com(p.right_foot, p.foot_com[1]);
  for (const Role role :
       {Role::kLeftFoot, Role::kRightFoot, Role::kLeftHand, Role::kRightHand, Role::kHead}) {
    const int body = character.BodyOf(role);
    if (body < 0) continue;
    p.ends[p.end_count] = body;
    com(body, p.end_com[p.end_count++]);
  }
  p.height = static_cast<float>(StandingHeight(character));
  return p;
}

State Turned(const Character& character, const State& state, double heading) {
  State turned = state;
  MovePose(character, heading, {}, &turned.q);
  const Vec3d v = Rotate(AxisAngle({0, 0, 1}, heading), Vec3d{state.v[0], state.v[1], state.v[2]});
  turned.v[0] = v.x, turned.v[1] = v.y, turned.v[2] = v.z;
  return turned;
}

BorderReference BorderOf(const Character& character, const SkillParts& parts, const State& state) {
  Model<double> model(character);
  model.SetState(state);
  BorderReference border{};
  const Layout layout = LayoutOf(character);
  PutJoints(character, layout, state.q, border.joint);
  border.root = border.joint[0];
  const Articulation<double> art = model.View();
  const Quatd root = art.joints[0].rot;
  const Facing<double> facing = FacingOf(root, root, 1.0, 0.0);
  double features[kFeatureCount];
  ComputeFeatures(model.GetTree(), art, parts, facing, 0.0, features);
  for (int k = 0; k < kFeatureCount; ++k) border.features[k] = static_cast<float>(features[k]);
  for (int k = 0; k < parts.end_count; ++k) {
    const Vec3d p = PointOf(art, parts.ends[k], parts.end_com[k]);
    border.end_height[k] = static_cast<float>(p.z + art.root->position.z);
    border.end_planar[k][0] = static_cast<float>(p.x - features[feature::kCentre]);
    border.end_planar[k][1] = static_cast<float>(p.y - features[feature::kCentre + 1]);
  }
  return border;
}

double TurnOfAxes(const State& from, const State& to) {
  return TurnBetween(RootOf(from.q), RootOf(to.q));
}

Segment* AddSegment(const Motion& motion, double offset, double seconds, bool keep_axes,
                    const ClipOptions& options, ControlGraph* graph) {
  const Character& character = graph->character;
  if (options.symmetric) CheckSymmetric(motion, character);
  const double time_step = graph->time_step;
  constexpr double kMostSteps = 100000;
  if (!(seconds <= kMostSteps * time_step)) {
    throw InputError(fmt::format("'{}' is too long: {:g} s; at most {:g} s", motion.name, seconds,
                                 kMostSteps * time_step));
  }
  int count = static_cast<int>(std::lround(seconds / options.fragment));
  if (options.symmetric) count = 2 * static_cast<int>(std::lround(seconds / options.fragment / 2));
  if (count < 3) {
    throw InputError(
        fmt::format("'{}' is too short: {:.2f} s make {} fragments of {:g} s; at least 3 "
                    "are needed",
                    motion.name, seconds, count, options.fragment));
  }
  int steps = static_cast<int>(std::lround(seconds / time_step));
  if (options.symmetric) steps = steps / 2 * 2;  // the same borders in both halves

  Segment segment;
  segment.name = motion.name;
  segment.motion = motion;
  segment.motion.fps *= seconds / (steps * time_step);
  segment.offset = offset * (steps * time_step) / seconds;
  segment.first = graph->Fragments();
  segment.count = count;
  segment.begin = graph->fragments.empty() ? 0 : graph->fragments.back().end;
  segment.end = segment.begin + steps;
  const double turn = TurnBetween(RootOf(motion.frames.front()), RootOf(motion.frames.back()));
  const bool travels = segment.travels = MeanSpeed(motion) > kStandingSpeed;
  if (motion.loops && std::fabs(turn) < kStraight) {
    const double path_turn =
        travels ? PathHeading(motion, 0.5, 1) - PathHeading(motion, 0, 0.5) : 0.5 * turn;
    Straighten(character, turn, 2 * std::remainder(path_turn, 6.283185307179586), &segment.motion);
  }
  const double start_heading = keep_axes ? 0
                               : options.symmetric && options.mirror_axes
                                   ? MeanHeading(segment.motion)
                                   : Heading(RootOf(motion.frames[0]));
  if (travels) segment.travel_heading = PathHeading(segment.motion, 0, 1) - start_heading;
  // Everything in the clip's own axes.
  if (start_heading != 0) {
    for (std::vector<double>& frame : segment.motion.frames) {
      MovePose(character, -start_heading, {}, &frame);
    }
  }

  const Layout layout = LayoutOf(character);
  const int n = character.BodyCount();
  graph->targets.resize(static_cast<std::size_t>(segment.end) * n);
  std::vector<Quat<float>> pose(n);
  for (int step = 0; step < steps; ++step) {
    double sampled_lag = -1;  // most characters have the same for many joints
    for (int i = 1; i < n; ++i) {
      const Joint& joint = character.bodies[i].joint;
      const double lag = joint.kp > 0 ? joint.kd / joint.kp : 0;
      if (lag != sampled_lag) {
        sampled_lag = lag;
        const double t = segment.offset + (step + 1) * time_step + options.lead * lag;
        PutJoints(character, layout, SampleMotion(segment.motion, character, t), pose.data());
      }
      graph->targets[static_cast<std::size_t>(segment.begin + step) * n + i] = pose[i];
    }
  }

  const int first_border = static_cast<int>(graph->borders.size());
  const auto step_of = [&](int border) {
    return static_cast<int>(std::floor(static_cast<double>(steps) * border / count + 0.5));
  };
  for (int k = 0; k <= count; ++k) {
    const State state =
        SmoothState(segment.motion, character, segment.offset + step_of(k) * time_step);
    graph->border_states.push_back(state);
    graph->borders.push_back(BorderOf(character, graph->parts, state));
  }
  const int own_policies = options.symmetric ? count / 2 : count;
  for (int k = 0; k < count; ++k) {
    Fragment f;
    f.segment = static_cast<int>(graph->segments.size());
    f.begin = segment.begin + step_of(k);
    f.end = segment.begin + step_of(k + 1);
    f.border = first_border + k;
    f.end_border = f.border + 1;
    f.policy = graph->policies + k % own_policies;
    f.mirrored = k >= own_policies;
    if (k + 1 < count) f.next = {segment.first + k + 1};
    graph->fragments.push_back(f);
  }
  graph->policies += own_policies;
  graph->segments.push_back(std::move(segment));
  return &graph->segments.back();
}

ControlGraph EmptyGraph(const Character& character, double time_step) {
  if (character.BodyCount() > kMaxBodies) {
    throw InputError(fmt::format("'{}' has {} bodies; skills take at most {}", character.name,
                                 character.BodyCount(), kMaxBodies));
  }
  ControlGraph graph;
  graph.character = character;
  graph.parts = PartsOf(character);
  graph.time_step = time_step;
  return graph;
}

void Connect(const Segment& from, const Segment& to, ControlGraph* graph) {
  Fragment& last = graph->fragments[from.first + from.count - 1];
  last.next.push_back(to.first);
  last.turn = TurnOfAxes(graph->border_states[graph->fragments[to.first].border],
                         graph->border_states[last.end_border]);
}

ControlGraph MakeControlGraph(const Motion& motion, const Character& character,
                              const ClipOptions& options, double time_step) {
  ControlGraph graph = EmptyGraph(character, time_step);
  AddSegment(motion, 0, motion.Duration(), false, options, &graph);
  if (motion.loops) Connect(graph.segments[0], graph.segments[0], &graph);
  return graph;
}

std::vector<int> RandomCourse(const ControlGraph& graph, int start, int count, Random* random,
                              std::span<const int> distance) {
  std::vector<int> course = {start}, visits(graph.fragments.size(), 0), least;
  while (static_cast<int>(course.size()) < count) {
    ++visits[course.back()];
    const std::vector<int>& next = graph.fragments[course.back()].next;
    if (next.empty()) break;
    int most = graph.Fragments();
    if (!distance.empty() && next.size() > 1 && random->Uniform() < 0.75) {
      for (const int f : next) most = std::min(most, distance[f]);
    }
    least.clear();
    for (const int f : next) {
      if (!distance.empty() && distance[f] > most) continue;
      if (!least.empty() && visits[f] < visits[least[0]]) least.clear();
      if (least.empty() || visits[f] == visits[least[0]]) least.push_back(f);
    }
    course.push_back(least.size() == 1 ? least[0]
                                       : least[random->Index(static_cast<int>(least.size()))]);
  }
  return course;
}

std::vector<int> DistanceTo(const ControlGraph& graph, const std::function<bool(int)>& wanted) {
  const int n = graph.Fragments();
  std::vector<int> distance(n, n);
  for (int f = 0; f < n; ++f) {
    if (wanted(f)) distance[f] = 0;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (int f = n - 1; f >= 0; --f) {
      for (const int next : graph.fragments[f].next) {
        if (distance[next] + 1 < distance[f]) distance[f] = distance[next] + 1, changed = true;
      }
    }
  }
  return distance;
}

}  // namespace stride
