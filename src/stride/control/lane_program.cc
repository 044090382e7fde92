#include "stride/control/lane_program.h"

namespace stride {

std::vector<JointDrive<double>> DrivesOf(const Character& character, const Actuation& actuation) {
  const Layout layout = LayoutOf(character);
  std::vector<JointDrive<double>> drives(character.bodies.size());
  for (int i = 0; i < character.BodyCount(); ++i) {
    JointDrive<double>& drive = drives[i];
    drive.target = Quatd::Identity();
    drive.kp = actuation.kp[i];
    drive.kd = actuation.kd[i];
    const double* q = &actuation.target_q[layout.q[i]];
    const double* v = &actuation.target_v[layout.v[i]];
    const double* torque = &actuation.torque[layout.v[i]];
    switch (character.bodies[i].joint.kind) {
      case JointKind::kFree: break;
      case JointKind::kHinge:
      case JointKind::kSlide:
        drive.target = {q[0], 0, 0, 0};
        drive.target_v = {v[0], 0, 0};
        drive.torque = {torque[0], 0, 0};
        break;
      case JointKind::kBall:
        drive.target = {q[0], q[1], q[2], q[3]};
        drive.target_v = {v[0], v[1], v[2]};
        drive.torque = {torque[0], torque[1], torque[2]};
        break;
    }
  }
  return drives;
}

}  // namespace stride
