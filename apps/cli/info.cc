#include "stride/app/info.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/motion/import/import.h"
#include "stride/motion/import/motion_source.h"
#include "verb.h"

namespace stride::cli {
namespace {

std::string Text(const InfoResult& r) {
  const Character& c = r.character;
  std::string text =
      fmt::format("{}: {}\n{} bodies, {} degrees of freedom, {:.2f} kg, {:.2f} m high\n\n", c.name,
                  c.description, c.BodyCount(), r.dof, r.mass, r.height);
  std::size_t width = 6;
  for (const Body& body : c.bodies) width = std::max(width, body.name.size());
  text += fmt::format(
      "{:<{}}  {:<{}}  joint  dof  mass kg  length m    kp Nm/rad  kd Nms/rad  points\n", "body",
      width, "parent", width);
  for (int i = 0; i < c.BodyCount(); ++i) {
    const Body& body = c.bodies[i];
    const auto points = std::count_if(c.contact_points.begin(), c.contact_points.end(),
                                      [&](const ContactPoint& point) { return point.body == i; });
    text += fmt::format(
        "{:<{}}  {:<{}}  {:<5}  {:>3}  {:>7.3f}  {:>8.3f}  {:>11.5g}  {:>10.5g}  {:>6}\n",
        body.name, width, body.parent < 0 ? "-" : c.bodies[body.parent].name, width,
        JointKindName(body.joint.kind), DofCount(body.joint.kind), body.mass, BodyLength(body),
        body.joint.kp, body.joint.kd, points);
  }
  std::vector<std::string> roles;
  for (int role = 0; role < static_cast<int>(Role::kCount); ++role) {
    if (c.roles[role] < 0) continue;
    roles.push_back(
        fmt::format("{} = {}", RoleName(static_cast<Role>(role)), c.bodies[c.roles[role]].name));
  }
  text += fmt::format("\nroles: {}\n",
                      roles.empty() ? "none" : fmt::format("{}", fmt::join(roles, ", ")));
  return text;
}

std::string Text(const MotionInfoResult& r) {
  const Motion& m = r.motion;
  std::string text = fmt::format("{}: a motion of {}\n", m.name, m.character);
  const auto row = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<15} {}\n", name, value);
  };
  row("source", fmt::format("{} ({})", m.source, r.format));
  row("frames", fmt::format("{} at {:g}/s, {:.2f} s", m.FrameCount(), m.fps, m.Duration()));
  row("loops", m.loops ? "yes" : "no");
  row("speed", fmt::format("{:.2f} m/s", r.travel.speed));
  row("heading change", fmt::format("{:.0f} deg", r.travel.heading_change_deg));
  for (const auto& span : ContactsToJson(m)) {
    row("contact", fmt::format("{} frames {} to {}", span["part"].get<std::string>(),
                               span["first"].get<int>(), span["last"].get<int>()));
  }
  return text;
}

std::string Text(const RecordingInfoResult& r) {
  const Recording& recording = r.recording;
  const RecordingHeader& header = recording.header;
  std::string text = fmt::format("{}: a recording\n", header.title);
  const auto row = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<15} {}\n", name, value);
  };
  row("engine", header.engine);
  row("seed", header.setup.is_null() ? "" : std::to_string(header.seed));
  for (std::size_t k = 0; k < r.actors.size(); ++k) {
    row("actor", fmt::format("{} (bodies: {})", r.actors[k].name, r.actors[k].BodyCount()));
    if (k >= header.controllers.size()) continue;
    const RecordedController& driver = header.controllers[k];
    row("  controller", driver.controller);
    row("  motion", driver.motion);
    row("  skill", driver.skill);
    for (const RecordedChannel& channel : driver.channels) {
      row("  channel", channel.name + (channel.unit.empty() ? "" : ", " + channel.unit));
    }
  }
  row("frames", fmt::format("{}, {:.2f} s", recording.frames.size(), recording.Duration()));
  for (const auto& [kind, count] : EventCounts(recording)) {
    row("events", fmt::format("{} {}", count, kind));
  }
  row("complete", recording.complete ? "yes" : "no");
  return text;
}

std::string Text(const SkillInfoResult& r) {
  const Skill& s = r.skill;
  std::string text = fmt::format("{}: {} on {}\n", r.source, s.name, s.character.name);
  const auto line = [&](const std::string& name, const std::string& value) {
    text += fmt::format("  {:<26} {}\n", name, value);
  };
  line("controller", s.controller);
  for (const auto& [what, is] : r.rows) line(what, is);
  for (const auto& item : s.metrics.items()) line(item.key(), item.value().dump());
  return text;
}

}  // namespace

Verb InfoVerb() {
  return {
      "info",
      "What is in a character (bodies, joints, masses, roles, gains, contact points), a motion, a "
      "recording or a skill",
      {"stride info liu16", "stride info humanoid.xml --json", "stride info walk",
       "stride info run.stride", "stride info locomotion"},
      [](CLI::App* app, const CommonOptions*) {
        auto source = std::make_shared<std::string>();
        app->add_option("file", *source,
                        "A built-in character, motion or skill, an MJCF or URDF file, a motion "
                        "file, motion capture, a recording, or a skill (.skill)")
            ->required();
        return [source]() -> Output {
          if (NamesRecording(*source)) {
            const RecordingInfoResult result = InspectRecording(*source);
            return {ToJson(result), Text(result), result.warnings};
          }
          const std::string skill = SkillNamed(*source);
          const bool motion = NamesMotion(*source);
          // A name may be both a motion's and a skill's; NAME.skill is the skill.
          if (!skill.empty() && (!motion || skill != *source || source->ends_with(kSkillEnding))) {
            const SkillInfoResult result = InspectSkill(skill);
            return {ToJson(result), Text(result), {}};
          }
          if (motion) {
            const MotionInfoResult result = InspectMotion(*source);
            Output output{ToJson(result), Text(result), result.warnings};
            if (!skill.empty()) {
              output.json["also"] = skill + kSkillEnding;
              output.text += fmt::format("There is also a skill of that name: stride info {}{}\n",
                                         skill, kSkillEnding);
            }
            return output;
          }
          const InfoResult result = Inspect(*source);
          return {ToJson(result), Text(result), result.warnings};
        };
      }};
}

}  // namespace stride::cli
