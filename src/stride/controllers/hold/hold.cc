#include "stride/controllers/registry.h"

// Holds the stand with the character's own gains. No balance: what tips, falls.
namespace stride::hold_controller {
namespace {

class Hold final : public Controller {
 public:
  explicit Hold(const ControllerInput& input)
      : stand_(input.stand),
        actuation_(HoldPose(input.world.actors[0], input.stand.q, input.world.gravity)) {}

  std::unique_ptr<Controller> Clone() const override { return std::make_unique<Hold>(*this); }
  State Start() const override { return stand_; }
  void Step(const Observation&, const Command&, Actuation* actuation) override {
    *actuation = actuation_;  // equal sizes: no allocation
  }
  const State* Reference() const override { return &stand_; }

 private:
  State stand_;
  Actuation actuation_;
};

}  // namespace

ControllerInfo Describe() {
  return {.name = "hold",
          .description =
              "servos hold the rest pose with the character's own gains; no balance feedback",
          .make = [](const ControllerInput& input) -> std::unique_ptr<Controller> {
            return std::make_unique<Hold>(input);
          }};
}

}  // namespace stride::hold_controller
