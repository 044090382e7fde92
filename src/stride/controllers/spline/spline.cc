#include "stride/controllers/spline/spline.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "stride/control/program_controller.h"
#include "stride/controllers/registry.h"
#include "stride/core/error.h"

namespace stride {

int SplineProgram::Parameters() const {
  if (!further.empty()) {
    const Further& more = further.back();
    return more.points.back() +
           static_cast<int>(grids[more.grids.back()].cycle.size() * more.layers.size());
  }
  const Actuator& last = actuators.back();
  const Grid& grid = grids[last.grid];
  const std::size_t count = layers.empty() ? 1 : layers.size();
  return last.points +
         static_cast<int>(grid.in.size() + grid.cycle.size() * count + grid.out.size());
}

std::vector<DebugChannel> SplineProgram::Channels() const {
  using Kind = DebugChannel::Kind;
  return {{"mode", "0 stands, 1 blends in, 2 cycles, 3 blends out", Kind::kScalar},
          {"phase", "", Kind::kScalar},
          {"sensor", "", Kind::kScalar}};
}

void SplineProgram::ReadChannels(const double* memory, std::span<float> values) const {
  values[0] = static_cast<float>(memory[kMode]);
  values[1] = static_cast<float>(memory[kPhase]);
  values[2] = static_cast<float>(memory[kSensor]);
}

namespace spline_controller {
namespace {

class SplineController final : public ProgramController<SplineProgram> {
 public:
  SplineController(const World& world, const State& stand, SplineBody body, SplineGait gait,
                   double own_speed)
      : ProgramController(Made(world, stand, body, gait, own_speed), world, stand,
                          SplineParameters(gait)),
        world_(world),
        stand_(stand),
        body_(std::move(body)),
        gait_(std::move(gait)) {}

  std::unique_ptr<Controller> Clone() const override {
    auto clone = std::make_unique<SplineController>(*this);
    clone->Reserve();
    return clone;
  }
  std::vector<ControlCurve> Curves() const override {
    return CurvesOf(world_.actors[0], body_, gait_);
  }
  // The memory of the program does not depend on the points.
  void Edit(const CurveEdit& edit) override {
    Apply(edit, body_, &gait_);
    program_ = Made(world_, stand_, body_, gait_, program_.own_speed);
    parameters_ = SplineParameters(gait_);
  }

 private:
  static SplineProgram Made(const World& world, const State& stand, const SplineBody& body,
                            const SplineGait& gait, double own_speed) {
    SplineProgram program = MakeSplineProgram(world, stand, body, gait);
    program.own_speed = own_speed;
    return program;
  }
  World world_;
  State stand_;
  SplineBody body_;
  SplineGait gait_;
};

SplineGait GaitOf(const Skill& skill, const SplineBody& body) {
  return SplineGaitOf(skill.character, body, JsonNode(skill.payload, "payload"));
}

double SpeedOf(const Skill& skill) { return JsonNode(skill.metrics, "metrics")["speed"].Number(); }

}  // namespace

ControllerInfo Describe() {
  return {.name = "spline",
          .description = "control curves of any body, evolved and edited like keyframes",
          .make = [](const ControllerInput& input) -> std::unique_ptr<Controller> {
            const SplineBody body = SplineBodyOf(input.world.actors[0]);
            return std::make_unique<SplineController>(
                input.world, input.stand, body, GaitOf(*input.skill, body), SpeedOf(*input.skill));
          },
          .needs_skill = true,
          .refuses = [](const Character& character) -> std::string {
            try {
              SplineBodyOf(character);
            } catch (const InputError& error) {
              return error.what();
            }
            return "";
          },
          .example = {.skill = "spline-biped"},
          .lanes =
              [](const ControllerInput& input) {
                const SplineBody body = SplineBodyOf(input.world.actors[0]);
                const SplineGait gait = GaitOf(*input.skill, body);
                SplineProgram program = MakeSplineProgram(input.world, input.stand, body, gait);
                program.own_speed = SpeedOf(*input.skill);
                return MakeLaneProgram(program, SplineParameters(gait));
              },
          .learns = {SplineLearning()},
          .check_skill =
              [](const Skill& skill) {
                GaitOf(skill, SplineBodyOf(skill.character));
                SpeedOf(skill);
              },
          .skill_rows =
              [](const Skill& skill) {
                const SplineBody body = SplineBodyOf(skill.character);
                const SplineGait gait = GaitOf(skill, body);
                std::vector<std::pair<std::string, std::string>> rows = {
                    {"curves", fmt::format("{}, symmetry {}", gait.curves.size(), gait.symmetry)},
                    {"cycle", fmt::format("{:.2f} s, blends in {:.2f} s and out {:.2f} s",
                                          gait.cycle_seconds, gait.in_seconds, gait.out_seconds)}};
                if (!gait.sensor.empty()) {
                  rows.push_back(
                      {"feedback", fmt::format("{}, {} layers", gait.sensor, gait.Layers())});
                }
                for (const SplineGait::Further& more : gait.further) {
                  rows.push_back({"further feedback", more.sensor});
                }
                return rows;
              },
          .edit_skill =
              [](const CurveEdit& edit, Skill* skill) {
                const SplineBody body = SplineBodyOf(skill->character);
                SplineGait gait = GaitOf(*skill, body);
                Apply(edit, body, &gait);
                skill->payload = ToJson(skill->character, body, gait);
              }};
}

}  // namespace spline_controller
}  // namespace stride
