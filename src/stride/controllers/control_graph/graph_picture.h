#pragma once

#include <string>

#include "stride/controllers/control_graph/clip_skill.h"

namespace stride {

// SVG: the nodes of a control graph on a circle, those that rise below, an arrow a transition; the
// redder, the less robust.
std::string GraphSvg(const ClipSkill& skill);

}  // namespace stride
