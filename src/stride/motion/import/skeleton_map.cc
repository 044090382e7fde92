#include "stride/motion/import/skeleton_map.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "stride/core/error.h"
#include "stride/core/json_text.h"

namespace stride {
namespace {

constexpr int kRoles = static_cast<int>(Role::kCount);
using Names = std::vector<std::string>;

// Names are lower case without separators. Limb names follow the side's prefix.
struct Convention {
  const char* name;
  const char* left;
  const char* right;
  const char* marker;   // a joint that only this convention has; empty: none
  const char* without;  // a joint that it does not have; empty: none
  Names pelvis, head, thigh, shank, foot, toe, upper_arm, forearm, hand;
};

// More special ones first: among equally many parts the first wins.
const std::vector<Convention>& Conventions() {
  static const std::vector<Convention> conventions = {
      {"cmu",
       "left",
       "right",
       "lhipjoint",
       "",
       {"hips"},
       {"head"},
       {"upleg"},
       {"leg"},
       {"foot"},
       {"toebase"},
       {"arm"},
       {"forearm"},
       {"hand"}},
      {"cmu-asf",
       "l",
       "r",
       "lfemur",
       "",
       {"root"},
       {"head", "upperneck"},
       {"femur"},
       {"tibia"},
       {"foot"},
       {"toes"},
       {"humerus"},
       {"radius"},
       {"hand", "wrist"}},
      {"mixamo",
       "mixamorigleft",
       "mixamorigright",
       "",
       "",
       {"mixamorighips"},
       {"mixamorighead"},
       {"upleg"},
       {"leg"},
       {"foot"},
       {"toebase"},
       {"arm"},
       {"forearm"},
       {"hand"}},
      {"snumrl",
       "left",
       "right",
       "",
       "leftshoulder",
       {"hips"},
       {},
       {"upleg"},
       {"leg"},
       {"foot"},
       {},
       {"arm"},
       {"forearm"},
       {}},
      {"motionbuilder",
       "left",
       "right",
       "",
       "",
       {"hips"},
       {"head"},
       {"upleg"},
       {"leg"},
       {"foot"},
       {"toebase", "toe"},
       {"arm"},
       {"forearm"},
       {"hand"}},
      {"daz",
       "l",
       "r",
       "",
       "",
       {"hip", "pelvis"},
       {"head"},
       {"thigh", "thighbend"},
       {"shin"},
       {"foot"},
       {"toe", "toes"},
       {"shldr", "shldrbend"},
       {"forearm", "forearmbend"},
       {"hand"}},
      {"biovision",
       "left",
       "right",
       "",
       "",
       {"hips", "hip"},
       {"head"},
       {"hip", "upleg"},
       {"knee", "lowleg"},
       {"ankle", "foot"},
       {"toes", "toe"},
       {"shoulder", "uparm"},
       {"elbow", "lowarm"},
       {"wrist", "hand"}},
      {"deepmimic",
       "left",
       "right",
       "",
       "",
       {"root"},
       {"neck"},
       {"hip"},
       {"knee"},
       {"ankle"},
       {},
       {"shoulder"},
       {"elbow"},
       {"wrist"}},
      {"smpl",
       "l",
       "r",
       "",
       "",
       {"pelvis"},
       {"head"},
       {"hip"},
       {"knee"},
       {"ankle"},
       {"foot"},
       {"shoulder"},
       {"elbow"},
       {"wrist"}},
      {"stride",
       "left",
       "right",
       "",
       "",
       {"pelvis"},
       {"head"},
       {"thigh"},
       {"shank", "shin"},
       {"foot"},
       {"toe"},
       {"upperarm"},
       {"forearm", "lowerarm"},
       {"hand"}},
  };
  return conventions;
}

std::string Plain(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  // Exports of several figures number the name space: mixamorig1:Hips.
  const std::string space = "mixamorig";
  if (plain.compare(0, space.size(), space) == 0) {
    std::size_t digits = space.size();
    while (digits < plain.size() && std::isdigit(static_cast<unsigned char>(plain[digits])))
      ++digits;
    plain.erase(space.size(), digits - space.size());
  }
  return plain;
}

using JointIndex = std::unordered_map<std::string, int>;

int Find(const JointIndex& index, const std::string& prefix, const Names& names) {
  for (const std::string& name : names) {
    const auto found = index.find(prefix + name);
    if (found != index.end()) return found->second;
  }
  return -1;
}

// The role of that name on the left, or on the right.
Role Side(Role left_role, bool left) {
  const int shift = left_role >= Role::kLeftUpperArm ? 3 : 4;
  return left ? left_role : static_cast<Role>(static_cast<int>(left_role) + shift);
}

SkeletonMap Match(const Convention& convention, const JointIndex& index) {
  SkeletonMap map{convention.name, {}};
  map.joints.fill(-1);
  const auto set = [&](Role role, int joint) { map.joints[static_cast<int>(role)] = joint; };
  set(Role::kPelvis, Find(index, "", convention.pelvis));
  set(Role::kHead, Find(index, "", convention.head));
  for (const bool left : {true, false}) {
    const std::string prefix = left ? convention.left : convention.right;
    set(Side(Role::kLeftThigh, left), Find(index, prefix, convention.thigh));
    set(Side(Role::kLeftShank, left), Find(index, prefix, convention.shank));
    set(Side(Role::kLeftFoot, left), Find(index, prefix, convention.foot));
    set(Side(Role::kLeftToe, left), Find(index, prefix, convention.toe));
    set(Side(Role::kLeftUpperArm, left), Find(index, prefix, convention.upper_arm));
    set(Side(Role::kLeftForearm, left), Find(index, prefix, convention.forearm));
    set(Side(Role::kLeftHand, left), Find(index, prefix, convention.hand));
  }
  return map;
}

constexpr Role kRequired[] = {Role::kPelvis,   Role::kLeftThigh,  Role::kLeftShank,
                              Role::kLeftFoot, Role::kRightThigh, Role::kRightShank,
                              Role::kRightFoot};

bool IsComplete(const SkeletonMap& map) {
  return std::all_of(std::begin(kRequired), std::end(kRequired),
                     [&](Role role) { return map.JointOf(role) >= 0; });
}

bool IsAbove(const SkeletonClip& clip, int ancestor, int joint) {
  while (joint > ancestor) joint = clip.joints[joint].parent;
  return joint == ancestor;
}

// The nearest joint above both arms, if that is above the pelvis' joint; else the last before the
// head.
void SetTrunk(const SkeletonClip& clip, SkeletonMap* map) {
  int& trunk = map->joints[static_cast<int>(Role::kTrunk)];
  if (trunk >= 0) return;
  const int left = map->JointOf(Role::kLeftUpperArm), right = map->JointOf(Role::kRightUpperArm);
  const int pelvis = map->JointOf(Role::kPelvis), head = map->JointOf(Role::kHead);
  int joint = head >= 0 ? clip.joints[head].parent : -1;
  if (left >= 0 && right >= 0) {
    joint = clip.joints[left].parent;
    while (joint >= 0 && !IsAbove(clip, joint, right)) joint = clip.joints[joint].parent;
  }
  if (joint >= 0 && joint != pelvis) trunk = joint;
}

// A part's joint must lie below that of the part before it.
void CheckTree(const SkeletonClip& clip, const SkeletonMap& map, const std::string& file) {
  const auto check = [&](Role upper, Role lower) {
    const int a = map.JointOf(upper), b = map.JointOf(lower);
    if (a < 0 || b < 0 || (a != b && IsAbove(clip, a, b))) return;
    throw InputError(file, 0,
                     "joint '" + clip.joints[b].name + "' (" + RoleName(lower) +
                         ") is not below '" + clip.joints[a].name + "' (" + RoleName(upper) +
                         "); expected the limbs of a human");
  };
  for (const bool left : {true, false}) {
    check(Side(Role::kLeftThigh, left), Side(Role::kLeftShank, left));
    check(Side(Role::kLeftShank, left), Side(Role::kLeftFoot, left));
    check(Side(Role::kLeftFoot, left), Side(Role::kLeftToe, left));
    check(Side(Role::kLeftUpperArm, left), Side(Role::kLeftForearm, left));
    check(Side(Role::kLeftForearm, left), Side(Role::kLeftHand, left));
  }
}

}  // namespace

std::vector<std::string> SkeletonConventions() {
  std::vector<std::string> names;
  for (const Convention& convention : Conventions()) names.emplace_back(convention.name);
  return names;
}

SkeletonMap RecogniseSkeleton(const SkeletonClip& clip) {
  JointIndex index;
  for (int j = 0; j < clip.JointCount(); ++j) index.emplace(Plain(clip.joints[j].name), j);
  SkeletonMap best{"", {}};
  long best_count = 0;
  for (const Convention& convention : Conventions()) {
    if (*convention.marker && !index.contains(convention.marker)) continue;
    if (*convention.without && index.contains(convention.without)) continue;
    const SkeletonMap map = Match(convention, index);
    const long count =
        std::count_if(map.joints.begin(), map.joints.end(), [](int j) { return j >= 0; });
    if (IsComplete(map) && count > best_count) {
      best = map;
      best_count = count;
    }
  }
  if (best_count == 0) {
    std::string found, known;
    for (int j = 0; j < std::min(clip.JointCount(), 12); ++j)
      found += (j ? ", " : "") + clip.joints[j].name;
    if (clip.JointCount() > 12) found += ", ...";
    for (const std::string& name : SkeletonConventions())
      known += (known.empty() ? "" : ", ") + name;
    throw InputError(clip.source, 0,
                     "the skeleton is not recognised by its joints (" + found +
                         "); expected the names of one of " + known +
                         ", or a map of your own: --map MAP.json");
  }
  SetTrunk(clip, &best);
  CheckTree(clip, best, clip.source);
  return best;
}

SkeletonMap ParseSkeletonMap(const std::string& text, const std::string& file,
                             const SkeletonClip& clip) {
  const nlohmann::json json = ParseJson(text, file);
  if (!json.is_object() || !json.contains("joints") || !json["joints"].is_object()) {
    throw InputError(
        file, 1, "has no object \"joints\"; expected {\"joints\": {\"pelvis\": \"Hips\", ...}}");
  }
  SkeletonMap map{"custom", {}};
  map.joints.fill(-1);
  if (const auto name = json.find("skeleton"); name != json.end() && name->is_string()) {
    map.skeleton = name->get<std::string>();
  }
  for (const auto& [key, value] : json["joints"].items()) {
    const int line = LineAt(text, text.find('"' + key + '"'));
    const Role role = RoleFromName(key);
    if (role == Role::kCount) {
      std::string known;
      for (int r = 0; r < kRoles; ++r)
        known += (r ? ", " : "") + std::string(RoleName(static_cast<Role>(r)));
      throw InputError(file, line,
                       "'" + key.substr(0, 40) + "' is no part; expected one of " + known);
    }
    const int joint = value.is_string() ? FindJoint(clip, value.get<std::string>()) : -1;
    if (joint < 0) {
      throw InputError(file, line,
                       "the clip has no joint " + value.dump().substr(0, 60) + " for " + key);
    }
    map.joints[static_cast<int>(role)] = joint;
  }
  for (const Role role : kRequired) {
    if (map.JointOf(role) < 0) {
      throw InputError(file, 1,
                       std::string("names no joint for ") + RoleName(role) + ", which is required");
    }
  }
  SetTrunk(clip, &map);
  CheckTree(clip, map, file);
  return map;
}

}  // namespace stride
