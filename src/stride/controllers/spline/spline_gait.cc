#include "stride/controllers/spline/spline_gait.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/scenario/push.h"

namespace stride {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kAxisNames[] = {"x", "y", "z"};
const std::vector<std::string>& Symmetries() {
  static const std::vector<std::string> names = {"none", "alternate", "together"};
  return names;
}
constexpr double kLeastSeconds = 0.05, kMostSeconds = 20;

// Position of a body's mirror image at the left-right plane, in the zero pose, where all frames are
// aligned with the world's.
std::vector<Vec3d> ZeroPositions(const Character& character) {
  std::vector<Vec3d> positions;
  for (const Body& body : character.bodies) {
    positions.push_back(body.parent < 0 ? Vec3d{0, 0, 0} : positions[body.parent] + body.offset);
  }
  return positions;
}

bool Near(const Vec3d& a, const Vec3d& b, double within) { return Norm(a - b) <= within; }

// Of a rotation axis: an axial vector keeps what lies across the plane.
Vec3d MirroredAxis(const Vec3d& axis) { return {-axis.x, axis.y, -axis.z}; }

// The body that is the mirror image of each, -1: none. Of several at one place (links of a chain)
// it is the one whose parent is the mirror image of the parent.
std::vector<int> MirrorBodies(const Character& character) {
  const std::vector<Vec3d> at = ZeroPositions(character);
  double size = 0;
  for (const Vec3d& p : at) size = std::max(size, Norm(p));
  const double within = 1e-3 * std::max(size, 1e-3);
  const int n = character.BodyCount();
  std::vector<int> mirror(n, -1);
  mirror[0] = 0;
  for (int i = 1; i < n; ++i) {
    const Body& body = character.bodies[i];
    const Vec3d image{at[i].x, -at[i].y, at[i].z};
    for (int j = 1; j < n && mirror[i] < 0; ++j) {
      const Body& other = character.bodies[j];
      const Vec3d axis = MirroredAxis(body.joint.axis);
      const bool same_axis = body.joint.kind == JointKind::kBall ||
                             Near(axis, other.joint.axis, 1e-6) ||
                             Near(axis, other.joint.axis * -1.0, 1e-6);
      if (mirror[body.parent] == other.parent && body.joint.kind == other.joint.kind &&
          Near(image, at[j], within) && same_axis &&
          std::abs(body.mass - other.mass) <= 1e-3 * (body.mass + other.mass)) {
        mirror[i] = j;
      }
    }
  }
  return mirror;
}

bool Driven(const Joint& joint) { return joint.kind != JointKind::kFree && joint.kp > 0; }

std::vector<double> Even(int count, double first, double step) {
  std::vector<double> times;
  for (int k = 0; k < count; ++k) times.push_back(first + step * k);
  return times;
}

// Of what is added to a curve: how far it may move the joint, either way.
SplineBody::Actuator AddedTo(SplineBody::Actuator actuator) {
  const double most = actuator.high - actuator.low;
  actuator.low = -most, actuator.high = most, actuator.rest = 0;
  return actuator;
}

// `where`: for errors. Blends lie between 0 and 1, a cycle from 0 to below 1.
void CheckPoints(const CurvePoints& points, const SplineBody::Actuator& actuator, bool cycle,
                 int layers, const std::string& where) {
  const auto refuse = [&](const std::string& what) { throw InputError(where + " " + what); };
  const std::size_t count = points.times.size();
  if (count > kMostCurvePoints || (cycle && count < 1)) {
    refuse(fmt::format("has {} points; expected {} to {}", count, cycle ? 1 : 0, kMostCurvePoints));
  }
  if (points.values.size() != count * layers) {
    refuse(fmt::format("has {} values; expected {}: {} points for each of {} values of the sensor",
                       points.values.size(), count * layers, count, layers));
  }
  double last = cycle ? -1e-9 : 0;
  for (const double time : points.times) {
    if (!(time > last) || !(time < 1)) {
      refuse(fmt::format("has a time of {}; expected times that rise, {} and below 1", time,
                         cycle ? "from 0" : "above 0"));
    }
    last = time;
  }
  for (const double value : points.values) {
    if (value >= actuator.low && value <= actuator.high) continue;
    refuse(fmt::format("has a point of {}; expected {:g} to {:g} {}", value, actuator.low,
                       actuator.high, actuator.unit));
  }
}

Json ToJson(const CurvePoints& points) {
  return {{"times", points.times}, {"values", points.values}};
}

CurvePoints PointsOf(const JsonNode& node) {
  return {node["times"].Numbers(), node["values"].Numbers()};
}

double Within(const JsonNode& node, double low, double high) {
  const double value = node.Number();
  if (!(value >= low && value <= high)) node.Fail(fmt::format("a number from {} to {}", low, high));
  return value;
}

// Layers as a skill has them.
std::vector<double> LayersOf(const JsonNode& node, bool none_too) {
  std::vector<double> layers = node.Numbers();
  const bool rises =
      std::adjacent_find(layers.begin(), layers.end(), std::greater_equal<>()) == layers.end();
  if (none_too && layers.empty()) return layers;
  if (layers.size() < 2 || !rises || layers.size() > kMostCurvePoints) {
    node.Fail(fmt::format("2 to {} rising values of the sensor{}", kMostCurvePoints,
                          none_too ? ", or none without a sensor" : ""));
  }
  return layers;
}

SplineProgram::Grid GridOf(const SplineGait::Curve& curve) {
  SplineProgram::Grid grid{curve.in.times, curve.cycle.times, curve.out.times, {}, {}};
  const int count = static_cast<int>(grid.cycle.size());
  double at[kMostCurvePoints]{}, before[kMostCurvePoints]{}, after[kMostCurvePoints]{};
  constexpr double kSmall = 1e-5;
  CycleWeights(grid.cycle.data(), count, 0.0, at);
  CycleWeights(grid.cycle.data(), count, kSmall, after);
  CycleWeights(grid.cycle.data(), count, 1 - kSmall, before);
  for (int k = 0; k < count; ++k) {
    grid.begin.push_back(at[k]);
    grid.begin_tangent.push_back((after[k] - before[k]) / (2 * kSmall));
  }
  return grid;
}

}  // namespace

SplineBody SplineBodyOf(const Character& character) {
  SplineBody result;
  const Layout layout = LayoutOf(character);
  std::vector<int> servo_of(character.BodyCount(), -1);
  for (int i = 0; i < character.BodyCount(); ++i) {
    const Body& body = character.bodies[i];
    const Joint& joint = body.joint;
    if (!Driven(joint)) continue;
    const bool ball = joint.kind == JointKind::kBall;
    servo_of[i] = static_cast<int>(result.servos.size());
    result.servos.push_back({i, static_cast<int>(result.actuators.size()), ball});
    const double* q = &character.rest_q[layout.q[i]];
    const Vec3d turned = ball ? Log(Quatd{q[0], q[1], q[2], q[3]}) : Vec3d{q[0], 0, 0};
    const double rest[] = {turned.x, turned.y, turned.z};
    for (int axis = 0; axis < (ball ? 3 : 1); ++axis) {
      SplineBody::Actuator actuator;
      actuator.servo = servo_of[i];
      actuator.axis = axis;
      actuator.name = ball ? body.name + " " + kAxisNames[axis] : body.name;
      actuator.unit = "rad";
      actuator.rest = rest[axis];
      actuator.low = -std::numbers::pi, actuator.high = std::numbers::pi;
      if (joint.limited) {
        actuator.low = ball ? -joint.upper : joint.lower;
        actuator.high = joint.upper;
      }
      // A rest pose at, or just beyond, a limit.
      actuator.low = std::min(actuator.low, actuator.rest);
      actuator.high = std::max(actuator.high, actuator.rest);
      result.actuators.push_back(actuator);
    }
  }
  if (result.actuators.empty()) {
    throw InputError(fmt::format(
        "character '{}' has no joint that a servo drives; expected at least one with a gain (kp, "
        "or an MJCF actuator)",
        character.name));
  }
  const std::vector<int> mirror = MirrorBodies(character);
  result.symmetric = true;
  for (SplineBody::Servo& servo : result.servos) {
    const int image = mirror[servo.body];
    servo.mirror = image < 0 ? -1 : servo_of[image];
    if (servo.mirror < 0) {
      result.symmetric = false;
      continue;
    }
    const Joint& joint = character.bodies[servo.body].joint;
    const bool same = Near(MirroredAxis(joint.axis), character.bodies[image].joint.axis, 1e-6);
    for (int axis = 0; axis < (servo.ball ? 3 : 1); ++axis) {
      SplineBody::Actuator& actuator = result.actuators[servo.actuator + axis];
      actuator.mirror = result.servos[servo.mirror].actuator + axis;
      actuator.sign = servo.ball ? (axis == 1 ? 1 : -1) : same ? 1 : -1;
    }
  }
  return result;
}

std::vector<std::pair<int, int>> VerticalPairs(const Character& character) {
  const auto vertical = [&](int body) {
    const Joint& joint = character.bodies[body].joint;
    return joint.kind == JointKind::kHinge && std::abs(joint.axis.z) > 0.9;
  };
  std::vector<std::pair<int, int>> pairs;
  for (int i = 1; i < character.BodyCount(); ++i) {
    if (!vertical(i)) continue;
    int above = character.bodies[i].parent;
    while (above >= 0 && !vertical(above)) above = character.bodies[above].parent;
    if (above >= 0) pairs.emplace_back(above, i);
  }
  return pairs;
}

SplineGait RestGait(const SplineBody& body, int in, int cycle, int out) {
  SplineGait gait;
  gait.gains.resize(body.servos.size());
  for (const SplineBody::Actuator& actuator : body.actuators) {
    const auto points = [&](std::vector<double> times) {
      const std::size_t count = times.size();
      return CurvePoints{std::move(times), std::vector<double>(count, actuator.rest)};
    };
    gait.curves.push_back({points(Even(in, 1.0 / (in + 1), 1.0 / (in + 1))),
                           points(Even(cycle, 0, 1.0 / cycle)),
                           points(Even(out, 1.0 / (out + 1), 1.0 / (out + 1)))});
  }
  return gait;
}

void SplineGait::AddFurther(const std::string& name, const std::vector<double>& values) {
  Further more{name, values, {}};
  for (const Curve& curve : curves) {
    const std::size_t count = curve.cycle.times.size() * values.size();
    more.cycles.push_back({curve.cycle.times, std::vector<double>(count, 0)});
  }
  further.push_back(std::move(more));
}

SplineSensor SplineSensorOf(const Character& character, const std::string& name) {
  const int trunk = PushedBody(character);
  if (name.empty()) return {};
  if (name == "inclination") return {SensorKind::kInclination, trunk, -0.4, 0.4};
  if (name == "roll") return {SensorKind::kRoll, trunk, -0.3, 0.3, true};
  if (name == "height") {
    const double height = RootFrameAt(character, character.rest_q).offset.z;
    return {SensorKind::kHeight, trunk, 0.7 * height, 1.1 * height};
  }
  if (name == "speed") return {SensorKind::kSpeed, trunk, -0.5, 2};
  if (name == "sideways") return {SensorKind::kSideways, trunk, -0.5, 0.5, true};
  if (name == "inclination_rate") return {SensorKind::kInclinationRate, trunk, -2, 2};
  if (name == "roll_rate") return {SensorKind::kRollRate, trunk, -2, 2, true};
  const std::string contact = "contact:";
  if (name.rfind(contact, 0) == 0) {
    const int body = FindBody(character, name.substr(contact.size()));
    if (body >= 0) return {SensorKind::kContact, body, 0, 1, false, true};
  }
  std::vector<std::string> bodies;
  for (const Body& body : character.bodies) bodies.push_back(body.name);
  throw InputError(fmt::format(
      "there is no sensor '{}'; expected inclination, roll, inclination_rate, roll_rate, height, "
      "speed, sideways or contact:BODY with one of: {}",
      name, fmt::join(bodies, ", ")));
}

std::vector<double> SplineLayers(const SplineSensor& sensor, int count) {
  if (sensor.kind == SensorKind::kNone) return {};
  return Even(count, sensor.low, (sensor.high - sensor.low) / (count - 1));
}

nlohmann::ordered_json ToJson(const Character& character, const SplineBody& body,
                              const SplineGait& gait) {
  Json json = {{"cycle_seconds", gait.cycle_seconds},
               {"blend_in_seconds", gait.in_seconds},
               {"blend_out_seconds", gait.out_seconds},
               {"symmetry", gait.symmetry},
               {"sensor", gait.sensor},
               {"layers", gait.layers}};
  Json& servos = json["servos"] = Json::array();
  for (std::size_t s = 0; s < body.servos.size(); ++s) {
    const SplineGait::Gains& gains = gait.gains[s];
    servos.push_back({{"body", character.bodies[body.servos[s].body].name},
                      {"proportional", gains.proportional},
                      {"derivative", gains.derivative},
                      {"integral", gains.integral}});
  }
  Json& curves = json["curves"] = Json::array();
  for (std::size_t a = 0; a < body.actuators.size(); ++a) {
    const SplineGait::Curve& curve = gait.curves[a];
    curves.push_back({{"name", body.actuators[a].name},
                      {"blend_in", ToJson(curve.in)},
                      {"cycle", ToJson(curve.cycle)},
                      {"blend_out", ToJson(curve.out)}});
  }
  for (const SplineGait::Further& more : gait.further) {
    Json cycles = Json::array();
    for (const CurvePoints& points : more.cycles) cycles.push_back(ToJson(points));
    json["further"].push_back(
        {{"sensor", more.sensor}, {"layers", more.layers}, {"cycles", std::move(cycles)}});
  }
  return json;
}

SplineGait SplineGaitOf(const Character& character, const SplineBody& body, const JsonNode& node) {
  SplineGait gait;
  gait.cycle_seconds = Within(node["cycle_seconds"], kLeastSeconds, kMostSeconds);
  gait.in_seconds = Within(node["blend_in_seconds"], kLeastSeconds, kMostSeconds);
  gait.out_seconds = Within(node["blend_out_seconds"], kLeastSeconds, kMostSeconds);
  gait.symmetry = Symmetries()[node["symmetry"].Choice(Symmetries())];
  gait.sensor = node["sensor"].Text();
  SplineSensorOf(character, gait.sensor);
  gait.layers = LayersOf(node["layers"], true);
  if (gait.sensor.empty() != gait.layers.empty()) {
    node["layers"].Fail("rising values of the sensor, or none without a sensor");
  }
  const JsonNode servos = node["servos"], curves = node["curves"];
  if (servos.Size() != body.servos.size()) {
    servos.Fail(fmt::format("{} servos, those of '{}', and there are {}", body.servos.size(),
                            character.name, servos.Size()));
  }
  for (std::size_t s = 0; s < body.servos.size(); ++s) {
    const JsonNode each = servos.At(s);
    const std::string& name = character.bodies[body.servos[s].body].name;
    if (each["body"].Text() != name) each["body"].Fail(fmt::format("'{}'", name));
    gait.gains.push_back({Within(each["proportional"], 0, 100), Within(each["derivative"], 0, 100),
                          Within(each["integral"], 0, 100)});
  }
  if (curves.Size() != body.actuators.size()) {
    curves.Fail(
        fmt::format("{} curves, one for each degree of freedom that '{}' drives, and there are {}",
                    body.actuators.size(), character.name, curves.Size()));
  }
  for (std::size_t a = 0; a < body.actuators.size(); ++a) {
    const JsonNode each = curves.At(a);
    const SplineBody::Actuator& actuator = body.actuators[a];
    if (each["name"].Text() != actuator.name) {
      each["name"].Fail(fmt::format("'{}'", actuator.name));
    }
    const SplineGait::Curve curve{PointsOf(each["blend_in"]), PointsOf(each["cycle"]),
                                  PointsOf(each["blend_out"])};
    const std::string where = fmt::format("{}: curves[{}] ('{}')", node.source(), a, actuator.name);
    CheckPoints(curve.in, actuator, false, 1, where + ".blend_in");
    CheckPoints(curve.cycle, actuator, true, gait.Layers(), where + ".cycle");
    CheckPoints(curve.out, actuator, false, 1, where + ".blend_out");
    gait.curves.push_back(curve);
  }
  // Skills of one sensor or none have no such list.
  if (!node.value().contains("further")) return gait;
  const JsonNode further = node["further"];
  std::size_t rows = 0;
  for (std::size_t f = 0; f < further.Size(); ++f) {
    const JsonNode each = further.At(f), cycles = each["cycles"];
    SplineGait::Further more{each["sensor"].Text(), LayersOf(each["layers"], false), {}};
    if (SplineSensorOf(character, more.sensor).kind == SensorKind::kNone) {
      each["sensor"].Fail("the name of a sensor");
    }
    rows += more.layers.size();
    if (rows > kMostCurvePoints) {
      further.Fail(fmt::format("at most {} layers of all together", kMostCurvePoints));
    }
    if (cycles.Size() != body.actuators.size()) {
      cycles.Fail(fmt::format("{} curves, and there are {}", body.actuators.size(), cycles.Size()));
    }
    for (std::size_t a = 0; a < body.actuators.size(); ++a) {
      const std::string where = fmt::format("{}: further[{}].cycles[{}] ('{}')", node.source(), f,
                                            a, body.actuators[a].name);
      more.cycles.push_back(PointsOf(cycles.At(a)));
      CheckPoints(more.cycles.back(), AddedTo(body.actuators[a]), true,
                  static_cast<int>(more.layers.size()), where);
    }
    gait.further.push_back(more);
  }
  return gait;
}

std::vector<ControlCurve> CurvesOf(const Character& character, const SplineBody& body,
                                   const SplineGait& gait) {
  std::vector<ControlCurve> curves;
  const bool odd = SplineSensorOf(character, gait.sensor).odd;
  for (std::size_t a = 0; a < body.actuators.size(); ++a) {
    const SplineBody::Actuator& actuator = body.actuators[a];
    const SplineGait::Curve& curve = gait.curves[a];
    curves.push_back({.name = actuator.name,
                      .unit = actuator.unit,
                      .body = body.servos[actuator.servo].body,
                      .axis = actuator.axis,
                      .low = actuator.low,
                      .high = actuator.high,
                      .rest = actuator.rest,
                      .mirror = gait.symmetry == "none" ? -1 : actuator.mirror,
                      .mirror_sign = actuator.sign,
                      .mirror_shift = gait.symmetry == "alternate" ? 0.5 : 0,
                      .mirror_reverses = odd,
                      .in_seconds = gait.in_seconds,
                      .cycle_seconds = gait.cycle_seconds,
                      .out_seconds = gait.out_seconds,
                      .sensor = gait.sensor,
                      .layers = gait.layers,
                      .blend_in = curve.in,
                      .cycle = curve.cycle,
                      .blend_out = curve.out});
  }
  // What another sensor adds is a curve of its own, without blends.
  const int count = static_cast<int>(body.actuators.size());
  for (const SplineGait::Further& more : gait.further) {
    const int first = static_cast<int>(curves.size());
    const bool reverses = SplineSensorOf(character, more.sensor).odd;
    for (int a = 0; a < count; ++a) {
      const SplineBody::Actuator added = AddedTo(body.actuators[a]);
      ControlCurve curve = curves[a];
      curve.name = fmt::format("{} by {}", added.name, more.sensor);
      curve.low = added.low, curve.high = added.high, curve.rest = added.rest;
      if (curve.mirror >= 0) curve.mirror += first;
      curve.mirror_reverses = reverses;
      curve.sensor = more.sensor;
      curve.layers = more.layers;
      curve.blend_in = curve.blend_out = {};
      curve.cycle = more.cycles[a];
      curves.push_back(std::move(curve));
    }
  }
  return curves;
}

void Apply(const CurveEdit& edit, const SplineBody& body, SplineGait* gait) {
  const int actuators = static_cast<int>(body.actuators.size());
  const int count = actuators * (1 + static_cast<int>(gait->further.size()));
  if (edit.curve < 0 || edit.curve >= count) {
    throw InputError(fmt::format("there is no curve {}; expected 0 to {}", edit.curve, count - 1));
  }
  const int a = edit.curve % actuators;
  const bool cycle = edit.part == "cycle";
  if (edit.curve >= actuators) {
    SplineGait::Further& more = gait->further[edit.curve / actuators - 1];
    const std::string name = fmt::format("{} by {}", body.actuators[a].name, more.sensor);
    if (!cycle) {
      throw InputError(fmt::format("'{}' has no part '{}'; expected cycle", name, edit.part));
    }
    CheckPoints(edit.points, AddedTo(body.actuators[a]), true, static_cast<int>(more.layers.size()),
                fmt::format("'{}'.{}", name, edit.part));
    more.cycles[a] = edit.points;
    return;
  }
  SplineGait::Curve& curve = gait->curves[a];
  CurvePoints* part = cycle                      ? &curve.cycle
                      : edit.part == "blend_in"  ? &curve.in
                      : edit.part == "blend_out" ? &curve.out
                                                 : nullptr;
  if (!part) {
    throw InputError(
        fmt::format("a curve has no part '{}'; expected blend_in, cycle or blend_out", edit.part));
  }
  const SplineBody::Actuator& actuator = body.actuators[a];
  CheckPoints(edit.points, actuator, cycle, cycle ? gait->Layers() : 1,
              fmt::format("'{}'.{}", actuator.name, edit.part));
  *part = edit.points;
}

SplineProgram MakeSplineProgram(const World& world, const State& stand, const SplineBody& body,
                                const SplineGait& gait) {
  const Character& character = world.actors[0];
  SplineProgram program;
  const std::vector<JointDrive<double>> hold =
      DrivesOf(character, HoldPose(character, stand.q, world.gravity));
  for (const SplineBody::Servo& servo : body.servos) {
    const Joint& joint = character.bodies[servo.body].joint;
    program.servos.push_back(
        {servo.body, servo.ball, joint.kp, joint.kd, hold[servo.body].torque, servo.actuator});
  }
  const auto place = [&](const SplineProgram::Grid& grid) {
    const auto found = std::find(program.grids.begin(), program.grids.end(), grid);
    const int index = static_cast<int>(found - program.grids.begin());
    if (found == program.grids.end()) program.grids.push_back(grid);
    return index;
  };
  int points =
      SplineProgram::kGains + SplineProgram::kGainCount * static_cast<int>(body.servos.size());
  for (std::size_t a = 0; a < body.actuators.size(); ++a) {
    const SplineBody::Actuator& actuator = body.actuators[a];
    const SplineProgram::Grid grid = GridOf(gait.curves[a]);
    program.actuators.push_back({actuator.servo, actuator.axis, actuator.low, actuator.high,
                                 actuator.rest, place(grid), points});
    points +=
        static_cast<int>(grid.in.size() + grid.cycle.size() * gait.Layers() + grid.out.size());
    program.meter.bodies.push_back(body.servos[actuator.servo].body);
    program.meter.axes.push_back(body.servos[actuator.servo].ball ? actuator.axis : -1);
  }
  for (const SplineGait::Further& more : gait.further) {
    const SplineSensor sensor = SplineSensorOf(character, more.sensor);
    SplineProgram::Further surfaces{sensor.kind, sensor.body, more.layers, {}, {}};
    for (const CurvePoints& cycle : more.cycles) {
      surfaces.grids.push_back(place(GridOf({{}, cycle, {}})));
      surfaces.points.push_back(points);
      points += static_cast<int>(cycle.values.size());
    }
    program.further.push_back(std::move(surfaces));
  }
  const SplineSensor sensor = SplineSensorOf(character, gait.sensor);
  program.sensor = sensor.kind;
  program.sensor_body = sensor.body;
  program.layers = gait.layers;
  program.meter.trunk = PushedBody(character);
  program.meter.pairs = VerticalPairs(character);
  return program;
}

std::vector<double> SplineParameters(const SplineGait& gait) {
  std::vector<double> p = {gait.cycle_seconds, gait.in_seconds, gait.out_seconds};
  for (const SplineGait::Gains& gains : gait.gains) {
    p.insert(p.end(), {gains.proportional, gains.derivative, gains.integral});
  }
  for (const SplineGait::Curve& curve : gait.curves) {
    for (const CurvePoints* part : {&curve.in, &curve.cycle, &curve.out}) {
      p.insert(p.end(), part->values.begin(), part->values.end());
    }
  }
  for (const SplineGait::Further& more : gait.further) {
    for (const CurvePoints& cycle : more.cycles) {
      p.insert(p.end(), cycle.values.begin(), cycle.values.end());
    }
  }
  return p;
}

SplineGait WithParameters(SplineGait gait, std::span<const double> parameters) {
  std::size_t next = 0;
  const auto take = [&](double* to) { *to = parameters[next++]; };
  take(&gait.cycle_seconds), take(&gait.in_seconds), take(&gait.out_seconds);
  for (SplineGait::Gains& gains : gait.gains) {
    take(&gains.proportional), take(&gains.derivative), take(&gains.integral);
  }
  for (SplineGait::Curve& curve : gait.curves) {
    for (CurvePoints* part : {&curve.in, &curve.cycle, &curve.out}) {
      for (double& value : part->values) take(&value);
    }
  }
  for (SplineGait::Further& more : gait.further) {
    for (CurvePoints& cycle : more.cycles) {
      for (double& value : cycle.values) take(&value);
    }
  }
  STRIDE_CHECK(next == parameters.size());
  return gait;
}

}  // namespace stride
