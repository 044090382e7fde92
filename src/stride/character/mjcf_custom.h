#pragma once

#include <string>
#include <unordered_map>

#include "stride/character/character.h"
#include "stride/character/mjcf_context.h"

// What stride keeps in <custom>: numbers that MJCF has no word for, or that rounding would change.
// WriteMjcf writes all of it. Who writes a file by hand may give roles or contact points alone:
//   <text name="stride:role:left_foot" data="BODY"/>
//   <numeric name="stride:point:0" data="BODY_INDEX x y z radius"/>
// Internal to character/.
namespace stride::mjcf {

class Custom {
 public:
  explicit Custom(Context* context);

  bool IsWrittenByStride() const { return has_bodies_; }
  // Overrides what was read or inferred. Lengths, axes and inertias are taken only where the
  // elements still say the same, so that a file edited by hand means what its elements mean.
  void Apply(Character* character) const;
  // The roles alone; a file written by stride gives all there are.
  void ApplyRoles(Character* character) const;

 private:
  void ApplyBody(const Element& entry, Body* body) const;
  void ApplyPoints(Character* character) const;
  const Element* Find(const std::string& name) const;
  std::vector<double> Data(const Element& entry, std::size_t count) const;

  Context& context_;
  bool has_bodies_ = false;
  std::unordered_map<std::string, const Element*> entries_;  // without "stride:"
};

}  // namespace stride::mjcf
