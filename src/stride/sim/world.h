#pragma once

#include <vector>

#include "stride/character/character.h"

// What is simulated, as plain values: actors, ground, and what acts on them.
namespace stride {

// Ground as a surface over the x-y plane.
struct Terrain {
  enum class Kind { kPlane, kHeightField, kSteps };
  Kind kind = Kind::kPlane;

  // Plane through the origin that rises by `slope` (rad) along the heading `slope_heading` (rad
  // from +X towards +Y).
  double slope = 0, slope_heading = 0;

  // Height field: heights[iy * nx + ix] at (x0 + ix * cell, y0 + iy * cell), bilinear between, and
  // constant beyond the border. m.
  double x0 = 0, y0 = 0, cell = 0.1;
  int nx = 0, ny = 0;
  std::vector<double> heights;

  // Steps along +X: step k = 0, 1, ... begins at step_start + k * step_depth; heights change by
  // step_rise at each of step_count edges.
  double step_start = 1, step_depth = 0.3, step_rise = 0.1;
  int step_count = 0;

  friend bool operator==(const Terrain&, const Terrain&) = default;
};

struct Surface {
  double height;  // of the ground at (x, y)
  Vec3d normal;   // unit, upwards
};
Surface SurfaceAt(const Terrain& terrain, double x, double y);

struct GroundPoint {
  double x = 0, y = 0;  // m, world
  friend bool operator==(const GroundPoint&, const GroundPoint&) = default;
};

// Throws InputError: no finite number, slope of 90 degrees or more, an empty or wrongly sized
// field.
void Validate(const Terrain& terrain);

// Compliant contact of the native engines at one contact point.
struct ContactModel {
  double stiffness = 50000;  // N/m
  double damping = 1000;     // N s/m
  // Friction below the Coulomb bound is viscous; large, so that a standing body does not creep.
  double stick = 40000;  // N s/m
  // Solutions of a step at most: each drops contacts that would pull and lowers friction above the
  // Coulomb bound. With 4 an impact may still pass the bound by some percent for a step; 2 is
  // faster and rougher.
  int passes = 4;
  friend bool operator==(const ContactModel&, const ContactModel&) = default;
};

// Actors are characters and things alike: a thrown ball is a character of one free body.
struct World {
  std::vector<Character> actors;
  Terrain terrain;
  double friction = 0.9;     // Coulomb coefficient of every contact
  double gravity = 9.81;     // m/s^2, along -Z
  double time_step = 0.005;  // s
  ContactModel contact;
  bool contacts = true;  // ground and actors; off for tests of free motion
  bool limits = true;    // joint limits
  friend bool operator==(const World&, const World&) = default;
};

// What drives one actor during a step. Per joint a servo, implicit in the step, plus a torque:
//   torque_i + kp_i (target - q) + kd_i (target_v - v)
// A joint with kp = kd = 0 is driven by its torque alone. The root's entries are ignored where
// free.
struct Actuation {
  std::vector<double> target_q;  // layout of State::q
  std::vector<double> target_v;  // layout of State::v
  std::vector<double> kp, kd;    // per body
  std::vector<double> torque;    // layout of State::v
};
// Servos with the character's own gains towards q, and the torques that carry its weight there
// (stand.h).
Actuation HoldPose(const Character& character, const std::vector<double>& q, double gravity = 9.81);
// No servo, no torque: a rag doll.
Actuation Passive(const Character& character);

// A force on a body during one step.
struct ExternalForce {
  int actor = 0, body = 0;
  Vec3d force;   // world axes, N
  Vec3d torque;  // world axes, N m
  Vec3d point;   // where the force acts, body frame, m
};

struct Contact {
  int actor = 0, body = 0;
  int other_actor = -1, other_body = -1;  // -1: the ground
  Vec3d position;                         // world, m
  Vec3d normal;                           // unit, from the other towards the body
  Vec3d force;                            // on the body, world axes, N
  double depth = 0;                       // m
};

// Fixes a load to a body: its mass, centre of mass and inertia become those of the two together.
// `position` in the body's frame; the load is a solid ball of that radius.
void AddLoad(Character* character, int body, double mass, const Vec3d& position,
             double radius = 0.05);

// Things: characters of one free body.
Character MakeBall(double radius, double mass);
Character MakeBox(const Vec3d& half_extents, double mass);

}  // namespace stride
