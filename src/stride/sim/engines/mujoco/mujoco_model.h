#pragma once

#include <memory>
#include <vector>

#include <mujoco/mujoco.h>

#include "stride/sim/world.h"

namespace stride {

// A World as MuJoCo sees it, for the engine and for tests that compare with MuJoCo's functions.
//
// qpos and qvel are the actors' State::q and State::v one after the other. MuJoCo's joint
// `actor.joint + i` is the joint of our body i. A chain of massless hinge links and the body at its
// end are one MuJoCo body with several joints.
// Joint armature is in the model; passive damping and springs are not: the engine applies them with
// the servo, implicitly (servo.h). The actors start in their rest states.
struct MujocoModel {
  // Throws InputError with MuJoCo's reason when it does not accept the world.
  explicit MujocoModel(const World& world);

  void SetState(int actor, const State& state);
  State GetState(int actor) const;

  struct Actor {
    int q = 0, v = 0, joint = 0;  // where its numbers begin in qpos, qvel and the list of joints
    int nq = 0, nv = 0;
    std::vector<int> body;  // MuJoCo's body of each of our bodies
  };
  // Which actor and body (the massive one of a merged chain) a MuJoCo body is; -1: the ground.
  struct Part {
    int actor = -1, body = -1;
  };

  std::unique_ptr<mjModel, void (*)(mjModel*)> model;
  std::unique_ptr<mjData, void (*)(mjData*)> data;
  std::vector<Actor> actors;
  std::vector<Part> parts;  // per MuJoCo body
};

}  // namespace stride
