#include "stride/motion/builtin/key_clip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "stride/character/rest_pose.h"
#include "stride/math/curve.h"
#include "stride/math/rotation.h"
#include "stride/motion/builtin/sketch.h"

namespace stride {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kGravity = 9.81;
constexpr double kFps = 60;
constexpr double kMaxSeconds = 30;
constexpr std::size_t kMaxPoses = 200, kMaxStands = 100;
constexpr Vec3d kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};

// A number of a pose, its range, and its value in a clip that does not say, degrees.
struct Channel {
  const char* name;
  double low, high, otherwise;
};
constexpr std::array kBodyChannels = {
    Channel{"yaw", -1080, 1080, 0},    Channel{"pitch", -1080, 1080, 0},
    Channel{"roll", -1080, 1080, 0},   Channel{"spine", -60, 110, 0},
    Channel{"spine_side", -60, 60, 0}, Channel{"spine_twist", -70, 70, 0},
    Channel{"neck", -60, 60, 0},       Channel{"neck_side", -50, 50, 0},
    Channel{"neck_twist", -80, 80, 0},
};
// Of a limb; "left_knee", "right_knee", or "knees" for both.
constexpr std::array kLimbChannels = {
    Channel{"shoulder", -90, 200, 0},
    Channel{"shoulder_spread", -40, 190, 7},
    Channel{"shoulder_turn", -100, 100, 15},
    Channel{"elbow", 0, 148, 14},
    Channel{"hip", -60, 135, 0},
    Channel{"hip_spread", -40, 90, 0},
    Channel{"hip_turn", -60, 60, 5},
    Channel{"knee", 2, 149, 4},
    Channel{"ankle", -57, 50, 0},
};

// "knees" of "knee", "hips_spread" of "hip_spread".
std::string Plural(const std::string& name) {
  const std::size_t at = name.find('_');
  return at == std::string::npos ? name + "s" : name.substr(0, at) + "s" + name.substr(at);
}

struct Points {
  std::vector<double> times, values;
  void Add(double time, double value) {
    times.push_back(time);
    values.push_back(value);
  }
};

struct Flight {
  int first, last;    // frames: the last that stands before, the first that stands after
  std::string turns;  // "yaw", "pitch", "roll" or empty: the angle that momentum carries
};

class ClipMaker {
 public:
  ClipMaker(const KeyObject& file, const HumanRig& rig) : file_(file), rig_(rig) {
    file.AllowOnly({"kind", "about", "sources", "seconds", "poses", "stands", "flights",
                    "rests_on_ground", "pelvis_height", "loops"});
    sketch_.pelvis_height = file.Flag("pelvis_height", false);
    seconds_ = file.Number("seconds", 0.1, kMaxSeconds);
    // A whole number of frames, so that the last frame is the end.
    slowness_ = std::round(seconds_ * std::sqrt(rig.Scale()) * kFps) / (seconds_ * kFps);
    count_ = FrameOf(seconds_) + 1;
    ReadPoses();
    ReadStands();
    ReadFlights();
    if (sketch_.pelvis_height && !flights_.empty()) {
      file.Fail("pelvis_height", "only without flights, which are of the centre of mass");
    }
  }

  Motion Make() {
    sketch_.fps = kFps;
    sketch_.com_driven = true;
    sketch_.rests_on_ground = file_.Flag("rests_on_ground", false);
    sketch_.clearance = 0.01 * rig_.Scale();
    sketch_.settle_seconds = 0.14;
    sketch_.sinks_to_reach = flights_.empty();  // take-off and landing are as keyed
    for (const auto& [name, points] : points_) {
      curves_[name] = Curve::Monotone(points.times, points.values);
    }
    Frame();
    for (const Flight& flight : flights_) {
      if (flight.turns.empty()) continue;
      TurnInFlight(flight.turns);
      Frame();
    }
    SetPath();
    const Solved solved = Solve(rig_, sketch_);
    Motion motion;
    motion.fps = kFps;
    motion.frames = solved.frames;
    motion.contacts = solved.contacts;
    motion.loops = file_.Flag("loops", false);
    return motion;
  }

 private:
  int FrameOf(double time) const { return static_cast<int>(std::lround(time * slowness_ * kFps)); }
  double TimeOf(int frame) const { return frame / (kFps * slowness_); }

  // What a pose says of one channel, for both sides or one.
  void ReadChannel(const KeyObject& pose, double time, const Channel& channel,
                   const std::string& key, const std::vector<std::string>& targets) {
    if (!pose.Has(key.c_str())) return;
    const double value = pose.Number(key.c_str(), channel.low, channel.high) * kDegree;
    for (const std::string& target : targets) {
      Points& points = points_[target];
      if (!points.times.empty() && points.times.back() >= time) {
        pose.Fail(key, "says again what another key of this pose says");
      }
      points.Add(time, value);
    }
  }

  void ReadPoses() {
    const double height = sketch_.pelvis_height ? rig_.HipHeight() : rig_.ComHeight();
    double last = -1;
    for (const KeyObject& pose : file_.Objects("poses", kMaxPoses)) {
      const double time = pose.Number("t", 0, seconds_);
      if (time <= last + 1e-3) pose.Fail("t", "poses must follow each other by more than 1 ms");
      last = time;
      std::vector<std::string> known = {"t", "what", "com"};
      for (const Channel& channel : kBodyChannels) {
        ReadChannel(pose, time, channel, channel.name, {channel.name});
        known.push_back(channel.name);
      }
      for (const Channel& channel : kLimbChannels) {
        const std::string left = std::string("left_") + channel.name,
                          right = std::string("right_") + channel.name;
        const std::string both = Plural(channel.name);
        ReadChannel(pose, time, channel, both, {left, right});
        ReadChannel(pose, time, channel, left, {left});
        ReadChannel(pose, time, channel, right, {right});
        known.insert(known.end(), {left, right, both});
      }
      for (const std::string& name : pose.Names()) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
          pose.Fail(name, fmt::format("unknown key; expected one of {}", fmt::join(known, ", ")));
        }
      }
      if (pose.Has("com")) {
        const std::vector<double> com = pose.Numbers("com", 3, -20, 20);
        path_times_.push_back(time);
        path_.push_back({com[0] * rig_.Scale(), com[1] * rig_.Scale(), com[2] * height});
      }
    }
    if (path_.empty()) file_.Fail("poses", "no pose has a \"com\"; expected one at least");
    for (const Channel& channel : kBodyChannels) Complete(channel.name, channel.otherwise);
    for (const Channel& channel : kLimbChannels) {
      Complete(std::string("left_") + channel.name, channel.otherwise);
      Complete(std::string("right_") + channel.name, channel.otherwise);
    }
  }
  void Complete(const std::string& name, double degrees) {
    Points& points = points_[name];
    if (points.times.empty()) points.Add(0, degrees * kDegree);
  }

  void ReadStands() {
    const std::array<std::string, 4> limbs = {"left_foot", "right_foot", "left_hand", "right_hand"};
    std::array<int, 4> free_from{-1, -1, -1, -1};
    for (const KeyObject& object : file_.Objects("stands", kMaxStands)) {
      object.AllowOnly({"limb", "from", "to", "at", "heading", "pitch"});
      Stand stand;
      const std::string limb = object.Text("limb");
      const auto found = std::find(limbs.begin(), limbs.end(), limb);
      if (found == limbs.end())
        object.Fail("limb",
                    fmt::format("\"{}\"; expected one of {}", limb, fmt::join(limbs, ", ")));
      stand.limb = static_cast<int>(found - limbs.begin());
      stand.first = FrameOf(object.Number("from", 0, seconds_));
      stand.last = FrameOf(object.Number("to", 0, seconds_));
      if (stand.last <= stand.first || stand.first <= free_from[stand.limb]) {
        object.Fail("from", "a limb's stands must last, and follow each other in time");
      }
      free_from[stand.limb] = stand.last;
      const std::vector<double> at = object.Numbers("at", 2, -20, 20);
      stand.ground = {at[0] * rig_.Scale(), at[1] * rig_.Scale(), 0};
      stand.heading = object.Number("heading", -1080, 1080, 0) * kDegree;
      if (object.Has("pitch")) {
        Points points;
        for (const auto& [time, degrees] : object.Keys("pitch", 0, seconds_, -70, 45)) {
          points.Add(time, degrees * kDegree);
        }
        stand.pitch = [this, curve = Curve::Monotone(points.times, points.values, true)](
                          int frame) { return curve.At(TimeOf(frame)); };
      }
      sketch_.stands.push_back(stand);
    }
  }

  void ReadFlights() {
    int last = 1;  // some ground before, between and after
    for (const KeyObject& object : file_.Objects("flights", 20)) {
      object.AllowOnly({"from", "to", "turns"});
      Flight flight;
      flight.first = FrameOf(object.Number("from", 0, seconds_));
      flight.last = FrameOf(object.Number("to", 0, seconds_));
      if (flight.first <= last || flight.last < flight.first + 3 || flight.last > count_ - 3) {
        object.Fail("from",
                    "flights must last 3 frames at least, follow each other in time, and have "
                    "ground before and after");
      }
      last = flight.last;
      if (object.Has("turns")) {
        flight.turns = object.Text("turns");
        if (flight.turns != "yaw" && flight.turns != "pitch" && flight.turns != "roll") {
          object.Fail("turns", "expected yaw, pitch or roll");
        }
      }
      flights_.push_back(flight);
    }
  }

  double At(const std::string& name, double time) const { return curves_.at(name).At(time); }

  HumanPose PoseAt(int frame) const {
    const double t = TimeOf(frame);
    HumanPose pose;
    pose.rotation = AxisAngle(kZ, Angle("yaw", frame)) * AxisAngle(kY, Angle("pitch", frame)) *
                    AxisAngle(kX, Angle("roll", frame));
    pose.spine = AxisAngle(kZ, At("spine_twist", t)) * AxisAngle(kY, At("spine", t)) *
                 AxisAngle(kX, -At("spine_side", t));
    pose.neck = AxisAngle(kZ, At("neck_twist", t)) * AxisAngle(kY, At("neck", t)) *
                AxisAngle(kX, -At("neck_side", t));
    for (int side = 0; side < 2; ++side) {
      const std::string own = side == kLeftSide ? "left_" : "right_";
      const double sign = SignOf(side);
      ArmPose& arm = pose.arms[side];
      arm.shoulder = AxisAngle(kY, -At(own + "shoulder", t)) *
                     AxisAngle(kX, sign * At(own + "shoulder_spread", t)) *
                     AxisAngle(kZ, -sign * At(own + "shoulder_turn", t));
      arm.elbow = At(own + "elbow", t);
      LegPose& leg = pose.legs[side];
      leg.hip = AxisAngle(kY, -At(own + "hip", t)) *
                AxisAngle(kX, sign * At(own + "hip_spread", t)) *
                AxisAngle(kZ, sign * At(own + "hip_turn", t));
      leg.knee = At(own + "knee", t);
      leg.ankle = AxisAngle(kY, -At(own + "ankle", t));
    }
    return pose;
  }
  void Frame() {
    sketch_.poses.clear();
    for (int i = 0; i < count_; ++i) sketch_.poses.push_back(PoseAt(i));
  }

  // An angle of the root: as keyed, or as flights carry it.
  double Angle(const std::string& name, int frame) const {
    const auto carried = carried_.find(name);
    return carried == carried_.end() ? At(name, TimeOf(frame)) : carried->second[frame];
  }

  // Moment of inertia of the pose about an axis through its centre of mass.
  double InertiaAbout(const HumanPose& pose, const Vec3d& axis) const {
    const Character& character = rig_.character();
    const std::vector<double> q = rig_.Coordinates(pose);
    const BodyFrames world = FramesAt(character, q);
    const Vec3d center = CenterOfMassAt(character, q);
    double sum = 0;
    for (int i = 0; i < character.BodyCount(); ++i) {
      const Body& body = character.bodies[i];
      const Vec3d arm =
          Cross(axis, world.position[i] + Rotate(world.rotation[i], body.com) - center);
      const Vec3d own = Rotate(Conjugate(world.rotation[i]), axis);
      sum += body.mass * SquaredNorm(arm) + Dot(own, body.inertia * own);
    }
    return sum;
  }

  // Lets the angle go on in flights in inverse proportion to the moment of inertia, and leads to
  // and from there on the ground with the same rate.
  void TurnInFlight(const std::string& name) {
    const Points& points = points_.at(name);
    std::vector<double> angles(count_);
    struct Edge {
      double time, value, rate;
    };
    Edge start{0, points.values.front(), 0};
    int from = 0;
    const auto ground = [&](const Edge& end, int to) {
      Points part;
      part.Add(start.time, start.value);
      for (std::size_t i = 0; i < points.times.size(); ++i) {
        if (points.times[i] > start.time + 1e-6 && points.times[i] < end.time - 1e-6) {
          part.Add(points.times[i], points.values[i]);
        }
      }
      part.Add(end.time, end.value);
      const Curve curve(part.times, part.values, start.rate, end.rate);
      for (int i = from; i <= to; ++i) angles[i] = curve.At(TimeOf(i));
    };
    for (const Flight& flight : flights_) {
      if (flight.turns != name) continue;
      const double first = At(name, TimeOf(flight.first)), last = At(name, TimeOf(flight.last));
      std::vector<double> shares{0};
      for (int i = flight.first; i < flight.last; ++i) {
        const HumanPose& pose = sketch_.poses[i];
        const Vec3d axis = name == "yaw"     ? kZ
                           : name == "pitch" ? Rotate(AxisAngle(kZ, At("yaw", TimeOf(i))), kY)
                                             : Rotate(pose.rotation, kX);
        shares.push_back(shares.back() + 1 / InertiaAbout(pose, axis));
      }
      const double unit = (last - first) / shares.back();
      for (int i = flight.first; i <= flight.last; ++i)
        angles[i] = first + unit * shares[i - flight.first];
      const double frames_a_second = kFps * slowness_;
      ground({TimeOf(flight.first), first, unit * shares[1] * frames_a_second}, flight.first);
      const double rate = unit * (shares.back() - shares[shares.size() - 2]) * frames_a_second;
      start = {TimeOf(flight.last), last, rate};
      from = flight.last;
    }
    if (start.time < points.times.back() - 1e-6) {
      ground({points.times.back(), points.values.back(), 0}, count_ - 1);
    } else {
      std::fill(angles.begin() + from, angles.end(), start.value);
    }
    carried_[name] = angles;
  }

  Vec3d KeyedCom(double time) const {
    for (std::size_t i = 0; i < path_times_.size(); ++i) {
      if (std::fabs(path_times_[i] - time) < 0.012) return path_[i];
    }
    file_.Fail(
        "flights",
        fmt::format("a flight begins or ends at {:.3f} s, where no pose has a \"com\"", time));
  }

  // The centre of mass: smooth through the keys on the ground, a parabola in flight.
  void SetPath() {
    sketch_.path.assign(count_, {});
    double begin = path_times_.front();
    Vec3d place = path_.front(), velocity;
    int from = 0;
    const auto ground = [&](double end, const Vec3d& end_place, const Vec3d& end_velocity, int to) {
      std::vector<double> times{begin}, x{place.x}, y{place.y}, z{place.z};
      const auto add = [&](double t, const Vec3d& p) {
        times.push_back(t);
        x.push_back(p.x);
        y.push_back(p.y);
        z.push_back(p.z);
      };
      for (std::size_t i = 0; i < path_.size(); ++i) {
        if (path_times_[i] > begin + 0.013 && path_times_[i] < end - 0.013)
          add(path_times_[i], path_[i]);
      }
      if (end > begin + 1e-6) add(end, end_place);
      const Curve cx(times, x, velocity.x, end_velocity.x),
          cy(times, y, velocity.y, end_velocity.y), cz(times, z, velocity.z, end_velocity.z);
      for (int i = from; i <= to; ++i) {
        sketch_.path[i] = {cx.At(TimeOf(i)), cy.At(TimeOf(i)), cz.At(TimeOf(i))};
      }
    };
    for (const Flight& flight : flights_) {
      const double t0 = TimeOf(flight.first), t1 = TimeOf(flight.last);
      const Vec3d a = KeyedCom(t0), b = KeyedCom(t1);
      const double duration = (flight.last - flight.first) / kFps;
      Vec3d up = (b - a) * (1 / duration);
      up.z += 0.5 * kGravity * duration;
      // Slopes are over the file's time, which runs slower for longer legs.
      ground(t0, a, up * slowness_, flight.first);
      for (int i = flight.first; i <= flight.last; ++i) {
        const double t = (i - flight.first) / kFps;
        sketch_.path[i] = a + up * t - Vec3d{0, 0, 0.5 * kGravity * t * t};
      }
      begin = t1;
      place = b;
      velocity = (up - Vec3d{0, 0, kGravity * duration}) * slowness_;
      from = flight.last;
    }
    ground(std::max(begin, path_times_.back()), path_.back(), {}, count_ - 1);
  }

  const KeyObject& file_;
  const HumanRig& rig_;
  double slowness_ = 1;  // times of this human over those of the file
  double seconds_ = 0;
  int count_ = 0;
  std::map<std::string, Points> points_;
  std::map<std::string, Curve> curves_;
  std::map<std::string, std::vector<double>> carried_;
  std::vector<double> path_times_;
  std::vector<Vec3d> path_;
  std::vector<Flight> flights_;
  Sketch sketch_;
};

}  // namespace

Motion MakeKeyClip(const KeyObject& file, const HumanRig& rig) {
  return ClipMaker(file, rig).Make();
}

}  // namespace stride
