#pragma once

#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "stride/character/mjcf_xml.h"
#include "stride/math/vec.h"

// What the parts of the MJCF reader share: the compiler's settings, default classes, warnings, and
// how attributes become values. Internal to character/.
namespace stride::mjcf {

// <compiler>, with MuJoCo's defaults. As in MuJoCo from 2.3 on, a joint with a range is limited
// unless it says otherwise.
struct Settings {
  enum class FromGeom { kAuto, kAlways, kNever };
  bool degrees = true;
  bool auto_limits = true;
  bool balance_inertia = false;
  FromGeom inertia_from_geom = FromGeom::kAuto;
  std::string euler_sequence = "xyz";
  double bound_mass = 0;     // kg
  double bound_inertia = 0;  // kg m^2
  double total_mass = 0;     // kg; 0: as it comes
};

class Context {
 public:
  // Reads <compiler> and <default>, wherever in the file they stand.
  explicit Context(const Document& document);

  const Document& Doc() const { return document_; }
  const Settings& Compiler() const { return settings_; }

  // The element with the attributes of its default class filled in. `kind`: "joint", "geom" or
  // "actuator". `child_class` is the class of the body around it, for elements that name none.
  Element WithDefaults(const Element& element, const std::string& kind,
                       const std::string& child_class) const;
  // Throws if an element names a class that does not exist.
  void CheckClass(const Attribute* name) const;

  // Warnings are counted by `key`: one line for all of a kind, at the first.
  void Warn(const Location& at, const std::string& key, const std::string& text);
  // Warns of attributes that have an effect in MuJoCo but none here, and of those nobody knows.
  void CheckAttributes(const Element& element);
  std::vector<std::string> Warnings() const;

  double Angle(double value) const;  // in the file's unit, to rad
  // Position and orientation; an element has at most one of quat, axisangle, xyaxes, zaxis, euler.
  Vec3d Vector(const Element& element, const char* attribute, const Vec3d& otherwise) const;
  Quatd Orientation(const Element& element) const;
  double Value(const Element& element, const char* attribute, double otherwise) const;
  // As Value, and not negative.
  double Amount(const Element& element, const char* attribute, double otherwise) const;
  bool IsTrue(const Element& element, const char* attribute) const;

 private:
  using Defaults = std::map<std::string, Element>;  // by kind

  void ReadCompiler(const Element& element);
  void ReadDefault(const Element& element, const std::string& parent);
  Quatd EulerAngles(const Attribute& attribute) const;

  struct Warning {
    Location at;
    std::string text;
    int count = 0;
  };
  const Document& document_;
  Settings settings_;
  std::unordered_map<std::string, Defaults> classes_;
  std::unordered_map<std::string, std::size_t> warning_of_key_;
  std::vector<Warning> warnings_;
  int warnings_left_out_ = 0;
};

// Rotation that takes +z to the direction `v` (not zero) as MuJoCo chooses it.
Quatd RotationToZAxis(const Vec3d& v);

// Unit to the last bits stays as it is, so that what was written is read back exactly.
Quatd UnitQuaternion(const Document& document, const Location& at, const Quatd& q);
Vec3d UnitVector(const Document& document, const Location& at, const Vec3d& v);

}  // namespace stride::mjcf
