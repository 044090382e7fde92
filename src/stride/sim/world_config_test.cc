#include "stride/sim/world_config.h"

#include <gtest/gtest.h>

#include "stride/core/error.h"
#include "stride/sim/engine.h"

namespace stride {
namespace {

// The ranges of the config must lie within what engines accept, or a valid setting would fail
// later.
TEST(WorldConfig, EnginesAcceptTheEndsOfEveryRange) {
  World probe;
  for (std::size_t i = 0; i < FieldsOf(&probe).size(); ++i) {
    for (const bool upper : {false, true}) {
      World world;
      world.actors = {MakeBall(0.1, 1)};
      const ConfigField field = FieldsOf(&world)[i];
      const double end = upper ? field.range.max : field.range.min;
      if (double* const* value = std::get_if<double*>(&field.value)) **value = end;
      if (int* const* value = std::get_if<int*>(&field.value)) **value = static_cast<int>(end);
      if (bool* const* value = std::get_if<bool*>(&field.value)) **value = upper;
      for (const EngineInfo& engine : Engines()) {
        EXPECT_NO_THROW(MakeEngine(engine.name, world))
            << field.key << " " << end << " " << engine.name;
      }
    }
  }
}

TEST(WorldConfig, SetsNestedSettings) {
  World world;
  SetConfigValue("contact.stiffness=30000", &world);
  SetConfigValue("limits=false", &world);
  EXPECT_EQ(world.contact.stiffness, 30000);
  EXPECT_FALSE(world.limits);
  EXPECT_THROW(SetConfigValue("contact.stiffness=0", &world), InputError);
}

}  // namespace
}  // namespace stride
