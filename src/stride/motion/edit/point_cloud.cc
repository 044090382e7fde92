#include "stride/motion/edit/point_cloud.h"

#include <algorithm>
#include <cmath>

#include "stride/core/error.h"
#include "stride/motion/kinematics.h"

namespace stride {
namespace {

constexpr int kSamples = 2;  // to each side of a window's middle

}  // namespace

std::vector<BodyPoint> BodyPoints(const Character& character) {
  std::vector<BodyPoint> points;
  std::vector<bool> has_child(character.BodyCount(), false);
  for (int i = 0; i < character.BodyCount(); ++i) {
    const Body& body = character.bodies[i];
    if (body.parent >= 0) has_child[body.parent] = true;
    // Several hinges at one place are one joint.
    if (body.parent < 0 || Norm(body.offset) > 1e-6) points.push_back({i, {}});
  }
  for (int i = 0; i < character.BodyCount(); ++i) {
    // The centre of mass is about the middle of a part.
    if (!has_child[i]) points.push_back({i, character.bodies[i].com * 2.0});
  }
  return points;
}

WindowClouds::WindowClouds(const Character& character, const Motion& motion, double half_window) {
  STRIDE_CHECK(!motion.frames.empty());
  const std::vector<BodyPoint> points = BodyPoints(character);
  const int count = motion.FrameCount(), size = static_cast<int>(points.size());
  const int step = std::max(1, static_cast<int>(std::lround(half_window * motion.fps / kSamples)));
  const int reach = kSamples * step;

  const Kinematics kinematics(character);
  BodyFrames frames;
  const auto cloud_of = [&](const std::vector<double>& q) {
    kinematics.Frames(q, &frames);
    std::vector<Vec3d> cloud;
    for (const BodyPoint& point : points) {
      cloud.push_back(frames.position[point.body] +
                      Rotate(frames.rotation[point.body], point.position));
    }
    return cloud;
  };
  std::vector<std::vector<Vec3d>> clouds(count + 2 * reach);  // frame f at f + reach
  for (int f = 0; f < count; ++f) clouds[f + reach] = cloud_of(motion.frames[f]);
  for (int k = 1; k <= reach; ++k) {
    for (const int f : {-k, count - 1 + k}) {
      std::vector<Vec3d>& cloud = clouds[f + reach];
      if (motion.loops && count > 1) {
        cloud = cloud_of(SampleMotion(motion, character, f / motion.fps));
        continue;
      }
      const std::vector<Vec3d>& end = clouds[(f < 0 ? 0 : count - 1) + reach];
      const std::vector<Vec3d>& inner =
          clouds[(f < 0 ? std::min(1, count - 1) : std::max(0, count - 2)) + reach];
      for (int i = 0; i < size; ++i)
        cloud.push_back(end[i] + (end[i] - inner[i]) * static_cast<double>(k));
    }
  }

  const int total = size * (2 * kSamples + 1);
  const double scale = 1 / std::sqrt(static_cast<double>(total));
  level_.resize(2 * total, count);
  turned_.resize(2 * total, count);
  z_.resize(total, count);
  size_.resize(count);
  centre_.resize(count);
  for (int f = 0; f < count; ++f) {
    Vec3d centre;
    for (int k = -kSamples; k <= kSamples; ++k) {
      for (const Vec3d& p : clouds[f + reach + k * step]) centre += p;
    }
    centre = {centre.x / total, centre.y / total, 0};
    centre_[f] = centre;
    int row = 0;
    for (int k = -kSamples; k <= kSamples; ++k) {
      for (const Vec3d& point : clouds[f + reach + k * step]) {
        const Vec3d p = (point - centre) * scale;
        level_(row, f) = turned_(total + row, f) = p.x;
        level_(total + row, f) = p.y;
        turned_(row, f) = -p.y;
        z_(row++, f) = p.z;
      }
    }
    size_[f] = level_.col(f).squaredNorm() + z_.col(f).squaredNorm();
  }
}

double WindowClouds::Distance(int frame, const WindowClouds& other, int other_frame) const {
  const double along = level_.col(frame).dot(other.level_.col(other_frame));
  const double across = level_.col(frame).dot(other.turned_.col(other_frame));
  const double heights = z_.col(frame).dot(other.z_.col(other_frame));
  const double square =
      size_[frame] + other.size_[other_frame] - 2 * (std::hypot(along, across) + heights);
  return std::sqrt(std::max(0.0, square));
}

GroundMove WindowClouds::Alignment(int frame, const WindowClouds& other, int other_frame) const {
  const double along = level_.col(frame).dot(other.level_.col(other_frame));
  const double across = level_.col(frame).dot(other.turned_.col(other_frame));
  GroundMove move{std::atan2(across, along), {}};
  move.shift = centre_[frame] - Apply(move, other.centre_[other_frame]);
  return move;
}

}  // namespace stride
