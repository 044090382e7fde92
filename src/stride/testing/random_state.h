#pragma once

#include <random>

#include "stride/character/character.h"
#include "stride/math/rotation.h"

namespace stride {

// Joints anywhere, speeds of about one; the root where it rests.
inline State RandomState(const Character& character, std::mt19937_64* rng) {
  std::normal_distribution<double> normal;
  const Layout layout = LayoutOf(character);
  State state = RestState(character);
  for (int i = 0; i < character.BodyCount(); ++i) {
    double* q = &state.q[layout.q[i]];
    const JointKind kind = character.bodies[i].joint.kind;
    if (HasOneAxis(kind)) {
      *q = normal(*rng);
      continue;
    }
    if (kind == JointKind::kFree) q += 3;
    Vec3d turn;
    for (double* x : {&turn.x, &turn.y, &turn.z}) *x = normal(*rng);
    const Quatd r = Exp(turn);
    q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
  }
  for (double& v : state.v) v = normal(*rng);
  return state;
}

}  // namespace stride
