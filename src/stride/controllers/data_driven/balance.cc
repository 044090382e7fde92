#include "stride/controllers/data_driven/balance.h"

#include <cmath>

#include "stride/math/rotation.h"

namespace stride {
namespace {

constexpr Vec3d kUp{0, 0, 1};

// Components along the way and across it, to the left.
struct Planes {
  double sagittal, coronal;
};
Planes Split(const Vec3d& along, const Vec3d& v) {
  return {Dot(along, v), Dot(Cross(kUp, along), v)};
}

}  // namespace

Rig::Rig(const Character& body)
    : character(body),
      kinematics(character),
      pelvis(character.BodyOf(Role::kPelvis)),
      feet(FeetOf(character)) {
  for (int side = 0; side < 2; ++side) {
    const FootParts& foot = feet[side];
    hips.emplace_back(kinematics, kinematics.Path(pelvis, foot.thigh), Vec3d{0, 0, -1});
    ankles.emplace_back(kinematics, kinematics.Path(foot.shank, foot.foot), kUp);
    legs.emplace_back(kinematics, foot);
    const int end = foot.toe >= 0 ? foot.toe : foot.foot;
    leg_bodies_[side] = kinematics.Path(pelvis, end);
  }
}

void Rig::UpdateLeg(int side, const std::vector<double>& q, BodyFrames* frames) const {
  for (const int i : leg_bodies_[side]) {
    const Body& body = character.bodies[i];
    const int at = kinematics.layout().q[i];
    const Quatd turn =
        body.joint.kind == JointKind::kHinge ? AxisAngle(body.joint.axis, q[at]) : QuatAt(q, at);
    frames->position[i] =
        frames->position[body.parent] + Rotate(frames->rotation[body.parent], body.offset);
    frames->rotation[i] = frames->rotation[body.parent] * turn;
  }
}

Vec3d SwingFeedback(const FeedbackGains& g, const BalanceError& error) {
  const Planes v = Split(error.along, error.velocity), d = Split(error.along, error.position);
  const bool behind = d.sagittal < 0;
  const double sagittal = (behind ? g.c1_sagittal_behind : g.c1_sagittal_ahead) * v.sagittal +
                          (behind ? g.c2_sagittal_behind : g.c2_sagittal_ahead) * d.sagittal;
  const double coronal = g.c1_coronal * v.coronal + g.c2_coronal * d.coronal;
  return error.along * sagittal + Cross(kUp, error.along) * coronal;
}

Vec3d AnkleFeedback(const FeedbackGains& g, const BalanceError& error) {
  const Planes v = Split(error.along, error.velocity), d = Split(error.along, error.position);
  return error.along * (g.c3_sagittal * v.sagittal + g.c4_sagittal * d.sagittal) +
         Cross(kUp, error.along) * (g.c3_coronal * v.coronal + g.c4_coronal * d.coronal);
}

void SetFoot(const Rig& rig, int side, const Quatd& foot, EditedPose* pose) {
  rig.ankles[side].Set(Conjugate(pose->frames.rotation[rig.feet[side].shank]) * foot, &pose->q);
  rig.UpdateLeg(side, pose->q, &pose->frames);
}

void MatchStanceHip(const Rig& rig, int side, const Quatd& thigh, double share, EditedPose* pose) {
  const Quatd target = Slerp(pose->frames.rotation[rig.feet[side].thigh], thigh, share);
  rig.hips[side].Set(Conjugate(pose->frames.rotation[rig.pelvis]) * target, &pose->q);
  rig.UpdateLeg(side, pose->q, &pose->frames);
}

void TurnSwingHip(const Rig& rig, int side, const Vec3d& feedback, double level, EditedPose* pose) {
  const Quatd foot = pose->frames.rotation[rig.feet[side].foot];
  const Quatd thigh =
      Exp(Cross(kUp, feedback) * -1.0) * pose->frames.rotation[rig.feet[side].thigh];
  rig.hips[side].Set(Conjugate(pose->frames.rotation[rig.pelvis]) * thigh, &pose->q);
  rig.UpdateLeg(side, pose->q, &pose->frames);
  if (level > 0) {
    SetFoot(rig, side, Slerp(pose->frames.rotation[rig.feet[side].foot], foot, level), pose);
  }
}

void TurnStanceAnkle(const Rig& rig, int side, const Vec3d& feedback, EditedPose* pose) {
  SetFoot(rig, side, Exp(Cross(kUp, feedback)) * pose->frames.rotation[rig.feet[side].foot], pose);
}

void RaiseFoot(const Rig& rig, int side, const Quatd& root, double height, EditedPose* pose,
               EditedPose* scratch) {
  scratch->q = pose->q;
  Put(root, 3, &scratch->q);
  rig.kinematics.Frames(scratch->q, &scratch->frames);
  const FootParts& foot = rig.feet[side];
  const Vec3d ankle = scratch->frames.position[foot.foot] + Vec3d{0, 0, height};
  rig.legs[side].Solve(scratch->frames, ankle, scratch->frames.rotation[foot.foot],
                       rig.legs[side].ToeAngle(scratch->frames), &pose->q);
  rig.UpdateLeg(side, pose->q, &pose->frames);
}

}  // namespace stride
