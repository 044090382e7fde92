#include "stride/control/program_controller.h"
#include "stride/controllers/hold/hold_program.h"
#include "stride/controllers/registry.h"

// Holds the stand with the character's own gains. No balance: what tips, falls.
namespace stride::hold_controller {
namespace {

HoldProgram ProgramOf(const ControllerInput& input) {
  const Character& character = input.world.actors[0];
  return {DrivesOf(character, HoldPose(character, input.stand.q, input.world.gravity))};
}

}  // namespace

ControllerInfo Describe() {
  return {.name = "hold",
          .description =
              "servos hold the rest pose with the character's own gains; no balance feedback",
          .make = [](const ControllerInput& input) -> std::unique_ptr<Controller> {
            return std::make_unique<ProgramController<HoldProgram>>(
                ProgramOf(input), input.world, input.stand, std::vector<double>{}, input.stand);
          },
          .example = {.character = "liu16"},
          .lanes = [](const ControllerInput& input) { return MakeLaneProgram(ProgramOf(input)); }};
}

}  // namespace stride::hold_controller
