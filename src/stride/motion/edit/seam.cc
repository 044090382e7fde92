#include "stride/motion/edit/seam.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/motion/edit/displacement.h"
#include "stride/motion/edit/edit.h"
#include "stride/motion/edit/foot_hold.h"
#include "stride/motion/edit/point_cloud.h"
#include "stride/motion/kinematics.h"

namespace stride {
namespace {

// A pose and where its feet are.
struct FootedPose {
  std::vector<double> q;
  std::array<FootPose, 2> feet;
};

// A motion under construction.
struct Footage {
  Motion motion;
  FootPaths feet;

  FootedPose At(int f) const {
    FootedPose pose{motion.frames[f], {}};
    for (int side = 0; side < 2; ++side) {
      if (!feet[side].empty()) pose.feet[side] = feet[side][f];
    }
    return pose;
  }
};

// What displaces `from` to `to`: the displacement of the pose, then for each foot its way and turn
// in the world.
Displacement Between(const Character& character, const FootedPose& to, const FootedPose& from) {
  Displacement d = LogPose(character, Quotient(character, to.q, from.q));
  for (int side = 0; side < 2; ++side) {
    const FootPose &a = from.feet[side], &b = to.feet[side];
    const Vec3d way = b.position - a.position, turn = Log(b.rotation * Conjugate(a.rotation));
    d.u.insert(d.u.end(), {way.x, way.y, way.z, turn.x, turn.y, turn.z});
  }
  return d;
}

void Displace(const Character& character, const Displacement& d, int f, Footage* footage) {
  const std::size_t joints = d.u.size() - 12;
  const Displacement pose{{d.u.begin(), d.u.begin() + static_cast<std::ptrdiff_t>(joints)}};
  std::vector<double>& q = footage->motion.frames[f];
  q = Compose(character, q, ExpPose(character, pose));
  for (int side = 0; side < 2; ++side) {
    if (footage->feet[side].empty()) continue;
    FootPose& foot = footage->feet[side][f];
    const int at = static_cast<int>(joints) + 6 * side;
    foot.position += Vec3At(d.u, at);
    foot.rotation = Normalized(Exp(Vec3At(d.u, at + 3)) * foot.rotation);
  }
}

// The frame, also of the rounds before and after a loop.
std::optional<std::vector<double>> FrameAt(const Character& character, const Motion& motion,
                                           int f) {
  if (f >= 0 && f < motion.FrameCount()) return motion.frames[f];
  if (motion.loops) return SampleMotion(motion, character, f / motion.fps);
  return std::nullopt;
}

// Frames frame-reach..frame+reach, as many of them as there are, and which of them is `frame`.
std::pair<Motion, int> Surroundings(const Character& character, const Motion& motion, int frame,
                                    int reach) {
  Motion part = motion;
  part.loops = false;
  part.frames.clear();
  part.contacts.clear();
  int middle = 0;
  for (int f = frame - reach; f <= frame + reach; ++f) {
    const std::optional<std::vector<double>> q = FrameAt(character, motion, f);
    if (!q) continue;
    if (f == frame) middle = part.FrameCount();
    part.frames.push_back(*q);
    part.contacts.push_back(SampleContacts(motion, f / motion.fps));
  }
  return {std::move(part), middle};
}

// The poses around a seam: of one side, one frame before, at it and one after, where there are
// such.
class SeamSide {
 public:
  SeamSide(const Character& character, const Motion& motion, int frame, const GroundMove& move) {
    for (int k = -1; k <= 1; ++k) {
      const std::optional<std::vector<double>> q = FrameAt(character, motion, frame + k);
      if (!q) continue;
      Motion single = motion;
      single.frames = {*q};
      single.contacts = {0};
      MoveMotion(character, move, &single);
      poses_[k + 1] = Footage{single, TrackFeet(character, single)}.At(0);
    }
  }
  const FootedPose& At() const { return *poses_[1]; }
  const FootedPose* Before() const { return poses_[0] ? &*poses_[0] : nullptr; }
  const FootedPose* After() const { return poses_[2] ? &*poses_[2] : nullptr; }

 private:
  std::array<std::optional<FootedPose>, 3> poses_;
};

// From side a to side b at the seam, and its change a frame.
struct Gap {
  Displacement size, rate;
};
Gap GapBetween(const Character& character, const SeamSide& to, const SeamSide& from) {
  Gap gap{Between(character, to.At(), from.At()), {}};
  Displacement sum = 0.0 * gap.size;
  int terms = 0;
  if (to.After() && from.After()) {
    sum = sum + (Between(character, *to.After(), *from.After()) - gap.size);
    ++terms;
  }
  if (to.Before() && from.Before()) {
    sum = sum + (gap.size - Between(character, *to.Before(), *from.Before()));
    ++terms;
  }
  // Where one has frames only before and the other only after: the difference of their speeds.
  if (terms == 0 && to.After() && from.Before()) {
    sum = Between(character, *to.After(), to.At()) - Between(character, from.At(), *from.Before());
    ++terms;
  } else if (terms == 0 && to.Before() && from.After()) {
    sum = Between(character, to.At(), *to.Before()) - Between(character, *from.After(), from.At());
    ++terms;
  }
  gap.rate = terms == 0 ? sum : (1.0 / terms) * sum;
  return gap;
}

// Fades half the gap out over `length` frames from the seam on; `direction` 1 after the seam, -1
// before it.
void Spread(const Character& character, const Gap& gap, int seam, int length, int direction,
            Footage* footage) {
  for (int k = 0; k <= length; ++k) {
    const double x = length == 0 ? 0 : static_cast<double>(k) / length;
    const double value = 1 - x * x * (3 - 2 * x);
    const double slope = direction * length * x * (1 - x) * (1 - x);
    Displace(character, 0.5 * (value * gap.size + slope * gap.rate), seam + direction * k, footage);
  }
}

void CheckStretches(const std::vector<Stretch>& stretches) {
  if (stretches.empty()) throw InputError("join of motions: no stretch; expected at least one");
  for (const Stretch& stretch : stretches) {
    const Motion& motion = *stretch.motion;
    if (stretch.first < 0 || stretch.last < stretch.first || stretch.last >= motion.FrameCount()) {
      throw InputError(fmt::format(
          "join of motions: '{}' has no frames {} to {}; expected a range within 0 to {}",
          motion.name, stretch.first, stretch.last, motion.FrameCount() - 1));
    }
    if (std::fabs(motion.fps - stretches[0].motion->fps) > 1e-6 * motion.fps) {
      throw InputError(fmt::format(
          "join of motions: '{}' has {} frames a second, '{}' {}; expected one rate, resample "
          "first",
          motion.name, motion.fps, stretches[0].motion->name, stretches[0].motion->fps));
    }
  }
}

// A stretch that goes on where the one before stopped is no seam.
bool GoesOn(const Stretch& a, const Stretch& b) {
  return a.motion == b.motion && a.last == b.first;
}

GroundMove NextMove(const Character& character, const Stretch& a, const Stretch& b,
                    const SeamOptions& options) {
  if (options.next) return *options.next;
  return AlignAt(character, *a.motion, a.last, *b.motion, b.first, options.half_window);
}

Footage Assemble(const Character& character, const std::vector<Stretch>& stretches,
                 const SeamOptions& options) {
  RequireFreeRoot(character);
  CheckStretches(stretches);
  Footage result;
  std::vector<GroundMove> moves;
  std::vector<int> starts;  // in the result
  for (std::size_t s = 0; s < stretches.size(); ++s) {
    const Stretch& stretch = stretches[s];
    const Motion& motion = *stretch.motion;
    GroundMove move;
    if (s > 0 && GoesOn(stretches[s - 1], stretch)) {
      move = moves.back();
    } else if (s > 0) {
      const Stretch& before = stretches[s - 1];
      move = Compose(moves.back(), NextMove(character, before, stretch, options));
    }
    moves.push_back(move);
    Footage part{Cut(motion, stretch.first, stretch.last), {}};
    MoveMotion(character, move, &part.motion);
    part.feet = TrackFeet(character, part.motion);
    if (s == 0) {
      starts.push_back(0);
      result = std::move(part);
      result.motion.loops = false;
      continue;
    }
    starts.push_back(result.motion.FrameCount() - 1);
    const auto append = [](const auto& from, auto* to) {
      to->insert(to->end(), from.begin() + 1, from.end());
    };
    append(part.motion.frames, &result.motion.frames);
    append(part.motion.contacts, &result.motion.contacts);
    for (int side = 0; side < 2; ++side) {
      if (!part.feet[side].empty()) append(part.feet[side], &result.feet[side]);
    }
  }

  for (std::size_t s = 1; s < stretches.size(); ++s) {
    const Stretch &a = stretches[s - 1], &b = stretches[s];
    if (GoesOn(a, b)) continue;
    const SeamSide before(character, *a.motion, a.last, moves[s - 1]),
        after(character, *b.motion, b.first, moves[s]);
    const int wanted = std::max(1, static_cast<int>(std::lround(options.warp * result.motion.fps)));
    const int room_before = (a.last - a.first) / 2, room_after = (b.last - b.first) / 2;
    const int seam = starts[s];
    // What touches only on one side of the seam does not touch in between.
    result.motion.contacts[seam] &= b.motion->contacts[b.first];
    // The seam's frame is that of the stretch before, displaced; after it comes the next stretch.
    Spread(character, GapBetween(character, after, before), seam, std::min(wanted, room_before), -1,
           &result);
    const FootedPose middle = result.At(seam);
    Spread(character, GapBetween(character, before, after), seam, std::min(wanted, room_after), 1,
           &result);
    result.motion.frames[seam] = middle.q;
    for (int side = 0; side < 2; ++side) {
      if (!result.feet[side].empty()) result.feet[side][seam] = middle.feet[side];
    }
  }
  MakeSignsContinuous(Kinematics(character), &result.motion.frames);
  return result;
}

}  // namespace

GroundMove AlignAt(const Character& character, const Motion& a, int frame_a, const Motion& b,
                   int frame_b, double half_window) {
  const int reach = std::max(2, 2 * static_cast<int>(std::ceil(half_window * a.fps)));
  const auto [around_a, at_a] = Surroundings(character, a, frame_a, reach);
  const auto [around_b, at_b] = Surroundings(character, b, frame_b, reach);
  const GroundMove best =
      WindowClouds(character, around_a, half_window)
          .Alignment(at_a, WindowClouds(character, around_b, half_window), at_b);
  // Poses that are not alike may fit best back to front: then the pelvis decides.
  const GroundMove root = MoveBetween(character, b.frames[frame_b], a.frames[frame_a]);
  return std::cos(best.heading - root.heading) > std::cos(M_PI / 4) ? best : root;
}

Motion Join(const Character& character, const std::vector<Stretch>& stretches,
            const SeamOptions& options) {
  Footage footage = Assemble(character, stretches, options);
  HoldFeet(character, footage.feet, &footage.motion);
  return footage.motion;
}

Motion MakeLoop(const Character& character, const Motion& motion, int first, int last,
                const SeamOptions& options) {
  if (first < 0 || last < first + 2 || last >= motion.FrameCount()) {
    throw InputError(
        fmt::format("loop of '{}': frames {} to {}; expected at least three within 0 to {}",
                    motion.name, first, last, motion.FrameCount() - 1));
  }
  // Two rounds, one after the other: between them is the seam that the loop has at its end and
  // start.
  const Stretch round{&motion, first, last};
  const Footage two = Assemble(character, {round, round}, options);
  const GroundMove back = Inverse(NextMove(character, round, round, options));
  const int length = last - first, half = length / 2;
  Footage loop = two;
  Motion& result = loop.motion;
  result.loops = true;
  result.frames.resize(length + 1);
  result.contacts.resize(length + 1);
  FootPaths second = two.feet;
  MoveFeet(back, &second);
  for (std::vector<FootPose>& path : loop.feet) path.resize(path.empty() ? 0 : length + 1);
  for (int f = 0; f <= half; ++f) {
    result.frames[f] = two.motion.frames[length + f];
    MovePose(character, back.heading, back.shift, &result.frames[f]);
    for (int side = 0; side < 2; ++side) {
      // The slip into the first frame is that of the last.
      if (!second[side].empty()) loop.feet[side][f] = second[side][length + f];
    }
  }
  result.contacts[0] = result.contacts[length];
  MakeSignsContinuous(Kinematics(character), &result.frames);
  HoldFeet(character, loop.feet, &result);
  return result;
}

Motion StartLoopAt(const Character& character, const Motion& loop, int frame) {
  const int period = loop.FrameCount() - 1;
  if (!loop.loops || frame < 0 || frame > period) {
    throw InputError(fmt::format("loop '{}': cannot start at frame {}; expected a loop and 0 to {}",
                                 loop.name, frame, period));
  }
  if (frame == 0 || frame == period) return loop;
  const GroundMove round = MoveBetween(character, loop.frames.front(), loop.frames.back());
  Motion result = loop;
  for (int f = 0; f <= period; ++f) {
    const bool next = frame + f > period;
    const int from = frame + f - (next ? period : 0);
    result.frames[f] = loop.frames[from];
    if (next) MovePose(character, round.heading, round.shift, &result.frames[f]);
    result.contacts[f] = loop.contacts[from];
  }
  MakeSignsContinuous(Kinematics(character), &result.frames);
  return result;
}

}  // namespace stride
