#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "stride/core/error.h"
#include "stride/sim/engine.h"
#include "stride/sim/engines/mujoco/mujoco_model.h"
#include "stride/sim/servo.h"

namespace stride::mujoco_engine {

EngineInfo Describe() {
  return {"mujoco",
          "MuJoCo " + std::string(mj_versionString()) +
              ": generalised coordinates, soft convex contact",
          {Feature::kSeveralActors, Feature::kActorContact, Feature::kHeightField, Feature::kSteps,
           Feature::kSlides},
          {"Bodies of one actor do not collide with each other.",
           "Contact is MuJoCo's own: World::contact (stiffness, damping, stick) is not used.",
           "A body that slides faster than about 0.2 m/s chatters; its mean friction is right.",
           "A chain may have at most 96 bodies.",
           "Steps end 100 m, and height fields 10 m, beyond their borders."}};
}

namespace {

// Beyond this a coordinate or velocity counts as lost, long before it overflows.
constexpr double kLargest = 1e8;

bool Sound(const double* numbers, int count) {
  // Written so that a NaN fails.
  return std::all_of(numbers, numbers + count, [](double x) { return std::fabs(x) < kLargest; });
}

Vec3d ToVec(const double* p) { return {p[0], p[1], p[2]}; }

class MujocoEngine : public Engine {
 public:
  explicit MujocoEngine(const World& world)
      : info_(Describe()),
        world_(world),
        mj_(world),
        m_(mj_.model.get()),
        d_(mj_.data.get()),
        armature_(m_->dof_armature, m_->dof_armature + m_->nv),
        inertia_(m_->dof_M0, m_->dof_M0 + m_->nv),
        failed_(world.actors.size(), false) {
    for (int i = 0; i < ActorCount(); ++i) states_.push_back(mj_.GetState(i));
    for (const Character& actor : world.actors) layouts_.push_back(LayoutOf(actor));
    contype_.assign(m_->geom_contype, m_->geom_contype + m_->ngeom);
    conaffinity_.assign(m_->geom_conaffinity, m_->geom_conaffinity + m_->ngeom);
  }

  const EngineInfo& Info() const override { return info_; }
  const World& GetWorld() const override { return world_; }
  double Time() const override { return d_->time; }
  const State& GetState(int actor) const override { return states_.at(actor); }
  std::span<const Contact> Contacts() const override { return contacts_; }
  bool Failed(int actor) const override { return failed_.at(actor); }

  void SetState(int actor, const State& state) override {
    const MujocoModel::Actor& a = mj_.actors.at(actor);
    if (static_cast<int>(state.q.size()) != a.nq || static_cast<int>(state.v.size()) != a.nv) {
      throw InputError("the state has " + std::to_string(state.q.size()) + " coordinates and " +
                       std::to_string(state.v.size()) + " velocities; expected " +
                       std::to_string(a.nq) + " and " + std::to_string(a.nv));
    }
    const bool sound = Sound(state.q.data(), a.nq) && Sound(state.v.data(), a.nv);
    SetFailed(actor, !sound);
    if (!sound) return;
    states_[actor] = state;
    // A new state owes nothing to the step before it.
    std::fill_n(d_->qacc_warmstart + a.v, a.nv, 0.0);
  }

  void Step(std::span<const Actuation> actuations, std::span<const ExternalForce> forces) override {
    CheckInputs(actuations, forces);
    contacts_.clear();
    for (const ExternalForce& f : forces) {
      const double sum = Dot(f.force, f.force) + Dot(f.torque, f.torque) + Dot(f.point, f.point);
      if (!std::isfinite(sum)) SetFailed(f.actor, true);
    }
    // An actor that fails is frozen, and the step is made anew without it: in MuJoCo's solver one
    // actor's NaN would become every actor's.
    const std::vector<double> warmstart(d_->qacc_warmstart, d_->qacc_warmstart + m_->nv);
    while (!TryStep(actuations, forces)) {
      std::copy(warmstart.begin(), warmstart.end(), d_->qacc_warmstart);
      for (int i = 0; i < ActorCount(); ++i) {
        if (failed_[i]) std::fill_n(d_->qacc_warmstart + mj_.actors[i].v, mj_.actors[i].nv, 0.0);
      }
    }
    ReadContacts();
    mj_Euler(m_, d_);
    for (int i = 0; i < ActorCount(); ++i) ReadState(i);
  }

  Snapshot Save() const override {
    Snapshot snapshot{d_->time, states_, {d_->qacc_warmstart, d_->qacc_warmstart + m_->nv}};
    for (int i = 0; i < ActorCount(); ++i) snapshot.memory.push_back(failed_[i] ? 1 : 0);
    return snapshot;
  }

  void Restore(const Snapshot& snapshot) override {
    bool fits = snapshot.actors.size() == states_.size() &&
                snapshot.memory.size() == static_cast<std::size_t>(m_->nv) + states_.size();
    for (std::size_t i = 0; fits && i < states_.size(); ++i) {
      fits = snapshot.actors[i].q.size() == states_[i].q.size() &&
             snapshot.actors[i].v.size() == states_[i].v.size();
    }
    if (!fits)
      throw InputError("the snapshot is of another world; expected one that this engine saved");
    d_->time = snapshot.time;
    states_ = snapshot.actors;
    std::copy_n(snapshot.memory.begin(), m_->nv, d_->qacc_warmstart);
    for (int i = 0; i < ActorCount(); ++i) SetFailed(i, snapshot.memory[m_->nv + i] != 0);
    contacts_.clear();
  }

 private:
  int ActorCount() const { return static_cast<int>(mj_.actors.size()); }

  // A failed actor touches nothing.
  void SetFailed(int actor, bool failed) {
    failed_[actor] = failed;
    for (int g = 0; g < m_->ngeom; ++g) {
      if (mj_.parts[m_->geom_bodyid[g]].actor != actor) continue;
      m_->geom_contype[g] = failed ? 0 : contype_[g];
      m_->geom_conaffinity[g] = failed ? 0 : conaffinity_[g];
    }
  }

  void CheckInputs(std::span<const Actuation> actuations,
                   std::span<const ExternalForce> forces) const {
    if (static_cast<int>(actuations.size()) != ActorCount()) {
      throw InputError("got " + std::to_string(actuations.size()) +
                       " actuations; expected one for each of the " + std::to_string(ActorCount()) +
                       " actors");
    }
    for (int i = 0; i < ActorCount(); ++i) {
      const Actuation& a = actuations[i];
      const std::size_t nq = mj_.actors[i].nq, nv = mj_.actors[i].nv,
                        bodies = mj_.actors[i].body.size();
      if (a.target_q.size() != nq || a.target_v.size() != nv || a.torque.size() != nv ||
          a.kp.size() != bodies || a.kd.size() != bodies) {
        throw InputError("the actuation of actor " + std::to_string(i) + " does not fit '" +
                         world_.actors[i].name + "'; make it with HoldPose or Passive");
      }
    }
    for (const ExternalForce& f : forces) {
      if (f.actor < 0 || f.actor >= ActorCount() || f.body < 0 ||
          f.body >= static_cast<int>(mj_.actors[f.actor].body.size())) {
        throw InputError("there is no body " + std::to_string(f.body) + " of actor " +
                         std::to_string(f.actor) + " for an external force");
      }
    }
  }

  // Accelerations of one step. False, with the culprits marked as failed, if any of them is lost.
  bool TryStep(std::span<const Actuation> actuations, std::span<const ExternalForce> forces) {
    try {
      return Forward(actuations, forces);
    } catch (const std::runtime_error&) {
      // MuJoCo gave up (a rank-deficient matrix) and does not say on whose account.
      if (std::all_of(failed_.begin(), failed_.end(), [](bool failed) { return failed; })) throw;
      for (int i = 0; i < ActorCount(); ++i) SetFailed(i, true);
      d_->pstack = 0;  // its functions were left without freeing their scratch memory
      return false;
    }
  }

  bool Forward(std::span<const Actuation> actuations, std::span<const ExternalForce> forces) {
    std::fill_n(d_->qfrc_applied, m_->nv, 0.0);
    std::copy(armature_.begin(), armature_.end(), m_->dof_armature);
    std::copy(inertia_.begin(), inertia_.end(), m_->dof_M0);
    for (int i = 0; i < ActorCount(); ++i) {
      mj_.SetState(i, states_[i]);
      if (failed_[i]) {
        std::fill_n(d_->qvel + mj_.actors[i].v, mj_.actors[i].nv, 0.0);
      } else {
        ApplyServos(i, actuations[i]);
      }
    }
    // mj_step in its parts: external forces need this step's positions, and mj_step would silently
    // reset the whole world where it finds a bad number.
    mj_fwdPosition(m_, d_);
    mj_fwdVelocity(m_, d_);
    for (const ExternalForce& f : forces) {
      if (!failed_[f.actor]) ApplyForce(f);
    }
    mj_fwdActuation(m_, d_);
    mj_fwdAcceleration(m_, d_);
    // Without contacts actors do not see each other: what is bad here is the actor's own doing.
    if (MarkLost(d_->qacc_smooth)) return false;
    mj_fwdConstraint(m_, d_);
    return !MarkLost(d_->qacc);
  }

  // Marks actors whose velocity would be lost after this step; true if there are new ones.
  bool MarkLost(const double* acceleration) {
    bool lost = false;
    for (int i = 0; i < ActorCount(); ++i) {
      if (failed_[i]) continue;
      const MujocoModel::Actor& a = mj_.actors[i];
      for (int k = a.v; k < a.v + a.nv; ++k) {
        const double v = d_->qvel[k] + world_.time_step * acceleration[k];
        if (std::fabs(v) < kLargest) continue;
        SetFailed(i, true);
        lost = true;
        break;
      }
    }
    return lost;
  }

  void ApplyServos(int actor, const Actuation& in) {
    const Character& character = world_.actors[actor];
    const Layout& layout = layouts_[actor];
    const MujocoModel::Actor& a = mj_.actors[actor];
    const State& state = states_[actor];
    for (int i = 0; i < character.BodyCount(); ++i) {
      const Joint& joint = character.bodies[i].joint;
      if (joint.kind == JointKind::kFree) continue;
      const int q = layout.q[i], v = layout.v[i];
      const ImplicitForce out =
          ServoForce(joint, in.kp[i], in.kd[i], &state.q[q], &state.v[v], &in.target_q[q],
                     &in.target_v[v], &in.torque[v], world_.time_step);
      const double force[3] = {out.force.x, out.force.y, out.force.z};
      for (int k = 0; k < DofCount(joint.kind); ++k) {
        d_->qfrc_applied[a.v + v + k] = force[k];
        m_->dof_armature[a.v + v + k] += out.inertia;
        m_->dof_M0[a.v + v + k] += out.inertia;  // what MuJoCo uses for bodies it finds simple
      }
    }
  }

  void ApplyForce(const ExternalForce& f) {
    const MujocoModel::Actor& a = mj_.actors[f.actor];
    const int body = a.body[f.body];
    double point[3];
    const double local[3] = {f.point.x, f.point.y, f.point.z};
    mju_rotVecMat(point, local, d_->xmat + 9 * body);
    const int joint = a.joint + f.body;
    mju_addTo3(point, d_->xanchor + 3 * joint);  // our frame's origin is the joint
    // MuJoCo's anchor of a slide stays where it slides from.
    if (m_->jnt_type[joint] == mjJNT_SLIDE) {
      mju_addToScl3(point, d_->xaxis + 3 * joint, d_->qpos[m_->jnt_qposadr[joint]]);
    }
    const double force[3] = {f.force.x, f.force.y, f.force.z};
    const double torque[3] = {f.torque.x, f.torque.y, f.torque.z};
    mj_applyFT(m_, d_, force, torque, point, body, d_->qfrc_applied);
  }

  void ReadContacts() {
    for (int i = 0; i < d_->ncon; ++i) {
      const mjContact& c = d_->contact[i];
      if (c.efc_address < 0) continue;
      MujocoModel::Part other = mj_.parts[m_->geom_bodyid[c.geom1]];
      MujocoModel::Part part = mj_.parts[m_->geom_bodyid[c.geom2]];
      double local[6], force[3];
      mj_contactForce(m_, d_, i, local);
      mju_rotVecMatT(force, local, c.frame);
      // MuJoCo's normal and force are those on the second geom.
      double sign = 1;
      if (part.actor < 0) {
        std::swap(part, other);
        sign = -1;
      }
      contacts_.push_back({.actor = part.actor,
                           .body = part.body,
                           .other_actor = other.actor,
                           .other_body = other.body,
                           .position = ToVec(c.pos),
                           .normal = ToVec(c.frame) * sign,
                           .force = ToVec(force) * sign,
                           .depth = -c.dist});
    }
  }

  void ReadState(int actor) {
    if (failed_[actor]) return;
    const MujocoModel::Actor& a = mj_.actors[actor];
    if (!Sound(d_->qpos + a.q, a.nq)) return SetFailed(actor, true);
    std::copy_n(d_->qpos + a.q, a.nq, states_[actor].q.begin());
    std::copy_n(d_->qvel + a.v, a.nv, states_[actor].v.begin());
  }

  EngineInfo info_;
  World world_;
  MujocoModel mj_;
  mjModel* m_;
  mjData* d_;
  std::vector<double> armature_,
      inertia_;  // without the servos' part, which changes with every step
  std::vector<int> contype_, conaffinity_;
  std::vector<Layout> layouts_;
  std::vector<State> states_;
  std::vector<bool> failed_;
  std::vector<Contact> contacts_;
};

}  // namespace

std::unique_ptr<Engine> Make(const World& world) { return std::make_unique<MujocoEngine>(world); }

}  // namespace stride::mujoco_engine
