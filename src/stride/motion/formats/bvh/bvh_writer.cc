#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <unordered_set>

#include <fmt/format.h>

#include "stride/motion/formats/axes.h"
#include "stride/motion/formats/bvh/bvh.h"
#include "stride/motion/formats/bvh/euler.h"

namespace stride {
namespace {

constexpr const char* kChannelNames[] = {"Xposition", "Yposition", "Zposition",
                                         "Xrotation", "Yrotation", "Zrotation"};
constexpr double kDegrees = 180 / std::numbers::pi;

std::vector<int> RotationAxes(const std::vector<Channel>& channels) {
  std::vector<int> axes;
  for (Channel c : channels) {
    if (IsRotation(c)) axes.push_back(AxisOf(c));
  }
  return axes;
}

double Component(const Vec3d& v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

// A name ends at a line end or a brace, so that it must not hold them (names from glTF may).
std::string PlainName(const std::string& name) {
  std::string plain = name;
  for (char& c : plain) {
    if (c == '{' || c == '}' || static_cast<unsigned char>(c) < ' ') c = '_';
  }
  if (plain.empty() || plain.front() == ' ' || plain.back() == ' ') plain = '_' + plain + '_';
  return plain;
}

// Names as they are, or told apart by their index where they would become equal.
std::vector<std::string> PlainNames(const std::vector<ClipJoint>& joints) {
  std::vector<std::string> names;
  std::unordered_set<std::string> taken;
  for (const ClipJoint& joint : joints) taken.insert(joint.name);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    std::string name = PlainName(joints[j].name);
    while (name != joints[j].name && !taken.insert(name).second) name += '_' + std::to_string(j);
    names.push_back(std::move(name));
  }
  return names;
}

class BvhWriter {
 public:
  BvhWriter(const SkeletonClip& clip, const BvhOptions& options) : clip_(clip), options_(options) {}

  std::string Write() {
    for (int j = 0; j < clip_.JointCount(); ++j) channels_.push_back(ChannelsOf(j));
    WriteHierarchy();
    WriteMotion();
    return std::move(out_);
  }

 private:
  bool Moves(int joint) const {
    return joint == 0 || std::binary_search(clip_.moving.begin(), clip_.moving.end(), joint);
  }

  // The joint's own channels, and what else its motion needs.
  std::vector<Channel> ChannelsOf(int joint) const {
    std::vector<Channel> channels = clip_.joints[joint].channels;
    const auto add = [&](int first) {
      for (int axis = 0; axis < 3; ++axis) {
        const Channel c = static_cast<Channel>(first + axis);
        if (!std::count(channels.begin(), channels.end(), c)) channels.push_back(c);
      }
    };
    if (Moves(joint) && !PositionsFit(joint, channels)) add(0);
    if (!RotationsFit(joint, RotationAxes(channels))) add(3);
    // Positions first: that is where readers look for them.
    std::stable_partition(channels.begin(), channels.end(), [&](Channel c) {
      return !IsRotation(c) && clip_.joints[joint].channels.size() < channels.size();
    });
    return channels;
  }

  bool PositionsFit(int joint, const std::vector<Channel>& channels) const {
    for (int axis = 0; axis < 3; ++axis) {
      if (std::count(channels.begin(), channels.end(), static_cast<Channel>(axis))) continue;
      const double rest = Component(ToYUp(clip_.joints[joint].offset), axis);
      for (int f = 0; f < clip_.FrameCount(); ++f) {
        if (std::fabs(Component(Translation(joint, f), axis) - rest) > 1e-9) return false;
      }
    }
    return true;
  }

  bool RotationsFit(int joint, const std::vector<int>& axes) const {
    if (axes.size() == 3) return true;
    std::array<double, 3> angles{};
    for (int f = 0; f < clip_.FrameCount(); ++f) {
      const Quatd q = ToYUp(clip_.FrameRotations(f)[joint]);
      angles = ToAxisAngles(q, axes, angles);
      const Quatd off = Conjugate(q) * FromAxisAngles(axes, angles);
      if (Norm(Vec3d{off.x, off.y, off.z}) > 1e-8) return false;
    }
    return true;
  }

  // In the file's axes.
  Vec3d Translation(int joint, int frame) const {
    if (joint == 0) return ToYUp(clip_.root_positions[frame]);
    const auto found = std::lower_bound(clip_.moving.begin(), clip_.moving.end(), joint);
    return ToYUp(clip_.FrameTranslations(frame)[found - clip_.moving.begin()]);
  }

  // Fixed point without trailing zeros.
  void Number(double value) {
    const std::size_t begin = out_.size();
    fmt::format_to(std::back_inserter(out_), "{:.{}f}", value, options_.decimals);
    if (out_.find('.', begin) != std::string::npos) {
      while (out_.back() == '0') out_.pop_back();
      if (out_.back() == '.') out_.pop_back();
    }
    if (std::string_view(out_).substr(begin) == "-0") out_.erase(begin, 1);
  }

  void Offset(const std::string& indent, const Vec3d& offset) {
    const Vec3d v = ToYUp(offset);
    out_ += indent + "OFFSET ";
    for (int axis = 0; axis < 3; ++axis) {
      Number(Component(v, axis));
      out_ += axis < 2 ? ' ' : '\n';
    }
  }

  void WriteHierarchy() {
    out_ += "HIERARCHY\n";
    const std::vector<std::string> names = PlainNames(clip_.joints);
    std::vector<int> open;
    const auto close_until = [&](int parent) {
      while (!open.empty() && open.back() != parent) {
        open.pop_back();
        out_ += std::string(open.size(), '\t') + "}\n";
      }
    };
    for (int j = 0; j < clip_.JointCount(); ++j) {
      const ClipJoint& joint = clip_.joints[j];
      close_until(joint.parent);
      const std::string outer(open.size(), '\t'), inner = outer + '\t';
      out_ += outer + (j == 0 ? "ROOT " : "JOINT ") + names[j] + '\n' + outer + "{\n";
      Offset(inner, joint.offset);
      fmt::format_to(std::back_inserter(out_), "{}CHANNELS {}", inner, channels_[j].size());
      for (Channel c : channels_[j]) (out_ += ' ') += kChannelNames[static_cast<int>(c)];
      out_ += '\n';
      for (const Vec3d& end : joint.end_sites) {
        out_ += inner + "End Site\n" + inner + "{\n";
        Offset(inner + '\t', end);
        out_ += inner + "}\n";
      }
      open.push_back(j);
    }
    close_until(-1);
  }

  void WriteMotion() {
    // The declared time is what the user knows, as long as nobody changed the rate since.
    const bool declared = std::fabs(clip_.frame_time * clip_.fps - 1) < 1e-2;
    fmt::format_to(std::back_inserter(out_), "MOTION\nFrames: {}\nFrame Time: {}\n",
                   clip_.FrameCount(), FrameTime(declared ? clip_.frame_time : 1 / clip_.fps));
    std::vector<std::vector<int>> axes;
    for (const auto& channels : channels_) axes.push_back(RotationAxes(channels));
    std::vector<std::array<double, 3>> angles(channels_.size());
    for (int f = 0; f < clip_.FrameCount(); ++f) {
      for (int j = 0; j < clip_.JointCount(); ++j) {
        angles[j] = ToAxisAngles(ToYUp(clip_.FrameRotations(f)[j]), axes[j], angles[j]);
        std::size_t turn = 0;
        for (Channel c : channels_[j]) {
          const Vec3d offset = ToYUp(clip_.joints[j].offset);
          Number(IsRotation(c) ? angles[j][turn++] * kDegrees
                               : Component(Moves(j) ? Translation(j, f) : offset, AxisOf(c)));
          out_ += ' ';
        }
      }
      if (out_.back() == ' ') out_.pop_back();
      out_ += '\n';
    }
  }

  static std::string FrameTime(double seconds) { return fmt::format("{:.9g}", seconds); }

  const SkeletonClip& clip_;
  const BvhOptions options_;
  std::vector<std::vector<Channel>> channels_;  // per joint
  std::string out_;
};

}  // namespace

std::string WriteBvh(const SkeletonClip& clip, const BvhOptions& options) {
  Validate(clip);
  return BvhWriter(clip, options).Write();
}

}  // namespace stride
