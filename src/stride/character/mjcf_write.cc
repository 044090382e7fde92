#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <span>

#include "stride/character/mjcf.h"
#include "stride/core/error.h"
#include "stride/math/rotation.h"

namespace stride {
namespace {

// MuJoCo allows this many degrees of freedom in a body.
constexpr int kMaxJointsPerBody = 6;
// MuJoCo and stride read XML with a library that follows 99 levels: two above the bodies, one in
// them.
constexpr int kMaxBodyDepth = 96;

std::string Escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

// The shortest text that reads back as the same double.
std::string Number(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}
std::string Numbers(std::span<const double> values) {
  std::string out;
  for (const double value : values) out += (out.empty() ? "" : " ") + Number(value);
  return out;
}
std::string Numbers(std::initializer_list<double> values) {
  return Numbers(std::span(values.begin(), values.size()));
}
std::string Numbers(const Vec3d& v) { return Numbers({v.x, v.y, v.z}); }
std::string Numbers(const Quatd& q) { return Numbers({q.w, q.x, q.y, q.z}); }

std::string Attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + Escape(value) + "\"";
}

bool IsDiagonal(const Sym3d& m) { return m.xy == 0 && m.xz == 0 && m.yz == 0; }

struct Principal {
  Quatd rotation = Quatd::Identity();  // principal axes to body axes
  Vec3d moments;
};

// Jacobi's method to the last bit. MuJoCo's own (for fullinertia) stops at rotations of 1e-6 rad,
// which would show in comparisons with it.
Principal PrincipalInertia(const Sym3d& inertia) {
  Sym3d m = inertia;
  Quatd rotation = Quatd::Identity();
  for (int sweep = 0; sweep < 60 && !IsDiagonal(m); ++sweep) {
    const double xy = std::fabs(m.xy), xz = std::fabs(m.xz), yz = std::fabs(m.yz);
    // Rotate the largest off-diagonal element away: about z, y or x.
    double off = m.xy, gap = m.xx - m.yy;
    Vec3d axis{0, 0, 1};
    if (xz > xy && xz >= yz) {
      off = m.xz, gap = m.zz - m.xx, axis = {0, 1, 0};
    } else if (yz > xy) {
      off = m.yz, gap = m.yy - m.zz, axis = {1, 0, 0};
    }
    if (std::fabs(off) < std::numeric_limits<double>::epsilon() * (m.xx + m.yy + m.zz)) break;
    rotation = Normalized(rotation * AxisAngle(axis, 0.5 * std::atan2(2 * off, gap)));
    m = Rotate(ToMat3(Conjugate(rotation)), inertia);
  }
  return {rotation, {m.xx, m.yy, m.zz}};
}

// MuJoCo refuses moments A + B < C even by the last bit, as a flat body has them after rounding.
void RestoreTriangle(Vec3d* moments) {
  double* const m[] = {&moments->x, &moments->y, &moments->z};
  for (int i = 0; i < 3; ++i) {
    const double sum = *m[(i + 1) % 3] + *m[(i + 2) % 3];
    if (*m[i] > sum) *m[i] = sum * (1 - std::numeric_limits<double>::epsilon());
  }
}

class BodyWriter {
 public:
  BodyWriter(const Character& character, const std::string& prefix, const MjcfCollision& collision)
      : character_(character), prefix_(prefix), collision_(collision) {}

  std::string Run() {
    const int count = character_.BodyCount();
    std::vector<int> open;  // massive bodies whose element is not closed yet
    for (int first = 0; first < count;) {
      while (!open.empty() && open.back() != character_.bodies[first].parent) Close(&open);
      int last = first;
      while (character_.bodies[last].mass == 0) ++last;
      if (open.size() >= kMaxBodyDepth) {
        throw InputError("character '" + character_.name + "' is a chain of more than " +
                         std::to_string(kMaxBodyDepth) +
                         " bodies, which no reader of MJCF follows; expected a shorter one");
      }
      Open(first, last);
      open.push_back(last);
      ++depth_;
      first = last + 1;
    }
    while (!open.empty()) Close(&open);
    return out_;
  }

 private:
  void Line(const std::string& text) { out_ += std::string(2 * depth_ + 4, ' ') + text + "\n"; }
  void Close(std::vector<int>* open) {
    open->pop_back();
    --depth_;
    Line("</body>");
  }

  // One element for the links first ... last - 1 without mass and the body they carry.
  void Open(int first, int last) {
    const Body& body = character_.bodies[last];
    if (last - first + 1 > kMaxJointsPerBody) {
      throw InputError("character '" + character_.name + "' body '" + body.name + "' hangs on " +
                       std::to_string(last - first + 1) + " joints; MJCF allows " +
                       std::to_string(kMaxJointsPerBody));
    }
    Vec3d position;
    for (int i = first; i <= last; ++i) position += character_.bodies[i].offset;
    Line("<body" + Attribute("name", prefix_ + body.name) + Attribute("pos", Numbers(position)) +
         ">");
    ++depth_;
    Vec3d anchor = -position;
    for (int i = first; i <= last; ++i) {
      anchor += character_.bodies[i].offset;
      WriteJoint(character_.bodies[i], i == last ? Vec3d{} : anchor);
    }
    WriteInertial(body);
    for (const Shape& shape : body.shapes) WriteGeom(shape);
    --depth_;
  }

  void WriteJoint(const Body& body, const Vec3d& anchor) {
    const Joint& joint = body.joint;
    const std::string name = Attribute("name", prefix_ + body.name);
    if (joint.kind == JointKind::kFree) return Line("<freejoint" + name + "/>");
    std::string text = "<joint" + name + Attribute("pos", Numbers(anchor));
    // A ball joint's range starts at 0 by MuJoCo's rule.
    const bool one_axis = HasOneAxis(joint.kind);
    const bool slide = joint.kind == JointKind::kSlide;
    text += Attribute("type", slide ? "slide" : one_axis ? "hinge" : "ball");
    if (one_axis) text += Attribute("axis", Numbers(joint.axis));
    text += Attribute("limited", joint.limited ? "true" : "false") +
            Attribute("range", Numbers({one_axis ? joint.lower : 0, joint.upper})) +
            Attribute("armature", Number(joint.armature)) +
            Attribute("damping", Number(joint.damping)) +
            Attribute("stiffness", Number(joint.stiffness));
    if (one_axis) text += Attribute("springref", Number(joint.spring_angle));
    Line(text + "/>");
  }

  void WriteInertial(const Body& body) {
    Principal principal = PrincipalInertia(body.inertia);
    RestoreTriangle(&principal.moments);
    Line("<inertial" + Attribute("mass", Number(body.mass)) + Attribute("pos", Numbers(body.com)) +
         Attribute("quat", Numbers(principal.rotation)) +
         Attribute("diaginertia", Numbers(principal.moments)) + "/>");
  }

  void WriteGeom(const Shape& shape) {
    std::string kind = "box", size = Numbers(shape.size);
    if (shape.kind == ShapeKind::kSphere) kind = "sphere", size = Number(shape.size.x);
    if (shape.kind == ShapeKind::kCapsule) {
      kind = "capsule", size = Numbers({shape.size.x, shape.size.y});
    }
    const MjcfCollision bits = shape.collides ? collision_ : MjcfCollision{0, 0};
    Line("<geom" + Attribute("type", kind) + Attribute("size", size) +
         Attribute("pos", Numbers(shape.center)) + Attribute("quat", Numbers(shape.rotation)) +
         Attribute("contype", std::to_string(bits.contype)) +
         Attribute("conaffinity", std::to_string(bits.conaffinity)) + "/>");
  }

  const Character& character_;
  const std::string prefix_;
  const MjcfCollision collision_;
  std::string out_;
  int depth_ = 0;
};

std::string Custom(const char* kind, const std::string& name, const std::string& data) {
  return std::string("    <") + kind + Attribute("name", "stride:" + name) +
         Attribute("data", data) + "/>\n";
}

// See mjcf_custom.cc for the reading side.
std::string CustomSection(const Character& character) {
  std::string out = "  <custom>\n" + Custom("numeric", "format", "1");
  if (!character.description.empty()) out += Custom("text", "description", character.description);
  for (const Body& body : character.bodies) {
    const Vec3d& o = body.offset;
    const Sym3d& m = body.inertia;
    const Joint& j = body.joint;
    out +=
        Custom("numeric", "body:" + body.name,
               Numbers({o.x, o.y, o.z, m.xx, m.xy, m.xz, m.yy, m.yz, m.zz, j.lower, j.upper,
                        j.spring_angle, j.axis.x, j.axis.y, j.axis.z, j.kp, j.kd, j.max_torque}));
  }
  for (std::size_t i = 0; i < character.contact_points.size(); ++i) {
    const ContactPoint& point = character.contact_points[i];
    const Vec3d& p = point.position;
    out += Custom("numeric", "point:" + std::to_string(i),
                  Numbers({static_cast<double>(point.body), p.x, p.y, p.z, point.radius}));
  }
  for (int i = 0; i < static_cast<int>(Role::kCount); ++i) {
    const int body = character.roles[i];
    if (body < 0) continue;
    out += Custom("text", std::string("role:") + RoleName(static_cast<Role>(i)),
                  character.bodies[body].name);
  }
  return out + "  </custom>\n";
}

// A motor a degree of freedom, bounded where the joint is. A ball joint's three turn about the
// child's axes.
std::string ActuatorSection(const Character& character) {
  std::string out;
  for (const Body& body : character.bodies) {
    const Joint& joint = body.joint;
    if (joint.kind == JointKind::kFree) continue;
    std::string bound = Attribute("ctrllimited", "false");
    if (joint.max_torque > 0) {
      bound = Attribute("ctrllimited", "true") +
              Attribute("ctrlrange", Numbers({-joint.max_torque, joint.max_torque}));
    }
    const bool ball = joint.kind == JointKind::kBall;
    for (int axis = 0; axis < DofCount(joint.kind); ++axis) {
      const std::string suffix = ball ? std::string(1, "xyz"[axis]) : "";
      const Vec3d gear{axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
      out += "    <motor" + Attribute("name", body.name + (ball ? ":" : "") + suffix) +
             Attribute("joint", body.name) + (ball ? Attribute("gear", Numbers(gear)) : "") +
             bound + "/>\n";
    }
  }
  return out.empty() ? out : "  <actuator>\n" + out + "  </actuator>\n";
}

}  // namespace

std::string MjcfBodies(const Character& character, const std::string& prefix,
                       const MjcfCollision& collision) {
  return BodyWriter(character, prefix, collision).Run();
}

std::string WriteMjcf(const Character& character) {
  Validate(character);
  return "<mujoco" + Attribute("model", character.name) + ">\n" +
         "  <compiler angle=\"radian\"/>\n" + CustomSection(character) +
         "  <worldbody>\n"
         "    <geom name=\"floor\" type=\"plane\" size=\"0 0 0.05\" friction=\"0.9\"/>\n"
         "    <light name=\"sun\" directional=\"true\" pos=\"0 0 5\" dir=\"0 0 -1\"/>\n" +
         MjcfBodies(character, "") + "  </worldbody>\n" + ActuatorSection(character) +
         "  <keyframe>\n    <key name=\"rest\"" + Attribute("qpos", Numbers(character.rest_q)) +
         "/>\n  </keyframe>\n</mujoco>\n";
}

}  // namespace stride
