#include "stride/motion/import/contact_detection.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stride {
namespace {

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Points of one group in three neighbouring frames.
class PointWindow {
 public:
  explicit PointWindow(std::vector<ContactPoint> points) : points_(std::move(points)) {
    for (auto& positions : positions_) positions.resize(points_.size());
  }
  bool IsEmpty() const { return points_.empty(); }
  void Push(const BodyFrames& frames) {
    std::swap(positions_[0], positions_[1]);
    std::swap(positions_[1], positions_[2]);
    for (std::size_t k = 0; k < points_.size(); ++k) positions_[2][k] = PointAt(frames, points_[k]);
  }
  // For frame `at` of the window; velocities from frames a and b, `seconds` apart.
  void Measure(int at, int a, int b, double seconds, HeightTrack* track) const {
    constexpr double kSoft = 0.006;  // m
    double lowest = std::numeric_limits<double>::infinity();
    for (const Vec3d& p : positions_[at]) lowest = std::min(lowest, p.z);
    Vec3d way;
    double total = 0;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      const double weight = std::exp(-(positions_[at][k].z - lowest) / kSoft);
      way += (positions_[b][k] - positions_[a][k]) * weight;
      total += weight;
    }
    track->height.push_back(lowest);
    track->velocity.push_back(seconds > 0 ? way * (1 / (total * seconds)) : Vec3d{});
    track->speed.push_back(seconds > 0 ? Norm(way) / (total * seconds) : 0);
  }

 private:
  std::vector<ContactPoint> points_;
  std::array<std::vector<Vec3d>, 3> positions_;
};

// Drops runs of `value` shorter than `shortest` frames that lie between others.
void DropShort(bool value, int shortest, std::vector<bool>* labels) {
  const int count = static_cast<int>(labels->size());
  for (int start = 0; start < count;) {
    int end = start;
    while (end < count && (*labels)[end] == (*labels)[start]) ++end;
    const bool inside = start > 0 && end < count;
    if ((*labels)[start] == value && inside && end - start < shortest) {
      for (int f = start; f < end; ++f) (*labels)[f] = !value;
    }
    start = end;
  }
}

// The way of the lowest part over frames first..last.
double PathLength(const HeightTrack& track, int first, int last, double fps) {
  double sum = 0;
  for (int f = first; f <= last; ++f) sum += track.speed[f] / fps;
  return sum;
}

class Detector {
 public:
  Detector(const HeightTrack& track, const std::vector<double>& floor, const GroundOptions& options,
           double fps)
      : track_(track), floor_(floor), options_(options), fps_(fps) {}

  std::vector<bool> Detect() {
    const int count = static_cast<int>(track_.height.size());
    down_.assign(count, false);
    Grow(0, count, 1);
    const int shortest =
        std::max(1, static_cast<int>(std::lround(options_.shortest_contact * fps_)));
    DropShort(false, shortest, &down_);
    // A foot that shuffles along never gets fast: within a contact that drags, slower bounds apply.
    for (double strictness = 0.6; strictness > 0.1; strictness *= 0.6) {
      for (int start = 0; start < count;) {
        int end = start;
        while (end < count && down_[end] == down_[start]) ++end;
        if (down_[start] && PathLength(track_, start, end - 1, fps_) >
                                options_.longest_drag + 0.05 * (end - start) / fps_) {
          std::fill(down_.begin() + start, down_.begin() + end, false);
          Grow(start, end, strictness);
        }
        start = end;
      }
    }
    DropShort(true, shortest, &down_);
    return down_;
  }

 private:
  bool IsInside(int f, double height, double speed) const {
    return track_.height[f] - floor_[f] < height && track_.speed[f] < speed;
  }
  // Seeds within the narrow bounds grow to the wide ones, both ways.
  void Grow(int first, int end, double strictness) {
    const double in = strictness * options_.contact_speed,
                 out = strictness * options_.release_speed;
    for (int f = first; f < end; ++f) {
      down_[f] = IsInside(f, options_.contact_height, in) ||
                 (f > first && down_[f - 1] && IsInside(f, options_.release_height, out));
    }
    for (int f = end - 2; f >= first; --f) {
      down_[f] = down_[f] || (down_[f + 1] && IsInside(f, options_.release_height, out));
    }
  }

  const HeightTrack& track_;
  const std::vector<double>& floor_;
  const GroundOptions& options_;
  double fps_;
  std::vector<bool> down_;
};

}  // namespace

GroundTracks TrackHeights(const Character& character, const Motion& motion) {
  const Kinematics kinematics(character);
  const std::array<FootParts, 2> feet = FeetOf(character);
  GroundTracks tracks;
  std::vector<PointWindow> windows = {PointWindow(feet[0].sole), PointWindow(feet[1].sole)};
  std::vector<HeightTrack*> outputs = {&tracks.feet[0], &tracks.feet[1]};
  std::vector<ContactPoint> rest;
  const std::vector<ContactPart> others = OtherParts(character);
  tracks.parts.reserve(others.size());
  for (const ContactPart& part : others) {
    windows.emplace_back(part.points);
    if (part.flag == kLeftHandDown || part.flag == kRightHandDown) {
      outputs.push_back(&tracks.hands[part.flag == kLeftHandDown ? 0 : 1]);
      continue;
    }
    tracks.parts.push_back({part.flag, {}});
    outputs.push_back(&tracks.parts.back().track);
    rest.insert(rest.end(), part.points.begin(), part.points.end());
  }
  windows.emplace_back(rest);
  outputs.push_back(&tracks.body);
  const int count = motion.FrameCount();
  const int pelvis = character.BodyOf(Role::kPelvis);
  BodyFrames frames;
  const auto measure = [&](int at, int a, int b, double seconds) {
    for (std::size_t w = 0; w < windows.size(); ++w) {
      if (!windows[w].IsEmpty()) windows[w].Measure(at, a, b, seconds, outputs[w]);
    }
  };
  for (int f = 0; f < count; ++f) {
    kinematics.Frames(motion.frames[f], &frames);
    tracks.pelvis.push_back(frames.position[pelvis]);
    for (PointWindow& window : windows) window.Push(frames);
    if (f == 1) measure(1, 1, 2, 1 / motion.fps);
    if (f >= 2) measure(1, 0, 2, 2 / motion.fps);
  }
  if (count == 1) {
    measure(2, 2, 2, 0);
  } else {
    measure(2, 1, 2, 1 / motion.fps);
  }
  return tracks;
}

std::vector<double> Smoothed(const std::vector<double>& values, const std::vector<double>& weights,
                             double sigma_frames) {
  // A Gaussian as three box filters of running sums: cost does not depend on the width.
  const int count = static_cast<int>(values.size());
  std::vector<double> sum(count), weight(count);
  for (int f = 0; f < count; ++f) {
    weight[f] = weights.empty() ? 1 : weights[f];
    sum[f] = weight[f] * values[f];
  }
  const int radius = std::max(
      0, static_cast<int>(std::lround(std::sqrt(sigma_frames * sigma_frames + 0.25) - 0.5)));
  const auto box = [&](std::vector<double>* v) {
    std::vector<double> running(count + 1, 0);
    for (int f = 0; f < count; ++f) running[f + 1] = running[f] + (*v)[f];
    for (int f = 0; f < count; ++f) {
      (*v)[f] = running[std::min(count, f + radius + 1)] - running[std::max(0, f - radius)];
    }
  };
  for (int pass = 0; pass < 3; ++pass) {
    box(&sum);
    box(&weight);
  }
  // What lies further than the filter reaches takes the nearest value on either side, in
  // proportion.
  std::vector<double> result(count, 0);
  int last = -1;
  const auto fill = [&](int first, int end) {  // between `last` and `end`, both known or outside
    for (int f = first; f < end; ++f) {
      const double t = last < 0       ? 1
                       : end >= count ? 0
                                      : static_cast<double>(f - last) / (end - last);
      result[f] = (last < 0 ? 0 : (1 - t) * result[last]) + (end >= count ? 0 : t * result[end]);
    }
  };
  for (int f = 0; f < count; ++f) {
    if (weight[f] < 1e-9) continue;
    result[f] = sum[f] / weight[f];
    fill(last + 1, f);
    last = f;
  }
  if (last >= 0) fill(last + 1, count);
  return result;
}

std::vector<double> FindFloor(const GroundTracks& tracks, double leg_length, double fps) {
  constexpr double kSlow = 0.5;        // m/s
  constexpr double kFootReach = 0.08;  // m around the usual floor that a foot's floor may lie
  constexpr double kBodyReach =
      0.15;  // the same for hands and other parts, whose shapes fit less well
  constexpr double kHandReach =
      0.35;  // the same for a body upside down: captured arms are often too short
  const int count = static_cast<int>(tracks.pelvis.size());
  // The usual floor: where the lower foot rests while the body is upright; else the lowest that the
  // body gets.
  std::vector<double> stands, lowest(count);
  std::vector<const HeightTrack*> others;
  for (const HeightTrack* track : {&tracks.hands[0], &tracks.hands[1], &tracks.body}) {
    if (!track->height.empty()) others.push_back(track);
  }
  for (int f = 0; f < count; ++f) {
    const int low = tracks.feet[0].height[f] < tracks.feet[1].height[f] ? 0 : 1;
    const double height = tracks.feet[low].height[f];
    if (tracks.feet[low].speed[f] < kSlow && tracks.pelvis[f].z - height > 0.6 * leg_length) {
      stands.push_back(height);
    }
    lowest[f] = height;
    for (const HeightTrack* track : others) lowest[f] = std::min(lowest[f], track->height[f]);
  }
  double usual = 0;
  if (static_cast<double>(stands.size()) > 0.1 * fps) {
    usual = Median(stands);
  } else {
    std::vector<double> sorted = lowest;
    std::nth_element(sorted.begin(), sorted.begin() + count / 20, sorted.end());
    usual = sorted[count / 20];
  }
  // Where the body is carried, by the lowest of what is slow.
  std::vector<double> heights(count, usual), weights(count, 0);
  for (int f = 0; f < count; ++f) {
    double carried = std::numeric_limits<double>::infinity(), sum = 0;
    int resting = 0;
    for (const HeightTrack& foot : tracks.feet) {
      if (foot.speed[f] < kSlow && std::fabs(foot.height[f] - usual) < kFootReach) {
        sum += foot.height[f];
        ++resting;
      }
    }
    if (resting > 0) carried = sum / resting;
    const bool inverted =
        std::min(tracks.feet[0].height[f], tracks.feet[1].height[f]) > tracks.pelvis[f].z;
    for (const HeightTrack* track : others) {
      const double reach = inverted ? kHandReach : kBodyReach;
      if (track->speed[f] < kSlow && std::fabs(track->height[f] - usual) < reach) {
        carried = std::min(carried, track->height[f]);
      }
    }
    if (std::isinf(carried)) continue;
    heights[f] = carried;
    weights[f] = 1;
  }
  return Smoothed(heights, weights, 0.25 * fps);
}

std::vector<std::uint8_t> DetectContacts(const GroundTracks& tracks,
                                         const std::vector<double>& floor,
                                         const GroundOptions& options, double fps) {
  std::vector<std::uint8_t> contacts(floor.size(), 0);
  const auto detect = [&](const HeightTrack& track, std::uint8_t flag) {
    if (track.height.empty()) return;
    const std::vector<bool> down = Detector(track, floor, options, fps).Detect();
    for (std::size_t f = 0; f < down.size(); ++f) contacts[f] |= down[f] ? flag : 0;
  };
  detect(tracks.feet[0], kLeftFootDown);
  detect(tracks.feet[1], kRightFootDown);
  detect(tracks.hands[0], kLeftHandDown);
  detect(tracks.hands[1], kRightHandDown);
  for (const GroundTracks::Part& part : tracks.parts) detect(part.track, part.flag);
  return contacts;
}

}  // namespace stride
