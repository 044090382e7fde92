#include "stride/motion/travel.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stride/motion/kinematics.h"

namespace stride {

Travel MeasureTravel(const Character& character, const Motion& motion) {
  const Kinematics kinematics(character);
  const int pelvis = std::max(0, character.BodyOf(Role::kPelvis));
  BodyFrames frames;
  double way = 0, turn = 0, last_heading = 0;
  Vec3d last;
  for (int f = 0; f < motion.FrameCount(); ++f) {
    kinematics.Frames(motion.frames[f], &frames);
    const Vec3d& place = frames.position[pelvis];
    const double heading = NearestHeading(frames.rotation[pelvis]);
    if (f > 0) {
      way += std::hypot(place.x - last.x, place.y - last.y);
      turn += std::remainder(heading - last_heading, 2 * std::numbers::pi);
    }
    last = place;
    last_heading = heading;
  }
  const double seconds = motion.Duration();
  return {seconds > 0 ? way / seconds : 0, turn * 180 / std::numbers::pi};
}

}  // namespace stride
