#include "stride/character/mjcf_tree.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_set>

#include "stride/character/mjcf_geom.h"
#include "stride/math/rotation.h"

namespace stride::mjcf {
namespace {

constexpr double kSmallestMass = 1e-15;  // kg, MuJoCo's
constexpr int kMaxJointsPerBody = 6;     // MuJoCo's

bool IsJoint(const Element& element) {
  return element.tag == "joint" || element.tag == "freejoint";
}

std::string ChildClass(const Element& body, const std::string& inherited, const Context& context) {
  const Attribute* given = body.Find("childclass");
  context.CheckClass(given);
  return given ? given->value : inherited;
}

// "'torso'", or where it is if it has no name.
std::string NameForMessage(const Element& body) {
  const std::string name = body.Text("name");
  return name.empty() ? "(line " + std::to_string(body.at.line) + ")" : "'" + name + "'";
}

// A body with joints none of whose ancestors has any.
struct Root {
  const Element* body = nullptr;
  Vec3d origin;  // pose of the frame its pos and quat refer to
  Quatd rotation = Quatd::Identity();
  std::string child_class;
  bool top_level = false;
  int first_coordinate = 0;
  int moving_bodies = 0;
};

// Finds the roots and counts the coordinates of the whole model.
class Survey {
 public:
  Survey(Context* context, bool written_by_stride)
      : context_(*context), written_by_stride_(written_by_stride) {
    for (const Element& section : context_.Doc().Root().children) {
      if (section.tag != "worldbody") continue;
      for (const Element& child : section.children) {
        if (child.tag == "geom") Scenery(child, {}, "");
        if (child.tag == "body") Fixed(child, {}, Quatd::Identity(), "", true);
        CheckElement(child, false);
      }
    }
    for (const Element& section : context_.Doc().Root().children) {
      if (section.tag != "contact") continue;
      for (const Element& item : section.children) ReadContact(item);
    }
  }

  const Root& Choose() const {
    const Element& model = context_.Doc().Root();
    if (roots_.empty()) {
      context_.Doc().Fail(model.at,
                          "nothing moves: no body has a joint; expected a body with a <freejoint>");
    }
    const auto is_articulated = [](const Root& root) { return root.moving_bodies > 1; };
    const auto found = std::find_if(roots_.begin(), roots_.end(), is_articulated);
    const bool things_only = found == roots_.end();
    const auto rivals = things_only ? static_cast<std::ptrdiff_t>(roots_.size())
                                    : std::count_if(roots_.begin(), roots_.end(), is_articulated);
    if (rivals == 1) return things_only ? roots_.front() : *found;
    std::string names;
    int listed = 0;
    for (const Root& root : roots_) {
      if (!things_only && !is_articulated(root)) continue;
      if (++listed > 10) continue;
      names += (listed > 1 ? ", " : "") + NameForMessage(*root.body);
    }
    context_.Doc().Fail(model.at,
                        std::to_string(rivals) + " bodies move on their own: " + names +
                            (listed > 10 ? ", ..." : "") +
                            "; expected one character, so keep one and remove the others");
  }

  const std::vector<Root>& Roots() const { return roots_; }
  int Coordinates() const { return coordinates_; }
  bool CoordinatesKnown() const { return coordinates_known_; }
  // Bits of the ground: the first plane, or MuJoCo's defaults.
  int GroundContype() const { return ground_contype_; }
  int GroundConaffinity() const { return ground_conaffinity_; }
  double GroundHeight() const { return ground_height_; }  // z of the first plane
  // A <pair> of <contact> lets them touch, whatever their bits.
  bool IsPairedWithScenery(const std::string& geom) const { return paired_.contains(geom); }

 private:
  void CheckElement(const Element& element, bool in_moving_body) {
    static const std::set<std::string> harmless{"body",     "geom", "joint",  "freejoint",
                                                "inertial", "site", "camera", "light"};
    static const std::set<std::string> structural{"frame", "replicate", "attach"};
    const bool adds_bodies = element.tag == "composite" || element.tag == "flexcomp";
    if (harmless.contains(element.tag)) return;
    if (structural.contains(element.tag) || (adds_bodies && in_moving_body)) {
      context_.Doc().Fail(element.at, "<" + element.tag +
                                          "> is not supported; load the model in MuJoCo "
                                          "and save it, which writes plain bodies");
    }
    if (adds_bodies) coordinates_known_ = false;
    context_.Warn(element.at, "in body " + element.tag,
                  "<" + element.tag + "> is not supported: ignored");
  }

  void ReadContact(const Element& item) {
    const std::string a = item.Text("geom1"), b = item.Text("geom2");
    if (item.tag == "pair" && scenery_.contains(a) != scenery_.contains(b)) {
      paired_.insert(scenery_.contains(a) ? b : a);
      return;
    }
    const std::string name = item.Text("name");
    context_.Warn(item.at, "contact " + item.tag,
                  "<contact> <" + item.tag + ">" + (name.empty() ? "" : " '" + name + "'") +
                      " is ignored: the parts of a character do not collide with each other");
  }

  void Scenery(const Element& geom, const Vec3d& origin, const std::string& child_class) {
    if (const Attribute* name = geom.Find("name")) scenery_.insert(name->value);
    const Element resolved = context_.WithDefaults(geom, "geom", child_class);
    if (resolved.Text("type") == "plane") {
      if (!has_ground_) {
        const Geom plane = ReadGeom(resolved, &context_);
        ground_contype_ = plane.contype;
        ground_conaffinity_ = plane.conaffinity;
        has_ground_ = true;
        ground_height_ = origin.z + context_.Vector(resolved, "pos", {}).z;
        if (ground_height_ != 0) {
          context_.Warn(geom.at, "ground height",
                        "the ground is not at z = 0: it is put there, and the character with it");
        }
      }
      if (written_by_stride_) return;
      context_.Warn(geom.at, "ground", "the ground is not part of a character: left to the world");
    } else {
      context_.Warn(geom.at, "scenery",
                    "a fixed geom is scenery, not part of the character: ignored");
    }
  }

  void Fixed(const Element& body, const Vec3d& origin, const Quatd& rotation,
             const std::string& inherited, bool top_level) {
    if (std::any_of(body.children.begin(), body.children.end(), IsJoint)) {
      roots_.push_back({&body, origin, rotation, inherited, top_level, coordinates_, 0});
      Moving(body, inherited, &roots_.back().moving_bodies);
      return;
    }
    context_.CheckAttributes(body);
    context_.Warn(
        body.at, "fixed body",
        "body " + NameForMessage(body) + " is fixed to the world: not part of the character");
    const std::string child_class = ChildClass(body, inherited, context_);
    const Vec3d here = origin + Rotate(rotation, context_.Vector(body, "pos", {}));
    const Quatd turned = rotation * context_.Orientation(body);
    for (const Element& child : body.children) {
      if (child.tag == "geom") Scenery(child, here, child_class);
      if (child.tag == "body") Fixed(child, here, turned, child_class, false);
      CheckElement(child, false);
    }
  }

  void Moving(const Element& body, const std::string& inherited, int* moving_bodies) {
    const std::string child_class = ChildClass(body, inherited, context_);
    bool moves = false;
    for (const Element& child : body.children) {
      CheckElement(child, true);
      if (child.tag == "body") Moving(child, child_class, moving_bodies);
      if (!IsJoint(child)) continue;
      moves = true;
      const std::string type =
          child.tag == "freejoint"
              ? "free"
              : context_.WithDefaults(child, "joint", child_class).Text("type");
      coordinates_ += type == "free" ? 7 : type == "ball" ? 4 : 1;
    }
    *moving_bodies += moves ? 1 : 0;
  }

  Context& context_;
  const bool written_by_stride_;
  std::vector<Root> roots_;
  int coordinates_ = 0;
  bool coordinates_known_ = true;
  std::set<std::string> scenery_, paired_;  // names of geoms
  bool has_ground_ = false;
  int ground_contype_ = 1, ground_conaffinity_ = 1;
  double ground_height_ = 0;
};

struct MjcfJoint {
  std::string name;
  Location at;
  Joint joint;  // in the MJCF body's frame
  Vec3d anchor;
  double reference_angle = 0;
};

class TreeBuilder {
 public:
  TreeBuilder(Context* context, const Survey& survey, bool written_by_stride)
      : context_(*context), survey_(survey), written_by_stride_(written_by_stride) {}

  Tree Run(const Root& root) {
    const Vec3d origin = root.origin - Vec3d{0, 0, survey_.GroundHeight()};
    AddBody(*root.body, -1, origin, root.rotation, root.child_class, root.top_level);
    ScaleToTotalMass();
    for (std::size_t i = 0; i < tree_.bodies.size(); ++i) {
      Body& body = tree_.bodies[i];
      if (is_link_[i]) continue;
      if (!(mass_[i].mass > kSmallestMass)) {
        context_.Doc().Fail(at_[i],
                            "body '" + body.name +
                                "' moves but has no mass; expected geoms with a density, or an "
                                "<inertial>");
      }
      body.mass = mass_[i].mass;
      body.com = mass_[i].com;
      body.inertia = mass_[i].inertia;
    }
    return std::move(tree_);
  }

 private:
  // `origin` and `rotation`: the MJCF frame of the parent in the frame of body `parent`.
  void AddBody(const Element& element, int parent, const Vec3d& origin, const Quatd& rotation,
               const std::string& inherited, bool may_be_free) {
    context_.CheckAttributes(element);
    if (const Attribute* mocap = element.Find("mocap"); mocap && context_.Doc().Flag(*mocap)) {
      context_.Doc().Fail(
          mocap->at, "a mocap body moves by command, not by forces; expected none in a character");
    }
    CheckName("body", element);
    const std::string child_class = ChildClass(element, inherited, context_);
    const Vec3d here = origin + Rotate(rotation, context_.Vector(element, "pos", {}));
    const Quatd turned = rotation * context_.Orientation(element);

    std::vector<MjcfJoint> joints;
    for (const Element& child : element.children) {
      if (IsJoint(child)) joints.push_back(ReadJoint(child, child_class));
    }
    CheckJoints(element, joints, may_be_free);
    int body = parent;
    Vec3d inside = here;  // the MJCF frame's origin in the frame of `body`
    if (joints.empty()) {
      const std::string name = NameForMessage(element);
      context_.Warn(
          element.at, "merged " + name,
          "body " + name + " has no joint: it is now part of '" + tree_.bodies[parent].name + "'");
    } else {
      body = AddLinks(element, joints, parent, here, turned);
      inside = joints.back().joint.kind == JointKind::kFree
                   ? Vec3d{}
                   : here - (here + Rotate(turned, joints.back().anchor));
    }
    AddMatter(element, child_class, body, inside, turned);
    for (const Element& child : element.children) {
      if (child.tag == "body") AddBody(child, body, inside, turned, child_class, false);
    }
  }

  // A body for each joint; all but the last are links without mass. Returns the last.
  int AddLinks(const Element& element, const std::vector<MjcfJoint>& joints, int parent,
               const Vec3d& here, const Quatd& turned) {
    std::string body_name = element.Text("name");
    if (body_name.empty()) body_name = "body" + std::to_string(tree_.bodies.size());
    Vec3d from;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const MjcfJoint& joint = joints[i];
      const bool last = i + 1 == joints.size();
      Body body;
      body.parent = parent;
      body.joint = joint.joint;
      body.joint.axis = Rotate(turned, joint.joint.axis);
      const Vec3d anchor = here + Rotate(turned, joint.anchor);
      body.offset = anchor - from;
      from = anchor;
      const std::string own = joint.name.empty() ? "joint" + std::to_string(i) : joint.name;
      body.name = Unique(last ? body_name : written_by_stride_ ? own : body_name + "/" + own);
      parent = static_cast<int>(tree_.bodies.size());
      if (!joint.name.empty()) tree_.body_of_joint[joint.name] = parent;
      tree_.bodies.push_back(std::move(body));
      tree_.reference_angle.push_back(joint.reference_angle);
      tree_.rest_rotation.push_back(turned);
      mass_.emplace_back();
      is_link_.push_back(!last);
      at_.push_back(element.at);
    }
    return parent;
  }

  std::string Unique(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 2; !used_names_.insert(name).second; ++i) name = wanted + "_" + std::to_string(i);
    return name;
  }

  void CheckName(const char* kind, const Element& element) {
    const Attribute* name = element.Find("name");
    if (!name || name->value.empty()) return;
    if (!seen_.insert(std::string(kind) + " " + name->value).second) {
      context_.Doc().Fail(name->at, std::string(kind) + " name '" + name->value +
                                        "' is used twice; expected different names");
    }
  }

  MjcfJoint ReadJoint(const Element& element, const std::string& child_class) {
    context_.CheckAttributes(element);
    CheckName("joint", element);
    MjcfJoint out;
    out.name = element.Text("name");
    out.at = element.at;
    if (element.tag == "freejoint") {
      out.joint.kind = JointKind::kFree;
      return out;
    }
    const Element e = context_.WithDefaults(element, "joint", child_class);
    const std::string type = e.Text("type", "hinge");
    if (type != "free" && type != "ball" && type != "hinge" && type != "slide") {
      context_.Doc().Fail(e.at, "joint type \"" + type + "\"; expected free, ball, hinge or slide");
    }
    Joint& joint = out.joint;
    joint.kind = type == "free"    ? JointKind::kFree
                 : type == "ball"  ? JointKind::kBall
                 : type == "hinge" ? JointKind::kHinge
                                   : JointKind::kSlide;
    joint.armature = context_.Amount(e, "armature", 0);
    joint.damping = context_.Amount(e, "damping", 0);
    joint.stiffness = context_.Amount(e, "stiffness", 0);
    if (joint.kind == JointKind::kFree) {
      if (joint.armature > 0 || joint.damping > 0 || joint.stiffness > 0) {
        context_.Warn(e.at, "free joint",
                      "armature, damping and stiffness of a free joint are ignored");
      }
      joint.armature = joint.damping = joint.stiffness = 0;
      return out;
    }
    out.anchor = context_.Vector(e, "pos", {});
    const bool one_axis = HasOneAxis(joint.kind);
    const Vec3d axis = context_.Vector(e, "axis", {0, 0, 1});
    if (one_axis)
      joint.axis = UnitVector(context_.Doc(), e.Find("axis") ? e.Find("axis")->at : e.at, axis);
    ReadRange(e, &joint);
    if (one_axis) {
      out.reference_angle = Coordinate(joint, context_.Value(e, "ref", 0));
      joint.spring_angle =
          Coordinate(joint, context_.Value(e, "springref", 0)) - out.reference_angle;
      joint.lower -= out.reference_angle;
      joint.upper -= out.reference_angle;
      if (out.reference_angle != 0) {
        context_.Warn(e.at, "ref",
                      "ref of a joint: its coordinate is counted from the zero pose instead");
      }
    }
    return out;
  }

  // Of a slide in m, else an angle in the file's unit, to rad.
  double Coordinate(const Joint& joint, double value) const {
    return joint.kind == JointKind::kSlide ? value : context_.Angle(value);
  }

  void ReadRange(const Element& e, Joint* joint) const {
    const Attribute* range = e.Find("range");
    if (range) {
      const std::vector<double> n = context_.Doc().Numbers(*range, 2, 2);
      joint->lower = Coordinate(*joint, n[0]);
      joint->upper = Coordinate(*joint, n[1]);
    }
    const Attribute* limited = e.Find("limited");
    joint->limited = limited && limited->value != "auto" ? context_.Doc().Flag(*limited)
                                                         : range && context_.Compiler().auto_limits;
    if (!joint->limited) return;
    const Location at = range ? range->at : e.at;
    if (joint->kind == JointKind::kBall && joint->lower != 0) {
      context_.Doc().Fail(at,
                          "the range of a ball joint starts at " + range->value + "; expected 0");
    }
    if (!(joint->lower < joint->upper)) {
      context_.Doc().Fail(at,
                          "the joint is limited, but its range is empty; expected lower < upper");
    }
  }

  void CheckJoints(const Element& body, const std::vector<MjcfJoint>& joints,
                   bool may_be_free) const {
    if (joints.size() > kMaxJointsPerBody) {
      context_.Doc().Fail(body.at, "body has " + std::to_string(joints.size()) +
                                       " joints; expected at most " +
                                       std::to_string(kMaxJointsPerBody));
    }
    for (const MjcfJoint& joint : joints) {
      if (joint.joint.kind == JointKind::kFree && !may_be_free) {
        context_.Doc().Fail(joint.at,
                            "a free joint inside the tree; expected it only at the top level");
      }
      if (!HasOneAxis(joint.joint.kind) && joints.size() > 1) {
        context_.Doc().Fail(joint.at,
                            "a free or ball joint beside other joints of one body; expected "
                            "several hinges and slides, or one joint");
      }
    }
  }

  // Geoms and inertia of one MJCF body become those of `body`.
  void AddMatter(const Element& element, const std::string& child_class, int body,
                 const Vec3d& origin, const Quatd& rotation) {
    const Settings& compiler = context_.Compiler();
    MassProperties from_geoms, given;
    bool has_inertial = false;
    for (const Element& child : element.children) {
      if (child.tag == "inertial") {
        if (has_inertial) context_.Doc().Fail(child.at, "a second <inertial>; expected one");
        context_.CheckAttributes(child);
        given = ReadInertial(child, context_);
        has_inertial = true;
      }
      if (child.tag != "geom") continue;
      context_.CheckAttributes(child);
      CheckName("geom", child);
      const Geom geom = ReadGeom(context_.WithDefaults(child, "geom", child_class), &context_);
      from_geoms = Combine(from_geoms, geom.mass);
      if (!geom.shape) {
        context_.Doc().Fail(child.at,
                            "a plane on a moving body; expected planes only in <worldbody>");
      }
      Shape shape = *geom.shape;
      shape.collides = (geom.contype & survey_.GroundConaffinity()) != 0 ||
                       (survey_.GroundContype() & geom.conaffinity) != 0 ||
                       survey_.IsPairedWithScenery(child.Text("name"));
      shape.center = origin + Rotate(rotation, shape.center);
      shape.rotation = rotation * shape.rotation;
      std::vector<Shape>& shapes = tree_.bodies[body].shapes;
      if (geom.flat_cylinder) {
        tree_.flat_cylinders.push_back({body, static_cast<int>(shapes.size())});
      }
      shapes.push_back(shape);
    }
    using FromGeom = Settings::FromGeom;
    const bool use_geoms = compiler.inertia_from_geom == FromGeom::kAlways ||
                           (compiler.inertia_from_geom == FromGeom::kAuto && !has_inertial);
    MassProperties matter = use_geoms ? from_geoms : given;
    matter.mass = std::max(matter.mass, compiler.bound_mass);
    RaiseInertia(compiler.bound_inertia, &matter.inertia);
    mass_[body] = Combine(mass_[body], Move(matter, origin, rotation));
  }

  // MuJoCo bounds the principal moments; bounding the diagonal as much is enough for tiny bodies.
  static void RaiseInertia(double least, Sym3d* inertia) {
    inertia->xx = std::max(inertia->xx, least);
    inertia->yy = std::max(inertia->yy, least);
    inertia->zz = std::max(inertia->zz, least);
  }

  void ScaleToTotalMass() {
    const double wanted = context_.Compiler().total_mass;
    double total = 0;
    for (const MassProperties& m : mass_) total += m.mass;
    if (wanted <= 0 || total <= 0) return;
    for (MassProperties& m : mass_) {
      m.mass *= wanted / total;
      m.inertia = m.inertia * (wanted / total);
    }
  }

  Context& context_;
  const Survey& survey_;
  const bool written_by_stride_;
  Tree tree_;
  // Per body of the tree.
  std::vector<MassProperties> mass_;
  std::vector<bool> is_link_;
  std::vector<Location> at_;
  std::unordered_set<std::string> used_names_, seen_;
};

}  // namespace

Tree ReadTree(Context* context, bool written_by_stride) {
  const Survey survey(context, written_by_stride);
  const Root& root = survey.Choose();
  for (const Root& other : survey.Roots()) {
    if (&other == &root) continue;
    context->Warn(
        other.body->at, "thing",
        "body " + NameForMessage(*other.body) + " moves on its own beside the character: left out");
  }
  Tree tree = TreeBuilder(context, survey, written_by_stride).Run(root);
  tree.ground_height = survey.GroundHeight();
  tree.first_coordinate = root.first_coordinate;
  tree.model_coordinates = survey.Coordinates();
  tree.stands_alone = survey.Roots().size() == 1;
  tree.coordinates_known = survey.CoordinatesKnown();
  return tree;
}

}  // namespace stride::mjcf
