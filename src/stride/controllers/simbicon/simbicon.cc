#include "stride/controllers/simbicon/simbicon.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "stride/character/rest_pose.h"
#include "stride/control/program_controller.h"
#include "stride/controllers/registry.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/core/json_node.h"

namespace stride {

std::vector<DebugChannel> SimbiconProgram::Channels() const {
  using Kind = DebugChannel::Kind;
  return {{"stance", "0 left, 1 right", Kind::kScalar},
          {"phase", "0 lifts, 1 puts down", Kind::kScalar},
          {"distance ahead of the stance ankle", "m", Kind::kScalar},
          {"velocity of the centre of mass", "m/s", Kind::kScalar},
          {"mode", "0 walks, 1 stops, 2 stands", Kind::kScalar},
          {"load share of the left foot", "", Kind::kScalar},
          {"commanded speed beyond its range", "m/s", Kind::kScalar}};
}

void SimbiconProgram::ReadChannels(const double* memory, std::span<float> values) const {
  values[0] = static_cast<float>(memory[kStance]);
  values[1] = static_cast<float>(memory[kPhase]);
  values[2] = static_cast<float>(memory[kDistance]);
  values[3] = static_cast<float>(memory[kVelocity]);
  values[4] = static_cast<float>(memory[kMode]);
  values[5] = static_cast<float>(memory[kShare]);
  values[6] = static_cast<float>(memory[kBeyond]);
}

namespace {

using P = SimbiconParameter;

// The walk in 3D that public programs quote after Yin 2007 (ankles are ours: in the world for the
// swing foot), and how far the search looks at first.
constexpr SimbiconParameterInfo kParameters[P::kCount] = {
    {"lift_seconds", "s", 0.3, 0.05, 0.22, 0.5},
    {"swing_hip_lift", "rad", 0.5, 0.15, 0, 1},
    {"swing_hip_down", "rad", -0.1, 0.15, -0.6, 0.6},
    {"swing_knee_lift", "rad", 1.1, 0.2, 0.4, 1.3},
    {"swing_knee_down", "rad", 0.05, 0.1, 0, 0.6},
    {"swing_ankle_lift", "rad", 0.1, 0.1, -0.4, 0.6},
    {"swing_ankle_down", "rad", 0.05, 0.1, -0.3, 0.5},
    {"stance_knee_lift", "rad", 0.05, 0.1, 0, 0.5},
    {"stance_knee_down", "rad", 0.1, 0.1, 0, 0.5},
    {"stance_ankle_lift", "rad", 0, 0.1, -0.5, 0.5},
    {"stance_ankle_down", "rad", 0, 0.1, -0.5, 0.5},
    {"distance_sagittal", "rad/m", 0.5, 0.2, -1, 3},
    {"velocity_sagittal", "rad s/m", 0.2, 0.1, 0, 1},
    {"distance_coronal", "rad/m", 0.5, 0.2, 0, 3},
    {"velocity_coronal", "rad s/m", 0.2, 0.1, 0, 1.5},
    {"ankle_feedback", "rad/m", 0.2, 0.1, 0, 1},
    {"torso_pitch", "rad", 0.05, 0.05, -0.3, 0.1},
    {"stance_width", "rad", 0.05, 0.05, -0.1, 0.3},
    {"arm_swing", "", 0.5, 0.1, 0.3, 0.8},
    {"off_lift", "rad", 0, 0.1, 0, 0.8},
    {"off_seconds", "s", 0, 0.02, 0, 0.15},
    {"off_torso", "rad s/m", 0, 0.05, -0.3, 0.3},
    {"ankle_coronal", "rad/m", 0, 0.05, -0.5, 0.5},
    {"stop_lift_seconds", "s", 0.25, 0.03, 0.15, 0.4},
    {"stop_hip_lift", "rad", 0.4, 0.1, 0, 0.9},
    {"stop_hip_down", "rad", 0, 0.1, -0.6, 0.6},
    {"stop_knee_lift", "rad", 0.8, 0.1, 0.3, 1.3},
    {"stop_knee_down", "rad", 0.1, 0.05, 0, 0.6},
    {"stop_stance_knee", "rad", 0.1, 0.05, 0, 0.5},
    {"stop_distance_sagittal", "rad/m", 0.5, 0.1, -1, 3},
    {"stop_velocity_sagittal", "rad s/m", 0.3, 0.1, 0, 2},
    {"stop_distance_coronal", "rad/m", 0.5, 0.1, 0, 3},
    {"stop_velocity_coronal", "rad s/m", 0.3, 0.1, 0, 2},
    {"stand_distance", "rad/m", 1, 0.1, 0, 4},
    {"stand_velocity", "rad s/m", 0.3, 0.05, 0, 2},
    {"stand_coronal", "rad/m", 1, 0.2, 0, 4},
};

// Where a run is another matter: states of about 0.2 s, high knees and a lean forwards, as public
// programs have them; the stance ankle pushes off.
struct RunParameter {
  int index;
  double start, scale, lower, upper;
};
constexpr RunParameter kRun[] = {
    {P::kLiftSeconds, 0.2, 0.03, 0.1, 0.35}, {P::kSwingHip, 0.9, 0.15, 0.3, 1.3},
    {P::kSwingHip + 1, 0.2, 0.2, -0.8, 1},   {P::kSwingKnee, 1.5, 0.2, 0.8, 2.1},
    {P::kSwingKnee + 1, 0.4, 0.15, 0, 1.2},  {P::kSwingAnkle + 1, 0, 0.1, -0.5, 0.5},
    {P::kStanceKnee, 0.3, 0.1, 0, 0.9},      {P::kStanceKnee + 1, 0.05, 0.1, 0, 0.6},
    {P::kStanceAnkle, 0, 0.1, -0.6, 0.6},    {P::kStanceAnkle + 1, -0.3, 0.15, -0.9, 0.5},
    {P::kDistanceSagittal, 0.1, 0.2, -1, 3}, {P::kTorsoPitch, 0.1, 0.05, -0.2, 0.25},
    {P::kArmSwing, 0.5, 0.1, 0.3, 0.8},
};
constexpr const char* kGaits[] = {"walk", "run"};

}  // namespace

bool SimbiconRuns(const std::string& gait) { return gait == "run"; }
SimbiconParameterInfo SimbiconInfoOf(int index, const std::string& gait) {
  SimbiconParameterInfo info = kParameters[index];
  if (!SimbiconRuns(gait)) return info;
  for (const RunParameter& run : kRun) {
    if (run.index != index) continue;
    info.start = run.start, info.scale = run.scale, info.lower = run.lower, info.upper = run.upper;
  }
  return info;
}

SimbiconProgram MakeSimbiconProgram(const World& world, const State& stand) {
  const Character& character = world.actors[0];
  SimbiconProgram program;
  program.drives = DrivesOf(character, HoldPose(character, stand.q, world.gravity));
  program.meter = GaitMeterOf(character);
  for (int side = 0; side < 2; ++side) {
    const LegRoles& roles = kSides[side];
    const auto joint = [&](Role role) -> const Joint& {
      return character.bodies[character.BodyOf(role)].joint;
    };
    program.legs[side] = {.hip = ChainOf(character, roles.thigh),
                          .knee = ChainOf(character, roles.shank),
                          .ankle = ChainOf(character, roles.foot),
                          .foot = character.BodyOf(roles.foot),
                          .toe = character.BodyOf(roles.toe),
                          .hip_kp = joint(roles.thigh).kp,
                          .hip_kd = joint(roles.thigh).kd,
                          .knee_kp = joint(roles.shank).kp,
                          .knee_kd = joint(roles.shank).kd,
                          .ankle_kp = joint(roles.foot).kp,
                          .ankle_kd = joint(roles.foot).kd};
    SimbiconProgram::Leg& leg = program.legs[side];
    const auto rest_of = [&](const JointChain& chain) {
      Quatd rotation = Quatd::Identity();
      for (int k = 0; k < chain.count; ++k) {
        const Quatd& target = program.drives[chain.body[k]].target;
        rotation = rotation *
                   (chain.axis[k] < 0 ? target : About(chain.axis[k], target.w * chain.sign[k]));
      }
      return rotation;
    };
    leg.knee_rest = rest_of(leg.knee), leg.ankle_rest = rest_of(leg.ankle);
  }
  program.stand_ahead = StandAhead(character, stand.q);
  for (int side = 0; side < 2; ++side) {
    program.arms[side] = ChainOf(character, kSides[side].arm);
    program.elbows[side] = ChainOf(character, kSides[side].forearm);
  }
  return program;
}

void SetHeld(const SimbiconHeld& held, SimbiconProgram* program) {
  program->load_sharing = held.load_sharing;
  program->torque_limit = held.torque_limit;
  if (SimbiconRuns(held.gait)) program->least_seconds = 0.05, program->elbow_bend = 1.5;
}

nlohmann::ordered_json SimbiconPayload(const SimbiconHeld& held,
                                       std::span<const double> parameters) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (int k = 0; k < P::kCount; ++k) json[kParameters[k].name] = parameters[k];
  return {{"gait", held.gait},
          {"load_sharing", held.load_sharing},
          {"torque_limit", held.torque_limit},
          {"parameters", json}};
}

SimbiconHeld SimbiconHeldOf(const Skill& skill) {
  const JsonNode payload(skill.payload, "payload");
  const SimbiconHeld held{.gait = payload["gait"].Text(),
                          .load_sharing = payload["load_sharing"].Number(),
                          .torque_limit = payload["torque_limit"].Number()};
  if (std::find(std::begin(kGaits), std::end(kGaits), held.gait) == std::end(kGaits)) {
    throw InputError(fmt::format("payload.gait: '{}'; expected walk or run", held.gait));
  }
  return held;
}

std::vector<double> SimbiconParametersOf(const Skill& skill) {
  const JsonNode node = JsonNode(skill.payload, "payload")["parameters"];
  std::vector<double> parameters;
  for (const SimbiconParameterInfo& info : kParameters) {
    parameters.push_back(node[info.name].Number());
  }
  return parameters;
}

std::vector<double> SimbiconStartParameters(const std::string& gait) {
  std::vector<double> start;
  for (int k = 0; k < P::kCount; ++k) start.push_back(SimbiconInfoOf(k, gait).start);
  return start;
}

namespace simbicon_controller {
namespace {

constexpr double kPublishedSpeed = 0.45;  // m/s, of the published numbers on liu16

std::vector<double> ParametersOf(const ControllerInput& input) {
  return input.skill ? SimbiconParametersOf(*input.skill) : SimbiconStartParameters("walk");
}

SimbiconProgram ProgramOf(const ControllerInput& input) {
  SimbiconProgram program = MakeSimbiconProgram(input.world, input.stand);
  program.own_speed = kPublishedSpeed;
  if (input.skill) {
    program.own_speed = JsonNode(input.skill->metrics, "metrics")["speed"].Number();
    SetHeld(SimbiconHeldOf(*input.skill), &program);
  }
  ConfigFromJson(input.config, "simbicon", &program);
  return program;
}

}  // namespace

ControllerInfo Describe() {
  return {.name = "simbicon",
          .description =
              "walks without motion data: key poses and a swing foot placed by balance "
              "feedback (SIMBICON)",
          .make = [](const ControllerInput& input) -> std::unique_ptr<Controller> {
            return std::make_unique<ProgramController<SimbiconProgram>>(
                ProgramOf(input), input.world, input.stand, ParametersOf(input));
          },
          .schema = [] { return ConfigSchema<SimbiconProgram>(); },
          .refuses = RefusesLegs,
          .example = {.character = "liu16"},
          .lanes =
              [](const ControllerInput& input) {
                return MakeLaneProgram(ProgramOf(input), ParametersOf(input));
              },
          .learns = {SimbiconLearning()},
          .check_skill =
              [](const Skill& skill) {
                SimbiconHeldOf(skill);
                SimbiconParametersOf(skill);
              }};
}

}  // namespace simbicon_controller
}  // namespace stride
