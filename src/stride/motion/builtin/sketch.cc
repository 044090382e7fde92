#include "stride/motion/builtin/sketch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/math/curve.h"
#include "stride/math/rotation.h"

namespace stride {
namespace {

constexpr int kLimbs = 4;
constexpr int kIterations = 14;
constexpr double kTurnSeconds = 0.15;  // as Sketch::settle_seconds, for turning

// A limb's end in one frame, as numbers that can be mixed.
struct End {
  LimbEnd place;
  double toe = 0;
};
struct Offset {
  Vec3d shift, turn;
  double toe = 0;
};
Offset operator-(const End& a, const End& b) {
  return {a.place.position - b.place.position, Log(a.place.rotation * Conjugate(b.place.rotation)),
          a.toe - b.toe};
}
Offset operator*(const Offset& a, double s) { return {a.shift * s, a.turn * s, a.toe * s}; }
Offset operator+(const Offset& a, const Offset& b) {
  return {a.shift + b.shift, a.turn + b.turn, a.toe + b.toe};
}
End Moved(const End& end, const Offset& by) {
  return {{end.place.position + by.shift, Exp(by.turn) * end.place.rotation}, end.toe + by.toe};
}

class Solver {
 public:
  Solver(const HumanRig& rig, const Sketch& sketch)
      : rig_(rig), sketch_(sketch), count_(static_cast<int>(sketch.poses.size())) {
    STRIDE_CHECK(count_ > 0 && sketch.path.size() == sketch.poses.size());
    all_stands_ = sketch.stands;
    IndexStands();
    poses_ = sketch.poses;
    for (int i = 0; i < count_; ++i) poses_[i].pelvis = sketch.path[i];
    lift_.assign(count_, 0.0);
    sink_.assign(count_, 0.0);
  }

  Solved Run() {
    Solved solved;
    std::vector<HumanPose> placed;
    for (int iteration = 0; iteration < kIterations; ++iteration) {
      placed = poses_;
      for (int limb = 0; limb < kLimbs; ++limb) PlaceLimb(limb, &placed);
      solved.frames.clear();
      for (const HumanPose& pose : placed) solved.frames.push_back(rig_.Coordinates(pose));
      if (iteration + 1 < kIterations) MoveBody(solved.frames);
      if (iteration == kIterations / 2) LeaveOutOfReach();
    }
    MakeSignsContinuous(&solved.frames);
    solved.contacts.assign(count_, 0);
    for (const Stand& stand : all_stands_) {
      for (int i = std::max(0, stand.first); i <= std::min(count_ - 1, stand.last); ++i) {
        solved.contacts[i] = static_cast<std::uint8_t>(solved.contacts[i] | (1 << stand.limb));
      }
    }
    return solved;
  }

 private:
  void IndexStands() {
    std::erase_if(all_stands_, [&](const Stand& s) {
      return s.last - s.first < 2 || (s.limb >= 2 && !rig_.HasArms());
    });
    for (auto& stands : stands_) stands.clear();
    for (const Stand& stand : all_stands_) stands_[stand.limb].push_back(&stand);
  }

  // A straight limb would have to bend at once where the body comes nearer: stay a little below.
  double ComfortableReach(int limb) const { return 0.99 * rig_.LimbReach(limb); }

  bool IsOutOfReach(const Stand& stand, int frame) const {
    const int i = std::clamp(frame, 0, count_ - 1);
    const Vec3d way = rig_.LimbRoot(stand.limb, poses_[i]) - Standing(stand, i).place.position;
    const double distance = Norm(way);
    return distance > ComfortableReach(stand.limb) + 0.002 ||
           distance < rig_.LimbBent(stand.limb) - 0.002;
  }

  // Short arms come down nearer to the body, later, or not at all.
  void LeaveOutOfReach() {
    for (Stand& stand : all_stands_) {
      if (stand.limb < 2) continue;
      const auto count_out = [&](const Stand& candidate) {
        int count = 0;
        for (int i = stand.first; i <= stand.last; ++i) count += IsOutOfReach(candidate, i);
        return count;
      };
      Vec3d below;
      for (int i = stand.first; i <= stand.last; ++i) below += rig_.LimbRoot(stand.limb, poses_[i]);
      below *= 1.0 / (stand.last - stand.first + 1);
      Stand best = stand;
      for (int step = 1; step <= 10; ++step) {
        Stand nearer = stand;
        nearer.ground.x += 0.1 * step * (below.x - stand.ground.x);
        nearer.ground.y += 0.1 * step * (below.y - stand.ground.y);
        if (count_out(nearer) < count_out(best)) best = nearer;
      }
      stand = best;
      while (stand.last >= stand.first && IsOutOfReach(stand, stand.first)) ++stand.first;
      while (stand.last >= stand.first && IsOutOfReach(stand, stand.last)) --stand.last;
    }
    IndexStands();
  }

  End Free(int limb, int frame) const {
    const HumanPose& pose = poses_[frame];
    if (limb < 2) return {rig_.FootAt(limb, pose), pose.legs[limb].toe};
    return {{rig_.HandAt(limb - 2, pose), Quatd::Identity()}, 0};
  }
  End Standing(const Stand& stand, int frame) const {
    if (stand.limb >= 2) {
      return {{stand.ground + Vec3d{0, 0, rig_.HandRadius(stand.limb - 2)}, Quatd::Identity()}, 0};
    }
    const double pitch = stand.pitch ? stand.pitch(frame) : 0;
    return {rig_.StandingFoot(stand.ground, stand.heading, pitch), rig_.StandingToe(pitch)};
  }

  // Difference between standing and free end at a border of a stand, and its change over a frame.
  struct Border {
    Offset offset, rate;
  };
  Border BorderAt(const Stand& stand, int frame, int inward) const {
    const auto error = [&](int i) {
      i = std::clamp(i, 0, count_ - 1);
      return Standing(stand, i) - Free(stand.limb, i);
    };
    Border border;
    border.offset = error(frame);
    const Offset next = error(frame + inward), after = error(frame + 2 * inward);
    border.rate = (border.offset * 1.5 + next * -2.0 + after * 0.5) * -inward;
    if (stand.last - stand.first < 2 || frame + 2 * inward < 0 || frame + 2 * inward >= count_) {
      border.rate = (border.offset + next * -1.0) * -inward;
    }
    return border;
  }

  static Vec3d Between(const Vec3d& a, const Vec3d& rate_a, const Vec3d& b, const Vec3d& rate_b,
                       double frames, double u) {
    const auto mix = [&](double x, double dx, double y, double dy) {
      return Hermite(x, dx * frames, y, dy * frames, u);
    };
    return {mix(a.x, rate_a.x, b.x, rate_b.x), mix(a.y, rate_a.y, b.y, rate_b.y),
            mix(a.z, rate_a.z, b.z, rate_b.z)};
  }

  // The swing between two stands; either may be missing.
  void Swing(int limb, const Stand* before, const Stand* after, std::vector<End>* ends) const {
    const int begin = before ? before->last : 0, end = after ? after->first : count_ - 1;
    const int length = end - begin;
    if (length <= 0) return;
    Border left, right;
    if (before) left = BorderAt(*before, begin, -1);
    if (after) right = BorderAt(*after, end, 1);
    // Arms have time: they leave a body that moves on.
    const double settle = sketch_.settle_seconds * (limb < 2 ? 1 : 2);
    const double shift_window = std::min(settle * sketch_.fps, 0.5 * length);
    const double turn_window = std::min(kTurnSeconds * sketch_.fps, 0.5 * length);
    for (int i = begin + (before ? 1 : 0); i < end + (after ? 0 : 1); ++i) {
      Offset by;
      if (i - begin < shift_window) {
        by.shift += Between(left.offset.shift, left.rate.shift, {}, {}, shift_window,
                            (i - begin) / shift_window);
      }
      if (end - i < shift_window) {
        by.shift += Between({}, {}, right.offset.shift, right.rate.shift, shift_window,
                            1 - (end - i) / shift_window);
      }
      if (i - begin < turn_window) {
        const double u = (i - begin) / turn_window;
        by.turn += Between(left.offset.turn, left.rate.turn, {}, {}, turn_window, u);
        by.toe += Hermite(left.offset.toe, left.rate.toe * turn_window, 0, 0, u);
      }
      if (end - i < turn_window) {
        const double u = 1 - (end - i) / turn_window;
        by.turn += Between({}, {}, right.offset.turn, right.rate.turn, turn_window, u);
        by.toe += Hermite(0, 0, right.offset.toe, right.rate.toe * turn_window, u);
      }
      (*ends)[i] = Moved((*ends)[i], by);
    }
    if (limb < 2 && before && after) Clear(limb, begin, end, ends);
    if (limb >= 2 || !(before && after)) KeepAbove(limb, begin, end, ends);
  }

  // Lifts a swinging foot over the ground, most in the middle.
  void Clear(int limb, int begin, int end, std::vector<End>* ends) const {
    const auto bump = [&](int i) {
      const double s = std::sin(std::numbers::pi * (i - begin) / (end - begin));
      return std::min(1.0, 2.5 * s * s);
    };
    double need = 0;
    for (int i = begin + 1; i < end; ++i) {
      const double low = LowestOf(limb, (*ends)[i]);
      if (bump(i) > 0.12) need = std::max(need, sketch_.clearance - low / bump(i));
    }
    for (int i = begin + 1; i < end; ++i) (*ends)[i].place.position.z += need * bump(i);
  }

  double LowestOf(int limb, const End& end) const {
    if (limb < 2) return rig_.LowestPoint(limb, end.place, end.toe);
    return end.place.position.z - rig_.HandRadius(limb - 2);
  }

  // A hand, or a foot that has not stood yet or stands no more, is lifted out of the ground.
  void KeepAbove(int limb, int begin, int end, std::vector<End>* ends) const {
    const int reach = static_cast<int>(0.05 * sketch_.fps);
    std::vector<double> widest(count_, 0.0);
    for (int i = begin; i <= end; ++i) {
      const double low = LowestOf(limb, (*ends)[i]);
      for (int k = std::max(begin, i - reach); k <= std::min(end, i + reach); ++k) {
        widest[k] = std::max(widest[k], -low);
      }
    }
    const std::vector<double> lift = Smoothed(widest, reach);
    for (int i = begin; i <= end; ++i) {
      // None at a stand, where the swing has its end.
      const double from_stand =
          std::min(begin > 0 ? i - begin : count_, end < count_ - 1 ? end - i : count_);
      const double u = std::min(1.0, from_stand / reach);
      (*ends)[i].place.position.z += lift[i] * u * u * (3 - 2 * u);
    }
  }

  void PlaceLimb(int limb, std::vector<HumanPose>* placed) const {
    const std::vector<const Stand*>& stands = stands_[limb];
    if (stands.empty() || (limb >= 2 && !rig_.HasArms())) return;
    std::vector<End> ends(count_);
    for (int i = 0; i < count_; ++i) ends[i] = Free(limb, i);
    const std::vector<End> free = ends;
    for (std::size_t k = 0; k <= stands.size(); ++k) {
      Swing(limb, k > 0 ? stands[k - 1] : nullptr, k < stands.size() ? stands[k] : nullptr, &ends);
    }
    for (const Stand* stand : stands) {
      for (int i = std::max(0, stand->first); i <= std::min(count_ - 1, stand->last); ++i) {
        ends[i] = Standing(*stand, i);
      }
    }
    for (int i = 0; i < count_; ++i) {
      HumanPose& pose = (*placed)[i];
      if (limb < 2) {
        rig_.PlaceFoot(limb, ends[i].place, &pose);
        pose.legs[limb].toe = ends[i].toe;
      } else {
        rig_.PlaceHand(limb - 2, ends[i].place.position, &pose);
      }
    }
  }

  void MoveBody(const std::vector<std::vector<double>>& frames) {
    if (sketch_.rests_on_ground) RaiseLift(frames);
    if (sketch_.sinks_to_reach) LowerSink();
    for (int i = 0; i < count_; ++i) {
      const Vec3d goal = sketch_.path[i] + Vec3d{0, 0, lift_[i] - sink_[i]};
      if (sketch_.com_driven) {
        poses_[i].pelvis += goal - CenterOfMassAt(rig_.character(), frames[i]);
        if (sketch_.pelvis_height) poses_[i].pelvis.z = goal.z;
      } else {
        poses_[i].pelvis = goal;
      }
    }
  }

  // How much the body must sink for its standing limbs to reach the ground, smoothed over time.
  void LowerSink() {
    constexpr double kMost = 0.3;  // m
    std::vector<double> need(count_, 0.0);
    for (const Stand& stand : all_stands_) {
      const double reach = ComfortableReach(stand.limb);
      for (int i = std::max(0, stand.first); i <= std::min(count_ - 1, stand.last); ++i) {
        const Vec3d way = rig_.LimbRoot(stand.limb, poses_[i]) - Standing(stand, i).place.position;
        const double excess =
            way.z - std::sqrt(std::max(0.0, reach * reach - way.x * way.x - way.y * way.y));
        need[i] = std::max(need[i], std::min(kMost, sink_[i] + excess));
      }
    }
    const int reach = static_cast<int>(0.1 * sketch_.fps);
    std::vector<double> widest(count_);
    for (int i = 0; i < count_; ++i) {
      for (int k = std::max(0, i - reach); k <= std::min(count_ - 1, i + reach); ++k) {
        widest[i] = std::max(widest[i], need[k]);
      }
    }
    sink_ = Smoothed(widest, reach);
  }

  // The mean over a window that falls to its ends.
  std::vector<double> Smoothed(const std::vector<double>& values, int reach) const {
    std::vector<double> smooth(count_);
    for (int i = 0; i < count_; ++i) {
      double sum = 0, weights = 0;
      for (int k = -reach; k <= reach; ++k) {
        const double w = 1 + std::cos(std::numbers::pi * k / (reach + 1));
        sum += w * values[std::clamp(i + k, 0, count_ - 1)];
        weights += w;
      }
      smooth[i] = sum / weights;
    }
    return smooth;
  }

  // Whether the point is of a foot, or the tip of a hand, that goes where its stands say: it does
  // not carry the trunk.
  bool IsPlaced(const ContactPoint& point) const {
    const Character& character = rig_.character();
    const auto is = [&](Role role) { return point.body == character.BodyOf(role); };
    const bool left_foot = is(Role::kLeftFoot) || is(Role::kLeftToe);
    const bool right_foot = is(Role::kRightFoot) || is(Role::kRightToe);
    const bool tip = Norm(point.position) > 0.05;  // not the elbow
    const bool left_hand = is(Role::kLeftHand) || (is(Role::kLeftForearm) && tip);
    const bool right_hand = is(Role::kRightHand) || (is(Role::kRightForearm) && tip);
    return (left_foot && !stands_[0].empty()) || (right_foot && !stands_[1].empty()) ||
           (left_hand && !stands_[2].empty()) || (right_hand && !stands_[3].empty());
  }

  // How much the body must rise so that nothing is below the ground, smoothed over time.
  void RaiseLift(const std::vector<std::vector<double>>& frames) {
    const Character& character = rig_.character();
    std::vector<bool> stands_at(count_, false);
    for (const Stand& stand : all_stands_) {
      for (int i = std::max(0, stand.first); i <= std::min(count_ - 1, stand.last); ++i) {
        stands_at[i] = true;
      }
    }
    std::vector<double> need(count_);
    for (int i = 0; i < count_; ++i) {
      const BodyFrames world = FramesAt(character, frames[i]);
      double lowest = 1e30;
      for (const ContactPoint& point : character.contact_points) {
        if (IsPlaced(point)) continue;
        const Vec3d p =
            world.position[point.body] + Rotate(world.rotation[point.body], point.position);
        lowest = std::min(lowest, p.z - point.radius);
      }
      // Where nothing stands, it lies: down to the ground too.
      need[i] = stands_at[i] ? std::max(0.0, lift_[i] - lowest) : lift_[i] - lowest;
    }
    lift_ = Smoothed(need, static_cast<int>(0.08 * sketch_.fps));
  }

  void MakeSignsContinuous(std::vector<std::vector<double>>* frames) const {
    const Character& character = rig_.character();
    const Layout layout = LayoutOf(character);
    for (std::size_t f = 1; f < frames->size(); ++f) {
      for (int b = 0; b < character.BodyCount(); ++b) {
        const JointKind kind = character.bodies[b].joint.kind;
        if (kind == JointKind::kHinge) continue;
        const int at = layout.q[b] + (kind == JointKind::kFree ? 3 : 0);
        double dot = 0;
        for (int k = 0; k < 4; ++k) dot += (*frames)[f][at + k] * (*frames)[f - 1][at + k];
        if (dot >= 0) continue;
        for (int k = 0; k < 4; ++k) (*frames)[f][at + k] = -(*frames)[f][at + k];
      }
    }
  }

  const HumanRig& rig_;
  const Sketch& sketch_;
  const int count_;
  std::vector<Stand> all_stands_;
  std::array<std::vector<const Stand*>, kLimbs> stands_;
  std::vector<HumanPose> poses_;
  std::vector<double> lift_, sink_;
};

}  // namespace

Solved Solve(const HumanRig& rig, const Sketch& sketch) { return Solver(rig, sketch).Run(); }

}  // namespace stride
