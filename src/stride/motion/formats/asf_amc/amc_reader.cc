#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/motion/formats/asf_amc/asf_amc.h"
#include "stride/motion/formats/axes.h"
#include "stride/motion/formats/text_scanner.h"

namespace stride {
namespace {

class AmcReader {
 public:
  AmcReader(std::string_view text, const std::string& file, const Asf& asf)
      : scan_(text, file), asf_(asf), degrees_(asf.degrees) {
    scan_.SkipComments();
    clip_.format = "asf_amc";
    clip_.source = file;
    max_rotations_ = std::max<std::size_t>(std::size_t{1} << 20, text.size() / 2);
  }

  SkeletonClip Read(double fps) {
    clip_.fps = fps;
    clip_.warnings.push_back("AMC files do not state their frame rate; " +
                             std::to_string(std::lround(fps)) + " was assumed");
    BuildSkeleton();
    ReadHeader();
    while (!scan_.AtEnd()) ReadFrame();
    if (clip_.root_positions.empty())
      scan_.FailExpected("a frame number, then a line for each bone");
    MakeSignsContinuous(&clip_);
    SetDefaultChannels(&clip_);
    Validate(clip_);
    return std::move(clip_);
  }

 private:
  Vec3d Scaled(const Vec3d& v) const { return FromYUp(v * (1 / asf_.length_unit)); }

  void BuildSkeleton() {
    for (const AsfBone& bone : asf_.bones) {
      ClipJoint joint;
      joint.name = bone.name;
      joint.parent = bone.parent;
      joint.offset = Scaled(bone.parent < 0 ? asf_.root_position : asf_.bones[bone.parent].tail);
      indices_[bone.name] = clip_.JointCount();
      clip_.joints.push_back(std::move(joint));
    }
    std::vector<bool> has_child(asf_.bones.size());
    for (const AsfBone& bone : asf_.bones) {
      if (bone.parent >= 0) has_child[bone.parent] = true;
    }
    for (std::size_t b = 1; b < asf_.bones.size(); ++b) {
      if (!has_child[b]) clip_.joints[b].end_sites.push_back(Scaled(asf_.bones[b].tail));
    }
  }

  void ReadHeader() {
    while (!scan_.AtEnd() && scan_.Peek()[0] == ':') {
      if (scan_.Accept(":DEGREES")) {
        degrees_ = true;
      } else if (scan_.Accept(":RADIANS")) {
        degrees_ = false;
      } else {
        scan_.Word();
        scan_.RestOfLine();
      }
    }
  }

  void ReadFrame() {
    const std::size_t at = scan_.Position();
    const long number = scan_.Integer("a frame number");
    if (clip_.FrameCount() > 0 && number != last_number_ + 1) {
      scan_.FailAt(at, "frame " + std::to_string(number) + " follows frame " +
                           std::to_string(last_number_) + "; expected the next number");
    }
    if (number == std::numeric_limits<long>::max())
      scan_.FailAt(at, "the frame number is too large");
    last_number_ = number;
    if (clip_.rotations.size() + asf_.bones.size() > max_rotations_) {
      scan_.FailAt(at, "too many bones without data for so many frames");
    }

    const std::size_t base = clip_.rotations.size();
    clip_.rotations.resize(base + asf_.bones.size(), Quatd::Identity());
    clip_.root_positions.push_back(clip_.joints[0].offset);
    std::vector<bool> seen(asf_.bones.size());
    while (!scan_.AtEnd() && !IsFrameNumber(scan_.Peek())) ReadBone(base, &seen);
    for (std::size_t b = 0; b < seen.size(); ++b) {
      if (!seen[b] && !asf_.bones[b].dofs.empty()) {
        scan_.FailAt(at, "frame " + std::to_string(number) + " has no line for bone " +
                             Quoted(asf_.bones[b].name) + " of " + asf_.file +
                             ": is the file cut short, or the skeleton another one?");
      }
    }
  }

  static bool IsFrameNumber(std::string_view word) {
    return word.find_first_not_of("0123456789") == std::string_view::npos;
  }

  void ReadBone(std::size_t base, std::vector<bool>* seen) {
    const std::size_t at = scan_.Position();
    const auto found = indices_.find(std::string(scan_.Peek()));
    if (found == indices_.end()) {
      scan_.FailExpected("a frame number or the name of a bone of " + asf_.file);
    }
    scan_.Word();
    const int b = found->second;
    if ((*seen)[b])
      scan_.FailAt(at, "a second line for bone " + Quoted(found->first) + " in one frame");
    (*seen)[b] = true;

    const AsfBone& bone = asf_.bones[b];
    const double half = 0.5 * (degrees_ ? std::numbers::pi / 180 : 1);
    Quatd turn = Quatd::Identity();
    std::array<double, 3> position{};
    for (Channel dof : bone.dofs) {
      if (scan_.OnNewLine()) {
        scan_.FailAt(at, "too few numbers for bone " + Quoted(bone.name) + "; expected " +
                             std::to_string(bone.dofs.size()));
      }
      const double value = scan_.Number("value of a degree of freedom");
      const int axis = AxisOf(dof);
      if (IsRotation(dof)) {
        const double c = std::cos(value * half), s = std::sin(value * half);
        turn = Quatd{c, axis == 0 ? s : 0, axis == 1 ? s : 0, axis == 2 ? s : 0} * turn;
      } else {
        position[axis] = value;
      }
    }
    if (!scan_.OnNewLine()) {
      scan_.FailExpected("the end of the line after the " + std::to_string(bone.dofs.size()) +
                         " numbers of bone " + Quoted(bone.name));
    }
    clip_.rotations[base + b] = FromYUp(bone.axis * turn * Conjugate(bone.axis));
    if (b == 0) {
      clip_.root_positions.back() += Scaled(Vec3d{position[0], position[1], position[2]});
    }
  }

  TextScanner scan_;
  const Asf& asf_;
  bool degrees_;
  std::size_t max_rotations_;  // bones without data take memory but no bytes
  SkeletonClip clip_;
  std::unordered_map<std::string, int> indices_;
  long last_number_ = 0;
};

// The skeleton that belongs to a motion file by its name or by being the only one.
std::string FindAsf(const std::string& amc_path) {
  namespace fs = std::filesystem;
  const fs::path amc(amc_path);
  const fs::path folder = amc.has_parent_path() ? amc.parent_path() : fs::path(".");
  const std::string stem = amc.stem().string();
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (FileExtension(it->path().string()) != ".asf") continue;
    const std::string name = it->path().stem().string();
    if (name == stem || name == stem.substr(0, stem.find('_'))) return it->path().string();
    found.push_back(it->path().string());
  }
  if (found.size() == 1) return found[0];
  throw InputError(amc_path, 0,
                   "found " + std::to_string(found.size()) + " .asf files beside it; expected " +
                       stem.substr(0, stem.find('_')) + ".asf, the skeleton of this motion");
}

}  // namespace

SkeletonClip ReadAmc(std::string_view text, const std::string& file, const Asf& skeleton,
                     double fps) {
  return AmcReader(text, file, skeleton).Read(fps);
}

SkeletonClip ReadAmcFile(const std::string& amc_path, const std::string& asf_path, double fps) {
  const std::string text = ReadFile(amc_path);
  const std::string asf = asf_path.empty() ? FindAsf(amc_path) : asf_path;
  return ReadAmc(text, amc_path, ReadAsf(ReadFile(asf), asf), fps);
}

}  // namespace stride
