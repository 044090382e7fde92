#pragma once

#include <string>
#include <unordered_map>

#include "stride/character/character.h"
#include "stride/character/mjcf_context.h"

// What WriteMjcf keeps in <custom>: numbers that MJCF has no word for, or that rounding would
// change. Internal to character/.
namespace stride::mjcf {

class Custom {
 public:
  explicit Custom(Context* context);

  bool IsWrittenByStride() const { return !entries_.empty(); }
  // Overrides what was read or inferred. Lengths, axes and inertias are taken only where the
  // elements still say the same, so that a file edited by hand means what its elements mean.
  void Apply(Character* character) const;

 private:
  void ApplyBody(const Element& entry, Body* body) const;
  void ApplyPoints(Character* character) const;
  void ApplyRoles(Character* character) const;
  const Element* Find(const std::string& name) const;
  std::vector<double> Data(const Element& entry, std::size_t count) const;

  Context& context_;
  std::unordered_map<std::string, const Element*> entries_;  // without "stride:"
};

}  // namespace stride::mjcf
