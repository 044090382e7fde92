#include "stride/controllers/pendulum/limbs.h"

#include <algorithm>

#include "stride/motion/feet.h"

namespace stride {
namespace {

constexpr std::array<const char*, kMostLimbs> kNames = {"left_foot", "right_foot", "left_hand",
                                                        "right_hand"};

}  // namespace

std::array<LimbParts, kMostLimbs> LimbsOf(const Character& character) {
  std::array<LimbParts, kMostLimbs> limbs;
  const std::array<FootParts, 2> feet = FeetOf(character);
  for (int side = 0; side < 2; ++side) {
    limbs[side] = {kNames[side], feet[side].flag, feet[side].foot, {}};
    limbs[2 + side] = {kNames[2 + side], side == 0 ? kLeftHandDown : kRightHandDown, -1, {}};
  }
  for (const ContactPart& part : OtherParts(character)) {
    for (int side = 0; side < 2; ++side) {
      LimbParts& hand = limbs[2 + side];
      if (part.flag != hand.flag) continue;
      hand.body = part.points[0].body;
      for (const ContactPoint& point : part.points) {
        hand.point += point.position * (1.0 / static_cast<double>(part.points.size()));
      }
    }
  }
  return limbs;
}

std::vector<int> LimbOfPoints(const Character& character) {
  std::vector<int> limb(character.contact_points.size(), -1);
  const std::array<FootParts, 2> feet = FeetOf(character);
  const std::vector<ContactPart> others = OtherParts(character);
  const auto holds = [](const std::vector<ContactPoint>& points, const ContactPoint& point) {
    return std::find(points.begin(), points.end(), point) != points.end();
  };
  for (std::size_t p = 0; p < limb.size(); ++p) {
    const ContactPoint& point = character.contact_points[p];
    for (int side = 0; side < 2; ++side) {
      if (holds(feet[side].sole, point)) limb[p] = side;
      const int flag = side == 0 ? kLeftHandDown : kRightHandDown;
      for (const ContactPart& part : others) {
        if (part.flag == flag && holds(part.points, point)) limb[p] = 2 + side;
      }
    }
  }
  return limb;
}

std::vector<int> LimbOfBodies(const Character& character) {
  std::vector<int> limb(character.BodyCount(), -1);
  const std::vector<int> of_point = LimbOfPoints(character);
  for (std::size_t p = 0; p < of_point.size(); ++p) {
    if (of_point[p] >= 0) limb[character.contact_points[p].body] = of_point[p];
  }
  return limb;
}

}  // namespace stride
