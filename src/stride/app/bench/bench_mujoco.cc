#include <algorithm>

#include <fmt/format.h>

#include "stride/app/bench/bench_jobs.h"
#include "stride/scenario/fall.h"
#include "stride/sim/engines/mujoco/mujoco_model.h"

namespace stride {
namespace {

class MujocoRunner final : public StandRunner {
 public:
  MujocoRunner(const StandJob& job, const MujocoSettings& settings)
      : job_(job),
        character_(job_.world.actors[0]),
        rest_(RestState(character_)),
        fall_(character_, job.world.terrain, rest_),
        mj_(job.world),
        m_(mj_.model.get()),
        d_(mj_.data.get()),
        rate_(m_->nv) {
    mjOption& option = m_->opt;
    option.solver = settings.solver == MujocoSettings::Solver::kPgs  ? mjSOL_PGS
                    : settings.solver == MujocoSettings::Solver::kCg ? mjSOL_CG
                                                                     : mjSOL_NEWTON;
    option.cone = settings.elliptic ? mjCONE_ELLIPTIC : mjCONE_PYRAMIDAL;
    option.impratio = 1;
    option.iterations = settings.iterations;
    option.tolerance = settings.tolerance;
    option.jacobian = settings.sparse ? mjJAC_SPARSE : mjJAC_DENSE;
    option.disableflags = mjDSBL_EQUALITY | mjDSBL_FRICTIONLOSS | mjDSBL_CLAMPCTRL |
                          mjDSBL_ACTUATION | mjDSBL_SENSOR | mjDSBL_FILTERPARENT;
    if (!settings.warm_start) option.disableflags |= mjDSBL_WARMSTART;
    if (settings.feet_only) DropContactsBeyondFeet();
    SetServos(settings.own_damping);
    pushed_ = mj_.actors[0].body[PushedBody(character_)];
    Reset();
  }

  long RunInterval() override {
    const int steps = job_.StepsPerInterval();
    const Vec3d push = DisturbanceAt(job_.disturbance, interval_++);
    double* force = d_->xfrc_applied + 6 * pushed_;  // at the centre of mass
    force[0] = push.x, force[1] = push.y;
    const int nv = m_->nv;
    for (int i = 0; i < steps; ++i) {
      if (!rate_.empty()) {
        for (int k = 0; k < nv; ++k) d_->qfrc_applied[k] = torque_[k] - rate_[k] * d_->qvel[k];
      }
      mj_step(m_, d_);
    }
    if (fall_.Fallen(mj_.GetState(0))) {
      Reset();
      ++resets_;
    }
    return steps;
  }

 private:
  // The servo of sim/servo.h by MuJoCo's own means: its joint springs towards the rest pose, and
  // the implicit part h (kd + h kp) as armature, which leaves one multiplication a joint axis to do
  // here.
  void SetServos(bool own_damping) {
    const Actuation hold = HoldPose(character_, character_.rest_q);
    torque_ = hold.torque;
    const Layout layout = LayoutOf(character_);
    const double h = job_.world.time_step;
    std::copy(hold.target_q.begin(), hold.target_q.end(), m_->qpos_spring);
    for (int i = 0; i < character_.BodyCount(); ++i) {
      const Joint& joint = character_.bodies[i].joint;
      if (joint.kind == JointKind::kFree) continue;
      m_->jnt_stiffness[i] = hold.kp[i];
      for (int k = layout.v[i]; k < layout.v[i] + DofCount(joint.kind); ++k) {
        const double rate = hold.kd[i] + h * hold.kp[i] + joint.damping;
        if (own_damping) {
          m_->dof_damping[k] = rate;
        } else {
          m_->dof_armature[k] += h * rate;
          rate_[k] = rate;
        }
      }
    }
    if (own_damping) rate_.clear();
    mj_setConst(m_, d_);
  }

  void DropContactsBeyondFeet() {
    for (int g = 0; g < m_->ngeom; ++g) {
      const int body = mj_.parts[m_->geom_bodyid[g]].body;
      bool keep = body < 0;  // the ground
      for (const Role role : {Role::kLeftFoot, Role::kRightFoot, Role::kLeftToe, Role::kRightToe}) {
        keep = keep || body == character_.BodyOf(role);
      }
      if (!keep) m_->geom_contype[g] = m_->geom_conaffinity[g] = 0;
    }
  }

  void Reset() {
    mj_resetData(m_, d_);
    mj_.SetState(0, rest_);
    std::copy(torque_.begin(), torque_.end(), d_->qfrc_applied);
  }

  StandJob job_;
  const Character& character_;
  State rest_;
  FallDetector fall_;
  MujocoModel mj_;
  mjModel* m_;
  mjData* d_;
  std::vector<double> torque_;  // that carries the weight, on top of the servo
  std::vector<double> rate_;    // per dof, kd + h kp; empty: MuJoCo damps
  int pushed_ = 0;
};

}  // namespace

std::string Describe(const MujocoSettings& s) {
  constexpr const char* kSolvers[] = {"PGS", "CG", "Newton"};
  return fmt::format(
      "MuJoCo {}, mj_step alone, {} solver with at most {} iteration{} and tolerance {:g}, {} "
      "cone, {} "
      "Jacobian, {}Euler, {}servo as joint springs with {}, unused features off",
      mj_versionString(), kSolvers[static_cast<int>(s.solver)], s.iterations,
      s.iterations == 1 ? "" : "s", s.tolerance, s.elliptic ? "elliptic" : "pyramidal",
      s.sparse ? "sparse" : "dense", s.warm_start ? "" : "no warm start, ",
      s.feet_only ? "only the feet collide, " : "",
      s.own_damping ? "implicit joint damping" : "armature");
}

std::unique_ptr<StandRunner> MakeMujocoRunner(const StandJob& job, const MujocoSettings& settings) {
  return std::make_unique<MujocoRunner>(job, settings);
}

}  // namespace stride
