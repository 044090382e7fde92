#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stride/control/lane_program.h"
#include "stride/controllers/spline/spline_meter.h"
#include "stride/controllers/spline/spline_weights.h"
#include "stride/math/rotation.h"

// The controller of Boeing (2008): for each degree of freedom that has a servo a spline from rest
// into a cycle, the cycle, and back to rest; with feedback a surface over the cycle's time and a
// sensor. Section and equation numbers are the paper's.
namespace stride {

STRIDE_LANE_KERNEL(LaneProgramKernel, SplineKernels)

enum class SensorKind {
  kNone,
  kInclination,
  kRoll,
  kHeight,
  kSpeed,
  kContact,
  kInclinationRate,
  kRollRate,
  kSideways
};

struct SplineProgram {
  // Times of control points. Most actuators share one.
  struct Grid {
    std::vector<double> in, cycle, out;
    // Weights of the cycle's points for its value and its tangent where it begins.
    std::vector<double> begin, begin_tangent;
    friend bool operator==(const Grid&, const Grid&) = default;
  };
  // A joint with its servo; its gains are factors of these.
  struct Servo {
    int body = 0;
    bool ball = false;
    double kp = 0, kd = 0;
    Vec3d torque;      // that carries the weight in the rest pose, child axes
    int actuator = 0;  // first of its one or three
  };
  struct Actuator {
    int servo = 0, axis = 0;
    double low = 0, high = 0, rest = 0;
    int grid = 0;
    int points = 0;  // parameter of its first point: blend in, cycle layer by layer, blend out
  };
  std::vector<Grid> grids;
  std::vector<Servo> servos;
  std::vector<Actuator> actuators;
  SensorKind sensor = SensorKind::kNone;
  int sensor_body = 0;         // trunk, or what touches
  std::vector<double> layers;  // values of the sensor
  // Surfaces over other sensors, one for each actuator, that are added to the first.
  struct Further {
    SensorKind sensor = SensorKind::kNone;
    int sensor_body = 0;
    std::vector<double> layers;
    std::vector<int> grids, points;  // of each actuator
  };
  std::vector<Further> further;
  double own_speed = 0;     // m/s; 0: not known
  double most_shift = 0.3;  // of a target by the integral, rad
  bool measures = false;
  SplineMeter meter;

  // Then three for each servo, then the points.
  enum Parameter { kCycleSeconds, kInSeconds, kOutSeconds, kGains };
  enum Gain { kProportional, kDerivative, kIntegral, kGainCount };
  // Then the last target and the integral of each actuator, the further sensors, the meter's.
  enum Slot { kMode, kPhase, kSensor, kActuators };
  enum Mode { kStands, kBlendsIn, kCycles, kBlendsOut };
  static constexpr double kSlowest = 0.8, kFastest = 1.25;  // of its own speed
  // Velocities jump where a foot lands: what further sensors tell is smoothed over this time, s.
  static constexpr double kSmooth = 0.05;

  int Parameters() const;
  int MemorySlots() const { return MeterSlot() + (measures ? meter.Slots() : 0); }
  int Values() const { return measures ? SplineMeter::kValues : 0; }

  template <class S, class Real>
  STRIDE_INLINE void Begin(const LaneView<S, Real>& view, const LaneCommand<S>&, const S*,
                           S* memory) const {
    for (int k = 0; k < MemorySlots(); ++k) memory[k] = S(0);
    for (int i = 0; i < view.Bodies(); ++i) view.drives[i] = Still<S>();
    const int count = static_cast<int>(actuators.size());
    for (int a = 0; a < count; ++a) memory[kActuators + 2 * a] = S(actuators[a].rest);
    if (measures) meter.Begin(view, memory + MeterSlot());
  }

  template <class S, class Real>
  STRIDE_INLINE void Step(const LaneView<S, Real>& view, const LaneCommand<S>& command, const S* p,
                          S* memory) const {
    Advance(view, command, p, memory);
    memory[kSensor] = Sense(view, sensor, sensor_body);
    S layer[kMostCurvePoints];
    const int layer_count = layers.empty() ? 1 : static_cast<int>(layers.size());
    layer[0] = S(1);
    if (!layers.empty()) OpenWeights(layers.data(), layer_count, memory[kSensor], layer);

    // Rows of all further sensors.
    S row[kMostCurvePoints];
    int rows = 0;
    for (std::size_t k = 0; k < further.size(); ++k) {
      const Further& more = further[k];
      S& smooth = memory[FurtherSlot() + k];
      smooth += (Sense(view, more.sensor, more.sensor_body) - smooth) * view.time_step /
                (S(kSmooth) + view.time_step);
      OpenWeights(more.layers.data(), static_cast<int>(more.layers.size()), smooth, row + rows);
      rows += static_cast<int>(more.layers.size());
    }

    GridWeights<S> w, v;
    int grid = -1, further_grid = -1;
    const int servo_count = static_cast<int>(servos.size());
    for (int s = 0; s < servo_count; ++s) {
      const Servo& servo = servos[s];
      const S* gains = p + kGains + kGainCount * s;
      S target[3], shift[3], last[3];
      const int axes = servo.ball ? 3 : 1;
      for (int axis = 0; axis < axes; ++axis) {
        const Actuator& actuator = actuators[servo.actuator + axis];
        if (actuator.grid != grid) {
          grid = actuator.grid;
          w = WeightsOf(grids[grid], p, memory);
        }
        S value = ValueOf(actuator, w, layer, layer_count, p);
        rows = 0;
        for (const Further& more : further) {
          const int a = servo.actuator + axis, count = static_cast<int>(more.layers.size());
          if (more.grids[a] != further_grid) {
            further_grid = more.grids[a];
            v = WeightsOf(grids[further_grid], p, memory);
          }
          value += Rows(p + more.points[a], v, grids[further_grid], row + rows, count);
          rows += count;
        }
        target[axis] = Min(Max(value, S(actuator.low)), S(actuator.high));
        S* kept = memory + kActuators + 2 * (servo.actuator + axis);
        last[axis] = kept[0];
        kept[0] = target[axis];
        shift[axis] = kept[1];
      }
      // Equation (3). The servo of the engine is its proportional and derivative part, implicit in
      // the step; the integral shifts the target, within bounds.
      const S h = view.time_step;
      JointDrive<S>& drive = view.drives[servo.body];
      const JointState<S>& joint = view.Joint(servo.body);
      drive.kp = gains[kProportional] * S(servo.kp);
      drive.kd = gains[kDerivative] * S(servo.kd);
      drive.torque = {w.rest * S(servo.torque.x), w.rest * S(servo.torque.y),
                      w.rest * S(servo.torque.z)};
      if (servo.ball) {
        const Quat<S> now = OfVector<S>({target[0], target[1], target[2]});
        const Quat<S> before = OfVector<S>({last[0], last[1], last[2]});
        drive.target =
            OfVector<S>({target[0] + shift[0], target[1] + shift[1], target[2] + shift[2]});
        drive.target_v = RotationVector(Conjugate(before) * now) * (S(1) / h);
      } else {
        drive.target = {target[0] + shift[0], S(0), S(0), S(0)};
        drive.target_v = {(target[0] - last[0]) * (S(1) / h), S(0), S(0)};
      }
      const Vec3<S> is = servo.ball ? RotationVector(joint.rot) : Vec3<S>{joint.angle, S(0), S(0)};
      const S at[3] = {is.x, is.y, is.z};
      for (int axis = 0; axis < axes; ++axis) {
        const S more = shift[axis] + gains[kIntegral] * (target[axis] - at[axis]) * h;
        memory[kActuators + 2 * (servo.actuator + axis) + 1] =
            Min(Max(more, S(-most_shift)), S(most_shift));
      }
    }
    if (measures) {
      const int count = static_cast<int>(actuators.size());
      meter.Add(view, memory + kActuators, count, memory + MeterSlot());
    }
  }

  template <class S, class Real>
  STRIDE_INLINE void Measure(const LaneView<S, Real>&, const S* memory, S* values) const {
    const int count = static_cast<int>(actuators.size());
    if (measures) meter.Read(count, memory + MeterSlot(), values);
  }

  std::optional<SpeedRange> Speeds() const {
    return SpeedRange{kSlowest * own_speed, kFastest * own_speed, true};
  }
  bool Turns() const { return false; }
  std::vector<DebugChannel> Channels() const;
  void ReadChannels(const double* memory, std::span<float> values) const;
  static const LaneKernels<LaneProgramKernel>& Kernels() { return SplineKernels(); }

 private:
  int FurtherSlot() const { return kActuators + 2 * static_cast<int>(actuators.size()); }
  int MeterSlot() const { return FurtherSlot() + static_cast<int>(further.size()); }

  // Weights of all points of a curve and of its rest at a moment.
  template <class S>
  struct GridWeights {
    S rest, in[kMostCurvePoints], cycle[kMostCurvePoints], out[kMostCurvePoints];
  };

  template <class S>
  static STRIDE_INLINE JointDrive<S> Still() {
    return {Quat<S>::Identity(), {S(0), S(0), S(0)}, {S(0), S(0), S(0)}, S(0), S(0)};
  }
  template <class S>
  static STRIDE_INLINE Quat<S> OfVector(const Vec3<S>& v) {
    const S angle = Sqrt(SquaredNorm(v) + S(1e-12));
    S s, c;
    SinCos(angle * S(0.5), &s, &c);
    const S f = s / angle;
    return {c, v.x * f, v.y * f, v.z * f};
  }

  // Rest, blend in, cycle after cycle, blend out: each a time from 0 to 1.
  template <class S, class Real>
  STRIDE_INLINE void Advance(const LaneView<S, Real>& view, const LaneCommand<S>& command,
                             const S* p, S* memory) const {
    const Mask<S> told = command.speed_given > S(0.5);
    const Mask<S> halt = told & (Abs(command.speed) < S(0.01));
    const S own(own_speed > 0 ? own_speed : 1);
    const S pace = Select(told & !halt & Mask<S>(S(own_speed) > S(0)),
                          Min(Max(command.speed / own, S(kSlowest)), S(kFastest)), S(1));
    const S mode = memory[kMode];
    const Mask<S> stands = mode < S(0.5), cycles = (mode > S(1.5)) & (mode < S(2.5));
    const Mask<S> into = (mode > S(0.5)) & (mode < S(1.5)), out = mode > S(2.5);
    const S seconds = Select(into, p[kInSeconds], Select(out, p[kOutSeconds], p[kCycleSeconds]));
    const S phase = memory[kPhase] + view.time_step * pace / seconds;
    const Mask<S> over = phase >= S(1);
    const S after = Select(halt, S(kBlendsOut), S(kCycles));
    memory[kMode] =
        Select(stands, Select(halt, S(kStands), S(kBlendsIn)),
               Select(over & (into | cycles), after, Select(over & out, S(kStands), mode)));
    // Cycles follow each other without a break; a blend begins and ends on a step.
    memory[kPhase] =
        Select(stands | (over & !cycles) | (over & halt), S(0), Select(over, phase - S(1), phase));
  }

  template <class S>
  STRIDE_INLINE GridWeights<S> WeightsOf(const Grid& grid, const S* p, const S* memory) const {
    GridWeights<S> w;
    const int in = static_cast<int>(grid.in.size()), out = static_cast<int>(grid.out.size());
    const int cycle = static_cast<int>(grid.cycle.size());
    const S mode = memory[kMode], u = memory[kPhase];
    const Mask<S> cycles = (mode > S(1.5)) & (mode < S(2.5));
    const Mask<S> into = (mode > S(0.5)) & (mode < S(1.5)), outwards = mode > S(2.5);
    w.rest = Select(mode < S(0.5), S(1), S(0));
    for (int k = 0; k < in; ++k) w.in[k] = S(0);
    for (int k = 0; k < out; ++k) w.out[k] = S(0);
    for (int k = 0; k < cycle; ++k) w.cycle[k] = S(0);
    if (Any(cycles)) {
      S value[kMostCurvePoints];
      CycleWeights(grid.cycle.data(), cycle, u, value);
      for (int k = 0; k < cycle; ++k) w.cycle[k] = Select(cycles, value[k], S(0));
    }
    if (Any(into)) AddBlend(grid, grid.in, into, true, u, p[kInSeconds] / p[kCycleSeconds], &w);
    if (Any(outwards)) {
      AddBlend(grid, grid.out, outwards, false, u, p[kOutSeconds] / p[kCycleSeconds], &w);
    }
    return w;
  }

  // From rest, where it stands still, through the blend's points to where the cycle begins, along
  // the cycle's tangent there; or back.
  template <class S>
  STRIDE_INLINE void AddBlend(const Grid& grid, const std::vector<double>& times,
                              const Mask<S>& now, bool inwards, const S& u, const S& cycles,
                              GridWeights<S>* w) const {
    double nodes[kMostCurvePoints + 2];
    S value[kMostCurvePoints + 2], tangent[kMostCurvePoints + 2];
    const int inner = static_cast<int>(times.size()), count = inner + 2;
    nodes[0] = 0, nodes[count - 1] = 1;
    for (int k = 0; k < inner; ++k) nodes[k + 1] = times[k];
    NodeWeights(nodes, count, u, value, tangent);
    SpreadInnerTangents(nodes, count, tangent, value);
    const int rest = inwards ? 0 : count - 1, join = inwards ? count - 1 : 0;
    w->rest += Select(now, value[rest], S(0));
    S* points = inwards ? w->in : w->out;
    for (int k = 0; k < inner; ++k) points[k] = Select(now, value[k + 1], S(0));
    const int cycle = static_cast<int>(grid.cycle.size());
    for (int k = 0; k < cycle; ++k) {
      w->cycle[k] += Select(
          now, value[join] * S(grid.begin[k]) + tangent[join] * cycles * S(grid.begin_tangent[k]),
          S(0));
    }
  }

  template <class S>
  STRIDE_INLINE S ValueOf(const Actuator& actuator, const GridWeights<S>& w, const S* layer,
                          int layer_count, const S* p) const {
    const Grid& grid = grids[actuator.grid];
    const int in = static_cast<int>(grid.in.size()), out = static_cast<int>(grid.out.size());
    const int cycle = static_cast<int>(grid.cycle.size());
    const S* point = p + actuator.points;
    S value = w.rest * S(actuator.rest);
    for (int k = 0; k < in; ++k) value += w.in[k] * *point++;
    for (int l = 0; l < layer_count; ++l) {
      S one(0);
      for (int k = 0; k < cycle; ++k) one += w.cycle[k] * *point++;
      value += layer[l] * one;
    }
    for (int k = 0; k < out; ++k) value += w.out[k] * *point++;
    return value;
  }

  template <class S>
  static STRIDE_INLINE S Rows(const S* point, const GridWeights<S>& w, const Grid& grid,
                              const S* row, int rows) {
    S value(0);
    for (int l = 0; l < rows; ++l) {
      S one(0);
      for (std::size_t k = 0; k < grid.cycle.size(); ++k) one += w.cycle[k] * *point++;
      value += row[l] * one;
    }
    return value;
  }

  // Section III A. The angles are those of the trunk against the vertical, in its own heading.
  template <class S, class Real>
  static STRIDE_INLINE S Sense(const LaneView<S, Real>& view, SensorKind sensor, int sensor_body) {
    const auto& r = view.Motion(sensor_body).r;
    const auto& w = view.Motion(sensor_body).w;
    const S across = S(1) / Sqrt(Max(r.xx * r.xx + r.yx * r.yx, S(1e-6)));
    const S cosine = r.xx * across, sine = r.yx * across;
    const auto angle = [](const S& x) { return x * (S(1) + x * x * S(1.0 / 6)); };  // asin, nearly
    switch (sensor) {
      case SensorKind::kInclination: return angle(r.xz * cosine + r.yz * sine);
      case SensorKind::kRoll: return angle(r.xz * sine - r.yz * cosine);
      case SensorKind::kHeight: return view.Root().position.z - view.ground_height;
      case SensorKind::kSpeed:
        return view.Root().velocity.x * cosine + view.Root().velocity.y * sine;
      case SensorKind::kContact: return Select(view.ContactForce(sensor_body).z > S(1), S(1), S(0));
      case SensorKind::kInclinationRate: return w.y * cosine - w.x * sine;
      case SensorKind::kRollRate: return w.x * cosine + w.y * sine;
      case SensorKind::kSideways:
        return view.Root().velocity.y * cosine - view.Root().velocity.x * sine;
      case SensorKind::kNone: break;
    }
    return S(0);
  }
};

}  // namespace stride
