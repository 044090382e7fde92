#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "stride/motion/formats/axes.h"
#include "stride/motion/formats/bvh/bvh.h"
#include "stride/motion/formats/text_scanner.h"

namespace stride {
namespace {

constexpr const char* kChannelNames[] = {"Xposition", "Yposition", "Zposition",
                                         "Xrotation", "Yrotation", "Zrotation"};

class BvhReader {
 public:
  BvhReader(std::string_view text, const std::string& file)
      : size_(text.size()), scan_(text, file) {
    clip_.format = "bvh";
    clip_.source = file;
  }

  SkeletonClip Read() {
    if (!scan_.Accept("HIERARCHY")) scan_.FailExpected("HIERARCHY, the first word of a BVH file");
    ReadHierarchy();
    ReadMotion();
    MakeSignsContinuous(&clip_);
    Validate(clip_);
    return std::move(clip_);
  }

 private:
  void ReadHierarchy() {
    if (!scan_.Accept("ROOT")) scan_.FailExpected("ROOT and a joint name");
    BeginJoint();
    while (!open_.empty()) {
      if (scan_.AcceptChar('}')) {
        EndJoint();
      } else if (scan_.Accept("OFFSET")) {
        if (has_offset_[open_.back()])
          scan_.FailAt(scan_.Position(), "a second OFFSET in one joint");
        has_offset_[open_.back()] = true;
        clip_.joints[open_.back()].offset = ReadOffset();
      } else if (scan_.Accept("CHANNELS")) {
        ReadChannels(&clip_.joints[open_.back()]);
      } else if (scan_.Accept("JOINT")) {
        BeginJoint();
      } else if (scan_.Accept("End")) {
        ReadEndSite();
      } else {
        scan_.FailExpected("OFFSET, CHANNELS, JOINT, End Site or } in joint " +
                           Quoted(clip_.joints[open_.back()].name));
      }
    }
  }

  void BeginJoint() {
    const std::size_t at = scan_.Position();
    std::string name(scan_.RestOfLine('{'));
    if (name.empty()) scan_.FailAt(at, "a joint without a name");
    const auto [other, is_new] = lines_.try_emplace(name, scan_.LineAt(at));
    if (!is_new) {
      scan_.FailAt(at, "a second joint is called " + Quoted(name) + " (the first is in line " +
                           std::to_string(other->second) + "); rename one of them");
    }
    if (!scan_.AcceptChar('{')) scan_.FailExpected("{ after the name of a joint");
    if (clip_.JointCount() == kMaxClipJoints) {
      scan_.FailAt(at, "more than " + std::to_string(kMaxClipJoints) + " joints");
    }
    if (open_.size() == kMaxClipDepth) {
      scan_.FailAt(at, "joints nested deeper than " + std::to_string(kMaxClipDepth));
    }
    ClipJoint joint;
    joint.name = std::move(name);
    joint.parent = open_.empty() ? -1 : open_.back();
    open_.push_back(clip_.JointCount());
    clip_.joints.push_back(std::move(joint));
    has_offset_.push_back(false);
  }

  void EndJoint() {
    if (!has_offset_[open_.back()]) {
      scan_.FailAt(scan_.Position(),
                   "joint " + Quoted(clip_.joints[open_.back()].name) + " has no OFFSET");
    }
    open_.pop_back();
  }

  void ReadEndSite() {
    if (!scan_.Accept("Site")) {
      // "End Site{" comes as one word.
      if (!EqualIgnoringCase(scan_.Peek().substr(0, 5), "Site{"))
        scan_.FailExpected("Site after End");
    }
    scan_.RestOfLine('{');  // some tools name the site
    if (!scan_.AcceptChar('{')) scan_.FailExpected("{ after End Site");
    if (!scan_.Accept("OFFSET")) scan_.FailExpected("OFFSET in an End Site");
    clip_.joints[open_.back()].end_sites.push_back(ReadOffset());
    if (!scan_.AcceptChar('}')) scan_.FailExpected("} at the end of an End Site");
  }

  Vec3d ReadOffset() {
    const double x = scan_.Number("x of OFFSET");
    const double y = scan_.Number("y of OFFSET");
    const double z = scan_.Number("z of OFFSET");
    return FromYUp(Vec3d{x, y, z});
  }

  void ReadChannels(ClipJoint* joint) {
    if (!joint->channels.empty()) scan_.FailAt(scan_.Position(), "a second CHANNELS in one joint");
    const std::size_t at = scan_.Position();
    const long count = scan_.Integer("number of channels");
    if (count < 0 || count > 6) {
      scan_.FailAt(at, "found " + std::to_string(count) + " channels; expected 0 to 6");
    }
    for (long n = 0; n < count; ++n) {
      const std::string_view word = scan_.Peek();
      const auto name = std::find_if(std::begin(kChannelNames), std::end(kChannelNames),
                                     [&](const char* c) { return EqualIgnoringCase(word, c); });
      if (name == std::end(kChannelNames)) {
        scan_.FailExpected("channel " + std::to_string(n + 1) + " of " + std::to_string(count) +
                           ", {X,Y,Z}{position,rotation}");
      }
      const Channel channel = static_cast<Channel>(name - std::begin(kChannelNames));
      if (std::count(joint->channels.begin(), joint->channels.end(), channel)) {
        scan_.FailExpected("every channel at most once in a joint");
      }
      scan_.Word();
      joint->channels.push_back(channel);
    }
  }

  void ReadMotion() {
    if (scan_.Accept("ROOT")) {
      scan_.FailAt(scan_.Position(), "a second ROOT; expected one skeleton a file: split the file");
    }
    if (!scan_.Accept("MOTION")) scan_.FailExpected("MOTION after the hierarchy");
    ExpectLabel("Frames");
    const std::size_t frames_at = scan_.Position();
    const long frames = scan_.Integer("number of frames");
    if (frames < 1) {
      scan_.FailAt(frames_at, std::to_string(frames) + " frames; expected at least one");
    }
    if (!scan_.Accept("Frame")) scan_.FailExpected("Frame Time:");
    ExpectLabel("Time");
    ReadFrameTime();
    PlanChannels();
    ReadFrames(frames);
  }

  // "Frames: 10", "Frames : 10" and "Frames:10" all occur.
  void ExpectLabel(std::string_view label) {
    const std::string_view word = scan_.Peek();
    if (word.size() < label.size() || !EqualIgnoringCase(word.substr(0, label.size()), label)) {
      scan_.FailExpected(std::string(label) + ":");
    }
    for (std::size_t n = 0; n < label.size(); ++n) scan_.AcceptChar(word[n]);
    if (!scan_.AcceptChar(':')) scan_.FailExpected("a colon after " + std::string(label));
  }

  void ReadFrameTime() {
    const std::string_view word = scan_.Peek();
    const std::size_t at = scan_.Position();
    clip_.frame_time = scan_.Number("seconds between frames");
    if (!(clip_.frame_time >= 1e-5 && clip_.frame_time <= 100)) {
      scan_.FailAt(at, "Frame Time is " + Quoted(word) +
                           "; expected seconds between frames, such as 0.0083333");
    }
    // A plain decimal such as .0333 stands for any value it could be a rounding of.
    const std::size_t point = word.find('.');
    const bool plain = word.find_first_not_of("0123456789.") == std::string_view::npos;
    const double rounding = plain && point != std::string_view::npos
                                ? std::pow(10, -double(word.size() - point - 1))
                                : 0;
    clip_.fps = FpsFromFrameTime(clip_.frame_time, rounding);
  }

  void PlanChannels() {
    for (int j = 0; j < clip_.JointCount(); ++j) {
      const std::vector<Channel>& channels = clip_.joints[j].channels;
      channel_count_ += channels.size();
      const bool moves =
          std::any_of(channels.begin(), channels.end(), [](Channel c) { return !IsRotation(c); });
      if (j > 0 && moves) clip_.moving.push_back(j);
    }
    if (channel_count_ == 0)
      scan_.FailAt(scan_.Position(), "no joint has CHANNELS, so nothing moves");
  }

  void ReadFrames(long frames) {
    const std::size_t motion_begins = scan_.Position();
    // Memory follows the bytes that are there, not the declared count: every number takes two bytes
    // or more. Joints without channels take none, so that their share is bounded apart.
    const std::size_t most =
        std::max<std::size_t>(std::size_t{1} << 20, size_ / 2) / clip_.joints.size();
    const std::size_t possible = scan_.Remaining() / (2 * channel_count_) + 1;
    const std::size_t expected = std::min({static_cast<std::size_t>(frames), possible, most});
    clip_.root_positions.reserve(expected);
    clip_.rotations.reserve(expected * clip_.joints.size());
    clip_.translations.reserve(expected * clip_.moving.size());
    while (!scan_.AtEnd()) {
      if (clip_.root_positions.size() == most) {
        scan_.FailAt(motion_begins, "too many joints without CHANNELS for so many frames");
      }
      ReadFrame(motion_begins, frames);
    }
    const long found = clip_.FrameCount();
    if (found < frames) FailCount(motion_begins, frames, 0);
    if (found > frames) {  // exporters that count from zero
      clip_.warnings.push_back("declares " + std::to_string(frames) + " frames but holds " +
                               std::to_string(found) + "; all of them were read");
    }
  }

  void ReadFrame(std::size_t motion_begins, long frames) {
    std::size_t numbers = 0;
    for (int j = 0; j < clip_.JointCount(); ++j) {
      const ClipJoint& joint = clip_.joints[j];
      const Vec3d rest = ToYUp(joint.offset);
      std::array<double, 3> position{rest.x, rest.y, rest.z};
      Quatd q = Quatd::Identity();
      bool moves = false;
      for (Channel channel : joint.channels) {
        if (scan_.AtEnd()) FailCount(motion_begins, frames, numbers);
        const double value = scan_.Number("channel value");
        ++numbers;
        const int axis = AxisOf(channel);
        if (IsRotation(channel)) {
          q = TurnedAbout(q, axis, value * (0.5 * std::numbers::pi / 180));
        } else {
          position[axis] = value;
          moves = true;
        }
      }
      clip_.rotations.push_back(FromYUp(q));
      const Vec3d translation = FromYUp(Vec3d{position[0], position[1], position[2]});
      if (j == 0) {
        clip_.root_positions.push_back(translation);
      } else if (moves) {
        clip_.translations.push_back(translation);
      }
    }
  }

  // q times the rotation about one axis, by its half angle.
  static Quatd TurnedAbout(const Quatd& q, int axis, double half) {
    const double c = std::cos(half), s = std::sin(half);
    switch (axis) {
      case 0: return {q.w * c - q.x * s, q.x * c + q.w * s, q.y * c + q.z * s, q.z * c - q.y * s};
      case 1: return {q.w * c - q.y * s, q.x * c - q.z * s, q.y * c + q.w * s, q.z * c + q.x * s};
      default: return {q.w * c - q.z * s, q.x * c + q.y * s, q.y * c - q.x * s, q.z * c + q.w * s};
    }
  }

  [[noreturn]] void FailCount(std::size_t motion_begins, long frames, std::size_t numbers) {
    const std::size_t whole = clip_.rotations.size() / clip_.joints.size();
    FailLine(motion_begins, "the file ends after " + std::to_string(whole) + " frames and " +
                                std::to_string(numbers) + " numbers; it declares " +
                                std::to_string(frames) + " frames of " +
                                std::to_string(channel_count_) + " numbers");
  }

  // A frame may span lines, but the first line with another count than the rest is the likely
  // culprit.
  [[noreturn]] void FailLine(std::size_t motion_begins, const std::string& message) {
    const std::size_t stopped = scan_.Position();
    scan_.Rewind(motion_begins);
    std::size_t count = 0;
    while (!scan_.AtEnd()) {
      const std::size_t at = scan_.Position();
      scan_.Word();
      ++count;
      if (!scan_.OnNewLine()) continue;
      if (count != channel_count_) {
        scan_.FailAt(at, message + "; this line has " + std::to_string(count) +
                             ": is the file cut short, or the count wrong?");
      }
      count = 0;
    }
    scan_.FailAt(stopped, message);
  }

  const std::size_t size_;
  TextScanner scan_;
  SkeletonClip clip_;
  std::vector<int> open_;                       // joints whose } is to come
  std::vector<bool> has_offset_;                // per joint
  std::unordered_map<std::string, int> lines_;  // where each joint is defined
  std::size_t channel_count_ = 0;
};

}  // namespace

SkeletonClip ReadBvh(std::string_view text, const std::string& file) {
  return BvhReader(text, file).Read();
}

}  // namespace stride
