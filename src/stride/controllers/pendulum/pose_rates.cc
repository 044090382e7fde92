#include "stride/controllers/pendulum/pose_rates.h"

#include "stride/math/rotation.h"

namespace stride {

void RateBetween(const Kinematics& kinematics, const std::vector<double>& a,
                 const std::vector<double>& b, double per_second, std::vector<double>* rate) {
  const Layout& layout = kinematics.layout();
  const Character& character = kinematics.character();
  const auto turn = [&](int q, int v) {
    Put(Log(Conjugate(QuatAt(a, q)) * QuatAt(b, q)) * per_second, v, rate);
  };
  for (int body = 0; body < character.BodyCount(); ++body) {
    const int q = layout.q[body], v = layout.v[body];
    switch (character.bodies[body].joint.kind) {
      case JointKind::kBall: turn(q, v); break;
      case JointKind::kFree:
        Put((Vec3At(b, q) - Vec3At(a, q)) * per_second, v, rate);
        turn(q + 3, v + 3);
        break;
      default: (*rate)[v] = (b[q] - a[q]) * per_second;  // one coordinate
    }
  }
}

void IntegratePose(const Kinematics& kinematics, int first, const std::vector<double>& rate,
                   double dt, std::vector<double>* at) {
  const Layout& layout = kinematics.layout();
  const Character& character = kinematics.character();
  for (int body = first; body < character.BodyCount(); ++body) {
    const int q = layout.q[body], v = layout.v[body];
    switch (character.bodies[body].joint.kind) {
      case JointKind::kBall: Put(Integrate(QuatAt(*at, q), Vec3At(rate, v), dt), q, at); break;
      case JointKind::kFree:
        Put(Vec3At(*at, q) + Vec3At(rate, v) * dt, q, at);
        Put(Integrate(QuatAt(*at, q + 3), Vec3At(rate, v + 3), dt), q + 3, at);
        break;
      default: (*at)[q] += dt * rate[v];  // one coordinate
    }
  }
}

}  // namespace stride
