#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/sim/engine.h"

namespace stride {
namespace {

// Largest difference of the two engines' coordinates.
double Difference(const Engine& a, const Engine& b, int actor) {
  double largest = 0;
  const std::vector<double>&p = a.GetState(actor).q, &q = b.GetState(actor).q;
  for (std::size_t i = 0; i < p.size(); ++i) largest = std::max(largest, std::fabs(p[i] - q[i]));
  return largest;
}

// ODE and Bullet compute the same step by different means: one with constraints between single
// bodies, the other with articulated bodies; servos, contacts, sliding and friction included.
TEST(BulletEngine, AgreesWithOde) {
  for (const char* name : {"liu16", "wang09-short", "biped", "hexapod"}) {
    World world;
    world.actors = {LoadCharacter(name)};
    world.friction = 0.4;
    world.terrain.slope = 0.1;
    const auto ode = MakeEngine("ode", world), bullet = MakeEngine("bullet", world);
    const std::vector<Actuation> hold = {HoldPose(world.actors[0], world.actors[0].rest_q)};
    State state = RestState(world.actors[0]);
    state.q[2] += 0.1;
    state.v[0] = 1;
    state.v[1] = -0.5;
    std::size_t contacts = 0;
    for (Engine* engine : {ode.get(), bullet.get()}) engine->SetState(0, state);
    for (int i = 0; i < 100; ++i) {
      ode->Step(hold, {});
      bullet->Step(hold, {});
      contacts = std::max(contacts, ode->Contacts().size());
      // Links without mass have some in ODE; without such links it is 1e-13.
      ASSERT_LT(Difference(*ode, *bullet, 0), 1e-6) << name << " step " << i;
    }
    EXPECT_GE(contacts, 3u) << name;
  }
}

// Spheres of different engines touch in the same point: the whole collision is the same.
TEST(BulletEngine, BallsCollideAsInOde) {
  World world;
  world.actors = {MakeBall(0.2, 3), MakeBall(0.1, 1), MakeBall(0.15, 2)};
  world.gravity = 0;
  for (int i = 0; i < 3; ++i) world.actors[i].rest_q[2] = 5;
  world.actors[1].rest_q[0] = 0.5;
  world.actors[1].rest_q[1] = 0.1;
  world.actors[2].rest_q[0] = 0.9;
  const auto ode = MakeEngine("ode", world), bullet = MakeEngine("bullet", world);
  State state = RestState(world.actors[0]);
  state.v[0] = 3;
  state.v[4] = 5;
  std::vector<Actuation> passive;
  for (const Character& actor : world.actors) passive.push_back(Passive(actor));
  bool touched = false;
  for (Engine* engine : {ode.get(), bullet.get()}) engine->SetState(0, state);
  for (int i = 0; i < 100; ++i) {
    ode->Step(passive, {});
    bullet->Step(passive, {});
    touched = touched || !bullet->Contacts().empty();
    for (int k = 0; k < 3; ++k) ASSERT_LT(Difference(*ode, *bullet, k), 1e-6) << "step " << i;
  }
  EXPECT_TRUE(touched);
}

}  // namespace
}  // namespace stride
