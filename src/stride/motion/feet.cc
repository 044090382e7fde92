#include "stride/motion/feet.h"

#include <algorithm>
#include <cmath>

#include "stride/core/error.h"

namespace stride {

std::array<FootParts, 2> FeetOf(const Character& character) {
  STRIDE_CHECK(character.IsHuman());
  std::array<FootParts, 2> feet;
  for (const bool left : {true, false}) {
    FootParts& foot = feet[left ? 0 : 1];
    foot.thigh = character.BodyOf(left ? Role::kLeftThigh : Role::kRightThigh);
    foot.shank = character.BodyOf(left ? Role::kLeftShank : Role::kRightShank);
    foot.foot = character.BodyOf(left ? Role::kLeftFoot : Role::kRightFoot);
    foot.toe = character.BodyOf(left ? Role::kLeftToe : Role::kRightToe);
    foot.flag = left ? kLeftFootDown : kRightFootDown;
    for (const ContactPoint& point : character.contact_points) {
      int body = point.body;
      while (body > foot.foot) body = character.bodies[body].parent;
      if (body == foot.foot) foot.sole.push_back(point);
    }
    if (foot.sole.empty()) foot.sole.push_back({foot.foot, {}, 0});
  }
  return feet;
}

std::vector<ContactPart> OtherParts(const Character& character) {
  const std::array<FootParts, 2> feet = FeetOf(character);
  std::vector<ContactPart> parts = {
      {"left_hand", kLeftHandDown, {}}, {"right_hand", kRightHandDown, {}},
      {"trunk", kTrunkDown, {}},        {"head", kHeadDown, {}},
      {"left_knee", kLeftKneeDown, {}}, {"right_knee", kRightKneeDown, {}}};
  const auto is_below = [&](int body, int ancestor) {
    while (body > ancestor) body = character.bodies[body].parent;
    return ancestor >= 0 && body == ancestor;
  };
  const auto part_of = [&](const ContactPoint& point) {
    for (int side = 0; side < 2; ++side) {
      const bool left = side == 0;
      const int hand = character.BodyOf(left ? Role::kLeftHand : Role::kRightHand);
      const int forearm = character.BodyOf(left ? Role::kLeftForearm : Role::kRightForearm);
      const bool at_end =
          hand < 0 && forearm >= 0 && point.body == forearm && Norm(point.position) > 0.1;
      if (at_end || is_below(point.body, hand)) return side;
    }
    if (is_below(point.body, character.BodyOf(Role::kHead))) return 3;
    if (is_below(point.body, feet[0].thigh)) return 4;
    if (is_below(point.body, feet[1].thigh)) return 5;
    return 2;
  };
  for (const ContactPoint& point : character.contact_points) {
    if (is_below(point.body, feet[0].foot) || is_below(point.body, feet[1].foot)) continue;
    parts[part_of(point)].points.push_back(point);
  }
  std::erase_if(parts, [](const ContactPart& part) { return part.points.empty(); });
  return parts;
}

Vec3d TouchingWay(const std::vector<Vec3d>& before, const std::vector<Vec3d>& now) {
  double low_before = before[0].z, low = now[0].z;
  for (std::size_t k = 1; k < now.size(); ++k) {
    low_before = std::min(low_before, before[k].z);
    low = std::min(low, now[k].z);
  }
  Vec3d way;
  double total = 0;
  for (std::size_t k = 0; k < now.size(); ++k) {
    const double height = std::max(before[k].z - low_before, now[k].z - low);
    // Never none: a sole that rocks by more than a centimetre in one frame.
    const double weight = std::clamp((0.010 - height) / 0.005, 1e-6, 1.0);
    way += (now[k] - before[k]) * weight;
    total += weight;
  }
  return way * (1 / total);
}

std::vector<ContactSpan> ContactSpans(const Motion& motion, std::uint8_t flag) {
  std::vector<ContactSpan> spans;
  for (int f = 0; f < motion.FrameCount(); ++f) {
    if (!(motion.contacts[f] & flag)) continue;
    if (spans.empty() || spans.back().last != f - 1) spans.push_back({f, f});
    spans.back().last = f;
  }
  return spans;
}

FootMeasures MeasureFeet(const Character& character, const Motion& motion) {
  const Kinematics kinematics(character);
  const std::array<FootParts, 2> feet = FeetOf(character);
  FootMeasures measures;
  for (const FootParts& foot : feet) {
    measures.contacts += static_cast<int>(ContactSpans(motion, foot.flag).size());
  }
  BodyFrames frames;
  struct Sole {
    std::vector<Vec3d> points, before;
    double lowest = 0;
    Vec3d slip;
    bool down = false;
  };
  std::array<Sole, 2> soles;
  const std::vector<ContactPart> others = OtherParts(character);
  for (int f = 0; f < motion.FrameCount(); ++f) {
    kinematics.Frames(motion.frames[f], &frames);
    for (const ContactPart& part : others) {
      double lowest = 1e9;
      for (const ContactPoint& point : part.points) {
        lowest = std::min(lowest, PointAt(frames, point).z);
      }
      measures.max_body_depth = std::max(measures.max_body_depth, -lowest);
      if (motion.contacts[f] & part.flag) {
        measures.max_other_height = std::max(measures.max_other_height, lowest);
      }
    }
    for (int side = 0; side < 2; ++side) {
      Sole& sole = soles[side];
      std::swap(sole.points, sole.before);
      sole.points.clear();
      sole.lowest = 1e9;
      for (const ContactPoint& point : feet[side].sole) {
        sole.points.push_back(PointAt(frames, point));
        sole.lowest = std::min(sole.lowest, sole.points.back().z);
      }
      measures.max_depth = std::max(measures.max_depth, -sole.lowest);
      const bool down = motion.contacts[f] & feet[side].flag;
      if (down) measures.max_contact_height = std::max(measures.max_contact_height, sole.lowest);
      if (!down || !sole.down) {
        sole.slip = {};
      } else {
        sole.slip += TouchingWay(sole.before, sole.points);
        measures.max_slide = std::max(measures.max_slide, std::hypot(sole.slip.x, sole.slip.y));
      }
      sole.down = down;
    }
  }
  return measures;
}

}  // namespace stride
