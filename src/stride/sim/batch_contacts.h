#pragma once

#include <vector>

#include "stride/sim/batch.h"

namespace stride {

// Contacts of one lane during the last step, as an engine reports them. `contacts` keeps its
// memory.
inline void ReadContacts(const Batch& batch, int lane, const Character& character,
                         std::vector<Contact>* contacts) {
  contacts->clear();
  for (int k = 0; k < static_cast<int>(character.contact_points.size()); ++k) {
    const Batch::PointForce at = batch.ContactForce(lane, k);
    if (at.depth <= 0) continue;
    contacts->push_back(
        {0, character.contact_points[k].body, -1, -1, at.position, at.normal, at.force, at.depth});
  }
}

}  // namespace stride
