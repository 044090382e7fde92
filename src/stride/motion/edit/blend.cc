#include "stride/motion/edit/blend.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/motion/edit/displacement.h"
#include "stride/motion/edit/edit.h"
#include "stride/motion/edit/foot_hold.h"
#include "stride/motion/edit/seam.h"
#include "stride/motion/kinematics.h"

namespace stride {
namespace {

constexpr std::uint8_t kFeet = kLeftFootDown | kRightFootDown;

Quatd TurnBy(double heading) { return AxisAngle({0, 0, 1}, heading); }

// Weighted mean of rotations: the normalised sum, all in the half of the one that counts most.
class QuatMean {
 public:
  void Add(const Quatd& q, double weight) {
    if (weight > weight_) {
      reference_ = q;
      weight_ = weight;
    }
    items_.emplace_back(q, weight);
  }
  Quatd Get() const {
    Quatd sum{};
    for (const auto& [q, weight] : items_) {
      const double w = Dot(q, reference_) < 0 ? -weight : weight;
      sum = {sum.w + w * q.w, sum.x + w * q.x, sum.y + w * q.y, sum.z + w * q.z};
    }
    return Normalized(sum);
  }

 private:
  std::vector<std::pair<Quatd, double>> items_;
  Quatd reference_ = Quatd::Identity();
  double weight_ = -1;
};

// One of several motions of equally many frames that are blended frame by frame.
struct Layer {
  Motion motion;
  FootPaths feet;
  std::vector<double> heading;  // turned since the first frame, rad; counts full turns

  Layer(const Character& character, Motion clip)
      : motion(std::move(clip)), feet(TrackFeet(character, motion)) {
    heading.push_back(0);
    for (int f = 1; f < motion.FrameCount(); ++f) {
      const Quatd turn = QuatAt(motion.frames[f], 3) * Conjugate(QuatAt(motion.frames[f - 1], 3));
      heading.push_back(heading.back() + TwistAngle(turn, {0, 0, 1}));
    }
  }
  Vec3d Root(int f) const { return Vec3At(motion.frames[f], 0); }
};

// weights[f][k]: share of layer k in frame f; they add up to one.
Motion BlendLayers(const Character& character, const std::vector<Layer>& layers,
                   const std::vector<std::vector<double>>& weights) {
  const Layout layout = LayoutOf(character);
  const int count = layers[0].motion.FrameCount(), size = static_cast<int>(layers.size());
  Motion result = layers[0].motion;
  FootPaths feet = layers[0].feet;
  double heading = 0;
  Vec3d root;
  for (int f = 0; f < count; ++f) {
    const std::vector<double>& share = weights[f];
    double turn = 0, height = 0;
    for (int k = 0; k < size; ++k) {
      if (f > 0) turn += share[k] * (layers[k].heading[f] - layers[k].heading[f - 1]);
      height += share[k] * layers[k].Root(f).z;
    }
    Vec3d way;
    for (int k = 0; k < size; ++k) {
      const Layer& layer = layers[k];
      if (f == 0) {
        way += layer.Root(0) * share[k];
        continue;
      }
      const double own = 0.5 * (layer.heading[f] + layer.heading[f - 1]);
      way +=
          Rotate(TurnBy(heading + 0.5 * turn - own), layer.Root(f) - layer.Root(f - 1)) * share[k];
    }
    heading += turn;
    root += way;
    root.z = height;

    std::vector<double>& q = result.frames[f];
    Put(root, 0, &q);
    for (int i = 0; i < character.BodyCount(); ++i) {
      const bool free = character.bodies[i].joint.kind == JointKind::kFree;
      const int at = layout.q[i] + (free ? 3 : 0);
      if (HasOneAxis(character.bodies[i].joint.kind)) {
        q[at] = 0;
        for (int k = 0; k < size; ++k) q[at] += share[k] * layers[k].motion.frames[f][at];
        continue;
      }
      QuatMean mean;
      for (int k = 0; k < size; ++k) {
        const Quatd turned = QuatAt(layers[k].motion.frames[f], at);
        mean.Add(free ? TurnBy(heading - layers[k].heading[f]) * turned : turned, share[k]);
      }
      Put(mean.Get(), at, &q);
    }

    std::uint8_t label = 0;
    for (int bit = 1; bit < 256; bit <<= 1) {
      double votes = 0;
      for (int k = 0; k < size; ++k) votes += layers[k].motion.contacts[f] & bit ? share[k] : 0;
      if (votes > 0.5) label = static_cast<std::uint8_t>(label | bit);
    }
    result.contacts[f] = label;

    for (int side = 0; side < 2; ++side) {
      if (feet[side].empty()) continue;
      FootPose pose{root, {}};
      QuatMean mean;
      double down = 0, height_down = 0;
      for (int k = 0; k < size; ++k) {
        const FootPose& own = layers[k].feet[side][f];
        const Quatd turned = TurnBy(heading - layers[k].heading[f]);
        pose.position += Rotate(turned, own.position - layers[k].Root(f)) * share[k];
        mean.Add(turned * own.rotation, share[k]);
        pose.slip += Rotate(turned, own.slip) * share[k];
        pose.height += share[k] * own.height;
        if (own.down) {
          down += share[k];
          height_down += share[k] * own.height;
        }
      }
      pose.rotation = mean.Get();
      pose.down = down > 0;
      // On the ground the clips that are there count.
      if (pose.down && label & (side == 0 ? kLeftFootDown : kRightFootDown))
        pose.height = height_down / down;
      feet[side][f] = pose;
    }
  }
  MakeSignsContinuous(Kinematics(character), &result.frames);
  HoldFeet(character, feet, &result);
  return result;
}

// Where a clip is cut to be registered with others: frames, the first and the last among them.
struct Marks {
  std::vector<int> frames;
  std::string labels;  // what begins at each mark but the last
};

Marks ContactMarks(const Motion& motion) {
  Marks marks{{0}, {"-LRB"[motion.contacts[0] & kFeet]}};
  // The last frame is none to start a piece at.
  for (int f = 1; f + 1 < motion.FrameCount(); ++f) {
    if ((motion.contacts[f] & kFeet) == (motion.contacts[f - 1] & kFeet)) continue;
    marks.frames.push_back(f);
    marks.labels += "-LRB"[motion.contacts[f] & kFeet];
  }
  marks.frames.push_back(motion.FrameCount() - 1);
  return marks;
}

Marks LandingMarks(const Motion& motion) {
  Marks marks{{0}, ""};
  for (int f = 1; f + 1 < motion.FrameCount(); ++f) {
    const int landed = motion.contacts[f] & ~motion.contacts[f - 1] & kFeet;
    if (landed == 0) continue;
    marks.frames.push_back(f);
    marks.labels += "-LRB"[landed];
  }
  marks.frames.push_back(motion.FrameCount() - 1);
  return marks;
}

int FirstLanding(const Motion& loop, std::uint8_t flag) {
  for (int f = 1; f < loop.FrameCount(); ++f) {
    if ((loop.contacts[f] & flag) && !(loop.contacts[f - 1] & flag)) return f;
  }
  return 0;
}

std::vector<Marks> Register(const Character& character, std::vector<Motion>* clips) {
  const auto all = [&](auto marks_of, std::vector<Marks>* marks) {
    marks->clear();
    for (const Motion& clip : *clips) marks->push_back(marks_of(clip));
    return std::all_of(marks->begin(), marks->end(),
                       [&](const Marks& m) { return m.labels == marks->front().labels; });
  };
  std::vector<Marks> marks;
  if (all(ContactMarks, &marks)) return marks;
  const bool loops =
      std::all_of(clips->begin(), clips->end(), [](const Motion& clip) { return clip.loops; });
  if (loops) {
    for (Motion& clip : *clips)
      clip = StartLoopAt(character, clip, FirstLanding(clip, kLeftFootDown));
    if (all(ContactMarks, &marks)) return marks;
  }
  if (all(LandingMarks, &marks)) return marks;
  std::string found;
  for (std::size_t k = 0; k < clips->size(); ++k) {
    found += fmt::format("{}'{}': {}", k > 0 ? ", " : "", (*clips)[k].name,
                         ContactMarks((*clips)[k]).labels);
  }
  throw InputError(
      "blend of motions: feet touch the ground in different order (" + found +
      "; L, R, B: left, right, both); expected the same, cut or mirror the clips first");
}

void CheckClips(const std::vector<Motion>& clips, std::vector<double>* weights) {
  if (clips.empty() || clips.size() != weights->size()) {
    throw InputError(fmt::format("blend of motions: {} clips and {} weights; expected as many",
                                 clips.size(), weights->size()));
  }
  double sum = 0;
  for (std::size_t k = 0; k < clips.size(); ++k) {
    const double weight = (*weights)[k];
    if (!(weight >= 0 && weight < 1e9)) {
      throw InputError(fmt::format("blend of motions: weight {} of '{}'; expected 0 or more",
                                   weight, clips[k].name));
    }
    if (std::fabs(clips[k].fps - clips[0].fps) > 1e-6 * clips[0].fps) {
      throw InputError(
          fmt::format("blend of motions: '{}' has {} frames a second, '{}' {}; expected one rate, "
                      "resample first",
                      clips[k].name, clips[k].fps, clips[0].name, clips[0].fps));
    }
    if (clips[k].FrameCount() < 2) {
      throw InputError(fmt::format("blend of motions: '{}' has {} frames; expected at least 2",
                                   clips[k].name, clips[k].FrameCount()));
    }
    sum += weight;
  }
  if (sum <= 0) throw InputError("blend of motions: all weights are zero; expected a positive one");
  for (double& weight : *weights) weight /= sum;
}

Vec3d Travel(const Motion& motion) {
  const Vec3d way = Vec3At(motion.frames.back(), 0) - Vec3At(motion.frames.front(), 0);
  return {way.x, way.y, 0};
}

}  // namespace

Motion BlendClips(const Character& character, const std::vector<Motion>& clips,
                  std::vector<double> weights) {
  RequireFreeRoot(character);
  CheckClips(clips, &weights);
  std::vector<Motion> registered = clips;
  const std::vector<Marks> marks = Register(character, &registered);
  const std::size_t count = clips.size(), borders = marks[0].frames.size();
  const double fps = clips[0].fps;

  std::vector<double> times(borders, 0.0);  // of the marks in the result
  for (std::size_t b = 0; b < borders; ++b) {
    for (std::size_t k = 0; k < count; ++k) times[b] += weights[k] * marks[k].frames[b] / fps;
  }
  // The result ends on a frame.
  const double end = std::max(1.0, static_cast<double>(std::lround(times.back() * fps))) / fps;
  for (double& t : times) t *= end / times.back();

  bool loops = true;
  std::vector<Layer> layers;
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<std::pair<double, double>> points;
    for (std::size_t b = 0; b < borders; ++b)
      points.emplace_back(times[b], marks[k].frames[b] / fps);
    Motion clip =
        TimeWarped(registered[k], character, TimeCurve(std::move(points), registered[k].loops));
    loops = loops && clips[k].loops;
    if (k > 0)
      MoveMotion(character, MoveBetween(character, clip.frames[0], layers[0].motion.frames[0]),
                 &clip);
    layers.emplace_back(character, std::move(clip));
  }
  for (Layer& layer : layers) layer.motion.loops = loops;
  return BlendLayers(character, layers,
                     std::vector<std::vector<double>>(layers[0].motion.FrameCount(), weights));
}

std::vector<double> WeightsFor(const std::vector<double>& parameters, double wanted) {
  STRIDE_CHECK(!parameters.empty());
  std::vector<int> order(parameters.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return parameters[a] < parameters[b]; });
  std::vector<double> weights(parameters.size(), 0.0);
  if (!(wanted > parameters[order.front()])) {
    weights[order.front()] = 1;
    return weights;
  }
  for (std::size_t k = 1; k < order.size(); ++k) {
    const double low = parameters[order[k - 1]], high = parameters[order[k]];
    if (wanted > high) continue;
    weights[order[k]] = (wanted - low) / (high - low);
    weights[order[k - 1]] = 1 - weights[order[k]];
    return weights;
  }
  weights[order.back()] = 1;
  return weights;
}

double MeanSpeed(const Motion& motion) {
  const double duration = motion.Duration();
  return duration > 0 ? Norm(Travel(motion)) / duration : 0;
}

std::vector<double> WeightsForSpeed(const std::vector<Motion>& clips, double speed) {
  std::vector<double> speeds;
  for (const Motion& clip : clips) speeds.push_back(MeanSpeed(clip));
  std::vector<double> weights = WeightsFor(speeds, speed);
  double sum = 0;
  // Shares of the time become shares of the clips: a clip that lasts long counts for more.
  for (std::size_t k = 0; k < clips.size(); ++k)
    sum += weights[k] /= std::max(1e-9, clips[k].Duration());
  for (double& weight : weights) weight /= sum;
  return weights;
}

Motion CrossFade(const Character& character, const Motion& a, int frame_a, const Motion& b,
                 int frame_b, double seconds) {
  RequireFreeRoot(character);
  const int last_a = a.FrameCount() - 1, last_b = b.FrameCount() - 1;
  if (frame_a < 0 || frame_a > last_a || frame_b < 0 || frame_b > last_b) {
    throw InputError(
        fmt::format("cross-fade from '{}' at frame {} to '{}' at {}; expected 0 to {} and 0 to {}",
                    a.name, frame_a, b.name, frame_b, last_a, last_b));
  }
  if (std::fabs(a.fps - b.fps) > 1e-6 * a.fps) {
    throw InputError(fmt::format(
        "cross-fade: '{}' has {} frames a second, '{}' {}; expected one rate, resample first",
        a.name, a.fps, b.name, b.fps));
  }
  const int half = static_cast<int>(std::lround(0.5 * std::max(0.0, seconds) * a.fps));
  // A loop has frames beyond its ends.
  const int before = std::min({half, frame_a, b.loops ? half : frame_b});
  const int after = std::min({half, last_b - frame_b, a.loops ? half : last_a - frame_a});
  if (before + after < std::min(half, 2)) {
    return Join(character, {{&a, 0, frame_a}, {&b, frame_b, last_b}}, {.warp = 0.5 * seconds});
  }
  const int shift = frame_a - frame_b;  // from b's frames to the result's
  const int count = last_b + shift + 1;
  Motion moved = b;
  MoveMotion(character, AlignAt(character, a, frame_a, b, frame_b, 0.08), &moved);

  // Both clips over the whole result; each stands still where it has no frames and no share.
  Motion from = a, to = moved;
  from.loops = to.loops = false;
  from.frames.clear();
  from.contacts.clear();
  to.frames.clear();
  to.contacts.clear();
  std::vector<std::vector<double>> weights;
  const auto append = [&](const Motion& clip, int f, Motion* layer) {
    const bool inside = f >= 0 && f < clip.FrameCount();
    layer->frames.push_back(inside ? clip.frames[f] : SampleMotion(clip, character, f / clip.fps));
    layer->contacts.push_back(inside ? clip.contacts[f] : SampleContacts(clip, f / clip.fps));
  };
  for (int f = 0; f < count; ++f) {
    append(a, f, &from);
    append(moved, f - shift, &to);
    const double s =
        before + after > 0 ? ForwardTransition(f, frame_a - before, frame_a + after) : f >= frame_a;
    weights.push_back({1 - s, s});
  }
  std::vector<Layer> layers = {Layer(character, std::move(from)), Layer(character, std::move(to))};
  // Where b is laid over a both have the same heading, whatever turns came before.
  const double offset = layers[0].heading[frame_a] - layers[1].heading[frame_a];
  for (double& heading : layers[1].heading) heading += offset;
  return BlendLayers(character, layers, weights);
}

}  // namespace stride
