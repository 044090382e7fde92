#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <unordered_map>

#include "stride/motion/formats/asf_amc/asf_amc.h"
#include "stride/motion/formats/text_scanner.h"

namespace stride {
namespace {

std::optional<Channel> ChannelFrom(std::string_view word) {
  constexpr const char* kNames[] = {"tx", "ty", "tz", "rx", "ry", "rz"};
  for (int c = 0; c < 6; ++c) {
    if (EqualIgnoringCase(word, kNames[c])) return static_cast<Channel>(c);
  }
  return std::nullopt;
}

class AsfReader {
 public:
  AsfReader(std::string_view text, const std::string& file) : scan_(text, file) {
    asf_.file = file;
    scan_.SkipComments();
    asf_.bones.resize(1);
    asf_.bones[0].name = "root";
    indices_["root"] = 0;
    children_.resize(1);
  }

  Asf Read() {
    while (!scan_.AtEnd()) {
      const std::size_t at = scan_.Position();
      const std::string_view section = scan_.Word();
      if (section[0] != ':') {
        scan_.FailAt(at, "found " + Quoted(section) + "; expected a section such as :bonedata");
      }
      if (EqualIgnoringCase(section, ":units")) {
        ReadUnits();
      } else if (EqualIgnoringCase(section, ":root")) {
        ReadRoot();
      } else if (EqualIgnoringCase(section, ":bonedata")) {
        ReadBones();
      } else if (EqualIgnoringCase(section, ":hierarchy")) {
        ReadHierarchy();
      } else {
        SkipSection();  // :version, :name, :documentation, :skin
      }
    }
    if (!has_hierarchy_) scan_.FailExpected(":bonedata and :hierarchy");
    if (asf_.bones[0].dofs.empty())
      scan_.FailExpected(":root with an order such as TX TY TZ RX RY RZ");
    return DepthFirst();
  }

 private:
  bool AtSection() { return scan_.AtEnd() || scan_.Peek()[0] == ':'; }

  void SkipSection() {
    // Free text may hold colons, but a section's name starts a line.
    do {
      scan_.RestOfLine();
    } while (!AtSection());
  }

  void ReadUnits() {
    while (!AtSection()) {
      if (scan_.Accept("length")) {
        const std::size_t at = scan_.Position();
        asf_.length_unit = scan_.Number("unit of length");
        if (!(asf_.length_unit >= 1e-6)) {
          scan_.FailAt(at, "the unit of length is not positive; expected a factor such as 0.45");
        }
      } else if (scan_.Accept("angle")) {
        if (scan_.Accept("deg")) {
          asf_.degrees = true;
        } else if (scan_.Accept("rad")) {
          asf_.degrees = false;
        } else {
          scan_.FailExpected("deg or rad");
        }
      } else {
        scan_.Word();  // mass and others
        scan_.RestOfLine();
      }
    }
  }

  void ReadRoot() {
    std::array<double, 3> orientation{};
    std::string order = "XYZ";
    while (!AtSection()) {
      if (scan_.Accept("order")) {
        ReadDofs(&asf_.bones[0]);
      } else if (scan_.Accept("axis")) {
        order = ReadAxisOrder();
      } else if (scan_.Accept("position")) {
        const std::array<double, 3> v = ReadThree("root position");
        asf_.root_position = {v[0], v[1], v[2]};
      } else if (scan_.Accept("orientation")) {
        orientation = ReadThree("root orientation");
      } else {
        scan_.FailExpected("order, axis, position or orientation in :root");
      }
    }
    asf_.bones[0].axis = FixedAxes(orientation, order);
  }

  void ReadBones() {
    while (!AtSection()) {
      if (!scan_.Accept("begin")) scan_.FailExpected("begin of a bone");
      ReadBone();
    }
  }

  void ReadBone() {
    const std::size_t at = scan_.Position();
    AsfBone bone;
    std::array<double, 3> direction{};
    double length = 0;
    while (!scan_.Accept("end")) {
      if (scan_.Accept("name")) {
        bone.name = scan_.RestOfLine();
      } else if (scan_.Accept("direction")) {
        direction = ReadThree("direction");
      } else if (scan_.Accept("length")) {
        length = scan_.Number("length of a bone");
      } else if (scan_.Accept("axis")) {
        const std::array<double, 3> angles = ReadThree("axis");
        bone.axis = FixedAxes(angles, ReadAxisOrder());
      } else if (scan_.Accept("dof")) {
        ReadDofs(&bone);
        if (std::any_of(bone.dofs.begin(), bone.dofs.end(),
                        [](Channel c) { return !IsRotation(c); })) {
          scan_.FailAt(
              at, "bone " + Quoted(bone.name) + " has a moving start; expected rx, ry, rz only");
        }
      } else if (scan_.Accept("id") || scan_.Accept("bodymass") || scan_.Accept("cofmass")) {
        scan_.RestOfLine();
      } else if (scan_.Accept("limits")) {
        do {
          scan_.RestOfLine();
        } while (!scan_.AtEnd() && scan_.Peek()[0] == '(');
      } else {
        scan_.FailExpected("name, direction, length, axis, dof, limits or end in a bone");
      }
    }
    if (bone.name.empty()) scan_.FailAt(at, "a bone without a name");
    if (!indices_.try_emplace(bone.name, static_cast<int>(asf_.bones.size())).second) {
      scan_.FailAt(at, "a second bone is called " + Quoted(bone.name) + "; rename one of them");
    }
    if (asf_.bones.size() == kMaxClipJoints) {
      scan_.FailAt(at, "more than " + std::to_string(kMaxClipJoints) + " bones");
    }
    const double norm = Norm(Vec3d{direction[0], direction[1], direction[2]});
    const double scale = norm > 0 ? length / norm : 0;
    bone.tail = {direction[0] * scale, direction[1] * scale, direction[2] * scale};
    asf_.bones.push_back(std::move(bone));
    children_.emplace_back();
  }

  void ReadDofs(AsfBone* bone) {
    bone->dofs.clear();
    while (!scan_.OnNewLine()) {
      const std::optional<Channel> dof = ChannelFrom(scan_.Peek());
      if (!dof) scan_.FailExpected("degrees of freedom among tx ty tz rx ry rz");
      if (std::count(bone->dofs.begin(), bone->dofs.end(), *dof)) {
        scan_.FailExpected("every degree of freedom at most once");
      }
      bone->dofs.push_back(*dof);
      scan_.Word();
    }
  }

  std::string ReadAxisOrder() {
    std::string order(scan_.Peek());
    std::transform(order.begin(), order.end(), order.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    std::string sorted = order;
    std::sort(sorted.begin(), sorted.end());
    if (sorted != "XYZ") scan_.FailExpected("an order of axes such as XYZ");
    scan_.Word();
    return order;
  }

  std::array<double, 3> ReadThree(const char* what) {
    std::array<double, 3> v{};
    for (double& x : v) x = scan_.Number(what);
    return v;
  }

  // Turns about the fixed axes, the first named first: "XYZ" is Rz Ry Rx. The angles stand in that
  // order.
  Quatd FixedAxes(const std::array<double, 3>& angles, const std::string& order) const {
    const double half = 0.5 * (asf_.degrees ? std::numbers::pi / 180 : 1);
    Quatd q = Quatd::Identity();
    for (int n = 0; n < 3; ++n) {
      const double c = std::cos(angles[n] * half), s = std::sin(angles[n] * half);
      const char axis = order[n];
      q = Quatd{c, axis == 'X' ? s : 0, axis == 'Y' ? s : 0, axis == 'Z' ? s : 0} * q;
    }
    return q;
  }

  void ReadHierarchy() {
    if (!scan_.Accept("begin")) scan_.FailExpected("begin of the hierarchy");
    while (!scan_.Accept("end")) {
      const int parent = BoneIndex();
      while (!scan_.OnNewLine()) {
        const std::size_t at = scan_.Position();
        const int child = BoneIndex();
        if (child == 0 || asf_.bones[child].parent != -1) {
          scan_.FailAt(at, "bone " + Quoted(asf_.bones[child].name) + " has a second parent");
        }
        asf_.bones[child].parent = parent;
        children_[parent].push_back(child);
      }
    }
    has_hierarchy_ = true;
  }

  int BoneIndex() {
    const auto found = indices_.find(std::string(scan_.Peek()));
    if (found == indices_.end()) scan_.FailExpected("root or the name of a bone in :bonedata");
    scan_.Word();
    return found->second;
  }

  // Reorders the bones; what the hierarchy does not reach from the root is an error.
  Asf DepthFirst() {
    std::vector<int> order, stack = {0}, new_index(asf_.bones.size(), -1);
    while (!stack.empty()) {
      const int b = stack.back();
      stack.pop_back();
      new_index[b] = static_cast<int>(order.size());
      order.push_back(b);
      stack.insert(stack.end(), children_[b].rbegin(), children_[b].rend());
    }
    for (std::size_t b = 0; b < asf_.bones.size(); ++b) {
      if (new_index[b] < 0) {
        scan_.FailAt(scan_.Position(),
                     "bone " + Quoted(asf_.bones[b].name) + " is not below the root in :hierarchy");
      }
    }
    std::vector<AsfBone> bones;
    for (int b : order) {
      bones.push_back(asf_.bones[b]);
      if (b != 0) bones.back().parent = new_index[bones.back().parent];
    }
    asf_.bones = std::move(bones);
    return std::move(asf_);
  }

  TextScanner scan_;
  Asf asf_;
  std::unordered_map<std::string, int> indices_;
  std::vector<std::vector<int>> children_;
  bool has_hierarchy_ = false;
};

}  // namespace

Asf ReadAsf(std::string_view text, const std::string& file) { return AsfReader(text, file).Read(); }

}  // namespace stride
