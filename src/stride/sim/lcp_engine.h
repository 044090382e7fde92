#pragma once

#include <vector>

#include "stride/sim/model_engine.h"

namespace stride {

// What engines share that find the forces of joints, servos and contacts together, as one linear
// complementarity problem (LCP) a step. The contact is that of ContactModel. Characters touch the
// ground with their contact points; how actors touch each other is the engine's own.
//
// The LCP takes bounds of friction as given, or a pyramid over the normal force there is without
// friction. It becomes a cone by passes: see Revise().
class LcpEngine : public ModelEngine {
 protected:
  // A touch of two bodies, or of a body and the ground.
  struct Touch {
    int actor = -1, body = -1, other_actor = -1, other_body = -1;  // -1: the ground
    Vec3d position, normal;
    double depth = 0;
    Vec3d drift;          // what its velocity gains in a step when v' = 0
    bool slides = false;  // friction gets `bound` along `along`; else what a pyramid gives
    Vec3d along;          // at first: tangential velocity
    double bound = 0;     // N
    // Result: force on the first body, and the tangential velocity at the end, but for the drift.
    Vec3d force, slip;
  };
  // Thrown by the functions below when numbers overflow: nobody can say on whose account, and all
  // actors fail.
  struct Lost {};

  using ModelEngine::ModelEngine;

  // Bodies as they are now, for FindActorTouches() and SolveTouches().
  virtual void Place() = 0;
  // Calls AddActorTouch() for each place where shapes of two actors touch.
  virtual void FindActorTouches() = 0;
  // Solves the step: force and slip of every touch. Depths are to differ by the factor
  // (1 + tie_break k). False if the solver gave up, caught in a tie between contacts.
  virtual bool SolveTouches(double tie_break) = 0;
  // Accelerations of the last solution to where FinishStep() reads them.
  virtual void ReadAccelerations(int actor) = 0;
  // After Lost.
  virtual void Reset() {}

  void AddActorTouch(int actor, int body, int other_actor, int other_body, const Vec3d& position,
                     const Vec3d& normal, double depth);
  // Two directions across a touch's normal, the first along `along`.
  static void Tangents(const Touch& touch, Vec3d* first, Vec3d* second);
  // Bounds of friction in them once it slides, as parts of Touch::bound: nearly one direction, and
  // right to 0.5 % in size.
  static constexpr double kAlong = 1, kAcross = 0.1;

  // Servo, passive parts, limit and armature of a joint: torque = force - inertia v', which is the
  // soft constraint v_end + (h / inertia) torque = v + (h / inertia) force of an LCP.
  struct JointForce {
    Vec3d force;  // hinge: in x
    double inertia = 0;
  };
  JointForce JointForceOf(const Actor& actor, int body) const;

  std::vector<Touch> touches_;  // first those of art.contacts, actor after actor

 private:
  void Solve() final;
  void SolveAll();
  void AddGroundTouches(int actor);
  void SolveWithoutTies();
  bool Revise(bool only_lower);
  void ReadContacts();
  Vec3d PointVelocity(int actor, int body, const Vec3d& position) const;
  Vec3d PointDrift(int actor, int body, const Vec3d& position) const;
};

}  // namespace stride
