#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/sim/world.h"

// What a run was like, measured step by step until the fall or the end.
namespace stride {

struct Metrics {
  double seconds = 0;       // survived
  double distance = 0;      // of the root over ground, start to end, m
  double path = 0;          // length of the root's path over ground, smoothed over a second, m
  double speed = 0;         // path / seconds, m/s
  int steps = 0;            // touch-downs of a foot after at least 0.1 s without ground
  double step_length = 0;   // mean over ground between successive touch-downs, m
  double step_seconds = 0;  // mean time between them, s
  // Mean over time and joints (not the root) of the angle between pose and reference, degrees; none
  // where the controller follows none.
  std::optional<double> tracking_error_deg;
  double joint_power = 0;        // mean of the sum over joints of |torque . velocity|, W
  double cost_of_transport = 0;  // joint_power / (mass gravity speed); 0 where it hardly moves
  std::array<double, 3> leg_power_ratio{};  // hip, knee, ankle; sum 1 (or all 0 without legs)
  double com_height = 0, com_bounce = 0;    // mean and standard deviation of the height, m
  double com_sway = 0;                      // standard deviation across the path, m
  double head_motion = 0;                   // root mean square of the head's acceleration, m/s^2
  double foot_slip = 0;        // mean sliding speed of feet while they carry weight, m/s
  double max_penetration = 0;  // m
  // Largest vertical force of the ground on all of the body in a step, body weights.
  double peak_force = 0;
  friend bool operator==(const Metrics&, const Metrics&) = default;
};
nlohmann::ordered_json ToJson(const Metrics& metrics);

inline constexpr double kHardlyMoving = 0.05;  // m/s; below it a path has no direction
// power / (mass gravity speed); 0 where it hardly moves or weighs nothing.
inline double CostOfTransport(double power, double mass, double gravity, double speed) {
  return speed > kHardlyMoving && gravity > 0 ? power / (mass * gravity * speed) : 0;
}

// Gathers them; no allocation in Add. Power, contacts and touch-downs count every step; what needs
// the bodies' positions is sampled every 20 ms.
class MetricsMeter {
 public:
  MetricsMeter(const World& world, const State& start, int actor = 0);
  ~MetricsMeter();
  MetricsMeter(const MetricsMeter&);
  MetricsMeter& operator=(const MetricsMeter&);
  MetricsMeter(MetricsMeter&&) noexcept;
  MetricsMeter& operator=(MetricsMeter&&) noexcept;

  // One step from `before` to `after`, driven by `actuation`. Contacts of others are left out;
  // `reference` may be null.
  void Add(const State& before, const State& after, const Actuation& actuation,
           std::span<const Contact> contacts, const State* reference);
  void ChangeGround(const Terrain& terrain);
  Metrics Result() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Torques of the servos during a step from v_before to v_after (layout of State::v): the implicit
// servo of sim/servo.h with the acceleration that came out. Without springs, dampers and limits of
// the joints themselves.
void ServoTorques(const Character& character, const Layout& layout, const Actuation& actuation,
                  const State& before, const State& after, double time_step,
                  std::span<double> torques);

}  // namespace stride
