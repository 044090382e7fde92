#include "stride/character/infer.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include "stride/character/rest_pose.h"

namespace stride {
namespace {

constexpr double kGravity = 9.81;  // m/s^2

enum class Side { kNone, kLeft, kRight };

struct Name {
  Side side = Side::kNone;
  std::string part;  // lower case letters of the name without its side: "upperarm"
};

bool IsUpper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool IsLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// Splits at separators and where a capital follows a small letter.
std::vector<std::string> Words(const std::string& name) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool hump = i > 0 && IsUpper(name[i]) && IsLetter(name[i - 1]) && !IsUpper(name[i - 1]);
    if ((!IsLetter(name[i]) || hump) && !words.back().empty()) words.emplace_back();
    if (IsLetter(name[i])) {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

Name Parse(const std::string& text) {
  Name name;
  for (std::string word : Words(text)) {
    for (const auto& [mark, side] : {std::pair{std::string("left"), Side::kLeft},
                                     std::pair{std::string("right"), Side::kRight}}) {
      const std::size_t at = word.find(mark);
      const bool letter = word == mark.substr(0, 1);
      if (at == std::string::npos && !letter) continue;
      name.side = side;
      word = letter ? "" : word.erase(at, mark.size());
    }
    name.part += word;
  }
  // CMU's names begin with the side: lfemur, rtibia.
  const bool cmu = name.side == Side::kNone && name.part.size() > 4 &&
                   (name.part[0] == 'l' || name.part[0] == 'r');
  for (const char* bone :
       {"femur", "tibia", "foot", "toes", "humerus", "radius", "hand", "thigh", "shin"}) {
    if (cmu && name.part.substr(1) == bone) {
      name.side = name.part[0] == 'l' ? Side::kLeft : Side::kRight;
      name.part = bone;
    }
  }
  return name;
}

struct RoleNames {
  Role left, right;                // equal for parts without a side
  std::vector<std::string> parts;  // the best first
};

const std::vector<RoleNames>& RoleTable() {
  static const std::vector<RoleNames> table{
      {Role::kPelvis, Role::kPelvis, {"pelvis", "hips", "hip", "pelvic"}},
      {Role::kTrunk,
       Role::kTrunk,
       {"torso", "trunk", "chest", "thorax", "upperbody", "uppertorso", "spine", "abdomen",
        "waist"}},
      {Role::kHead, Role::kHead, {"head", "skull"}},
      {Role::kLeftThigh, Role::kRightThigh, {"thigh", "upperleg", "upleg", "femur", "hip"}},
      {Role::kLeftShank,
       Role::kRightShank,
       {"shank", "shin", "calf", "lowerleg", "tibia", "leg", "knee"}},
      {Role::kLeftFoot, Role::kRightFoot, {"foot", "ankle"}},
      {Role::kLeftToe, Role::kRightToe, {"toe", "toes", "toebase"}},
      {Role::kLeftUpperArm, Role::kRightUpperArm, {"upperarm", "humerus", "arm", "shoulder"}},
      {Role::kLeftForearm,
       Role::kRightForearm,
       {"forearm", "lowerarm", "larm", "radius", "ulna", "elbow"}},
      {Role::kLeftHand, Role::kRightHand, {"hand", "wrist"}},
  };
  return table;
}

// Origins of the bodies' frames in the zero pose.
std::vector<Vec3d> ZeroPoseOrigins(const Character& character) {
  std::vector<Vec3d> origins;
  for (const Body& body : character.bodies) {
    origins.push_back(body.offset + (body.parent < 0 ? Vec3d{} : origins[body.parent]));
  }
  return origins;
}

}  // namespace

void InferRoles(Character* character) {
  std::vector<Name> names;
  for (const Body& body : character->bodies) {
    names.push_back(body.mass > 0 ? Parse(body.name) : Name{});
  }
  const auto assign = [&](Role role, Side side, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
      const auto found = std::find_if(names.begin(), names.end(), [&](const Name& name) {
        return name.side == side && name.part == part;
      });
      if (found == names.end()) continue;
      character->roles[static_cast<int>(role)] = static_cast<int>(found - names.begin());
      return;
    }
  };
  for (const RoleNames& row : RoleTable()) {
    if (row.left == row.right) {
      assign(row.left, Side::kNone, row.parts);
    } else {
      assign(row.left, Side::kLeft, row.parts);
      assign(row.right, Side::kRight, row.parts);
    }
  }
  // A body of another name that both legs hang on is the pelvis, one that both arms hang on the
  // trunk.
  const auto common_parent = [&](Role role, Role left, Role right) {
    if (character->BodyOf(role) >= 0) return;
    const auto carrier = [&](int body) {
      do {
        body = body < 0 ? -1 : character->bodies[body].parent;
      } while (body >= 0 && character->bodies[body].mass == 0);
      return body;
    };
    const int a = carrier(character->BodyOf(left)), b = carrier(character->BodyOf(right));
    if (a == b) character->roles[static_cast<int>(role)] = a;
  };
  common_parent(Role::kPelvis, Role::kLeftThigh, Role::kRightThigh);
  common_parent(Role::kTrunk, Role::kLeftUpperArm, Role::kRightUpperArm);
}

void InferContactPoints(Character* character) {
  for (int i = 0; i < character->BodyCount(); ++i) {
    for (const Shape& shape : character->bodies[i].shapes) {
      if (shape.collides) AddContactPoints(character, i, shape);
    }
  }
}

void InferGains(Character* character) {
  const int count = character->BodyCount();
  const std::vector<Vec3d> origins = ZeroPoseOrigins(*character);

  // Mass and first moment of what hangs on each joint; body 0 holds all.
  std::vector<double> mass(count);
  std::vector<Vec3d> moment(count);
  for (int i = count - 1; i >= 0; --i) {
    const Body& body = character->bodies[i];
    mass[i] += body.mass;
    moment[i] += (origins[i] + body.com) * body.mass;
    if (body.parent >= 0) {
      mass[body.parent] += mass[i];
      moment[body.parent] += moment[i];
    }
  }

  const bool stands =
      character->bodies[0].joint.kind == JointKind::kFree && !character->contact_points.empty();
  std::vector<bool> carries(count, false);
  double support = 0;
  if (stands) {
    const double lowest = LowestContactAt(*character, ZeroState(*character).q);
    const double height = moment[0].z / mass[0] - lowest;
    support = mass[0] * kGravity * std::max(0.0, height);
    for (const ContactPoint& point : character->contact_points) {
      const double bottom = origins[point.body].z + point.position.z - point.radius;
      if (bottom > lowest + 0.05 * height) continue;
      for (int i = point.body; i >= 0; i = character->bodies[i].parent) carries[i] = true;
    }
  }

  // 500 N m/rad is what a human of 62 kg takes; nothing needs to be stiffer than what carries all.
  const double most = std::max(support, 500 * mass[0] / 62);
  for (int i = 0; i < count; ++i) {
    Joint& joint = character->bodies[i].joint;
    if (joint.kind == JointKind::kFree) continue;
    const double hanging = kGravity * Norm(moment[i] - origins[i] * mass[i]);
    joint.kp = std::clamp(20 * hanging, 0.05 * most, most);
    if (carries[i]) joint.kp = std::max(joint.kp, support);
    joint.kd = 0.1 * joint.kp;
  }
}

void InferRestPose(Character* character) {
  character->rest_q = ZeroState(*character).q;
  if (character->bodies[0].joint.kind == JointKind::kFree && !character->contact_points.empty()) {
    PutOnGround(*character, &character->rest_q);
  }
}

}  // namespace stride
