#include "stride/app/info.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

}  // namespace

Verb InfoVerb() {
  return {"info",
          "What is in a file: bodies, joints, masses, roles, gains, contact points",
          {"stride info liu16", "stride info humanoid.xml --json"},
          [](CLI::App* app, const CommonOptions*) {
            auto source = std::make_shared<std::string>();
            app->add_option("file", *source, "MJCF file, or the name of a built-in character")
                ->required();
            return [source]() -> Output {
              const InfoResult result = Inspect(*source);
              return {ToJson(result), Text(result), result.warnings};
            };
          }};
}

}  // namespace stride::cli
