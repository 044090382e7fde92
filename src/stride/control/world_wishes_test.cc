#include "stride/control/world_wishes.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace stride {
namespace {

TEST(WorldWishes, WhatTheUserChoseWins) {
  const WorldWishes wishes{.time_step = 0.001,
                           .contact = ContactModel{.stiffness = 7, .passes = 9}};
  World world;
  Grant(wishes, {}, &world);
  EXPECT_EQ(world.time_step, 0.001);
  EXPECT_EQ(world.contact, (ContactModel{.stiffness = 7, .passes = 9}));
  EXPECT_EQ(world.friction, World().friction);

  // Chosen, even where it is what would have been taken anyway.
  world = World();
  const std::vector<std::string> chosen = {"time_step", "contact.stiffness"};
  Grant(wishes, chosen, &world);
  EXPECT_EQ(world.time_step, World().time_step);
  EXPECT_EQ(world.contact.stiffness, World().contact.stiffness);
  EXPECT_EQ(world.contact.passes, 9);
}

TEST(WorldWishes, TheGroundIsGrantedUnlessItWasChosen) {
  const WorldWishes wishes{.friction = 0.3, .slope = 0.2};
  World world;
  Grant(wishes, {}, &world);
  EXPECT_EQ(world.friction, 0.3);
  EXPECT_EQ(world.terrain.slope, 0.2);
  world = World();
  Grant(wishes, std::vector<std::string>{"terrain", "friction"}, &world);
  EXPECT_EQ(world, World());
  world.terrain.slope = 0.1;
  Grant(wishes, {}, &world);
  EXPECT_EQ(world.terrain.slope, 0.1);
}

TEST(WorldWishes, ASkillsComeBeforeItsControllers) {
  const WorldWishes skill{.time_step = 0.002};
  const WorldWishes controller{.time_step = 0.004, .contact = ContactModel{.passes = 5}};
  const WorldWishes both = Join(skill, controller);
  EXPECT_EQ(both.time_step, 0.002);
  EXPECT_EQ(both.contact->passes, 5);
  World world;
  Grant({}, {}, &world);
  EXPECT_EQ(world, World());
}

}  // namespace
}  // namespace stride
