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
    case JointKind::kSlide: return {"way_m"};
    case JointKind::kHinge: break;
  }
  return {"angle_rad"};
}
std::vector<std::string> VelocityNames(JointKind kind) {
  switch (kind) {
    case JointKind::kFree:
      return {"vx_m/s", "vy_m/s", "vz_m/s", "wx_rad/s", "wy_rad/s", "wz_rad/s"};
    case JointKind::kBall: return {"wx_rad/s", "wy_rad/s", "wz_rad/s"};
    case JointKind::kSlide: return {"rate_m/s"};
    case JointKind::kHinge: break;
  }
  return {"rate_rad/s"};
}

std::vector<std::string> TorqueNames(JointKind kind) {
  switch (kind) {
    case JointKind::kFree: return {};  // nothing drives it
    case JointKind::kBall: return {"tx_Nm", "ty_Nm", "tz_Nm"};
    case JointKind::kSlide: return {"force_N"};
    case JointKind::kHinge: break;
  }
  return {"torque_Nm"};
}

std::vector<std::string> ChannelNames(const RecordedChannel& channel) {
  const bool pure = channel.unit.empty() || channel.unit == kNodeUnit;
  const std::string unit = pure ? "" : "_" + channel.unit;
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

// Bodies and channels of the others may have the same names as the first one's.
std::string PrefixOf(std::size_t actor) { return actor == 0 ? "" : fmt::format("actor{}.", actor); }

void NameDriven(const RecordedController& driver, const Character& character,
                const std::string& prefix, Table* table) {
  for (const char* axis : {".x_N", ".y_N", ".z_N"}) {
    table->Name(prefix + "ground_force" + axis);
  }
  table->Name(prefix + "command.speed_m/s");
  table->Name(prefix + "command.heading_rad");
  for (const RecordedChannel& channel : driver.channels) {
    for (const std::string& name : ChannelNames(channel)) table->Name(prefix + name);
  }
  for (const Body& body : character.bodies) {
    for (const std::string& name : TorqueNames(body.joint.kind)) {
      table->Name(fmt::format("{}{}.{}", prefix, body.name, name));
    }
  }
}

void AddDriven(const RecordedFrame& frame, int actor, const Character& character,
               const Layout& layout, Table* table) {
  const RecordedControl& control = frame.controls[actor];
  double ground[3] = {0, 0, 0};
  for (const RecordedContact& contact : frame.contacts) {
    if (contact.actor != actor || contact.other_actor != -1) continue;
    for (int k = 0; k < 3; ++k) ground[k] += contact.force[k];
  }
  for (const double force : ground) table->Number(force);
  table->Number(control.speed);
  table->Number(control.heading);
  for (const float value : control.channels) table->Number(value);
  for (int i = 0; i < character.BodyCount(); ++i) {
    const JointKind kind = character.bodies[i].joint.kind;
    if (kind == JointKind::kFree) continue;
    for (int k = 0; k < DofCount(kind); ++k) {
      table->Number(control.torques.empty() ? NAN : control.torques[layout.v[i] + k]);
    }
  }
}

}  // namespace

std::string RecordingCsv(const Recording& recording) {
  const std::vector<Character> actors = ActorsOf(recording);
  std::vector<Layout> layouts;
  layouts.reserve(actors.size());
  for (const Character& actor : actors) layouts.push_back(LayoutOf(actor));
  Table table("step");
  table.Name("time_s");
  for (std::size_t a = 0; a < actors.size(); ++a) {
    const std::string prefix = PrefixOf(a);
    for (const auto& names : {CoordinateNames, VelocityNames}) {
      for (const Body& body : actors[a].bodies) {
        for (const std::string& name : names(body.joint.kind)) {
          table.Name(fmt::format("{}{}.{}", prefix, body.name, name));
        }
      }
    }
  }
  const std::vector<RecordedController>& drivers = recording.header.controllers;
  for (std::size_t a = 0; a < drivers.size(); ++a) {
    NameDriven(drivers[a], actors[a], PrefixOf(a), &table);
  }
  for (const RecordedFrame& frame : recording.frames) {
    table.Row(frame.step);
    table.Number(frame.time);
    for (std::size_t a = 0; a < actors.size(); ++a) {
      if (a < frame.actors.size()) {
        for (const double x : frame.actors[a].q) table.Number(x);
        for (const double x : frame.actors[a].v) table.Number(x);
      } else {
        for (int i = 0; i < layouts[a].nq + layouts[a].nv; ++i) table.Number(NAN);
      }
    }
    for (std::size_t a = 0; a < drivers.size(); ++a) {
      AddDriven(frame, static_cast<int>(a), actors[a], layouts[a], &table);
    }
  }
  return table.Take();
}

}  // namespace stride
