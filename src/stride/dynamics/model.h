#pragma once

#include <type_traits>
#include <vector>

#include "stride/dynamics/tree_dynamics.h"

// A character's tree with the memory its dynamics works in. Functions of rigid_body.h run on it.
namespace stride {

// `Real`: of the character's own numbers.
template <class S, class Real = double>
class Model {
 public:
  explicit Model(const Character& character)
      : tree_(BuildTree<Real>(character)), bare_(WithoutServos(tree_)) {
    const std::size_t n = tree_.bodies.size();
    joints_.resize(n);
    motion_.resize(n);
    articulated_.resize(n);
    drives_.resize(n);
    contacts_.resize(tree_.points.size() + 1);
    const Body& root = character.bodies[0];
    root_.position = {S(root.offset.x), S(root.offset.y), S(root.offset.z)};
    for (JointState<S>& joint : joints_) joint.rot = Quat<S>::Identity();
  }

  const Tree<Real>& GetTree() const { return tree_; }
  int BodyCount() const { return static_cast<int>(tree_.bodies.size()); }
  int DofCount() const { return tree_.nv; }

  // q and v in the layout of State; the bodies' motion follows.
  void SetState(const S* q, const S* v) {
    Articulation<S> art = View();
    stride::SetState(tree_, q, v, &art);
  }
  void SetState(const State& state) requires std::is_same_v<S, double> {
    SetState(state.q.data(), state.v.data());
  }
  void GetState(S* q, S* v) const {
    for (int i = 0; i < BodyCount(); ++i) {
      const TreeBody<Real>& body = tree_.bodies[i];
      const JointState<S>& joint = joints_[i];
      S* qi = q + body.q;
      S* vi = v + body.v;
      if (HasOneAxis(body.kind)) {
        qi[0] = joint.angle;
        vi[0] = joint.w.x;
        continue;
      }
      if (body.kind == JointKind::kFree) {
        *qi++ = root_.position.x, *qi++ = root_.position.y, *qi++ = root_.position.z;
        *vi++ = root_.velocity.x, *vi++ = root_.velocity.y, *vi++ = root_.velocity.z;
      }
      qi[0] = joint.rot.w, qi[1] = joint.rot.x, qi[2] = joint.rot.y, qi[3] = joint.rot.z;
      vi[0] = joint.w.x, vi[1] = joint.w.y, vi[2] = joint.w.z;
    }
  }

  // World position of a body's frame, and of a point given in it.
  Vec3<S> Position(int body) const { return root_.position + motion_[body].o; }
  Vec3<S> PointPosition(int body, const Vec3<S>& point) const {
    return Position(body) + motion_[body].r * point;
  }
  Vec3<S> PointVelocity(int body, const Vec3<S>& point) const {
    return motion_[body].v + Cross(motion_[body].w, motion_[body].r * point);
  }
  const BodyMotion<S>& Motion(int body) const { return motion_[body]; }
  const JointState<S>& GetJoint(int body) const { return joints_[body]; }
  const RootState<S>& Root() const { return root_; }

  // For the algorithms: pointers into this model's memory.
  Articulation<S> View() {
    return {joints_.data(), &root_, motion_.data(), articulated_.data(), contacts_.data(), 0};
  }
  const Tree<Real>& BareTree() const { return bare_; }  // of ForwardDynamics
  JointDrive<S>* DriveScratch() { return drives_.data(); }

 private:
  Tree<Real> tree_, bare_;
  RootState<S> root_;
  std::vector<JointState<S>> joints_;
  std::vector<BodyMotion<S>> motion_;
  std::vector<ArticulatedBody<S>> articulated_;
  std::vector<PointContact<S>> contacts_;
  std::vector<JointDrive<S>> drives_;
};

}  // namespace stride
