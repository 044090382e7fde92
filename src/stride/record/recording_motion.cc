#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/motion/kinematics.h"
#include "stride/record/recording.h"

namespace stride {
namespace {

// A limb carries weight with more than this part of the character's on it.
constexpr double kWeightBorne = 0.05;
constexpr double kDefaultFps = 60;

// Per body the ContactFlag of the foot or hand that it belongs to, or 0.
std::vector<std::uint8_t> LimbFlags(const Character& character) {
  std::vector<std::uint8_t> flags(character.bodies.size(), 0);
  const std::pair<Role, ContactFlag> limbs[] = {{Role::kLeftFoot, kLeftFootDown},
                                                {Role::kRightFoot, kRightFootDown},
                                                {Role::kLeftHand, kLeftHandDown},
                                                {Role::kRightHand, kRightHandDown}};
  for (const auto& [role, flag] : limbs) {
    if (character.BodyOf(role) >= 0) flags[character.BodyOf(role)] = flag;
  }
  for (std::size_t i = 1; i < flags.size(); ++i) {
    if (flags[i] == 0) flags[i] = flags[character.bodies[i].parent];
  }
  return flags;
}

std::uint8_t LimbsDown(const RecordedFrame& frame, int actor,
                       const std::vector<std::uint8_t>& limb_flags, double weight) {
  std::uint8_t down = 0;
  for (const std::uint8_t flag : {kLeftFootDown, kRightFootDown, kLeftHandDown, kRightHandDown}) {
    double force = 0;
    for (const RecordedContact& contact : frame.contacts) {
      if (contact.actor == actor && limb_flags[contact.body] == flag) force += contact.force[2];
    }
    if (force > kWeightBorne * weight) down |= flag;
  }
  return down;
}

// Finite, with unit quaternions: a run that failed ends in frames that are no poses.
bool IsPose(const Character& character, const Layout& layout, const std::vector<double>& q) {
  if (!std::all_of(q.begin(), q.end(), [](double x) { return std::isfinite(x); })) return false;
  for (int i = 0; i < character.BodyCount(); ++i) {
    const JointKind kind = character.bodies[i].joint.kind;
    if (HasOneAxis(kind)) continue;
    const Quatd turn = QuatAt(q, layout.q[i] + (kind == JointKind::kFree ? 3 : 0));
    if (!(std::fabs(Dot(turn, turn) - 1) < 1e-6)) return false;
  }
  return true;
}

// Frames of one actor while it is there and its numbers are good, at times that increase.
struct Track {
  std::vector<double> times;
  std::vector<std::vector<double>> poses;
  std::vector<std::uint8_t> contacts;
};

Track TrackOf(const Recording& recording, const Character& character, int actor) {
  const Layout layout = LayoutOf(character);
  const std::vector<std::uint8_t> flags = LimbFlags(character);
  const double weight = TotalMass(character) * std::fabs(recording.header.world.gravity);
  Track track;
  for (const RecordedFrame& frame : recording.frames) {
    if (static_cast<std::size_t>(actor) >= frame.actors.size()) continue;
    const std::vector<double>& q = frame.actors[actor].q;
    if (!IsPose(character, layout, q)) break;
    if (!track.times.empty() && frame.time <= track.times.back()) continue;
    track.times.push_back(frame.time);
    track.poses.push_back(q);
    track.contacts.push_back(LimbsDown(frame, actor, flags, weight));
  }
  return track;
}

// A rate that is a whole number but for rounding is that number.
double NearWhole(double fps) {
  const double whole = std::round(fps);
  return std::fabs(fps - whole) < 1e-6 * whole ? whole : fps;
}

bool IsEven(const std::vector<double>& times, double interval) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double expected = times[0] + static_cast<double>(i) * interval;
    if (std::fabs(times[i] - expected) > 1e-3 * interval) return false;
  }
  return true;
}

// Frames whose steps do not divide their interval come unevenly; files want them even.
void Resample(const Character& character, Track* track, double fps) {
  const std::vector<double>& times = track->times;
  Track even;
  std::size_t before = 0;
  for (std::size_t f = 0;; ++f) {
    const double t = times[0] + static_cast<double>(f) / fps;
    if (t > times.back() + 0.5 / fps) break;
    while (before + 2 < times.size() && times[before + 1] <= t) ++before;
    const double span = times[before + 1] - times[before];
    const double part = std::clamp((t - times[before]) / span, 0.0, 1.0);
    even.times.push_back(t);
    even.poses.push_back(
        BlendPoses(character, track->poses[before], track->poses[before + 1], part));
    even.contacts.push_back(track->contacts[part < 0.5 ? before : before + 1]);
  }
  *track = std::move(even);
}

}  // namespace

Motion MotionFromRecording(const Recording& recording, int actor) {
  const std::vector<Character> actors = ActorsOf(recording);
  const std::string title = "recording '" + recording.header.title + "'";
  if (actor < 0 || static_cast<std::size_t>(actor) >= actors.size()) {
    throw InputError(fmt::format("{} has no actor {}; expected 0 to {}", title, actor,
                                 static_cast<int>(actors.size()) - 1));
  }
  const Character& character = actors[actor];
  Track track = TrackOf(recording, character, actor);
  const std::size_t count = track.times.size();
  if (count == 0) {
    throw InputError(
        fmt::format("{} has no frame of '{}'; nothing was recorded", title, character.name));
  }
  Motion motion;
  motion.name = recording.header.title;
  motion.character = character.name;
  motion.source = "recording";
  if (count == 1) {
    const double interval = recording.header.frame_interval;
    motion.fps = interval >= 1e-6 ? NearWhole(1 / interval) : kDefaultFps;
  } else {
    const double interval = (track.times.back() - track.times[0]) / static_cast<double>(count - 1);
    motion.fps = NearWhole(1 / interval);
    if (!(motion.fps >= 1e-3 && motion.fps <= 1e6)) {
      throw InputError(
          fmt::format("{} has {} frames a second; expected 0.001 to 1000000", title, motion.fps));
    }
    if (!IsEven(track.times, interval)) {
      if (motion.fps > 1) motion.fps = std::round(motion.fps);
      Resample(character, &track, motion.fps);
    }
  }
  motion.frames = std::move(track.poses);
  motion.contacts = std::move(track.contacts);
  MakeSignsContinuous(Kinematics(character), &motion.frames);
  return motion;
}

Recording RecordingFromMotion(const Motion& motion, const Character& character, double seconds) {
  Validate(motion, character);
  Recording recording;
  RecordingHeader& header = recording.header;
  header.title = motion.name;
  header.controllers = {{.motion = motion.name}};
  header.version = STRIDE_VERSION;
  header.world.actors = {character};
  header.frame_interval = 1 / motion.fps;
  const int last = motion.FrameCount() - 1;
  int count = motion.FrameCount();
  if (motion.loops && last > 0) {
    count = std::max(count, static_cast<int>(std::ceil(seconds * motion.fps)) + 1);
  }
  for (int f = 0; f < count; ++f) {
    RecordedFrame frame;
    frame.step = static_cast<std::uint32_t>(f);
    frame.time = f / motion.fps;
    frame.actors = {SampleState(motion, character, frame.time)};
    // The frames themselves, not what rounding of the time makes of them.
    if (f <= last) frame.actors[0].q = motion.frames[f];
    frame.controls.resize(1);
    recording.frames.push_back(std::move(frame));
  }
  recording.complete = true;
  return recording;
}

}  // namespace stride
