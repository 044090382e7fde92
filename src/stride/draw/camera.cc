#include "stride/draw/camera.h"

#include <cmath>
#include <numbers>

namespace stride {

Camera LookAt(View view, const Vec3d& target, double height, double heading) {
  Camera camera;
  camera.target = target;
  const double distance =
      0.5 * height / std::tan(0.5 * camera.field_of_view_deg * std::numbers::pi / 180);
  Vec3d from;  // unit, from the target to the eye, for a character facing +X
  switch (view) {
    case View::kSide: from = Normalized(Vec3d{0, -1, 0.12}); break;
    case View::kThreeQuarter: from = Normalized(Vec3d{0.8, -0.8, 0.35}); break;
    case View::kFront: from = Normalized(Vec3d{1, 0, 0.12}); break;
    case View::kTop: from = Normalized(Vec3d{-0.001, 0, 1}); break;
  }
  const double c = std::cos(heading), s = std::sin(heading);
  camera.eye = target + Vec3d{c * from.x - s * from.y, s * from.x + c * from.y, from.z} * distance;
  return camera;
}

}  // namespace stride
