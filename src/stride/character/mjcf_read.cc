#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "stride/character/infer.h"
#include "stride/character/mjcf.h"
#include "stride/character/mjcf_context.h"
#include "stride/character/mjcf_custom.h"
#include "stride/character/mjcf_tree.h"
#include "stride/character/mjcf_xml.h"
#include "stride/character/urdf.h"
#include "stride/core/error.h"
#include "stride/core/file.h"

namespace stride {
namespace mjcf {
namespace {

std::string Described(const Element& element) {
  const std::string name = element.Text("name");
  return "<" + element.tag + ">" + (name.empty() ? "" : " '" + name + "'");
}

// Everything in the file is used, harmless to leave out, or named in a warning.
void CheckSections(Context* context) {
  static const std::set<std::string> used{"compiler", "default", "worldbody", "actuator",
                                          "keyframe", "custom",  "contact"};
  static const std::set<std::string> harmless{"size", "visual", "statistic", "asset", "sensor"};
  static const std::set<std::string> listed{"equality", "tendon", "deformable"};
  for (const Element& section : context->Doc().Root().children) {
    if (used.contains(section.tag) || harmless.contains(section.tag)) continue;
    if (section.tag == "option") {
      context->Warn(section.at, "option",
                    "<option> (time step, gravity, solver) belongs to the world: ignored");
    } else if (listed.contains(section.tag)) {
      for (const Element& item : section.children) {
        context->Warn(item.at, section.tag + Described(item) + std::to_string(item.at.line),
                      "<" + section.tag + "> " + Described(item) + " is not supported: ignored");
      }
    } else {
      context->Warn(section.at, "section " + section.tag,
                    "<" + section.tag + "> is not known: ignored");
    }
  }
}

// What the actuators of one joint say together.
struct Servo {
  bool driven = false;
  bool bounded = true;
  double max_torque = 0, kp = 0, kd = 0;
};

class Actuators {
 public:
  Actuators(Context* context, const Tree& tree)
      : context_(*context), tree_(tree), servos_(tree.bodies.size()) {
    for (const Element& section : context_.Doc().Root().children) {
      if (section.tag != "actuator") continue;
      for (const Element& actuator : section.children) Read(actuator);
    }
  }

  // The character has inferred gains.
  void Apply(Character* character) const {
    if (!any_) return ReleaseRails(character);
    const int rails = RunsOnRails(*character) ? RootBody(*character) : -1;
    for (int i = 0; i < character->BodyCount(); ++i) {
      Joint& joint = character->bodies[i].joint;
      const Servo& servo = servos_[i];
      if (joint.kind == JointKind::kFree) continue;
      if (!servo.driven) {
        joint.kp = joint.kd = 0;
        if (i <= rails) continue;
        context_.Warn(
            context_.Doc().Root().at, "passive",
            "joint of '" + character->bodies[i].name + "' has no actuator: it stays passive");
        continue;
      }
      if (servo.bounded) joint.max_torque = servo.max_torque;
      if (servo.kp > 0) {
        joint.kp = servo.kp;
        // Position actuators without a damping of their own count on the joint's.
        joint.kd = servo.kd > 0 || joint.damping > 0 ? servo.kd : 0.1 * servo.kp;
      } else if (servo.kd > 0) {
        joint.kd = servo.kd;
      }
    }
  }

 private:
  void Read(const Element& actuator) {
    static const std::set<std::string> supported{"motor", "position", "velocity", "general"};
    if (!supported.contains(actuator.tag)) {
      context_.Warn(actuator.at, "actuator " + actuator.tag + actuator.Text("name"),
                    "actuator " + Described(actuator) + " is not supported: ignored");
      return;
    }
    context_.CheckAttributes(actuator);
    const Element e = context_.WithDefaults(actuator, "actuator", "");
    const Attribute* target = e.Find("joint") ? e.Find("joint") : e.Find("jointinparent");
    if (!target) {
      context_.Warn(e.at, "actuator of " + e.Text("name"),
                    "actuator " + Described(e) + " does not drive a joint: ignored");
      return;
    }
    const auto found = tree_.body_of_joint.find(target->value);
    if (found == tree_.body_of_joint.end()) {
      if (!tree_.stands_alone || !tree_.coordinates_known) {
        context_.Warn(e.at, "actuator elsewhere",
                      "actuator " + Described(e) + " drives what is not the character: ignored");
        return;
      }
      context_.Doc().Fail(target->at, "actuator " + Described(e) + " drives the joint '" +
                                          target->value + "', which does not exist");
    }
    if (tree_.bodies[found->second].joint.kind == JointKind::kFree) {
      context_.Warn(e.at, "actuator of root",
                    "actuator " + Described(e) + " drives the free joint: ignored");
      return;
    }
    Add(e, &servos_[found->second]);
    any_ = true;
  }

  void Add(const Element& e, Servo* servo) const {
    // force = gain * control + bias0 + bias1 * length + bias2 * velocity; the joint's torque is
    // gear * force.
    double gain = 1, bias1 = 0, bias2 = 0;
    if (e.tag == "position") {
      gain = context_.Amount(e, "kp", 1);
      bias1 = -gain;
      bias2 = -context_.Amount(e, "kv", 0);
    } else if (e.tag == "velocity") {
      gain = context_.Amount(e, "kv", 1);
      bias2 = -gain;
    } else if (e.tag == "general") {
      if (e.Text("gaintype", "fixed") != "fixed") {
        context_.Warn(e.at, "gaintype",
                      "actuator " + Described(e) + ": only a fixed gain is supported");
      }
      if (const Attribute* a = e.Find("gainprm")) gain = context_.Doc().Numbers(*a, 1, 10)[0];
      if (const Attribute* a = e.Find("biasprm"); a && e.Text("biastype", "none") == "affine") {
        const std::vector<double> n = context_.Doc().Numbers(*a, 1, 10);
        bias1 = n.size() > 1 ? n[1] : 0;
        bias2 = n.size() > 2 ? n[2] : 0;
      }
    }
    const double gear = Gear(e);
    servo->driven = true;
    servo->kp = std::max(servo->kp, -bias1 * gear * gear);
    servo->kd = std::max(servo->kd, -bias2 * gear * gear);
    const double force = Bound(e, "force");
    // A servo's control is an angle or a rate, not a force.
    const double control = bias1 == 0 && bias2 == 0 ? std::fabs(gain) * Bound(e, "ctrl") : INFINITY;
    const double torque = gear * std::min(force, control);
    if (!std::isfinite(torque)) servo->bounded = false;
    // Three motors of a ball joint bound one axis each.
    servo->max_torque = std::max(servo->max_torque, torque);
  }

  double Gear(const Element& e) const {
    const Attribute* gear = e.Find("gear");
    if (!gear) return 1;
    double largest = 0;
    for (const double g : context_.Doc().Numbers(*gear, 1, 6))
      largest = std::max(largest, std::fabs(g));
    return largest;
  }

  // Largest value that "ctrllimited" and "ctrlrange" (or "force...") allow; infinite without a
  // bound.
  double Bound(const Element& e, const std::string& what) const {
    const Attribute* range = e.Find(what + "range");
    const Attribute* limited = e.Find(what + "limited");
    const bool is_limited = limited && limited->value != "auto"
                                ? context_.Doc().Flag(*limited)
                                : range && context_.Compiler().auto_limits;
    if (!is_limited || !range) return INFINITY;
    const std::vector<double> n = context_.Doc().Numbers(*range, 2, 2);
    return std::max(std::fabs(n[0]), std::fabs(n[1]));
  }

  Context& context_;
  const Tree& tree_;
  std::vector<Servo> servos_;
  bool any_ = false;
};

const Element* StandingKey(const Context& context) {
  for (const char* wanted : {"rest", "stand", "standing", "home"}) {
    for (const Element& section : context.Doc().Root().children) {
      if (section.tag != "keyframe") continue;
      for (const Element& key : section.children) {
        if (key.tag == "key" && key.Text("name") == wanted) return &key;
      }
    }
  }
  return nullptr;
}

// The rest pose from a key of MuJoCo's coordinates, turned into ours.
void ApplyKey(const Tree& tree, Context* context, Character* character) {
  const Element* key = StandingKey(*context);
  const Attribute* qpos = key ? key->Find("qpos") : nullptr;
  if (!qpos) return;
  if (!tree.coordinates_known) {
    context->Warn(key->at, "key", "the key cannot be used beside composite bodies: ignored");
    return;
  }
  const std::size_t count = tree.model_coordinates;
  const std::vector<double> all = context->Doc().Numbers(*qpos, count, count);
  const Layout layout = LayoutOf(*character);
  std::vector<double> q(all.begin() + tree.first_coordinate,
                        all.begin() + tree.first_coordinate + layout.nq);
  for (int i = 0; i < character->BodyCount(); ++i) {
    const JointKind kind = character->bodies[i].joint.kind;
    if (HasOneAxis(kind)) {
      q[layout.q[i]] -= tree.reference_angle[i];
      continue;
    }
    if (kind == JointKind::kFree) q[layout.q[i] + 2] -= tree.ground_height;
    double* w = &q[layout.q[i] + (kind == JointKind::kFree ? 3 : 0)];
    const Quatd given = UnitQuaternion(context->Doc(), qpos->at, {w[0], w[1], w[2], w[3]});
    const Quatd& turned = tree.rest_rotation[i];
    // MuJoCo's quaternion places the body's own frame: a free joint's in the world, a ball joint's
    // relative to its zero pose.
    const Quatd ours =
        kind == JointKind::kFree ? given * Conjugate(turned) : turned * given * Conjugate(turned);
    w[0] = ours.w, w[1] = ours.x, w[2] = ours.y, w[3] = ours.z;
  }
  character->rest_q = std::move(q);
}

// What a character cannot touch the ground with is said.
void WarnOfNoContact(const Character& character, Context* context) {
  if (character.contact_points.empty()) {
    context->Warn(context->Doc().Root().at, "no contact",
                  "no shape collides with the ground: without contact points the native engines "
                  "let the character fall through it; let a shape collide (MJCF: contype and "
                  "conaffinity, or stride:point:0 ... in <custom>; URDF: <collision>)");
    return;
  }
  std::string names;
  for (const int body : EndsWithoutContact(character)) {
    names += (names.empty() ? "'" : ", '") + character.bodies[body].name + "'";
  }
  if (names.empty()) return;
  context->Warn(context->Doc().Root().at, "no contact",
                "no shape of " + names + " collides with the ground: no contact points there");
}

// One line of text, whatever the file says.
std::string OneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text;
}

}  // namespace
}  // namespace mjcf

MjcfFile ParseMjcf(const std::string& text, const std::string& file_name,
                   const std::string& include_folder) {
  const mjcf::Document file_content(text, file_name, include_folder);
  const bool is_urdf = file_content.Root().tag == "robot";
  mjcf::UrdfModel urdf;
  if (is_urdf) urdf = mjcf::TranslateUrdf(file_content);
  const mjcf::Document document(file_content, is_urdf ? urdf.mujoco : file_content.Root());
  mjcf::Context context(document);
  for (const mjcf::UrdfWarning& w : urdf.warnings) context.Warn(w.at, w.key, w.text);
  mjcf::CheckSections(&context);
  const mjcf::Custom custom(&context);
  mjcf::Tree tree = mjcf::ReadTree(&context, custom.IsWrittenByStride());

  const std::filesystem::path path(file_name);
  MjcfFile file;
  Character& character = file.character;
  character.name = mjcf::OneLine(document.Root().Text("model", path.stem().string()));
  character.description = mjcf::OneLine("read from " + path.filename().string());
  character.bodies = tree.bodies;
  InferContactPoints(&character, tree.flat_cylinders);
  custom.ApplyRoles(&character);
  InferRoles(&character);
  InferGains(&character);
  InferRestPose(&character);
  mjcf::Actuators(&context, tree).Apply(&character);
  custom.Apply(&character);
  mjcf::ApplyKey(tree, &context, &character);
  if (!custom.IsWrittenByStride()) mjcf::WarnOfNoContact(character, &context);
  try {
    Validate(character);
  } catch (const InputError& error) {
    throw InputError(file_name, 0, error.what());
  }
  file.warnings = context.Warnings();
  return file;
}

MjcfFile ReadMjcf(const std::string& path) {
  const std::filesystem::path normal = std::filesystem::path(path).lexically_normal();
  const std::filesystem::path folder = normal.parent_path();
  return ParseMjcf(ReadFile(path, mjcf::Document::kMaxBytes), normal.string(),
                   folder.empty() ? "." : folder.string());
}

}  // namespace stride
