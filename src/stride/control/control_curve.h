#pragma once

#include <string>
#include <vector>

// Control curves that a person may edit while they are performed, as animators edit keyframes.
namespace stride {

// Control points of one part of a curve. With feedback there is a curve for each of `layers` values
// of the sensor: values[layer * times.size() + point].
struct CurvePoints {
  std::vector<double> times;  // rise; a cycle: 0 to below 1; a blend: between 0 and 1
  std::vector<double> values;
  friend bool operator==(const CurvePoints&, const CurvePoints&) = default;
};

// What one degree of freedom is to do: from rest into the cycle, the cycle, and back to rest.
struct ControlCurve {
  std::string name, unit;    // of what it drives: "left_thigh", "rad"
  int body = 0, axis = 0;    // of the character; axis: 0, 1, 2 of a ball's rotation vector
  double low = 0, high = 0;  // values that points may have
  double rest = 0;           // where it begins and ends
  // The curve of the other side (its own of what stands in the middle), -1: none. It has
  //   value(time + shift) = its rest + sign (this value(time) - rest).
  int mirror = -1;
  double mirror_sign = 1, mirror_shift = 0;
  bool mirror_reverses = false;  // the layers: its sensor has the other sign in the mirror
  double in_seconds = 1, cycle_seconds = 1, out_seconds = 1;
  std::string sensor;          // of the feedback; empty: none
  std::vector<double> layers;  // values of the sensor that layers are for; of the cycle alone
  CurvePoints blend_in, cycle, blend_out;
  friend bool operator==(const ControlCurve&, const ControlCurve&) = default;
};

// New points for a part of a curve.
struct CurveEdit {
  int curve = 0;     // index in Controller::Curves()
  std::string part;  // "blend_in", "cycle" or "blend_out"
  CurvePoints points;
  friend bool operator==(const CurveEdit&, const CurveEdit&) = default;
};

}  // namespace stride
