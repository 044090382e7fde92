#include "stride/controllers/registry.h"

// Nothing drives the joints.
namespace stride::passive_controller {
namespace {

class PassiveBody final : public Controller {
 public:
  explicit PassiveBody(const ControllerInput& input)
      : stand_(input.stand), actuation_(Passive(input.world.actors[0])) {}

  std::unique_ptr<Controller> Clone() const override {
    return std::make_unique<PassiveBody>(*this);
  }
  State Start() const override { return stand_; }
  void Step(const Observation&, const Command&, Actuation* actuation) override {
    *actuation = actuation_;
  }
  bool Turns() const override { return false; }
  bool TakesSpeed() const override { return false; }

 private:
  State stand_;
  Actuation actuation_;
};

}  // namespace

ControllerInfo Describe() {
  return {.name = "passive",
          .description = "no servo, no torque: a rag doll",
          .make = [](const ControllerInput& input) -> std::unique_ptr<Controller> {
            return std::make_unique<PassiveBody>(input);
          },
          .example = {.character = "liu16"}};
}

}  // namespace stride::passive_controller
