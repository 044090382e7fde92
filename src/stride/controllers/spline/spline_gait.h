#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stride/control/control_curve.h"
#include "stride/controllers/spline/spline_program.h"
#include "stride/core/json_node.h"

// A gait of splines as plain values: what a skill's payload holds and a person edits. What it
// drives is found from the character alone.
namespace stride {

// What of a body can be driven, in the order of its bodies, and what is whose mirror image.
struct SplineBody {
  struct Servo {
    int body = 0, actuator = 0;  // first of its actuators
    bool ball = false;
    int mirror = -1;  // servo of the other side; its own of what stands in the middle
  };
  struct Actuator {
    int servo = 0, axis = 0;
    std::string name;
    std::string unit;
    double low = 0, high = 0, rest = 0;
    int mirror = -1;  // actuator of the other side, turned by `sign` times as much from rest
    double sign = 1;
  };
  std::vector<Servo> servos;
  std::vector<Actuator> actuators;
  bool symmetric = false;  // every actuator has a mirror image
};
// Throws InputError for a character without any joint that a servo drives.
SplineBody SplineBodyOf(const Character& character);

// Hinges about the vertical of the zero pose, each with the next such one above it in the tree:
// what a wave travels along.
std::vector<std::pair<int, int>> VerticalPairs(const Character& character);

struct SplineGait {
  double cycle_seconds = 1, in_seconds = 0.5, out_seconds = 1;
  // How a side follows the other: none, alternate (half a cycle later) or together.
  std::string symmetry = "none";
  std::string sensor;          // empty: no feedback
  std::vector<double> layers;  // values of the sensor
  struct Gains {
    double proportional = 1, derivative = 1;  // factors of the character's own
    double integral = 0;                      // 1/s
    friend bool operator==(const Gains&, const Gains&) = default;
  };
  std::vector<Gains> gains;  // of each servo
  struct Curve {
    CurvePoints in, cycle, out;
    friend bool operator==(const Curve&, const Curve&) = default;
  };
  std::vector<Curve> curves;  // of each actuator
  // Surfaces over other sensors: what is added to the cycle of each actuator, rad.
  struct Further {
    std::string sensor;
    std::vector<double> layers;
    std::vector<CurvePoints> cycles;  // of each actuator
    friend bool operator==(const Further&, const Further&) = default;
  };
  std::vector<Further> further;
  friend bool operator==(const SplineGait&, const SplineGait&) = default;

  int Layers() const { return layers.empty() ? 1 : static_cast<int>(layers.size()); }
  // Adds one that does nothing yet.
  void AddFurther(const std::string& sensor, const std::vector<double>& layers);
};

// At rest for ever, with so many evenly spread points (the paper's: 2, 4, 2).
SplineGait RestGait(const SplineBody& body, int in, int cycle, int out);

// Sensors by name: inclination, roll, their rates, height, speed, sideways, contact:BODY. Throws
// InputError with the names there are.
struct SplineSensor {
  SensorKind kind = SensorKind::kNone;
  int body = 0;
  // Over which layers are spread; of `odd` ones a mirror image sees the negative.
  double low = 0, high = 0;
  bool odd = false, one_sided = false;
};
SplineSensor SplineSensorOf(const Character& character, const std::string& name);
std::vector<double> SplineLayers(const SplineSensor& sensor, int count);

nlohmann::ordered_json ToJson(const Character& character, const SplineBody& body,
                              const SplineGait& gait);
// Throws InputError naming the place: another body's joints, a wrong number of points, a point out
// of range, times that do not rise.
SplineGait SplineGaitOf(const Character& character, const SplineBody& body, const JsonNode& node);

std::vector<ControlCurve> CurvesOf(const Character& character, const SplineBody& body,
                                   const SplineGait& gait);
// Throws InputError and changes nothing where the edit cannot be.
void Apply(const CurveEdit& edit, const SplineBody& body, SplineGait* gait);

// The program of a gait on the character of the world, and its parameters in that program's order.
SplineProgram MakeSplineProgram(const World& world, const State& stand, const SplineBody& body,
                                const SplineGait& gait);
std::vector<double> SplineParameters(const SplineGait& gait);
// The same gait with these instead.
SplineGait WithParameters(SplineGait gait, std::span<const double> parameters);

}  // namespace stride
