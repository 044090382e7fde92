#include "stride/character/mjcf_context.h"

#include <algorithm>
#include <numbers>
#include <set>
#include <sstream>

#include "stride/math/rotation.h"

namespace stride::mjcf {
namespace {

// Bounds that no model meets but a hostile one: default classes copy what they inherit.
constexpr std::size_t kMaxClasses = 1000;
constexpr std::size_t kMaxDefaultLength = 1000;
constexpr std::size_t kMaxWarnings = 200;

constexpr const char* kMainClass = "main";

// What happens to an element's attributes: `used` are read, `silent` have no effect on the motion,
// `ignored` have one in MuJoCo. All others are unknown.
struct Known {
  std::set<std::string> used, silent, ignored;
};

std::set<std::string> Split(const char* words) {
  std::istringstream stream(words);
  std::set<std::string> out;
  for (std::string word; stream >> word;) out.insert(word);
  return out;
}

const std::map<std::string, Known>& KnownAttributes() {
  static const Known actuator{
      Split(
          "name class joint jointinparent ctrllimited ctrlrange forcelimited forcerange gear kp kv "
          "gainprm biasprm gaintype biastype"),
      Split("group user lengthrange"),
      Split(
          "dyntype dynprm actlimited actrange actearly damping tendon site refsite body cranksite "
          "slidersite cranklength")};
  static const std::map<std::string, Known> table{
      {"body",
       {Split("name pos quat axisangle xyaxes zaxis euler childclass mocap"), Split("user sleep"),
        Split("gravcomp")}},
      {"joint",
       {Split("name class type pos axis range limited armature damping stiffness springref ref"),
        Split("group user"),
        Split("frictionloss springdamper solreflimit solimplimit solreffriction solimpfriction "
              "margin "
              "actuatorfrcrange actuatorfrclimited actuatorgravcomp")}},
      {"freejoint", {Split("name"), Split("group align"), {}}},
      {"inertial",
       {Split("pos quat axisangle xyaxes zaxis euler mass diaginertia fullinertia"), {}, {}}},
      {"geom",
       {Split("name class type size pos quat axisangle xyaxes zaxis euler fromto mass density "
              "contype "
              "conaffinity shellinertia"),
        Split("rgba material group user hfield mesh fitscale"),
        Split("condim friction solmix solref solimp margin gap priority fluidshape fluidcoef")}},
      {"compiler",
       {Split("angle eulerseq autolimits coordinate inertiafromgeom boundmass boundinertia "
              "settotalmass balanceinertia"),
        Split("meshdir texturedir assetdir strippath discardvisual convexhull fitaabb usethread "
              "fusestatic saveinertial"),
        Split("inertiagrouprange exactmeshinertia alignfree")}},
      {"key", {Split("name qpos"), Split("time qvel act ctrl mpos mquat"), {}}},
      {"default", {Split("class"), {}, {}}},
      {"motor", actuator},
      {"position", actuator},
      {"velocity", actuator},
      {"general", actuator},
  };
  return table;
}

// The default classes hold one actuator for all its kinds, as MuJoCo's do.
std::string KindOf(const std::string& tag) {
  if (tag == "joint" || tag == "geom") return tag;
  if (tag == "motor" || tag == "position" || tag == "velocity" || tag == "general")
    return "actuator";
  return {};
}

// A shorter list replaces the front of the longer one it overrides.
bool IsOverlaid(const std::string& attribute) {
  return attribute == "size" || attribute == "gear" || attribute == "gainprm" ||
         attribute == "biasprm";
}
std::string Overlay(const std::string& front, const std::string& whole) {
  std::istringstream a(front), b(whole);
  std::string out, over, under;
  for (bool more = true; more;) {
    const bool has_front = static_cast<bool>(a >> over), has_whole = static_cast<bool>(b >> under);
    more = has_front || has_whole;
    if (more) out += (out.empty() ? "" : " ") + (has_front ? over : under);
  }
  return out;
}

void Override(const Attribute& attribute, Element* element) {
  for (Attribute& existing : element->attributes) {
    if (existing.name != attribute.name) continue;
    const std::string below = existing.value;
    existing = attribute;
    if (IsOverlaid(attribute.name)) existing.value = Overlay(attribute.value, below);
    return;
  }
  element->attributes.push_back(attribute);
}

}  // namespace

Context::Context(const Document& document) : document_(document) {
  classes_[kMainClass] = {};
  for (const Element& section : document_.Root().children) {
    if (section.tag == "compiler") ReadCompiler(section);
  }
  for (const Element& section : document_.Root().children) {
    if (section.tag == "default") ReadDefault(section, "");
  }
}

void Context::ReadCompiler(const Element& element) {
  CheckAttributes(element);
  const auto choice = [&](const char* name, const std::string& a, const std::string& b) {
    const std::string value = element.Text(name, a);
    if (value != a && value != b) {
      document_.Fail(element.Find(name)->at, std::string(name) + "=\"" + value + "\"; expected \"" +
                                                 a + "\" or \"" + b + "\"");
    }
    return value == a;
  };
  if (element.Find("angle")) settings_.degrees = choice("angle", "degree", "radian");
  if (!choice("coordinate", "local", "global")) {
    document_.Fail(
        element.Find("coordinate")->at,
        "global coordinates are not supported; load the model in MuJoCo 2.2 and save it, "
        "which makes them local");
  }
  if (const Attribute* a = element.Find("autolimits")) settings_.auto_limits = document_.Flag(*a);
  if (const Attribute* a = element.Find("balanceinertia")) {
    settings_.balance_inertia = document_.Flag(*a);
  }
  if (const Attribute* a = element.Find("inertiafromgeom")) {
    using FromGeom = Settings::FromGeom;
    settings_.inertia_from_geom = a->value == "auto"   ? FromGeom::kAuto
                                  : document_.Flag(*a) ? FromGeom::kAlways
                                                       : FromGeom::kNever;
  }
  if (const Attribute* a = element.Find("eulerseq")) {
    settings_.euler_sequence = a->value;
    if (a->value.size() != 3 || a->value.find_first_not_of("xyzXYZ") != std::string::npos) {
      document_.Fail(a->at, "eulerseq=\"" + a->value + "\"; expected three of x, y, z, X, Y, Z");
    }
  }
  settings_.bound_mass = Amount(element, "boundmass", settings_.bound_mass);
  settings_.bound_inertia = Amount(element, "boundinertia", settings_.bound_inertia);
  // MuJoCo: negative is off.
  if (element.Find("settotalmass")) {
    settings_.total_mass = std::max(0.0, Value(element, "settotalmass", 0));
  }
}

void Context::ReadDefault(const Element& element, const std::string& parent) {
  CheckAttributes(element);
  const std::string name = element.Text("class", parent.empty() ? kMainClass : "");
  if (name.empty()) {
    document_.Fail(element.at, "a nested <default> has no class; expected class=\"name\"");
  }
  if (!classes_.contains(name)) {
    if (classes_.size() >= kMaxClasses)
      document_.Fail(element.at, "more than 1000 default classes");
    classes_[name] = Defaults(classes_.at(parent.empty() ? kMainClass : parent));
  }
  for (const Element& child : element.children) {
    if (child.tag == "default") continue;
    const std::string kind = KindOf(child.tag);
    if (kind.empty()) {
      // What these stand for is reported where it is used.
      static const std::set<std::string> known_kinds = Split(
          "mesh material site camera light pair equality tendon muscle cylinder intvelocity damper "
          "adhesion plugin");
      if (!known_kinds.contains(child.tag)) {
        Warn(child.at, "<default> <" + child.tag + ">",
             "<default> of <" + child.tag + "> is not known: ignored");
      }
      continue;
    }
    CheckAttributes(child);
    Element& defaults = classes_[name][kind];
    const Known& known = KnownAttributes().at(child.tag);
    for (const Attribute& attribute : child.attributes) {
      if (!known.used.contains(attribute.name)) continue;
      if (attribute.value.size() > kMaxDefaultLength) {
        document_.Fail(attribute.at, "the default of '" + attribute.name + "' is too long");
      }
      Override(attribute, &defaults);
    }
    // Whatever a top-level section is called, it is the main class.
    if (parent.empty() && name != kMainClass) classes_[kMainClass][kind] = defaults;
  }
  for (const Element& child : element.children) {
    if (child.tag == "default") ReadDefault(child, name);
  }
}

void Context::CheckClass(const Attribute* name) const {
  if (name && !classes_.contains(name->value)) {
    document_.Fail(name->at, "the default class '" + name->value +
                                 "' does not exist; define it in <default> or correct the name");
  }
}

Element Context::WithDefaults(const Element& element, const std::string& kind,
                              const std::string& child_class) const {
  const Attribute* named = element.Find("class");
  CheckClass(named);
  const std::string name = named ? named->value : child_class.empty() ? kMainClass : child_class;
  Element merged;
  const Defaults& defaults = classes_.at(name);
  if (const auto found = defaults.find(kind); found != defaults.end()) merged = found->second;
  merged.tag = element.tag;
  merged.at = element.at;
  // The way an orientation is given here replaces the way a class gives it.
  static const std::set<std::string> orientations =
      Split("quat axisangle xyaxes zaxis euler fromto");
  const auto orients = [&](const Attribute& a) { return orientations.contains(a.name); };
  if (std::any_of(element.attributes.begin(), element.attributes.end(), orients)) {
    std::erase_if(merged.attributes, orients);
  }
  for (const Attribute& attribute : element.attributes) Override(attribute, &merged);
  return merged;
}

void Context::Warn(const Location& at, const std::string& key, const std::string& text) {
  const auto found = warning_of_key_.find(key);
  if (found != warning_of_key_.end()) {
    ++warnings_[found->second].count;
  } else if (warnings_.size() < kMaxWarnings) {
    warning_of_key_[key] = warnings_.size();
    warnings_.push_back({at, text, 1});
  } else {
    ++warnings_left_out_;
  }
}

void Context::CheckAttributes(const Element& element) {
  const auto found = KnownAttributes().find(element.tag);
  if (found == KnownAttributes().end()) return;
  const Known& known = found->second;
  for (const Attribute& attribute : element.attributes) {
    if (known.used.contains(attribute.name) || known.silent.contains(attribute.name)) continue;
    const std::string what = "<" + element.tag + "> " + attribute.name;
    Warn(attribute.at, what,
         what + (known.ignored.contains(attribute.name) ? " is not supported: ignored"
                                                        : " is not a known attribute: ignored"));
  }
}

std::vector<std::string> Context::Warnings() const {
  std::vector<std::string> out;
  for (const Warning& warning : warnings_) {
    const std::string times =
        warning.count > 1 ? " (" + std::to_string(warning.count) + " times)" : "";
    out.push_back(document_.Describe(warning.at) + warning.text + times);
  }
  if (warnings_left_out_ > 0) {
    out.push_back(document_.Describe({}) + std::to_string(warnings_left_out_) + " more warnings");
  }
  return out;
}

double Context::Angle(double value) const {
  return settings_.degrees ? value * (std::numbers::pi / 180) : value;
}

Vec3d Context::Vector(const Element& element, const char* attribute, const Vec3d& otherwise) const {
  const Attribute* found = element.Find(attribute);
  if (!found) return otherwise;
  const std::vector<double> n = document_.Numbers(*found, 3, 3);
  return {n[0], n[1], n[2]};
}

double Context::Value(const Element& element, const char* attribute, double otherwise) const {
  const Attribute* found = element.Find(attribute);
  return found ? document_.Number(*found) : otherwise;
}

double Context::Amount(const Element& element, const char* attribute, double otherwise) const {
  const double value = Value(element, attribute, otherwise);
  if (value < 0) {
    document_.Fail(element.Find(attribute)->at, "<" + element.tag + "> " + attribute + " is " +
                                                    element.Text(attribute) +
                                                    "; expected 0 or more");
  }
  return value;
}

bool Context::IsTrue(const Element& element, const char* attribute) const {
  const Attribute* found = element.Find(attribute);
  return found && document_.Flag(*found);
}

Quatd Context::EulerAngles(const Attribute& attribute) const {
  const std::vector<double> angles = document_.Numbers(attribute, 3, 3);
  Quatd q = Quatd::Identity();
  for (int i = 0; i < 3; ++i) {
    // Lower case turns about the moving axes, upper case about the fixed ones.
    const char c = settings_.euler_sequence[i];
    const bool moving = c >= 'a';
    const int axis = c - (moving ? 'x' : 'X');
    const Quatd turn = AxisAngle(
        {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0}, Angle(angles[i]));
    q = moving ? q * turn : turn * q;
  }
  return q;
}

Quatd Context::Orientation(const Element& element) const {
  const Attribute* given = nullptr;
  for (const char* name : {"quat", "axisangle", "xyaxes", "zaxis", "euler"}) {
    const Attribute* attribute = element.Find(name);
    if (attribute && given) {
      document_.Fail(attribute->at, "<" + element.tag + "> gives its orientation twice, as " +
                                        given->name + " and " + attribute->name + "; expected one");
    }
    if (attribute) given = attribute;
  }
  if (!given) return Quatd::Identity();
  if (given->name == "euler") return EulerAngles(*given);
  if (given->name == "zaxis") {
    return RotationToZAxis(UnitVector(document_, given->at, Vector(element, "zaxis", {})));
  }
  if (given->name == "xyaxes") {
    const std::vector<double> n = document_.Numbers(*given, 6, 6);
    const Vec3d x = UnitVector(document_, given->at, {n[0], n[1], n[2]});
    const Vec3d y_given{n[3], n[4], n[5]};
    const Vec3d y = UnitVector(document_, given->at, y_given - x * Dot(x, y_given));
    return FromMat3(Mat3d::FromColumns(x, y, Cross(x, y)));
  }
  const std::vector<double> n = document_.Numbers(*given, 4, 4);
  if (given->name == "quat") return UnitQuaternion(document_, given->at, {n[0], n[1], n[2], n[3]});
  return AxisAngle(UnitVector(document_, given->at, {n[0], n[1], n[2]}), Angle(n[3]));
}

Quatd RotationToZAxis(const Vec3d& v) {
  const Vec3d axis = Cross(Vec3d{0, 0, 1}, v);
  const double sine = Norm(axis);
  const Vec3d unit = sine < 1e-10 * Norm(v) ? Vec3d{1, 0, 0} : axis * (1 / sine);
  return AxisAngle(unit, std::atan2(sine, v.z));
}

Quatd UnitQuaternion(const Document& document, const Location& at, const Quatd& q) {
  const double n = Dot(q, q);
  if (std::fabs(n - 1) < 1e-14) return q;
  if (n < 1e-20) document.Fail(at, "the quaternion is zero; expected a unit quaternion (w x y z)");
  return Normalized(q);
}

Vec3d UnitVector(const Document& document, const Location& at, const Vec3d& v) {
  const double n = SquaredNorm(v);
  if (std::fabs(n - 1) < 1e-14) return v;
  if (n < 1e-20) document.Fail(at, "the direction is zero or not determined; expected a vector");
  return Normalized(v);
}

}  // namespace stride::mjcf
