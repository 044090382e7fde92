#pragma once

#include "stride/math/vec.h"

// Where a picture is seen from.
namespace stride {

struct Camera {
  Vec3d eye{0, -6, 1.2};
  Vec3d target{0, 0, 0.9};
  double field_of_view_deg = 24;  // vertical
  // Above 0: parallel projection of this many metres from the lower edge to the upper.
  double parallel_height = 0;
};

enum class View { kSide, kThreeQuarter, kFront, kTop };

// Looks at `target` (a point that the camera follows) so that `height` metres fill the picture
// there. Side: the character faces right when its heading is `heading`; three-quarter: from ahead
// and above.
Camera LookAt(View view, const Vec3d& target, double height, double heading = 0);

}  // namespace stride
