#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "stride/record/recording.h"

namespace stride {
namespace {

// Names may hold commas and quotes.
std::string Field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted += '"';
}

// The names of a joint's numbers, in the order of q and of v.
std::vector<std::string> CoordinateNames(JointKind kind) {
  switch (kind) {
    case JointKind::kFree: return {"x_m", "y_m", "z_m", "qw", "qx", "qy", "qz"};
    case JointKind::kBall: return {"qw", "qx", "qy", "qz"};
    case JointKind::kHinge: break;
  }
  return {"angle_rad"};
}
std::vector<std::string> VelocityNames(JointKind kind) {
  switch (kind) {
    case JointKind::kFree:
      return {"vx_m/s", "vy_m/s", "vz_m/s", "wx_rad/s", "wy_rad/s", "wz_rad/s"};
    case JointKind::kBall: return {"wx_rad/s", "wy_rad/s", "wz_rad/s"};
    case JointKind::kHinge: break;
  }
  return {"rate_rad/s"};
}

std::vector<std::string> ChannelNames(const RecordedChannel& channel) {
  const std::string unit = channel.unit.empty() ? "" : "_" + channel.unit;
  if (channel.values == 1) return {channel.name + unit};
  std::vector<std::string> names;
  for (const char* end : {".from", ".to"}) {
    for (const char* axis : {".x", ".y", ".z"}) {
      names.push_back(channel.name + (channel.values == 6 ? end : "") + axis + unit);
    }
    if (channel.values == 3) break;
  }
  return names;
}

class Table {
 public:
  explicit Table(std::string first_column) : text_(std::move(first_column)) {}
  void Name(const std::string& name) { text_ += ',' + Field(name); }
  // With the digits that read back as the same number; nothing where there is none.
  template <class T>
  void Number(T value) {
    text_ += ',';
    if (std::isfinite(value)) fmt::format_to(std::back_inserter(text_), "{}", value);
  }
  void Row(std::uint32_t step) { fmt::format_to(std::back_inserter(text_), "\n{}", step); }
  std::string Take() { return std::move(text_) + '\n'; }

 private:
  std::string text_;
};

}  // namespace

std::string RecordingCsv(const Recording& recording) {
  const std::vector<Character> actors = ActorsOf(recording);
  Table table("step");
  table.Name("time_s");
  for (std::size_t a = 0; a < actors.size(); ++a) {
    // Bodies of the others may have the same names.
    const std::string prefix = a == 0 ? "" : fmt::format("actor{}.", a);
    for (const auto& names : {CoordinateNames, VelocityNames}) {
      for (const Body& body : actors[a].bodies) {
        for (const std::string& name : names(body.joint.kind)) {
          table.Name(prefix + body.name + "." + name);
        }
      }
    }
  }
  for (const char* axis : {".x_N", ".y_N", ".z_N"}) {
    table.Name(std::string("ground_force") + axis);
  }
  table.Name("command.speed_m/s");
  table.Name("command.heading_rad");
  for (const RecordedChannel& channel : recording.header.channels) {
    for (const std::string& name : ChannelNames(channel)) table.Name(name);
  }
  for (const RecordedFrame& frame : recording.frames) {
    table.Row(frame.step);
    table.Number(frame.time);
    for (std::size_t a = 0; a < actors.size(); ++a) {
      if (a < frame.actors.size()) {
        for (const double x : frame.actors[a].q) table.Number(x);
        for (const double x : frame.actors[a].v) table.Number(x);
      } else {
        const Layout layout = LayoutOf(actors[a]);
        for (int i = 0; i < layout.nq + layout.nv; ++i) table.Number(NAN);
      }
    }
    double ground[3] = {0, 0, 0};
    for (const RecordedContact& contact : frame.contacts) {
      if (contact.actor != 0 || contact.other_actor != -1) continue;
      for (int k = 0; k < 3; ++k) ground[k] += contact.force[k];
    }
    for (const double force : ground) table.Number(force);
    table.Number(frame.speed);
    table.Number(frame.heading);
    for (const float value : frame.channels) table.Number(value);
  }
  return table.Take();
}

}  // namespace stride
