#include "stride/motion/import/in_place.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/motion/edit/leg_ik.h"
#include "stride/motion/import/contact_detection.h"

namespace stride {
namespace {

constexpr double kSole = 0.01;     // from a captured toe's lowest joint to the ground, m
constexpr double kLanding = 0.03;  // until a foot that lands is at rest, and before one leaves, s
constexpr double kNear = 0.03;     // of a sole above where it is when it stands, m

Vec3d Level(const Vec3d& v) { return {v.x, v.y, 0}; }

double Median(std::vector<double>* values) {
  const auto middle = values->begin() + static_cast<long>(values->size() / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

// Which feet are on the ground in each frame, left and right, by height alone: speeds say nothing
// before it is known what moves. In double support both, else the lower one.
std::array<std::vector<bool>, 2> LowFeet(const GroundTracks& tracks, double fps) {
  constexpr double kSame = 0.005;  // m
  const int count = static_cast<int>(tracks.pelvis.size());
  const int reach = static_cast<int>(std::lround(0.5 * fps));  // beside a frame: a stride or more
  std::array<std::vector<bool>, 2> low;
  for (std::vector<bool>& foot : low) foot.assign(count, false);
  std::vector<double> lowest(count), beside;
  for (int f = 0; f < count; ++f) {
    lowest[f] = std::min(tracks.feet[0].height[f], tracks.feet[1].height[f]);
  }
  for (int f = 0; f < count; ++f) {
    beside.assign(lowest.begin() + std::max(0, f - reach),
                  lowest.begin() + std::min(count, f + reach + 1));
    // A sprinter is on the ground for half of the time; a heel that strikes may be lower than a
    // flat foot, where the captured heel was shorter.
    const auto quarter = beside.begin() + static_cast<long>(beside.size() / 4);
    std::nth_element(beside.begin(), quarter, beside.end());
    for (int side = 0; side < 2; ++side) {
      low[side][f] = tracks.feet[side].height[f] < std::min(*quarter + kNear, lowest[f] + kSame);
    }
  }
  return low;
}

// A velocity a frame, with how far it is to be trusted.
struct Velocities {
  std::vector<double> x, y, weight;
  explicit Velocities(int count) : x(count, 0), y(count, 0), weight(count, 0) {}
  void Set(int f, const Vec3d& v, double w) {
    x[f] = v.x;
    y[f] = v.y;
    weight[f] = w;
  }
};

double LegLength(const Character& character) {
  const Kinematics kinematics(character);
  return LegIk(kinematics, FeetOf(character)[0]).Reach();
}

// First guess: the lower foot near the ground stands. Where that is the swinging foot, for a few
// frames, the median over the frames beside it knows better.
Velocities GuessVelocities(const GroundTracks& tracks, double fps) {
  const std::array<std::vector<bool>, 2> low = LowFeet(tracks, fps);
  const int count = static_cast<int>(tracks.pelvis.size());
  const int reach = static_cast<int>(std::lround(0.15 * fps));
  Velocities guess(count);
  std::vector<double> x, y;
  for (int f = 0; f < count; ++f) {
    if (!low[0][f] && !low[1][f]) continue;
    x.clear();
    y.clear();
    for (int g = std::max(0, f - reach); g <= std::min(count - 1, f + reach); ++g) {
      for (int side = 0; side < 2; ++side) {
        if (!low[side][g]) continue;
        x.push_back(-tracks.feet[side].velocity[g].x);
        y.push_back(-tracks.feet[side].velocity[g].y);
      }
    }
    guess.Set(f, {Median(&x), Median(&y), 0}, 1);
  }
  return guess;
}

// Velocities of the two feet where they meet the floor, m/s: of the point of each that is under its
// ankle, at the floor's height. A foot that rolls over heel or ball turns about a point down there,
// so the point stands still while its sole's lowest may not: the captured sole is not the
// character's.
class TreadVelocities {
 public:
  TreadVelocities(const Character& character, const Motion& motion) : fps_(motion.fps) {
    const Kinematics kinematics(character);
    const std::array<FootParts, 2> feet = FeetOf(character);
    BodyFrames frames;
    for (const std::vector<double>& q : motion.frames) {
      kinematics.Frames(q, &frames);
      for (int side = 0; side < 2; ++side) {
        positions_[side].push_back(frames.position[feet[side].foot]);
        rotations_[side].push_back(frames.rotation[feet[side].foot]);
      }
    }
  }
  Vec3d At(int side, int f, double floor) const {
    const int count = static_cast<int>(positions_[side].size());
    const int a = std::max(0, f - 1), b = std::min(count - 1, f + 1);
    if (a == b) return {};
    const double rate = fps_ / (b - a);
    const Vec3d turn = Log(rotations_[side][b] * Conjugate(rotations_[side][a])) * rate;
    const Vec3d down{0, 0, floor - positions_[side][f].z};
    return Level((positions_[side][b] - positions_[side][a]) * rate + Cross(turn, down));
  }

 private:
  double fps_;
  std::array<std::vector<Vec3d>, 2> positions_;
  std::array<std::vector<Quatd>, 2> rotations_;
};

// What holds the feet in contact where they are. A foot that lands or leaves is faster than one
// that stands, and counts less. `ground`: the captured floor's height, m.
Velocities HoldingVelocities(const Character& character, const Motion& motion, double leg,
                             double ground) {
  constexpr double kStill = 0.15;     // m/s
  constexpr double kThickest = 0.08;  // that a captured sole may be more than the character's, m
  const GroundTracks tracks = TrackHeights(character, motion);
  const std::vector<double> floor = FindFloor(tracks, leg, motion.fps);
  const std::vector<std::uint8_t> contacts = DetectContacts(tracks, floor, {}, motion.fps);
  const TreadVelocities treads(character, motion);
  Velocities slide(motion.FrameCount());
  std::array<int, 2> down = {0, 0};  // frames for which a foot has been
  const double landed = kLanding * motion.fps;
  for (int f = 0; f < motion.FrameCount(); ++f) {
    Vec3d sum;
    double total = 0;
    for (int side = 0; side < 2; ++side) {
      const bool in_contact = contacts[f] & (side == 0 ? kLeftFootDown : kRightFootDown);
      down[side] = in_contact ? down[side] + 1 : 0;
    }
    for (int side = 0; side < 2; ++side) {
      // While the other one stands, a foot that lands is not asked.
      if (down[side] == 0 || (down[side] < landed && down[1 - side] >= landed)) continue;
      const Vec3d tread = treads.At(side, f, std::clamp(ground, floor[f] - kThickest, floor[f]));
      const double ratio = Norm(tread) / kStill, weight = 1 / (1 + ratio * ratio);
      sum += tread * weight;
      total += weight;
    }
    if (total > 0) slide.Set(f, sum * (-1 / total), total);
  }
  return slide;
}

// Height of the lowest joint or tip of a foot in the clip, but for a few frames, in the file's
// unit.
double LowestFoot(const SourceClip& source) {
  std::vector<double> heights;
  for (int f = 0; f < source.FrameCount(); ++f) {
    const ClipPose pose = source.Pose(f);
    double lowest = 1e30;
    for (const Role role : {Role::kLeftFoot, Role::kLeftToe, Role::kRightFoot, Role::kRightToe}) {
      const int joint = source.JointOf(role);
      if (joint < 0) continue;
      const double height = pose.positions[joint].z;
      lowest = std::min({lowest, height, height + source.Bone(role, pose).z});
    }
    heights.push_back(lowest);
  }
  const auto few = heights.begin() + static_cast<long>(heights.size() / 20);
  std::nth_element(heights.begin(), few, heights.end());
  return *few;
}

// In flight the pelvis goes on with the speed that it took off with, and slows down to that which
// it has on the ground. A foot that lands is not at rest at once, nor one that leaves to the last:
// what they say then counts as flight.
void FillFlights(double fps, Velocities* velocities) {
  const int count = static_cast<int>(velocities->weight.size());
  const int landing = static_cast<int>(std::lround(kLanding * fps));
  const int edge = std::max(1, static_cast<int>(std::lround(0.04 * fps)));
  const auto mean = [&](int first, int end) {
    Vec3d sum;
    double total = 0;
    for (int f = first; f < end; ++f) {
      sum += Vec3d{velocities->x[f], velocities->y[f], 0} * velocities->weight[f];
      total += velocities->weight[f];
    }
    return sum * (1 / total);
  };
  struct Contact {
    int first, end;
    Vec3d speed, take_off;
  };
  std::vector<Contact> contacts;
  for (int f = 0; f < count; ++f) {
    if (velocities->weight[f] == 0) continue;
    Contact contact{f, f, {}, {}};
    while (contact.end < count && velocities->weight[contact.end] > 0) ++contact.end;
    f = contact.end;
    if (contact.end - contact.first > 4 * landing) {
      if (contact.first > 0) contact.first += landing;
      if (contact.end < count) contact.end -= landing;
    }
    contact.speed = mean(contact.first, contact.end);
    contact.take_off = mean(std::max(contact.first, contact.end - edge), contact.end);
    contacts.push_back(contact);
  }
  if (contacts.empty()) return;
  for (std::size_t c = 0; c <= contacts.size(); ++c) {
    const Contact& before = contacts[c > 0 ? c - 1 : 0];
    const Contact& after = contacts[std::min(c, contacts.size() - 1)];
    const int first = c > 0 ? before.end : 0, end = c < contacts.size() ? after.first : count;
    for (int f = first; f < end; ++f) {
      const double t = (f - first + 1.0) / (end - first + 1), share = t * t;
      velocities->Set(f, before.take_off * (1 - share) + after.speed * share, 1);
    }
  }
}

// Smooths the velocities and returns their integral, m.
std::vector<Vec3d> WayOf(double fps, Velocities* velocities) {
  const double sigma = 0.02 * fps;
  velocities->x = Smoothed(velocities->x, velocities->weight, sigma);
  velocities->y = Smoothed(velocities->y, velocities->weight, sigma);
  std::vector<Vec3d> way(velocities->x.size());
  const auto at = [&](std::size_t f) { return Vec3d{velocities->x[f], velocities->y[f], 0}; };
  for (std::size_t f = 1; f < way.size(); ++f)
    way[f] = way[f - 1] + (at(f - 1) + at(f)) * (0.5 / fps);
  return way;
}

}  // namespace

InPlace InPlaceFromName(const std::string& name) {
  if (name == "auto") return InPlace::kAuto;
  if (name == "yes") return InPlace::kYes;
  if (name == "no") return InPlace::kNo;
  throw InputError("in-place is '" + name.substr(0, 40) + "'; expected auto, yes or no");
}

InPlaceCheck CheckInPlace(const Character& character, const Motion& motion) {
  constexpr double kStep = 0.1;  // least way of a foot against the pelvis that tells something, m
  const GroundTracks tracks = TrackHeights(character, motion);
  const std::array<std::vector<bool>, 2> low = LowFeet(tracks, motion.fps);
  const int count = motion.FrameCount();
  const double upright = 0.8 * LegLength(character);
  const Kinematics kinematics(character);
  BodyFrames frames;
  struct Step {
    double share, length;  // of the foot; of its way against the pelvis, m
  };
  std::vector<Step> steps;
  std::array<double, 2> ways = {0, 0};
  Vec3d in_world, in_body;
  for (int side = 0; side < 2; ++side) {
    const HeightTrack& track = tracks.feet[side];
    for (int first = 0, last = 0; first < count; first = last + 1) {
      last = first;
      if (!low[side][first]) continue;
      Vec3d foot;
      for (; last + 1 < count && low[side][last + 1]; ++last) {
        foot += Level(track.velocity[last] + track.velocity[last + 1]) * (0.5 / motion.fps);
      }
      const Vec3d pelvis = Level(tracks.pelvis[last] - tracks.pelvis[first]);
      const double length = Norm(foot - pelvis);
      const int middle = (first + last) / 2;
      const double height = tracks.pelvis[middle].z - track.height[middle];
      if (length < kStep || height < upright) continue;
      steps.push_back({Norm(foot) / (Norm(foot) + Norm(pelvis)), length});
      ways[side] += length;
      kinematics.Frames(motion.frames[middle], &frames);
      const double heading = NearestHeading(frames.rotation[character.BodyOf(Role::kPelvis)]);
      in_world += foot - pelvis;
      in_body += Rotate(AxisAngle({0, 0, 1}, -heading), foot - pelvis);
    }
  }
  InPlaceCheck check;
  check.way = ways[0] + ways[1];
  if (steps.empty()) return check;
  check.steady = std::max(Norm(in_world), Norm(in_body)) / check.way;
  check.lesser_foot = std::min(ways[0], ways[1]) / check.way;
  std::sort(steps.begin(), steps.end(),
            [](const Step& a, const Step& b) { return a.share < b.share; });
  double sum = 0;
  for (const Step& step : steps) {
    check.slide = step.share;
    sum += step.length;
    if (sum >= 0.5 * check.way) break;
  }
  check.slides = check.way > 0.3 && check.slide > 0.85 && check.steady > 0.6;
  check.in_place =
      check.way > 0.6 && check.slide > 0.75 && check.steady > 0.6 && check.lesser_foot > 0.1;
  return check;
}

std::vector<Vec3d> RecoverWay(const Character& character, const Motion& motion, double ground) {
  const double leg = LegLength(character);
  Velocities velocities = GuessVelocities(TrackHeights(character, motion), motion.fps);
  std::vector<Vec3d> way;
  for (int round = 0; round < 5; ++round) {
    if (round > 0) {
      Motion moved = motion;
      for (int f = 0; f < moved.FrameCount(); ++f) {
        Put(Vec3At(moved.frames[f], 0) + way[f], 0, &moved.frames[f]);
      }
      Velocities held = HoldingVelocities(character, moved, leg, ground);
      for (int f = 0; f < moved.FrameCount(); ++f) {
        held.x[f] += velocities.x[f];
        held.y[f] += velocities.y[f];
      }
      velocities = std::move(held);
    }
    FillFlights(motion.fps, &velocities);
    way = WayOf(motion.fps, &velocities);
  }
  return way;
}

InPlaceReport RestoreWay(InPlace in_place, const Character& character,
                         const RetargetOptions& options, SourceClip* source,
                         Retargeted* retargeted) {
  InPlaceReport report;
  // How a foot stands flat is seen where it rests; in place it rests where it turns back in the
  // air.
  RetargetOptions unseen = options;
  unseen.fps = 0;
  unseen.watch_feet = false;
  *retargeted = Retarget(*source, character, unseen);
  report.check = CheckInPlace(character, retargeted->motion);
  report.recovered =
      in_place == InPlace::kYes || (in_place == InPlace::kAuto && report.check.in_place);
  if (report.recovered) {
    const double ground = LowestFoot(*source) * retargeted->scale - kSole;
    // Again with feet that are seen to stand.
    RetargetOptions seen = unseen;
    seen.watch_feet = true;
    for (int round = 0; round < 2; ++round) {
      std::vector<Vec3d> way = RecoverWay(character, retargeted->motion, ground);
      const Quatd back = AxisAngle({0, 0, 1}, -retargeted->turn);
      for (Vec3d& shift : way) shift = Rotate(back, shift) * (1 / retargeted->scale);
      source->Move(way);
      if (round == 0) *retargeted = Retarget(*source, character, seen);
    }
  }
  *retargeted = Retarget(*source, character, options);
  return report;
}

}  // namespace stride
