#include "stride/controllers/simbicon/walker.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "stride/character/rest_pose.h"
#include "stride/control/program_controller.h"
#include "stride/controllers/registry.h"
#include "stride/core/config.h"
#include "stride/core/json_node.h"
#include "stride/math/rotation.h"

namespace stride {

GaitMeter GaitMeterOf(const Character& character) {
  GaitMeter meter;
  meter.group.assign(character.BodyCount(), 0);
  const auto mark = [&](const JointChain& chain, int group) {
    for (int k = 0; k < chain.count; ++k) meter.group[chain.body[k]] = group;
  };
  for (int side = 0; side < 2; ++side) {
    const LegRoles& roles = kSides[side];
    meter.hips[side] = ChainOf(character, roles.thigh);
    meter.arms[side] = ChainOf(character, roles.arm);
    mark(meter.hips[side], 1);
    mark(ChainOf(character, roles.shank), 2);
    mark(ChainOf(character, roles.foot), 3);
    meter.thigh[side] = character.BodyOf(roles.thigh);
    meter.shank[side] = character.BodyOf(roles.shank);
    meter.foot[side] = character.BodyOf(roles.foot);
  }
  for (const Role role : {Role::kPelvis, Role::kTrunk, Role::kHead}) {
    if (character.BodyOf(role) >= 0) meter.head = character.BodyOf(role);
  }
  meter.weight = TotalMass(character) * World().gravity;
  return meter;
}

std::vector<DebugChannel> WalkerProgram::Channels() const {
  using Kind = DebugChannel::Kind;
  return {{"stance", "0 left, 1 right", Kind::kScalar},
          {"phase", "0 swings forwards, 1 pushes off", Kind::kScalar},
          {"mode", "0 walks, 1 stops, 2 stands", Kind::kScalar},
          {"distance ahead of the stance ankle", "m", Kind::kScalar},
          {"velocity of the centre of mass", "m/s", Kind::kScalar}};
}

void WalkerProgram::ReadChannels(const double* memory, std::span<float> values) const {
  values[0] = static_cast<float>(memory[kStance]);
  values[1] = static_cast<float>(memory[kPhase]);
  values[2] = static_cast<float>(memory[kMode]);
  values[3] = static_cast<float>(memory[kDistance]);
  values[4] = static_cast<float>(memory[kVelocity]);
}

namespace {

WalkerJoints JointsOf(const Character& character) {
  WalkerJoints joints;
  const auto points_of = [&](int body) {
    return static_cast<int>(
        std::count_if(character.contact_points.begin(), character.contact_points.end(),
                      [&](const ContactPoint& point) { return point.body == body; }));
  };
  for (int side = 0; side < 2; ++side) {
    const LegRoles& roles = kSides[side];
    WalkerJoints::Side& to = joints.sides[side];
    to.hip = ChainOf(character, roles.thigh);
    to.knee = ChainOf(character, roles.shank);
    to.ankle = ChainOf(character, roles.foot);
    to.toe = ChainOf(character, roles.toe);
    to.arm = ChainOf(character, roles.arm);
    to.elbow = ChainOf(character, roles.forearm);
    to.foot = character.BodyOf(roles.foot);
    to.toe_body = character.BodyOf(roles.toe);
    to.toe_points = to.toe_body < 0 ? 0 : points_of(to.toe_body);
  }
  // The joint right above the pelvis bends; what else a trunk has is held.
  int back = character.BodyOf(Role::kTrunk);
  while (back > 0) {
    const int below = character.bodies[ChainOf(character, back).body[0]].parent;
    if (below <= 0) break;
    back = below;
  }
  if (back > 0) joints.back = ChainOf(character, back);
  joints.neck = ChainOf(character, Role::kHead);
  return joints;
}

}  // namespace

WalkerProgram MakeWalkerProgram(const World& world, const State& stand) {
  const Character& character = world.actors[0];
  WalkerProgram program;
  static_cast<WalkerJoints&>(program) = JointsOf(character);
  program.drives = DrivesOf(character, HoldPose(character, stand.q, world.gravity));
  const double mass = TotalMass(character);
  program.gain_share = mass / 70;
  program.weight = mass * world.gravity;
  program.meter = GaitMeterOf(character);
  program.stand_ahead = StandAhead(character, stand.q);
  return program;
}

State WalkerStart(const Character& character, const Terrain& terrain,
                  std::span<const double> parameters) {
  using P = WalkerParameter;
  State state = RestState(character);
  const Layout layout = LayoutOf(character);
  const auto set = [&](const JointChain& chain, double pitch, double yaw, double pitch_rate,
                       double yaw_rate) {
    for (int k = 0; k < chain.count; ++k) {
      const int body = chain.body[k];
      double* q = &state.q[layout.q[body]];
      double* v = &state.v[layout.v[body]];
      if (chain.axis[k] < 0) {
        const Quatd turn = AxisAngle({0, 0, 1}, yaw) * AxisAngle({0, 1, 0}, pitch);
        q[0] = turn.w, q[1] = turn.x, q[2] = turn.y, q[3] = turn.z;
        v[0] = 0, v[1] = pitch_rate, v[2] = yaw_rate;
        continue;
      }
      const double sign = chain.sign[k];
      q[0] = sign * (chain.axis[k] == 1 ? pitch : chain.axis[k] == 2 ? yaw : 0);
      v[0] = sign * (chain.axis[k] == 1 ? pitch_rate : chain.axis[k] == 2 ? yaw_rate : 0);
      const Joint& joint = character.bodies[body].joint;
      if (joint.limited) q[0] = std::clamp(q[0], joint.lower, joint.upper);
    }
  };
  const WalkerJoints joints = JointsOf(character);
  const auto angle = [&](int joint) { return parameters[P::kStartAngles + joint]; };
  const auto rate = [&](int joint) { return parameters[P::kStartRates + joint]; };
  set(joints.back, angle(P::kStartBack), angle(P::kStartBackYaw), rate(P::kStartBack),
      rate(P::kStartBackYaw));
  set(joints.neck, angle(P::kStartNeck), 0, rate(P::kStartNeck), 0);
  for (int side = 0; side < 2; ++side) {
    const WalkerJoints::Side& to = joints.sides[side];
    int joint = side == 0 ? P::kStartLeft : P::kStartRight;
    for (const JointChain* chain : {&to.hip, &to.knee, &to.ankle, &to.toe, &to.arm, &to.elbow}) {
      set(*chain, angle(joint), 0, rate(joint), 0);
      ++joint;
    }
  }
  const Quatd root = AxisAngle({0, 1, 0}, parameters[P::kStartPitch]);
  state.q[0] = state.q[1] = 0;
  state.q[3] = root.w, state.q[4] = root.x, state.q[5] = root.y, state.q[6] = root.z;
  state.v[0] = parameters[P::kStartSpeed];
  state.v[1] = 0;
  state.v[2] = parameters[P::kStartRise];
  state.v[3] = state.v[5] = 0;
  state.v[4] = parameters[P::kStartPitchRate];
  // Down until the lowest point touches.
  const BodyFrames frames = FramesAt(character, state.q);
  double lowest = 1e9;
  for (const ContactPoint& point : character.contact_points) {
    const Vec3d at =
        frames.position[point.body] + Rotate(frames.rotation[point.body], point.position);
    const Surface ground = SurfaceAt(terrain, at.x, at.y);
    lowest = std::min(lowest, at.z - point.radius - ground.height);
  }
  state.q[2] += parameters[P::kStartHeight] - lowest;
  return state;
}

nlohmann::ordered_json PayloadOf(const Walker& walker) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (int k = 0; k < WalkerParameter::kCount; ++k) {
    json[WalkerParameters()[k].name] = walker.parameters[k];
  }
  return {{"own_speed", walker.own_speed}, {"parameters", json}};
}

Walker WalkerOf(const Skill& skill) {
  const JsonNode payload(skill.payload, "payload");
  Walker walker;
  walker.own_speed = payload["own_speed"].Number();
  const JsonNode node = payload["parameters"];
  for (const WalkerParameterInfo& info : WalkerParameters()) {
    walker.parameters.push_back(node[info.name.c_str()].Number());
  }
  return walker;
}

namespace walker_controller {
namespace {

WalkerProgram ProgramOf(const ControllerInput& input, const Walker& walker) {
  WalkerProgram program = MakeWalkerProgram(input.world, input.stand);
  program.own_speed = walker.own_speed;
  ConfigFromJson(input.config, "walker", &program);
  return program;
}

// All parameters beside the paper's first values: the table that is searched.
std::vector<std::pair<std::string, std::string>> SkillRows(const Skill& skill) {
  const Walker walker = WalkerOf(skill);
  std::vector<std::pair<std::string, std::string>> rows = {
      {"own speed", fmt::format("{:.3f} m/s", walker.own_speed)}};
  std::string group;
  for (int k = 0; k < WalkerParameter::kCount; ++k) {
    const WalkerParameterInfo& info = WalkerParameters()[k];
    if (info.group != group) {
      group = info.group;
      rows.emplace_back(group, group == "beyond" ? "found, first guess" : "found, the paper's");
    }
    rows.emplace_back("  " + info.name, fmt::format("{:9.3f} {:9.3f} {}", walker.parameters[k],
                                                    info.paper, info.unit));
  }
  return rows;
}

}  // namespace

ControllerInfo Describe() {
  return {
      .name = "walker",
      .description = "walks as optimised without motion data: four states, toes, push-off (wang09)",
      .make = [](const ControllerInput& input) -> std::unique_ptr<Controller> {
        const Walker walker = WalkerOf(*input.skill);
        return std::make_unique<ProgramController<WalkerProgram>>(
            ProgramOf(input, walker), input.world,
            WalkerStart(input.world.actors[0], input.world.terrain, walker.parameters),
            walker.parameters);
      },
      .needs_skill = true,
      .schema = [] { return ConfigSchema<WalkerProgram>(); },
      .refuses = RefusesLegs,
      .example = {.skill = "walker-stocky"},
      .lanes =
          [](const ControllerInput& input) {
            const Walker walker = WalkerOf(*input.skill);
            return MakeLaneProgram(ProgramOf(input, walker), walker.parameters);
          },
      .learns = {WalkerLearning()},
      .check_skill = [](const Skill& skill) { WalkerOf(skill); },
      .skill_rows = SkillRows};
}

}  // namespace walker_controller
}  // namespace stride
