#pragma once

#include <vector>

#include "stride/dynamics/articulated.h"

// Friction on ground so stiff that the load of a contact point changes from one solution of a step
// to the next. The solutions of dynamics/ only lower friction, which is enough on compliant ground
// and keeps lanes cheap; there a point that slides keeps the bound of a load it no longer has.
namespace stride::native_engine {

bool IsRigid(const Environment<double>& env);

// As stride::Solve, but friction rises again where a contact slides with less than its load allows,
// and sticks again where friction would drive it back.
void SolveOnRigidGround(const Tree<double>& tree, const Environment<double>& env,
                        const JointDrive<double>* drives,
                        const std::vector<BodyForce<double>>& forces, Articulation<double>* art);

}  // namespace stride::native_engine
