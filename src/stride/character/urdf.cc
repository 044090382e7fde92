#include "stride/character/urdf.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>

#include "stride/math/rotation.h"

namespace stride::mjcf {
namespace {

constexpr int kMaxDepth = 300;  // links in a chain
constexpr const char* kWorld = "world";

const Element* Child(const Element& element, const char* tag) {
  const auto found = std::find_if(element.children.begin(), element.children.end(),
                                  [&](const Element& child) { return child.tag == tag; });
  return found == element.children.end() ? nullptr : &*found;
}

std::string Numbers(std::initializer_list<double> values) {
  std::string out;
  for (const double value : values) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    out += (out.empty() ? "" : " ") + std::string(buffer, end);
  }
  return out;
}
std::string Numbers(const Vec3d& v) { return Numbers({v.x, v.y, v.z}); }
std::string Numbers(const Quatd& q) { return Numbers({q.w, q.x, q.y, q.z}); }

Element Make(const char* tag, const Location& at) { return {tag, {}, {}, at}; }
void Set(const char* name, const std::string& value, const Location& at, Element* element) {
  element->attributes.push_back({name, value, at});
}

struct Pose {
  Vec3d position;
  Quatd rotation = Quatd::Identity();
};

struct UrdfLink {
  const Element* element = nullptr;
  std::vector<int> children;  // joints
  int parent = -1;            // joint
};
struct UrdfJoint {
  const Element* element = nullptr;
  std::string name, type;
  int parent = -1, child = -1;  // links
};

class Translator {
 public:
  explicit Translator(const Document& urdf) : urdf_(urdf) {}

  UrdfModel Run() {
    const Element& robot = urdf_.Root();
    Collect(robot);
    const int root = FindRoot(robot);
    CheckMasses(root);
    Element compiler = Make("compiler", robot.at);
    Set("angle", "radian", robot.at, &compiler);
    Element world = Make("worldbody", robot.at);
    actuators_ = Make("actuator", robot.at);
    if (links_[root].element->Text("name") == kWorld) {
      for (const int joint : links_[root].children) {
        world.children.push_back(Body(joints_[joint].child, &joints_[joint], 1));
      }
    } else {
      world.children.push_back(Body(root, nullptr, 1));
    }
    Element mujoco = Make("mujoco", robot.at);
    if (const Attribute* name = robot.Find("name")) {
      Set("model", name->value, name->at, &mujoco);
    }
    mujoco.children = {std::move(compiler), std::move(world), std::move(actuators_)};
    return {std::move(mujoco), std::move(warnings_)};
  }

 private:
  [[noreturn]] void Fail(const Location& at, const std::string& message) const {
    urdf_.Fail(at, message);
  }
  void Warn(const Location& at, const std::string& key, const std::string& text) {
    warnings_.push_back({at, key, text});
  }

  const Attribute& Needed(const Element& element, const char* name) const {
    const Attribute* found = element.Find(name);
    if (!found) {
      Fail(element.at, "<" + element.tag + "> has no " + name + "; expected " + name + "=\"...\"");
    }
    return *found;
  }
  double Value(const Element& element, const char* name) const {
    return urdf_.Number(Needed(element, name));
  }
  double Positive(const Element& element, const char* name) const {
    const double value = Value(element, name);
    if (!(value > 0)) {
      Fail(element.Find(name)->at, "<" + element.tag + "> " + name + " is " + element.Text(name) +
                                       "; expected more than 0");
    }
    return value;
  }
  Vec3d Vector(const Element& element, const char* name, const Vec3d& otherwise) const {
    const Attribute* found = element.Find(name);
    if (!found) return otherwise;
    const std::vector<double> n = urdf_.Numbers(*found, 3, 3);
    return {n[0], n[1], n[2]};
  }

  // <origin>: roll, pitch, yaw about the fixed axes X, Y, Z one after the other.
  Pose Origin(const Element& element) const {
    const Element* origin = Child(element, "origin");
    if (!origin) return {};
    const Vec3d rpy = Vector(*origin, "rpy", {});
    Quatd rotation = Quatd::Identity();
    if (!(rpy == Vec3d{})) {
      rotation = Normalized(AxisAngle({0, 0, 1}, rpy.z) * AxisAngle({0, 1, 0}, rpy.y) *
                            AxisAngle({1, 0, 0}, rpy.x));
    }
    return {Vector(*origin, "xyz", {}), rotation};
  }
  static void Place(const Pose& pose, const Location& at, Element* element) {
    Set("pos", Numbers(pose.position), at, element);
    Set("quat", Numbers(pose.rotation), at, element);
  }

  void Collect(const Element& robot) {
    for (const Element& child : robot.children) {
      if (child.tag == "link") {
        const Attribute& name = Needed(child, "name");
        if (!link_of_.emplace(name.value, static_cast<int>(links_.size())).second) {
          Fail(name.at, "link name '" + name.value + "' is used twice; expected different names");
        }
        links_.push_back({&child, {}, -1});
      }
    }
    std::set<std::string> names;
    for (const Element& child : robot.children) {
      if (child.tag == "link" || child.tag == "material") continue;
      if (child.tag.starts_with("xacro:")) {
        Fail(child.at, "<" + child.tag +
                           "> is xacro, from which URDF is made; expected URDF, so "
                           "run `xacro` on this file first");
      }
      if (child.tag != "joint") {
        Warn(child.at, "<" + child.tag + ">", "<" + child.tag + "> is not supported: ignored");
        continue;
      }
      const Attribute& name = Needed(child, "name");
      if (!names.insert(name.value).second) {
        Fail(name.at, "joint name '" + name.value + "' is used twice; expected different names");
      }
      Connect(child, name.value);
    }
  }

  void Connect(const Element& element, const std::string& name) {
    const int index = static_cast<int>(joints_.size());
    UrdfJoint joint{&element, name, Needed(element, "type").value, LinkOf(element, "parent"),
                    LinkOf(element, "child")};
    UrdfLink& child = links_[joint.child];
    if (child.parent >= 0) {
      Fail(element.at, "link '" + child.element->Text("name") + "' hangs on two joints, '" +
                           joints_[child.parent].name + "' and '" + name +
                           "': a loop; expected a tree, so remove one of them");
    }
    child.parent = index;
    links_[joint.parent].children.push_back(index);
    joints_.push_back(std::move(joint));
  }

  int LinkOf(const Element& joint, const char* tag) const {
    const Element* end = Child(joint, tag);
    if (!end) {
      Fail(joint.at, "joint '" + joint.Text("name") + "' has no <" + tag + ">; expected <" + tag +
                         " link=\"...\"/>");
    }
    const Attribute& name = Needed(*end, "link");
    const auto found = link_of_.find(name.value);
    if (found == link_of_.end()) {
      Fail(name.at, "joint '" + joint.Text("name") + "' has the " + tag + " '" + name.value +
                        "', which is no link of this file");
    }
    return found->second;
  }

  int FindRoot(const Element& robot) const {
    std::vector<int> roots;
    for (int i = 0; i < static_cast<int>(links_.size()); ++i) {
      if (links_[i].parent < 0) roots.push_back(i);
    }
    if (links_.empty()) Fail(robot.at, "has no <link>; expected at least one");
    if (roots.empty()) {
      Fail(links_[0].element->at,
           "every link hangs on another: a loop; expected one link that is no joint's child");
    }
    if (roots.size() > 1) {
      std::string names;
      for (std::size_t i = 0; i < std::min<std::size_t>(roots.size(), 10); ++i) {
        names += (i > 0 ? ", '" : "'") + links_[roots[i]].element->Text("name") + "'";
      }
      Fail(links_[roots[1]].element->at,
           std::to_string(roots.size()) + " links hang on nothing: " + names +
               "; expected one root, so connect the others by joints or remove them");
    }
    // With one root, what it does not reach hangs on itself.
    std::vector<bool> reached(links_.size(), false);
    std::vector<int> open = {roots[0]};
    while (!open.empty()) {
      const int link = open.back();
      open.pop_back();
      reached[link] = true;
      for (const int joint : links_[link].children) open.push_back(joints_[joint].child);
    }
    const auto lost = std::find(reached.begin(), reached.end(), false);
    if (lost != reached.end()) {
      const Element& link = *links_[lost - reached.begin()].element;
      Fail(link.at, "link '" + link.Text("name") +
                        "' is part of a loop that hangs on nothing; expected a tree");
    }
    return roots[0];
  }

  double MassOf(int link) const {
    const Element* inertial = Child(*links_[link].element, "inertial");
    const Element* mass = inertial ? Child(*inertial, "mass") : nullptr;
    return mass ? Value(*mass, "value") : 0;
  }

  // What moves as one (a link and what is fixed to it) must have a mass.
  void CheckMasses(int root) const {
    const bool on_world = links_[root].element->Text("name") == kWorld;
    for (int i = 0; i < static_cast<int>(links_.size()); ++i) {
      const bool is_root = i == root;
      if (is_root ? on_world : joints_[links_[i].parent].type == "fixed") continue;
      double mass = 0;
      std::vector<int> open = {i};
      while (!open.empty()) {
        const int link = open.back();
        open.pop_back();
        mass += MassOf(link);
        for (const int joint : links_[link].children) {
          if (joints_[joint].type == "fixed") open.push_back(joints_[joint].child);
        }
      }
      if (mass > 0) continue;
      const Element& link = *links_[i].element;
      Fail(link.at, "link '" + link.Text("name") +
                        "' moves, but neither it nor what is fixed to it has a mass; expected "
                        "<inertial> with <mass value=\"kg\"/> and <inertia .../>");
    }
  }

  // `joint`: what the link hangs on; null for a free root.
  Element Body(int index, const UrdfJoint* joint, int depth) {
    const UrdfLink& link = links_[index];
    const Element& source = *link.element;
    if (depth > kMaxDepth) {
      Fail(source.at,
           "a chain of more than " + std::to_string(kMaxDepth) + " links; expected a shorter one");
    }
    Element body = Make("body", source.at);
    Set("name", source.Text("name"), source.at, &body);
    if (joint) {
      Place(Origin(*joint->element), joint->element->at, &body);
      AddJoint(*joint, depth == 1, &body);
    } else {
      body.children.push_back(Make("freejoint", source.at));
    }
    AddInertial(source, &body);
    AddShapes(source, &body);
    for (const int child : link.children) {
      body.children.push_back(Body(joints_[child].child, &joints_[child], depth + 1));
    }
    return body;
  }

  void AddJoint(const UrdfJoint& joint, bool at_root, Element* body) {
    const Element& source = *joint.element;
    if (const Element* mimic = Child(source, "mimic")) {
      Warn(mimic->at, "mimic",
           "joint '" + joint.name + "' mimics '" + mimic->Text("joint") +
               "': that is not supported, it moves on its own");
    }
    for (const char* tag : {"safety_controller", "calibration"}) {
      if (const Element* found = Child(source, tag)) {
        Warn(found->at, tag, std::string("<") + tag + "> is not supported: ignored");
      }
    }
    if (joint.type == "fixed") return;
    if (joint.type == "floating") {
      if (!at_root) {
        Fail(source.at, "joint '" + joint.name +
                            "' floats inside the tree; expected it only at the root, with the "
                            "parent \"world\"");
      }
      body->children.push_back(Make("freejoint", source.at));
      return;
    }
    const Element* axis_element = Child(source, "axis");
    const Vec3d axis = axis_element ? Vector(*axis_element, "xyz", {1, 0, 0}) : Vec3d{1, 0, 0};
    const Location axis_at = axis_element ? axis_element->at : source.at;
    if (!(Norm(axis) > 1e-10)) {
      Fail(axis_at, "the axis of joint '" + joint.name + "' is zero; expected a direction");
    }
    if (joint.type == "planar") {
      // In the plane across the axis, then about it.
      const Quatd turn = RotationBetween({0, 0, 1}, Normalized(axis));
      AddAxis(joint, "slide", joint.name + "_x", Rotate(turn, Vec3d{1, 0, 0}), body);
      AddAxis(joint, "slide", joint.name + "_y", Rotate(turn, Vec3d{0, 1, 0}), body);
      AddAxis(joint, "hinge", joint.name, axis, body);
      return;
    }
    if (joint.type != "revolute" && joint.type != "continuous" && joint.type != "prismatic") {
      Fail(source.Find("type")->at,
           "joint '" + joint.name + "' has the type \"" + joint.type +
               "\"; expected revolute, continuous, prismatic, fixed, floating or planar");
    }
    AddAxis(joint, joint.type == "prismatic" ? "slide" : "hinge", joint.name, axis, body);
  }

  void AddAxis(const UrdfJoint& joint, const char* kind, const std::string& name, const Vec3d& axis,
               Element* body) {
    const Element& source = *joint.element;
    Element out = Make("joint", source.at);
    Set("name", name, source.at, &out);
    Set("type", kind, source.at, &out);
    Set("axis", Numbers(axis), source.at, &out);
    const Element* limit = Child(source, "limit");
    const bool limited = joint.type == "revolute" || joint.type == "prismatic";
    if (limited) {
      if (!limit) {
        Fail(source.at, "joint '" + joint.name + "' is " + joint.type +
                            " but has no <limit>; expected <limit lower=\"\" upper=\"\" "
                            "effort=\"\" velocity=\"\"/>, or the type continuous");
      }
      const auto bound = [&](const char* end) {
        const Attribute* found = limit->Find(end);
        return found ? urdf_.Number(*found) : 0.0;
      };
      const double lower = bound("lower"), upper = bound("upper");
      if (!(lower < upper)) {
        Fail(limit->at, "joint '" + joint.name + "' has the limits " + Numbers({lower, upper}) +
                            "; expected lower < upper, or the type fixed");
      }
      Set("range", Numbers({lower, upper}), limit->at, &out);
    }
    Set("limited", limited ? "true" : "false", source.at, &out);
    if (const Element* dynamics = Child(source, "dynamics")) {
      if (dynamics->Find("damping")) {
        Set("damping", Numbers({Value(*dynamics, "damping")}), dynamics->at, &out);
      }
      if (dynamics->Find("friction") && Value(*dynamics, "friction") != 0) {
        Warn(dynamics->at, "friction", "<dynamics> friction is not supported: ignored");
      }
    }
    if (limit && limit->Find("velocity")) {
      Warn(limit->at, "velocity", "<limit> velocity is not supported: no joint is slowed down");
    }
    body->children.push_back(std::move(out));
    if (joint.type != "planar") AddMotor(joint, limit);
  }

  void AddMotor(const UrdfJoint& joint, const Element* limit) {
    const Location at = limit ? limit->at : joint.element->at;
    Element motor = Make("motor", at);
    Set("joint", joint.name, at, &motor);
    const double effort = limit && limit->Find("effort") ? Value(*limit, "effort") : 0;
    if (effort < 0) {
      Fail(at, "joint '" + joint.name + "' has a negative effort; expected the largest torque");
    }
    if (limit && limit->Find("effort") && effort == 0) {
      Warn(at, "effort",
           "joint '" + joint.name + "' has an effort of 0: its torque is not bounded");
    }
    if (effort > 0) {
      Set("ctrllimited", "true", at, &motor);
      Set("ctrlrange", Numbers({-effort, effort}), at, &motor);
    }
    actuators_.children.push_back(std::move(motor));
  }

  void AddInertial(const Element& link, Element* body) const {
    const Element* source = Child(link, "inertial");
    Element out = Make("inertial", source ? source->at : link.at);
    Pose pose;
    double mass = 0;
    Sym3d inertia;
    if (source) {
      const Element* mass_element = Child(*source, "mass");
      if (!mass_element) {
        Fail(source->at, "the <inertial> of '" + link.Text("name") +
                             "' has no <mass>; expected <mass value=\"kg\"/>");
      }
      mass = Value(*mass_element, "value");
      if (mass < 0) Fail(mass_element->at, "the mass is negative; expected 0 or more kg");
      const Element* moments = Child(*source, "inertia");
      if (mass > 0 && !moments) {
        Fail(source->at, "the <inertial> of '" + link.Text("name") +
                             "' has no <inertia>; expected <inertia ixx=\"\" ixy=\"\" ixz=\"\" "
                             "iyy=\"\" iyz=\"\" izz=\"\"/>");
      }
      if (moments) {
        const auto off = [&](const char* name) {
          return moments->Find(name) ? Value(*moments, name) : 0;
        };
        inertia = {Value(*moments, "ixx"), off("ixy"), off("ixz"),
                   Value(*moments, "iyy"), off("iyz"), Value(*moments, "izz")};
        out.at = moments->at;
      }
      pose = Origin(*source);
    }
    // MJCF's full inertia is given in the body's axes.
    const Sym3d m = Rotate(ToMat3(pose.rotation), inertia);
    Set("pos", Numbers(pose.position), out.at, &out);
    Set("mass", Numbers({mass}), out.at, &out);
    Set("fullinertia", Numbers({m.xx, m.yy, m.zz, m.xy, m.xz, m.yz}), out.at, &out);
    body->children.push_back(std::move(out));
  }

  void AddShapes(const Element& link, Element* body) {
    const bool collides = Child(link, "collision") != nullptr;
    for (const Element& child : link.children) {
      if (child.tag != (collides ? "collision" : "visual")) continue;
      const Element* geometry = Child(child, "geometry");
      if (!geometry || geometry->children.empty()) {
        Fail(child.at, "<" + child.tag + "> of '" + link.Text("name") +
                           "' has no <geometry>; expected a box, sphere or cylinder in one");
      }
      const Element& solid = geometry->children.front();
      if (solid.tag == "mesh") {
        Warn(solid.at, "mesh " + child.tag,
             collides ? "link '" + link.Text("name") +
                            "' collides as a mesh, which is not supported: it touches nothing "
                            "there; add boxes, spheres or cylinders as <collision>"
                      : "link '" + link.Text("name") +
                            "' is drawn as a mesh, which is not supported: it is not drawn");
        continue;
      }
      Element geom = Make("geom", solid.at);
      if (solid.tag == "box") {
        const Vec3d size = Vector(Sized(solid), "size", {}) * 0.5;
        Set("type", "box", solid.at, &geom);
        Set("size", Numbers(size), solid.at, &geom);
      } else if (solid.tag == "sphere") {
        Set("type", "sphere", solid.at, &geom);
        Set("size", Numbers({Positive(solid, "radius")}), solid.at, &geom);
      } else if (solid.tag == "cylinder" || solid.tag == "capsule") {
        Set("type", solid.tag, solid.at, &geom);
        Set("size", Numbers({Positive(solid, "radius"), 0.5 * Positive(solid, "length")}), solid.at,
            &geom);
      } else {
        Fail(solid.at, "<" + solid.tag +
                           "> is no known geometry; expected box, sphere, cylinder, capsule or "
                           "mesh");
      }
      Place(Origin(child), solid.at, &geom);
      Set("mass", "0", solid.at, &geom);
      const char* bits = collides ? "1" : "0";
      Set("contype", bits, solid.at, &geom);
      Set("conaffinity", bits, solid.at, &geom);
      body->children.push_back(std::move(geom));
    }
  }
  const Element& Sized(const Element& box) const {
    Needed(box, "size");
    return box;
  }

  const Document& urdf_;
  std::vector<UrdfLink> links_;
  std::vector<UrdfJoint> joints_;
  std::map<std::string, int> link_of_;
  Element actuators_;
  std::vector<UrdfWarning> warnings_;
};

}  // namespace

UrdfModel TranslateUrdf(const Document& urdf) { return Translator(urdf).Run(); }

}  // namespace stride::mjcf
