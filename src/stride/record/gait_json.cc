#include <cmath>

#include "stride/record/gait.h"

namespace stride {
namespace {

using Json = nlohmann::ordered_json;

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json Numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(Number(value));
  return list;
}

Json Measure(const GaitMeasure& measure) {
  return {{"mean", Number(measure.mean)},
          {"deviation", Number(measure.deviation)},
          {"left", Number(measure.side[0])},
          {"right", Number(measure.side[1])},
          {"asymmetry", Number(measure.Asymmetry())}};
}

Json Groups(const std::array<double, kGaitJointsCount>& values) {
  return {{"hip", Number(values[kHipJoints])},
          {"knee", Number(values[kKneeJoints])},
          {"ankle", Number(values[kAnkleJoints])},
          {"others", Number(values[kOtherJoints])}};
}

}  // namespace

nlohmann::ordered_json ToJson(const GaitAnalysis& a) {
  Json json = {
      {"name", a.name},
      {"character", a.character},
      {"from", a.from},
      {"to", a.to},
      {"heel_strikes", {{"left", a.strikes[0]}, {"right", a.strikes[1]}}},
      {"toe_offs", {{"left", a.toe_offs[0]}, {"right", a.toe_offs[1]}}},
      {"cycles", {{"left", a.cycles[0]}, {"right", a.cycles[1]}}},
      {"discarded", {{"turning", a.turning}, {"uneven", a.uneven}, {"irregular", a.irregular}}},
      {"cycle_time", Measure(a.cycle_time)},
      {"cadence", Number(a.cadence)},
      {"speed", Measure(a.speed)},
      {"step_time", Measure(a.step_time)},
      {"step_length", Measure(a.step_length)},
      {"step_width", Measure(a.step_width)},
      {"duty_factor", Measure(a.duty_factor)},
      {"double_support", Measure(a.double_support)},
      {"flight", Measure(a.flight)},
      {"asymmetry", Number(a.asymmetry)}};
  Json curves = Json::array();
  for (const GaitCurve& curve : a.curves) {
    curves.push_back({{"name", curve.name},
                      {"unit", curve.unit},
                      {"mean", Numbers(curve.mean)},
                      {"deviation", Numbers(curve.deviation)},
                      {"left", Numbers(curve.side_mean[0])},
                      {"right", Numbers(curve.side_mean[1])}});
  }
  json["curves"] = std::move(curves);
  json["effort"] = nullptr;
  if (a.effort) {
    json["effort"] = {{"power", Groups(a.effort->power)},
                      {"squared_torque", Groups(a.effort->squared_torque)},
                      {"squared_torque_ratio",
                       {{"hip", a.effort->ratio[kHipJoints]},
                        {"knee", a.effort->ratio[kKneeJoints]},
                        {"ankle", a.effort->ratio[kAnkleJoints]}}},
                      {"cost_of_transport", Number(a.effort->cost_of_transport)}};
  }
  json["notes"] = a.notes;
  return json;
}

}  // namespace stride
