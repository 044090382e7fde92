#include "stride/character/mjcf_custom.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace stride::mjcf {
namespace {

constexpr const char* kPrefix = "stride:";
constexpr std::size_t kNumbersPerBody = 18;  // as WriteMjcf puts them

bool IsClose(double a, double b) { return std::fabs(a - b) <= 1e-9 * (1 + std::fabs(a)); }
bool IsClose(const Vec3d& a, const Vec3d& b) {
  return IsClose(a.x, b.x) && IsClose(a.y, b.y) && IsClose(a.z, b.z);
}
// Relative to the size of the inertia: it may be far below 1.
bool IsClose(const Sym3d& a, const Sym3d& b) {
  const Sym3d d = a - b;
  const double largest = 1e-9 * (a.xx + a.yy + a.zz);
  for (const double value : {d.xx, d.xy, d.xz, d.yy, d.yz, d.zz}) {
    if (!(std::fabs(value) <= largest)) return false;
  }
  return true;
}

}  // namespace

Custom::Custom(Context* context) : context_(*context) {
  const std::string prefix = kPrefix;
  for (const Element& section : context_.Doc().Root().children) {
    if (section.tag != "custom") continue;
    for (const Element& entry : section.children) {
      const std::string name = entry.Text("name");
      if (name.starts_with(prefix)) entries_[name.substr(prefix.size())] = &entry;
    }
  }
  for (const auto& [name, entry] : entries_) {
    has_bodies_ = has_bodies_ || name.starts_with("body:");
    if (name == "format" || name == "description" || name.starts_with("body:") ||
        name.starts_with("point:")) {
      continue;
    }
    if (name.starts_with("role:") && RoleFromName(name.substr(5)) != Role::kCount) continue;
    std::string roles;
    for (int i = 0; i < static_cast<int>(Role::kCount); ++i) {
      roles += std::string(i > 0 ? ", " : "") + RoleName(static_cast<Role>(i));
    }
    context_.Doc().Fail(entry->at, "<custom> holds stride:" + name +
                                       ", which is not known; expected stride:role:NAME or "
                                       "stride:point:NUMBER; roles are " +
                                       roles);
  }
  const Element* format = Find("format");
  if (format && Data(*format, 1)[0] != 1) {
    context_.Doc().Fail(
        format->at,
        "<custom> holds stride data of a format this program does not know; expected "
        "stride:format 1");
  }
}

const Element* Custom::Find(const std::string& name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : found->second;
}

std::vector<double> Custom::Data(const Element& entry, std::size_t count) const {
  const Attribute* data = entry.Find("data");
  if (!data)
    context_.Doc().Fail(entry.at, "<" + entry.tag + "> has no data; expected data=\"...\"");
  return context_.Doc().Numbers(*data, count, count);
}

void Custom::Apply(Character* character) const {
  if (IsWrittenByStride()) {
    const Element* description = Find("description");
    character->description = description ? description->Text("data") : "";
    for (Body& body : character->bodies) {
      if (const Element* entry = Find("body:" + body.name)) {
        ApplyBody(*entry, &body);
      } else {
        context_.Warn({}, "no entry " + body.name,
                      "<custom> has no stride:body:" + body.name + ": its gains are inferred");
      }
    }
  }
  ApplyPoints(character);
  ApplyRoles(character);
}

void Custom::ApplyBody(const Element& entry, Body* body) const {
  const std::vector<double> n = Data(entry, kNumbersPerBody);
  const Vec3d offset{n[0], n[1], n[2]}, axis{n[12], n[13], n[14]};
  const Sym3d inertia{n[3], n[4], n[5], n[6], n[7], n[8]};
  Joint& joint = body->joint;
  const bool one_axis = HasOneAxis(joint.kind);
  const bool has_range = joint.kind != JointKind::kFree;
  const bool same = IsClose(offset, body->offset) && IsClose(inertia, body->inertia) &&
                    (!one_axis || (IsClose(axis, joint.axis) && IsClose(n[9], joint.lower) &&
                                   IsClose(n[11], joint.spring_angle))) &&
                    (!has_range || IsClose(n[10], joint.upper));
  if (same) {
    body->offset = offset;
    body->inertia = inertia;
    joint.lower = n[9];
    joint.upper = n[10];
    joint.spring_angle = n[11];
    joint.axis = axis;
  } else {
    context_.Warn(
        entry.at, "edited " + body->name,
        "body '" + body->name + "' was edited: its elements count, not " + entry.Text("name"));
  }
  joint.kp = n[15];
  joint.kd = n[16];
  joint.max_torque = n[17];
}

void Custom::ApplyPoints(Character* character) const {
  std::vector<ContactPoint> points;
  while (const Element* entry = Find("point:" + std::to_string(points.size()))) {
    const std::vector<double> n = Data(*entry, 5);
    if (!(n[0] >= 0 && n[0] < character->BodyCount() && n[0] == std::floor(n[0]))) {
      context_.Doc().Fail(entry->at,
                          "a contact point on a body that does not exist; expected 0 to " +
                              std::to_string(character->BodyCount() - 1));
    }
    points.push_back({static_cast<int>(n[0]), {n[1], n[2], n[3]}, n[4]});
  }
  const auto is_point = [](const auto& entry) { return entry.first.starts_with("point:"); };
  const auto count = std::count_if(entries_.begin(), entries_.end(), is_point);
  if (count != static_cast<std::ptrdiff_t>(points.size())) {
    const auto any = std::find_if(entries_.begin(), entries_.end(), is_point);
    context_.Doc().Fail(any->second->at,
                        "the contact points are not numbered 0, 1, 2 ...: there is no "
                        "stride:point:" +
                            std::to_string(points.size()));
  }
  if (IsWrittenByStride() || !points.empty()) character->contact_points = std::move(points);
}

void Custom::ApplyRoles(Character* character) const {
  for (int i = 0; i < static_cast<int>(Role::kCount); ++i) {
    if (IsWrittenByStride()) character->roles[i] = -1;
    const Element* entry = Find(std::string("role:") + RoleName(static_cast<Role>(i)));
    if (!entry) continue;
    character->roles[i] = FindBody(*character, entry->Text("data"));
    if (character->roles[i] < 0) {
      context_.Doc().Fail(entry->at,
                          "a role for '" + entry->Text("data") + "'; expected the name of a body");
    }
  }
}

}  // namespace stride::mjcf
