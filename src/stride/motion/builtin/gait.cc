#include "stride/motion/builtin/gait.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stride/character/rest_pose.h"
#include "stride/math/curve.h"
#include "stride/math/rotation.h"
#include "stride/motion/builtin/sketch.h"

namespace stride {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kDegree = kPi / 180;
constexpr double kGravity = 9.81;
constexpr double kFps = 60;
constexpr double kStraightKnee = 4 * kDegree;
constexpr double kStraightRunningKnee = 14 * kDegree;
constexpr Vec3d kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};

struct Swinger {                 // an angle that goes to and fro once a stride
  double back = 0, forward = 0;  // rad
  double At(double share) const { return back + (forward - back) * share; }
};

// The numbers of a gait file in radians, metres and seconds, for legs of the reference length.
struct Gait {
  double speed, stride_seconds, stance, ahead;
  Curve hip, knee, ankle;  // over the cycle, 0 to 1
  Curve pitch;             // of the standing foot, over the published stance
  double published_stance;
  double step_width, toe_out, turn, clearance;
  double yaw, list, sway, pelvis_tilt;
  double lean, counter_yaw;
  Swinger arm, elbow;
  double arm_spread, arm_inward, arm_lag;
  bool backward;
  bool runs() const { return stance < 0.5; }
  // A shortened stance is shortened at its end, where the foot rolls off.
  double PitchAt(double cycle) const {
    constexpr double kRoll = 0.3;  // of the cycle
    const double start = std::min(kRoll, 0.5 * stance);
    if (cycle <= start) return pitch.At(cycle);
    return pitch.At(start + (cycle - start) * (published_stance - start) / (stance - start));
  }
};

Curve CycleCurve(const KeyObject& file, const char* key, double low, double high) {
  std::vector<double> times, values;
  for (const auto& [time, value] : file.Keys(key, 0, 99.9, low, high)) {
    times.push_back(time / 100);
    values.push_back(value * kDegree);
  }
  return Curve::Periodic(times, values, 1);
}

Gait ReadGait(const KeyObject& file) {
  file.AllowOnly({"kind", "about", "sources", "speed", "steps_per_minute", "stance", "ahead", "hip",
                  "knee", "ankle", "foot_pitch", "step_width", "toe_out", "turn", "clearance",
                  "pelvis", "trunk", "arms", "backward"});
  Gait g;
  g.speed = file.Number("speed", 0, 8);
  g.stride_seconds = 120 / file.Number("steps_per_minute", 30, 300);
  g.stance = file.Number("stance", 20, 80) / 100;
  g.published_stance = g.stance;
  g.ahead = file.Number("ahead", 0, 1);
  g.hip = CycleCurve(file, "hip", -60, 120);
  g.knee = CycleCurve(file, "knee", 2, 150);
  g.ankle = CycleCurve(file, "ankle", -60, 50);
  std::vector<double> times, values;
  for (const auto& [time, value] : file.Keys("foot_pitch", 0, 100, -75, 45)) {
    times.push_back(time / 100);
    values.push_back(value * kDegree);
  }
  const auto slope =
      [&](std::size_t i) {  // of the chord, so that the foot arrives and leaves rolling
        return times.size() < 2 ? 0 : (values[i + 1] - values[i]) / (times[i + 1] - times[i]);
      };
  g.pitch = Curve(times, values, slope(0), times.size() < 2 ? 0 : slope(times.size() - 2));
  g.step_width = file.Number("step_width", 0, 0.5);
  g.toe_out = file.Number("toe_out", -30, 45) * kDegree;
  g.turn = file.Number("turn", -360, 360, 0) * kDegree;
  g.clearance = file.Number("clearance", 0, 0.3, 0.012);
  g.backward = file.Flag("backward", false);
  const KeyObject pelvis = file.Object("pelvis"), trunk = file.Object("trunk"),
                  arms = file.Object("arms");
  pelvis.AllowOnly({"yaw", "list", "sway", "tilt"});
  g.yaw = pelvis.Number("yaw", 0, 30) * kDegree;
  g.list = pelvis.Number("list", 0, 20) * kDegree;
  g.sway = pelvis.Number("sway", 0, 0.2);
  g.pelvis_tilt = pelvis.Number("tilt", -20, 30) * kDegree;
  trunk.AllowOnly({"lean", "counter_yaw"});
  g.lean = trunk.Number("lean", -20, 40) * kDegree;
  g.counter_yaw = trunk.Number("counter_yaw", 0, 40) * kDegree;
  arms.AllowOnly({"shoulder", "elbow", "spread", "inward", "lag"});
  const std::vector<double> shoulder = arms.Numbers("shoulder", 2, -90, 150);
  const std::vector<double> elbow = arms.Numbers("elbow", 2, 0, 140);
  g.arm = {shoulder[0] * kDegree, shoulder[1] * kDegree};
  g.elbow = {elbow[0] * kDegree, elbow[1] * kDegree};
  g.arm_spread = arms.Number("spread", 0, 90) * kDegree;
  g.arm_inward = arms.Number("inward", -90, 90) * kDegree;
  g.arm_lag = arms.Number("lag", -30, 30, 0) / 100;
  return g;
}

class GaitMaker {
 public:
  GaitMaker(const Gait& gait, const HumanRig& rig) : g_(gait), rig_(rig) {
    const double k = rig.Scale();
    // An even number of frames a stride, so that both steps are alike.
    frames_ =
        2 *
        std::max(8, static_cast<int>(std::lround(0.5 * g_.stride_seconds * std::sqrt(k) * kFps)));
    seconds_ = frames_ / kFps;
    stride_ = g_.speed * g_.stride_seconds * k;
    width_ = g_.step_width * k;
    sway_ = g_.sway * k;
  }

  Motion Make() {
    FitToFeet();
    sketch_.fps = kFps;
    sketch_.com_driven = g_.runs();
    sketch_.clearance = g_.clearance * rig_.Scale();
    if (g_.runs()) sketch_.settle_seconds = 0.13;  // swings are shorter
    const int total = 3 * frames_ + 1;
    for (int i = 0; i < total; ++i) sketch_.poses.push_back(PoseAt(Cycle(i)));
    AddStands(total);
    if (g_.runs()) {
      // The centre of mass of a runner is not where that of a standing human is: find out.
      double above = rig_.ComHeight() - rig_.HipHeight(), lower = 0;
      for (int pass = 0; pass < 4; ++pass) {
        SetRunPath(above - lower);
        const Solved solved = Solve(rig_, sketch_);
        lower += OutOfReach(solved);
        above = ComAbovePelvis(solved);
      }
      SetRunPath(above - lower);
    } else {
      SetWalkPath();
    }
    const Solved solved = Solve(rig_, sketch_);
    Motion motion;
    motion.fps = kFps;
    motion.loops = true;
    motion.frames.assign(solved.frames.begin() + frames_, solved.frames.begin() + 2 * frames_ + 1);
    motion.contacts.assign(solved.contacts.begin() + frames_,
                           solved.contacts.begin() + 2 * frames_ + 1);
    if (g_.backward) {
      std::reverse(motion.frames.begin(), motion.frames.end());
      std::reverse(motion.contacts.begin(), motion.contacts.end());
      const Vec3d start{motion.frames[0][0], motion.frames[0][1], 0};
      for (std::vector<double>& q : motion.frames) MovePose(rig_.character(), 0, -start, &q);
    }
    motion.contacts.back() = motion.contacts.front();
    return motion;
  }

 private:
  // Share of the cycle since the first left foot strike; the motion is cut from cycle 1 to 2.
  double Cycle(double frame) const { return (frame - frames_) / frames_; }

  // A place on the path of the body, which is straight or a circle.
  Vec3d OnPath(double cycle, double aside) const {
    const double heading = g_.turn * cycle;
    const double chord = std::fabs(heading) < 1e-9 ? 1 : std::sin(0.5 * heading) / (0.5 * heading);
    const Vec3d along = Rotate(AxisAngle(kZ, 0.5 * heading), Vec3d{stride_ * cycle * chord, 0, 0});
    return along + Rotate(AxisAngle(kZ, heading), Vec3d{0, aside, 0});
  }

  HumanPose PoseAt(double cycle) const {
    const double phase = 2 * kPi * cycle;
    // Into the curve, as a bicycle does.
    const double speed = stride_ / seconds_, yaw_rate = g_.turn / seconds_;
    const double bank = std::atan(speed * yaw_rate / kGravity);
    HumanPose pose;
    const double yaw = -g_.yaw * std::cos(phase);
    const double list = g_.list * std::sin(phase + 0.35);
    const Quatd path = AxisAngle(kZ, g_.turn * cycle);
    pose.rotation = path * AxisAngle(kZ, yaw) * AxisAngle(kY, g_.pelvis_tilt) * AxisAngle(kX, list);
    // The trunk turns against the pelvis, leans, and stays level sideways; the head looks ahead.
    const Quatd trunk = AxisAngle(kX, -bank) * AxisAngle(kZ, g_.counter_yaw * std::cos(phase)) *
                        AxisAngle(kY, g_.lean) * AxisAngle(kX, -0.25 * list);
    pose.spine = Conjugate(pose.rotation) * path * trunk;
    const Quatd head =
        AxisAngle(kX, -0.5 * bank) * AxisAngle(kY, 0.35 * g_.lean) * AxisAngle(kZ, 0.12 * g_.turn);
    pose.neck = Conjugate(trunk) * head;
    for (int side = 0; side < 2; ++side) {
      const double own = cycle + (side == kLeftSide ? 0 : 0.5);
      const double sign = SignOf(side);
      LegPose& leg = pose.legs[side];
      // Flexion is measured against the vertical; the pelvis' tilt is taken off again.
      leg.hip =
          AxisAngle(kY, -g_.hip.At(own) - g_.pelvis_tilt) * AxisAngle(kZ, sign * 0.7 * g_.toe_out);
      leg.knee = g_.knee.At(own);
      leg.ankle = AxisAngle(kY, -g_.ankle.At(own)) * AxisAngle(kZ, sign * 0.3 * g_.toe_out);
      // An arm is foremost when the leg of its side is hindmost.
      const double share = 0.5 - 0.5 * std::cos(2 * kPi * (own - g_.arm_lag));
      ArmPose& arm = pose.arms[side];
      arm.shoulder = AxisAngle(kY, -g_.arm.At(share) - g_.lean) *
                     AxisAngle(kX, sign * g_.arm_spread) *
                     AxisAngle(kZ, -sign * g_.arm_inward * (0.4 + 0.6 * share));
      arm.elbow = g_.elbow.At(share);
    }
    return pose;
  }

  void AddStands(int total) {
    for (int side = 0; side < 2; ++side) {
      for (int k = 0; k < 5; ++k) {
        Stand stand;
        stand.limb = side;
        const double strike = k - 2 + (side == kLeftSide ? 0 : 0.5);  // in cycles
        const int first = frames_ * (k - 1) + (side == kLeftSide ? 0 : frames_ / 2);
        stand.first = first;
        stand.last = first + static_cast<int>(std::lround(g_.stance * frames_));
        if (stand.first >= total || stand.last < 0) continue;
        const double over = strike + 0.5 * g_.ahead;  // the body passes over the foot
        stand.ground = OnPath(over, SignOf(side) * 0.5 * width_);
        stand.heading = g_.turn * over + SignOf(side) * g_.toe_out;
        stand.pitch = [this, first](int frame) {
          return g_.PitchAt(double(frame - first) / frames_);
        };
        sketch_.stands.push_back(stand);
      }
    }
  }

  Vec3d Ground(double cycle) const {
    return OnPath(cycle, sway_ * std::sin(2 * kPi * (cycle - 0.02)));
  }

  // Height of the pelvis at which a standing leg has that knee angle; `own` is its share of the
  // cycle since foot strike, from 0 to stance.
  double HeightFor(int side, double own, double knee) const {
    const double strike = side == kLeftSide ? 0 : 0.5;
    const HumanPose pose = PoseAt(strike + own);
    const Vec3d hip = Ground(strike + own) + Rotate(pose.rotation, rig_.HipOffset(side));
    const double over = strike + 0.5 * g_.ahead;
    const Vec3d ankle =
        rig_.StandingFoot(OnPath(over, SignOf(side) * 0.5 * width_),
                          g_.turn * over + SignOf(side) * g_.toe_out, g_.PitchAt(own))
            .position;
    const double length = rig_.LegLength(side, knee);
    const double level2 =
        (hip.x - ankle.x) * (hip.x - ankle.x) + (hip.y - ankle.y) * (hip.y - ankle.y);
    return ankle.z + std::sqrt(std::max(1e-4, length * length - level2)) - hip.z;
  }
  // The mean, or the lower, of both sides: they differ in a turn.
  double HeightFor(double own, double knee) const {
    return 0.5 * (HeightFor(kLeftSide, own, knee) + HeightFor(kRightSide, own, knee));
  }
  double MostHeight(double own) const {
    return std::min(HeightFor(kLeftSide, own, kStraightKnee),
                    HeightFor(kRightSide, own, kStraightKnee));
  }

  // Heights the legs ask for over one step (0 to 0.5 of the cycle), as mean and two harmonics.
  struct Bob {
    double mean = 0, c1 = 0, s1 = 0, c2 = 0, s2 = 0;
    double At(double cycle) const {
      const double p = 4 * kPi * cycle;
      return mean + c1 * std::cos(p) + s1 * std::sin(p) + c2 * std::cos(2 * p) +
             s2 * std::sin(2 * p);
    }
  };
  Bob FitBob() const {
    constexpr int kSamples = 60;
    Bob bob;
    for (int i = 0; i < kSamples; ++i) {
      const double cycle = 0.5 * i / kSamples, p = 4 * kPi * cycle;
      double sum = 0, weights = 0;
      for (const double own : {cycle, cycle + 0.5}) {
        if (own >= g_.stance) continue;
        const double s = std::sin(kPi * own / g_.stance), weight = s * s + 1e-6;
        sum += weight * HeightFor(own, g_.knee.At(own));
        weights += weight;
      }
      // Not higher than the legs reach.
      double height = sum / weights;
      for (const double own : {cycle, cycle + 0.5}) {
        if (own <= g_.stance) height = std::min(height, MostHeight(own));
      }
      bob.mean += height / kSamples;
      bob.c1 += 2 * height * std::cos(p) / kSamples;
      bob.s1 += 2 * height * std::sin(p) / kSamples;
      bob.c2 += 2 * height * std::cos(2 * p) / kSamples;
      bob.s2 += 2 * height * std::sin(2 * p) / kSamples;
    }
    return bob;
  }

  // How far below `height` (of the pelvis over the cycle) the body must stay for its feet to reach.
  template <class Height>
  double TooHigh(Height height) const {
    double excess = -1e30;
    for (int i = 0; i <= 50; ++i) {
      const double cycle = g_.stance * i / 50;
      excess = std::max(excess, height(cycle) - MostHeight(cycle));
    }
    return excess;
  }

  // By how much the height of the pelvis misses what the standing leg asks for: root mean square,
  // m.
  double HeightError() const {
    const Bob bob = g_.runs() ? Bob{} : FitBob();
    const double run = g_.runs() ? RunHeight() : 0;
    const auto height = [&](double cycle) {
      return g_.runs() ? run + Bounce(cycle) : bob.At(cycle);
    };
    const double down = std::max(0.0, TooHigh(height));
    double sum = 0;
    for (int i = 0; i <= 40; ++i) {
      const double own = g_.stance * i / 40;
      const double miss = height(own) - down - HeightFor(own, g_.knee.At(own));
      sum += miss * miss / 41;
    }
    return std::sqrt(sum);
  }

  // The published angles belong to feet whose ball is far before the ankle. Where a foot is shorter
  // the leg would have to be longer, or the body lower, at the end of stance: let the foot land a
  // little further ahead and leave a little earlier, as far as this spares a crouch.
  void FitToFeet() {
    const double stance = g_.stance, ahead = g_.ahead;
    double best = 1e30, best_stance = stance, best_ahead = ahead;
    for (int i = 0; i <= 6; ++i) {
      // A runner's foot lands where the file says: how the body leans decides its reach.
      for (int k = stance < 0.5 ? 0 : -4; k <= (stance < 0.5 ? 0 : 16); ++k) {
        g_.stance = stance - 0.01 * i;
        g_.ahead = ahead + 0.01 * k;
        if (stance > 0.5 && g_.stance < 0.53) continue;
        const double cost = 0.0015 * i + 0.0005 * std::abs(k) + HeightError();
        if (cost < best) {
          best = cost;
          best_stance = g_.stance;
          best_ahead = g_.ahead;
        }
      }
    }
    g_.stance = best_stance;
    g_.ahead = best_ahead;
  }

  void SetWalkPath() {
    const Bob bob = FitBob();
    const double down = std::max(0.0, TooHigh([&](double cycle) { return bob.At(cycle); }));
    sketch_.path.clear();
    for (std::size_t i = 0; i < sketch_.poses.size(); ++i) {
      const double cycle = Cycle(static_cast<double>(i));
      sketch_.path.push_back(Ground(cycle) + Vec3d{0, 0, bob.At(cycle) - down});
    }
  }

  // Height of a runner's centre of mass above that at foot strike: a half sine of ground force in
  // stance, a parabola in flight.
  double Bounce(double cycle) const {
    const double step = 0.5 * seconds_, stance = g_.stance * seconds_, flight = step - stance;
    const double t = seconds_ * (cycle - 0.5 * std::floor(cycle / 0.5));
    if (t > stance) return 0.5 * kGravity * (t - stance) * (step - t);
    const double push = 0.5 * kPi * kGravity * step / stance, w = kPi / stance;
    return -0.5 * kGravity * flight * t - 0.5 * kGravity * t * t +
           push / (w * w) * (w * t - std::sin(w * t));
  }

  // Height of a runner's pelvis at foot strike, as the knee asks for.
  double RunHeight() const {
    double sum = 0, weights = 0;
    for (int i = 0; i <= 50; ++i) {
      const double own = g_.stance * i / 50, s = std::sin(kPi * i / 50);
      sum += s * s * (HeightFor(own, g_.knee.At(own)) - Bounce(own));
      weights += s * s;
    }
    return sum / weights;
  }
  double RunTooHigh() const {
    const double pelvis = RunHeight();
    return TooHigh([&](double cycle) { return pelvis + Bounce(cycle); });
  }

  void SetRunPath(double com_above_pelvis) {
    const double pelvis = RunHeight() - std::max(0.0, RunTooHigh());
    sketch_.path.clear();
    for (std::size_t i = 0; i < sketch_.poses.size(); ++i) {
      const double cycle = Cycle(static_cast<double>(i));
      sketch_.path.push_back(Ground(cycle) +
                             Vec3d{0, 0, pelvis + com_above_pelvis + Bounce(cycle)});
    }
  }

  double ComAbovePelvis(const Solved& solved) const {
    const Character& character = rig_.character();
    double sum = 0;
    for (int i = frames_; i < 2 * frames_; ++i) {
      const std::vector<double>& q = solved.frames[i];
      sum += CenterOfMassAt(character, q).z -
             FramesAt(character, q).position[character.BodyOf(Role::kPelvis)].z;
    }
    return sum / frames_;
  }

  // How far the hips of a solved run are above the height at which its standing legs are as
  // straight as legs get; 0 if they are not.
  double OutOfReach(const Solved& solved) const {
    const Character& character = rig_.character();
    double most = 0;
    for (const Stand& stand : sketch_.stands) {
      for (int i = std::max(stand.first, frames_); i <= std::min(stand.last, 2 * frames_); ++i) {
        const BodyFrames world = FramesAt(character, solved.frames[i]);
        const int pelvis = character.BodyOf(Role::kPelvis);
        const Vec3d hip =
            world.position[pelvis] + Rotate(world.rotation[pelvis], rig_.HipOffset(stand.limb));
        const Vec3d way =
            hip - rig_.StandingFoot(stand.ground, stand.heading, stand.pitch(i)).position;
        const double length = rig_.LegLength(stand.limb, kStraightRunningKnee);
        most = std::max(most, way.z - std::sqrt(std::max(
                                          0.0, length * length - way.x * way.x - way.y * way.y)));
      }
    }
    return most;
  }

  Gait g_;
  const HumanRig& rig_;
  int frames_ = 0;
  double seconds_ = 0, stride_ = 0, width_ = 0, sway_ = 0;
  Sketch sketch_;
};

}  // namespace

Motion MakeGait(const KeyObject& file, const HumanRig& rig) {
  const Gait gait = ReadGait(file);
  return GaitMaker(gait, rig).Make();
}

}  // namespace stride
