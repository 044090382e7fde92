#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "stride/math/rotation.h"
#include "stride/motion/formats/axes.h"
#include "stride/motion/formats/gltf/gltf.h"
#include "stride/motion/formats/gltf/gltf_document.h"

namespace stride {
namespace {

using nlohmann::json;

constexpr double kAtKey = 1e-3;  // of the time between two keys

enum class Interpolation { kLinear, kStep, kCubic };

// One animated property of one node.
struct Track {
  std::string where;
  GltfAccessor times, values;
  Interpolation interpolation = Interpolation::kLinear;
  bool used = false;
};

struct Moved {
  Track translation, rotation, scale;
};

// A value of three or four components on its way through interpolation.
struct Value {
  double v[4] = {0, 0, 0, 0};
  friend Value operator+(const Value& a, const Value& b) {
    return {{a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2], a.v[3] + b.v[3]}};
  }
  friend Value operator*(const Value& a, double s) {
    return {{a.v[0] * s, a.v[1] * s, a.v[2] * s, a.v[3] * s}};
  }
};

Vec3d ToVec(const Value& a) { return {a.v[0], a.v[1], a.v[2]}; }
Quatd ToQuat(const Value& a) { return {a.v[3], a.v[0], a.v[1], a.v[2]}; }

// Rotation, uniform scale and translation of all nodes above one.
struct Frame {
  Vec3d position;
  Quatd rotation = Quatd::Identity();
  double scale = 1;
};

class GltfReader {
 public:
  GltfReader(std::string_view bytes, const std::string& file, const GltfReadOptions& options)
      : document_(bytes, file, options.folder),
        nodes_(document_.Nodes()),
        options_(options),
        max_rotations_(std::max<std::size_t>(std::size_t{1} << 22, bytes.size())) {
    clip_.format = "gltf";
    clip_.source = file;
    clip_.metres_per_unit = 1;
  }

  SkeletonClip Read() {
    ReadAnimation();
    ChooseJoints();
    BuildSkeleton();
    PlanFrames();
    SampleRoot();
    for (int j = 1; j < clip_.JointCount(); ++j) SampleJoint(j);
    InterleaveTranslations();
    MakeSignsContinuous(&clip_);
    SetDefaultChannels(&clip_);
    Validate(clip_);
    return std::move(clip_);
  }

 private:
  void ReadAnimation() {
    const json& animations = document_.List(document_.Json(), "animations");
    if (animations.empty()) document_.Fail("holds no animation; expected a skeletal animation");
    if (options_.animation < 0 ||
        static_cast<std::size_t>(options_.animation) >= animations.size()) {
      document_.Fail("has " + std::to_string(animations.size()) +
                     " animations; there is no number " + std::to_string(options_.animation) +
                     ", counted from 0");
    }
    if (animations.size() > 1) {
      clip_.warnings.push_back("holds " + std::to_string(animations.size()) +
                               " animations; number " + std::to_string(options_.animation) +
                               " was read");
    }
    const std::string where = "animations[" + std::to_string(options_.animation) + "]";
    const json& animation = animations[options_.animation];
    if (!animation.is_object()) document_.Fail(where + " is not an object");
    const json& channels = document_.List(animation, "channels");
    moved_.resize(nodes_.size());
    for (std::size_t c = 0; c < channels.size(); ++c) {
      ReadChannel(animation, channels[c], where + ".channels[" + std::to_string(c) + "]");
    }
  }

  void ReadChannel(const json& animation, const json& channel, const std::string& where) {
    const json& samplers = document_.List(animation, "samplers");
    const int s = document_.Index(channel, "sampler", samplers.size(), where);
    const auto target = channel.find("target");
    if (target == channel.end() || !target->is_object()) document_.Fail(where + " has no target");
    if (!target->contains("node")) return;  // the specification says to ignore it
    const int n = document_.Index(*target, "node", nodes_.size(), where + ".target");
    const auto path = target->find("path");
    if (path == target->end() || !path->is_string()) document_.Fail(where + ".target has no path");
    Track* track = *path == "translation" ? &moved_[n].translation
                   : *path == "rotation"  ? &moved_[n].rotation
                   : *path == "scale"     ? &moved_[n].scale
                                          : nullptr;
    if (!track) return;  // "weights" moves vertices, not joints
    if (track->used) document_.Fail(where + " moves what another channel moves too");
    const json& sampler = samplers[s];
    const std::string sampler_where = where + ".sampler";
    const std::size_t accessors = document_.List(document_.Json(), "accessors").size();
    track->where = where;
    track->times =
        document_.Accessor(document_.Index(sampler, "input", accessors, sampler_where), 1);
    track->values = document_.Accessor(document_.Index(sampler, "output", accessors, sampler_where),
                                       *path == "rotation" ? 4 : 3);
    const auto mode = sampler.find("interpolation");
    if (mode == sampler.end() || *mode == "LINEAR") {
      track->interpolation = Interpolation::kLinear;
    } else if (*mode == "STEP") {
      track->interpolation = Interpolation::kStep;
    } else if (*mode == "CUBICSPLINE") {
      track->interpolation = Interpolation::kCubic;
    } else {
      document_.Fail(sampler_where +
                     " has an unknown interpolation; expected LINEAR, STEP or CUBICSPLINE");
    }
    const int per_key = track->interpolation == Interpolation::kCubic ? 3 : 1;
    if (track->values.Count() / per_key != track->times.Count() ||
        track->values.Count() % per_key != 0) {
      document_.Fail(sampler_where + " has " + std::to_string(track->times.Count()) +
                     " times and " + std::to_string(track->values.Count()) + " values");
    }
    track->used = true;
  }

  bool Moves(int node) const { return moved_[node].rotation.used || moved_[node].translation.used; }

  // Fills order_ with the joints' nodes, depth-first.
  void ChooseJoints() {
    std::vector<bool> wanted(nodes_.size());
    const json& skins = document_.List(document_.Json(), "skins");
    for (std::size_t s = 0; s < skins.size(); ++s) WantSkin(skins[s], s, &wanted);
    const bool skinned = std::count(wanted.begin(), wanted.end(), true) > 0;

    // Nodes from the roots down, so that a loop backwards visits children before their parents.
    std::vector<int> down;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n].parent < 0) down.push_back(static_cast<int>(n));
    }
    for (std::size_t i = 0; i < down.size(); ++i) {
      const std::vector<int>& children = nodes_[down[i]].children;
      down.insert(down.end(), children.begin(), children.end());
    }
    std::vector<int> below(nodes_.size());  // wanted nodes in the subtree
    int best = -1, total = 0;
    for (auto n = down.rbegin(); n != down.rend(); ++n) {
      // Moved ancestors of joints count too; without a skin every moved node does.
      if (Moves(*n) && (!skinned || below[*n] > 0)) wanted[*n] = true;
      if (wanted[*n]) ++below[*n];
      if (nodes_[*n].parent >= 0) {
        below[nodes_[*n].parent] += below[*n];
      } else if (below[*n] > 0) {
        total += below[*n];
        if (best < 0 || below[*n] >= below[best]) best = *n;
      }
    }
    if (best < 0) document_.Fail("its animation moves no node; expected a skeletal animation");
    if (below[best] < total) {
      clip_.warnings.push_back("holds several separate skeletons; the largest was read");
    }
    for (bool deeper = true; deeper && !wanted[best];) {  // down to the lowest common ancestor
      deeper = false;
      for (int child : nodes_[best].children) {
        if (below[child] == below[best]) {
          best = child;
          deeper = true;
          break;
        }
      }
    }
    std::vector<int> stack = {best};
    while (!stack.empty()) {
      const int n = stack.back();
      stack.pop_back();
      order_.push_back(n);
      for (auto c = nodes_[n].children.rbegin(); c != nodes_[n].children.rend(); ++c) {
        if (below[*c] > 0) stack.push_back(*c);
      }
    }
    if (order_.size() > kMaxClipJoints)
      document_.Fail("has more than " + std::to_string(kMaxClipJoints) + " joints");
  }

  void WantSkin(const json& skin, std::size_t index, std::vector<bool>* wanted) const {
    const std::string where = "skins[" + std::to_string(index) + "]";
    if (!skin.is_object()) document_.Fail(where + " is not an object");
    std::vector<int> joints;
    for (const json& joint : document_.List(skin, "joints")) {
      if (!joint.is_number_unsigned() || joint.get<std::uint64_t>() >= nodes_.size()) {
        document_.Fail(where + ".joints holds something else than the number of a node");
      }
      joints.push_back(joint.get<int>());
    }
    if (std::none_of(joints.begin(), joints.end(), [&](int n) { return Moves(n); })) return;
    for (int n : joints) (*wanted)[n] = true;
  }

  void BuildSkeleton() {
    std::vector<int> above;
    for (int n = nodes_[order_[0]].parent; n >= 0; n = nodes_[n].parent) above.push_back(n);
    bool uneven = false;
    for (auto n = above.rbegin(); n != above.rend(); ++n) {
      const GltfNode& node = nodes_[*n];
      base_.position += Rotate(base_.rotation, node.translation * base_.scale);
      base_.rotation = Normalized(base_.rotation * node.rotation);
      base_.scale *= node.scale;
      uneven = uneven || node.has_uneven_scale;
    }
    std::vector<bool> is_joint(nodes_.size());
    for (int n : order_) is_joint[n] = true;
    std::vector<int> joint_of(nodes_.size(), -1);
    std::unordered_set<std::string> names;
    for (std::size_t j = 0; j < order_.size(); ++j) {
      const GltfNode& node = nodes_[order_[j]];
      joint_of[order_[j]] = static_cast<int>(j);
      ClipJoint joint;
      joint.name = node.name;
      if (!names.insert(joint.name).second) {
        joint.name += "#" + std::to_string(order_[j]);
        names.insert(joint.name);
      }
      joint.parent = j == 0 ? -1 : joint_of[node.parent];
      scale_above_.push_back(j == 0 ? base_.scale
                                    : scale_above_[joint.parent] * nodes_[node.parent].scale);
      joint.offset = LocalOffset(static_cast<int>(j), node.translation);
      joint.rest_rotation = LocalRotation(static_cast<int>(j), node.rotation);
      for (int c : node.children) {
        if (nodes_[c].children.empty() && !nodes_[c].has_content && !is_joint[c]) {
          joint.end_sites.push_back(
              FromYUp(nodes_[c].translation * (scale_above_[j] * node.scale)));
        }
      }
      uneven = uneven || node.has_uneven_scale;
      WarnOfScale(order_[j]);
      clip_.joints.push_back(std::move(joint));
    }
    if (uneven) clip_.warnings.push_back("holds uneven scale, of which the mean was taken");
  }

  // Only the root carries what lies above it.
  Vec3d LocalOffset(int joint, const Vec3d& translation) const {
    const Vec3d scaled = translation * scale_above_[joint];
    return FromYUp(joint == 0 ? base_.position + Rotate(base_.rotation, scaled) : scaled);
  }
  Quatd LocalRotation(int joint, const Quatd& rotation) const {
    return FromYUp(joint == 0 ? Normalized(base_.rotation * rotation) : rotation);
  }

  void WarnOfScale(int node) {
    const Track& track = moved_[node].scale;
    if (!track.used || warned_of_scale_) return;
    for (int key = 0; key < track.values.Count(); ++key) {
      if (track.interpolation == Interpolation::kCubic && key % 3 != 1) continue;
      for (int i = 0; i < 3; ++i) {
        if (std::fabs(track.values.At(key, i) / nodes_[node].scale - 1) <= 0.01) continue;
        clip_.warnings.push_back("animates scale, which was left out");
        warned_of_scale_ = true;
        return;
      }
    }
  }

  void PlanFrames() {
    double begin = 1e30, end = -1e30, densest = 0;
    for (int n : order_) {
      for (const Track* track : {&moved_[n].rotation, &moved_[n].translation}) {
        if (!track->used) continue;
        const double first = Time(*track, 0);
        double last = first;
        for (int key = 1; key < track->times.Count(); ++key) {
          const double time = Time(*track, key);
          if (time < last) document_.Fail(track->where + " has key times that do not ascend");
          last = time;
        }
        begin = std::min(begin, first);
        end = std::max(end, last);
        if (last > first) densest = std::max(densest, (track->times.Count() - 1) / (last - first));
      }
    }
    begin_ = begin;
    clip_.fps = options_.fps;
    if (!(clip_.fps > 0)) {
      clip_.fps = densest < 10 ? 30 : std::min(densest, 240.0);
      const double whole = std::round(clip_.fps);
      if (std::fabs(clip_.fps - whole) < 1e-3 * whole) clip_.fps = whole;
    }
    const double frames = std::floor((end - begin) * clip_.fps + 0.01) + 1;
    if (!(frames >= 1 &&
          frames * static_cast<double>(order_.size()) <= static_cast<double>(max_rotations_))) {
      document_.Fail("its animation lasts from " + std::to_string(begin) + " to " +
                     std::to_string(end) + " s; that is too long to sample at " +
                     std::to_string(clip_.fps) + " frames a second");
    }
    frames_ = static_cast<int>(frames);
    clip_.rotations.resize(static_cast<std::size_t>(frames_) * order_.size());
  }

  double Time(const Track& track, int key) const {
    const double time = track.times.At(key, 0);
    if (!(std::fabs(time) <= 1e6))
      document_.Fail(track.where + " has a key time that is no number of seconds");
    return time;
  }

  Value Key(const Track& track, int index) const {
    Value value;
    for (int i = 0; i < track.values.Width(); ++i) {
      value.v[i] = track.values.At(index, i);
      if (!(std::fabs(value.v[i]) <= 1e9)) {
        document_.Fail(track.where + " has a value that is not a number of at most 1e9");
      }
    }
    return value;
  }

  Quatd Unit(const Track& track, const Value& value) const {
    const Quatd q = ToQuat(value);
    if (!(Dot(q, q) > 1e-6)) document_.Fail(track.where + " has a rotation of zero length");
    return Normalized(q);
  }

  // Calls store(frame, value) for all frames.
  template <class Store>
  void Sample(const Track& track, Store store) const {
    const bool cubic = track.interpolation == Interpolation::kCubic;
    const bool turns = track.values.Width() == 4;
    const int count = track.times.Count();
    const auto value = [&](int key) { return Key(track, cubic ? 3 * key + 1 : key); };
    int key = 0;
    double at = Time(track, 0), next = count > 1 ? Time(track, 1) : at;
    for (int f = 0; f < frames_; ++f) {
      const double time = begin_ + f / clip_.fps;
      while (key + 1 < count && time >= next) {
        ++key;
        at = next;
        if (key + 1 < count) next = Time(track, key + 1);
      }
      // A time that misses its key by the rounding of the file's floats is at the key.
      const double span = next - at, t = span > 0 ? (time - at) / span : 0;
      if (t > 1 - kAtKey && key + 1 < count) {
        store(f, value(key + 1));
      } else if (t < kAtKey || key + 1 >= count || track.interpolation == Interpolation::kStep) {
        store(f, value(key));
      } else if (cubic) {
        const double t2 = t * t, t3 = t2 * t;
        store(f, value(key) * (2 * t3 - 3 * t2 + 1) +
                     Key(track, 3 * key + 2) * (span * (t3 - 2 * t2 + t)) +
                     value(key + 1) * (3 * t2 - 2 * t3) +
                     Key(track, 3 * key + 3) * (span * (t3 - t2)));
      } else if (turns) {
        const Quatd q = Slerp(Unit(track, value(key)), Unit(track, value(key + 1)), t);
        store(f, Value{{q.x, q.y, q.z, q.w}});
      } else {
        store(f, value(key) * (1 - t) + value(key + 1) * t);
      }
    }
  }

  void SampleRotation(int joint) {
    const Track& track = moved_[order_[joint]].rotation;
    const auto store = [&](int f, const Quatd& q) {
      clip_.rotations[static_cast<std::size_t>(f) * order_.size() + joint] = q;
    };
    if (!track.used) {
      for (int f = 0; f < frames_; ++f) store(f, clip_.joints[joint].rest_rotation);
      return;
    }
    Sample(track,
           [&](int f, const Value& value) { store(f, LocalRotation(joint, Unit(track, value))); });
  }

  void SampleRoot() {
    SampleRotation(0);
    const Track& track = moved_[order_[0]].translation;
    clip_.root_positions.assign(frames_, clip_.joints[0].offset);
    if (!track.used) return;
    Sample(track, [&](int f, const Value& value) {
      clip_.root_positions[f] = LocalOffset(0, ToVec(value));
    });
  }

  void SampleJoint(int joint) {
    SampleRotation(joint);
    const Track& track = moved_[order_[joint]].translation;
    if (!track.used) return;
    std::vector<Vec3d> moves(frames_);
    double furthest = 0;
    Sample(track, [&](int f, const Value& value) {
      moves[f] = LocalOffset(joint, ToVec(value));
      furthest = std::max(furthest, Norm(moves[f] - clip_.joints[joint].offset));
    });
    // Exporters write the offsets of all joints as keys; a joint moves if it leaves its offset.
    if (furthest <= 1e-4 * Norm(clip_.joints[joint].offset) + 1e-9) return;
    clip_.moving.push_back(joint);
    moves_.push_back(std::move(moves));
  }

  void InterleaveTranslations() {
    clip_.translations.reserve(static_cast<std::size_t>(frames_) * moves_.size());
    for (int f = 0; f < frames_; ++f) {
      for (const std::vector<Vec3d>& moves : moves_) clip_.translations.push_back(moves[f]);
    }
  }

  GltfDocument document_;
  const std::vector<GltfNode>& nodes_;
  const GltfReadOptions options_;
  const std::size_t max_rotations_;
  SkeletonClip clip_;
  std::vector<Moved> moved_;         // per node
  std::vector<int> order_;           // node of each joint
  std::vector<double> scale_above_;  // per joint
  Frame base_;                       // of the nodes above the root
  bool warned_of_scale_ = false;
  double begin_ = 0;  // s
  int frames_ = 0;
  std::vector<std::vector<Vec3d>> moves_;  // per moving joint
};

}  // namespace

SkeletonClip ReadGltf(std::string_view bytes, const std::string& file,
                      const GltfReadOptions& options) {
  return GltfReader(bytes, file, options).Read();
}

}  // namespace stride
