#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "stride/app/report/report.h"
#include "stride/core/error.h"
#include "stride/core/json_text.h"
#include "stride/dynamics/rigid_body.h"

namespace stride {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Mean over the joints, not the root, of the angle between two poses, degrees.
double PoseErrorDeg(const Character& character, const Layout& layout, const std::vector<double>& a,
                    const std::vector<double>& b) {
  const std::vector<double> difference = PoseDifference(character, a, b, 1);
  double sum = 0;
  int joints = 0;
  for (std::size_t body = 1; body < character.bodies.size(); ++body) {
    const JointKind kind = character.bodies[body].joint.kind;
    if (kind == JointKind::kSlide) continue;
    const int v = layout.v[body], count = kind == JointKind::kBall ? 3 : 1;
    double square = 0;
    for (int k = 0; k < count; ++k) square += difference[v + k] * difference[v + k];
    sum += std::sqrt(square);
    ++joints;
  }
  return joints == 0 ? 0 : sum / joints * 180 / std::numbers::pi;
}

}  // namespace

std::vector<Plot> HistoryPlots(const std::string& text, const std::string& file_name) {
  std::vector<nlohmann::ordered_json> lines;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    ++number;
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end == std::string::npos ? end : end - begin);
    begin = end == std::string::npos ? text.size() : end + 1;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    nlohmann::ordered_json json;
    try {
      json = ParseBoundedJson(line, file_name);
    } catch (const InputError&) {
      // No object, as below.
    }
    if (json.is_object()) {
      lines.push_back(std::move(json));
    } else if (end != std::string::npos) {  // else: whoever wrote it was stopped there
      throw InputError(file_name, number, "no JSON object; expected one object a line");
    }
  }
  std::vector<Plot> plots;
  std::map<std::string, std::size_t> plot_of;
  double offset = 0, last = -HUGE_VAL;  // phases count their own iterations: one follows the other
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const auto iteration = lines[k].find("iteration");
    double x = iteration != lines[k].end() && iteration->is_number() ? iteration->get<double>()
                                                                     : static_cast<double>(k);
    if (x + offset <= last) offset = last + 1 - x;
    x += offset;
    last = x;
    for (const auto& [key, value] : lines[k].items()) {
      if (!value.is_number() || key == "iteration") continue;
      const auto [entry, is_new] = plot_of.try_emplace(key, plots.size());
      if (is_new)
        plots.push_back({.title = key, .x_label = "iteration", .series = {{key, {}, {}}}});
      Series& series = plots[entry->second].series[0];
      series.x.push_back(x);
      series.y.push_back(value.get<double>());
    }
  }
  return plots;
}

std::vector<Plot> RecordingPlots(const Recording& recording) {
  if (recording.frames.empty() || recording.header.world.actors.empty()) return {};
  const World& world = recording.header.world;
  const Character& character = world.actors[0];
  const Layout layout = LayoutOf(character);
  const bool moves = RootMoves(character);
  Model<double> model(character);
  Series height{"height", {}, {}}, speed{"speed", {}, {}}, error{"error", {}, {}};
  Series ground{"ground", {}, {}}, pushes{"pushes", {}, {}};
  bool tracks = false, touches = false;
  for (const RecordedFrame& frame : recording.frames) {
    const State& state = frame.actors.at(0);
    for (Series* each : {&height, &speed, &error, &ground, &pushes}) each->x.push_back(frame.time);
    model.SetState(state);
    const Vec3d root = model.Position(RootBody(character));
    const Vec3d velocity = model.Motion(RootBody(character)).v;
    height.y.push_back(moves ? root.z - SurfaceAt(world.terrain, root.x, root.y).height : kNone);
    speed.y.push_back(moves ? std::hypot(velocity.x, velocity.y) : kNone);
    const bool follows = !frame.controls.empty() && !frame.controls[0].reference.empty();
    tracks |= follows;
    error.y.push_back(
        follows ? PoseErrorDeg(character, layout, state.q, frame.controls[0].reference) : kNone);
    double up = 0, push = 0;
    for (const RecordedContact& contact : frame.contacts) {
      if (contact.actor == 0 && contact.other_actor < 0) up += contact.force[2];
    }
    for (const RecordedForce& force : frame.forces) {
      if (force.actor == 0) push += std::hypot(force.force[0], force.force[1], force.force[2]);
    }
    touches |= up != 0 || push != 0;
    ground.y.push_back(up);
    pushes.y.push_back(push);
  }
  std::vector<Plot> plots;
  const auto add = [&](const char* title, const char* label, std::vector<Series> series) {
    plots.push_back({.title = title,
                     .x_label = "time, s",
                     .y_label = label,
                     .zero_y = true,
                     .series = std::move(series)});
  };
  if (moves) {
    add("Height of the root", "above the ground, m", {height});
    add("Speed over ground", "of the root, m/s", {speed});
  }
  if (tracks) add("Tracking error", "mean over joints, deg", {error});
  if (touches) add("Forces", "N", {ground, pushes});
  return plots;
}

}  // namespace stride
