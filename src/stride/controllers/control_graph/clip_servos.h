#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "stride/control/controller.h"
#include "stride/controllers/control_graph/action.h"
#include "stride/controllers/control_graph/control_graph.h"
#include "stride/dynamics/model.h"
#include "stride/math/rotation.h"

// What the controllers that perform a clip of liu16 share: servos aimed at its steps with an action
// on top, the clip's pose as reference, and a heading that is taken up.
namespace stride {

class ClipServos {
 public:
  // `character`: the one of the world.
  ClipServos(std::shared_ptr<const ControlGraph> graph, const Character& character,
             const Terrain& terrain)
      : graph_(std::move(graph)),
        terrain_(terrain),
        tree_(Model<double>(character).GetTree()),
        layout_(LayoutOf(character)),
        reference_(RestState(character)) {
    auto poses = std::make_shared<std::vector<std::vector<double>>>();
    for (const Segment& segment : graph_->segments) {
      for (int step = segment.begin; step < segment.end; ++step) {
        poses->push_back(
            SampleMotion(segment.motion, character,
                         segment.offset + (step + 1 - segment.begin) * graph_->time_step));
      }
    }
    reference_q_ = std::move(poses);
    for (const Body& body : character.bodies) {
      kp_.push_back(body.joint.kp);
      kd_.push_back(body.joint.kd);
    }
  }

  // `action`: kActionCount numbers.
  void Aim(int step, const float* action, Actuation* actuation) const {
    const Quat<float>* target = graph_->Target(step);
    const int n = static_cast<int>(tree_.bodies.size());
    JointDrive<double> drives[kMaxBodies];
    for (int i = 1; i < n; ++i) {
      drives[i].target = {target[i].w, target[i].x, target[i].y, target[i].z};
    }
    double offsets[kActionCount];
    std::copy_n(action, kActionCount, offsets);
    ApplyAction(tree_, graph_->parts, offsets, drives);
    for (int i = 1; i < n; ++i) {
      double* q = &actuation->target_q[layout_.q[i]];
      const Quatd& t = drives[i].target;
      q[0] = t.w;
      if (tree_.bodies[i].kind == JointKind::kBall) q[1] = t.x, q[2] = t.y, q[3] = t.z;
      actuation->kp[i] = kp_[i];
      actuation->kd[i] = kd_[i];
    }
  }

  // The clip's pose after a step, where the character is. `base`: heading of its axes.
  void ShowReference(int step, double base, const State& state) {
    const std::vector<double>& q = (*reference_q_)[step];
    std::copy(q.begin(), q.end(), reference_.q.begin());
    const Quatd root = AxisAngle({0, 0, 1}, base) * Quatd{q[3], q[4], q[5], q[6]};
    reference_.q[0] = state.q[0], reference_.q[1] = state.q[1];
    reference_.q[2] += SurfaceAt(terrain_, state.q[0], state.q[1]).height;
    reference_.q[3] = root.w, reference_.q[4] = root.x;
    reference_.q[5] = root.y, reference_.q[6] = root.z;
  }
  const State* Reference() const { return &reference_; }

  // The base moves by at most `most` rad towards where the clip would go along the heading.
  void Steer(const Segment& segment, double heading, double most, double* base) const {
    const double wanted = heading - segment.travel_heading - *base;
    *base += std::clamp(std::remainder(wanted, 2 * 3.14159265358979323846), -most, most);
  }

 private:
  std::shared_ptr<const ControlGraph> graph_;
  Terrain terrain_;
  Tree<double> tree_;
  Layout layout_;
  std::vector<double> kp_, kd_;
  std::shared_ptr<const std::vector<std::vector<double>>> reference_q_;  // after every step
  State reference_;
};

}  // namespace stride
