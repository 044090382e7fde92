#pragma once

#include "stride/core/config.h"
#include "stride/sim/world.h"

// The settings of a World as a config (core/config.h): `--set contact.stiffness=30000`. Actors and
// terrain are not settings.
namespace stride {

template <class Visitor>
void VisitConfig(ContactModel& c, Visitor& visit) {
  visit("stiffness", c.stiffness, {1, 1e8, "N/m"},
        "normal spring of a contact point (all but mujoco)");
  visit("damping", c.damping, {0, 1e6, "N s/m"},
        "normal damper of a contact point (all but mujoco)");
  visit("stick", c.stick, {1, 1e7, "N s/m"},
        "viscous friction below the Coulomb bound (all but mujoco)");
  visit("passes", c.passes, {1, 100},
        "solutions of a step at most, to keep friction in bounds (all but mujoco)");
}

// Beyond it a rag doll that falls loses its numbers in native, ODE and Bullet (at 33 ms all three).
inline constexpr double kMaxTimeStep = 0.02;  // s

template <class Visitor>
void VisitConfig(World& w, Visitor& visit) {
  visit("friction", w.friction, {0, 100}, "Coulomb coefficient of every contact");
  visit("gravity", w.gravity, {-1000, 1000, "m/s^2"}, "downwards");
  visit("time_step", w.time_step, {1e-6, kMaxTimeStep, "s"}, "one step");
  visit("contacts", w.contacts, "whether bodies touch the ground and each other");
  visit("limits", w.limits, "whether joints have limits");
  visit("contact", w.contact);
}

}  // namespace stride
