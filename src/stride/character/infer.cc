#include "stride/character/infer.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
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

// How far the point's sphere reaches out of the shape, m; negative: inside by so much.
double ReachOutOf(const Shape& shape, const Vec3d& position, double radius) {
  const Vec3d p = Rotate(Conjugate(shape.rotation), position - shape.center);
  switch (shape.kind) {
    case ShapeKind::kSphere: return Norm(p) + radius - shape.size.x;
    case ShapeKind::kCapsule: {
      const double along = std::clamp(p.z, -shape.size.y, shape.size.y);
      return Norm(p - Vec3d{0, 0, along}) + radius - shape.size.x;
    }
    case ShapeKind::kBox: break;
  }
  return radius + std::max({std::fabs(p.x) - shape.size.x, std::fabs(p.y) - shape.size.y,
                            std::fabs(p.z) - shape.size.z});
}

// Whether another shape than number `own` of the point's body reaches the ground before the point,
// in every pose. Of two that cover each other the first keeps its points.
bool IsCovered(const Character& character, const ContactPoint& point, int own) {
  constexpr double kNear = 1e-6;  // m
  const Body& body = character.bodies[point.body];
  for (int k = 0; k < static_cast<int>(body.shapes.size()); ++k) {
    const Shape& shape = body.shapes[k];
    const double reach = ReachOutOf(shape, point.position, point.radius);
    if (k != own && shape.collides && reach < (k < own ? kNear : -kNear)) return true;
  }
  // On a joint that turns it moves with the parent.
  const bool turns = body.joint.kind == JointKind::kBall || body.joint.kind == JointKind::kHinge;
  if (body.parent < 0 || !turns || Norm(point.position) > kNear) return false;
  for (const Shape& shape : character.bodies[body.parent].shapes) {
    if (shape.collides && ReachOutOf(shape, body.offset + point.position, point.radius) < kNear) {
      return true;
    }
  }
  return false;
}

// Of the cylinder that this box stands for.
void AddRims(int body, const Shape& box, std::vector<ContactPoint>* points) {
  constexpr int kPoints = 8;
  constexpr double kPi = std::numbers::pi;
  const double radius = box.size.x * 2 / std::sqrt(kPi);
  for (const double z : {box.size.z, -box.size.z}) {
    for (int k = 0; k < kPoints; ++k) {
      const double angle = 2 * kPi * k / kPoints;
      const Vec3d local{radius * std::cos(angle), radius * std::sin(angle), z};
      points->push_back({body, box.center + Rotate(box.rotation, local), 0});
    }
  }
}

// The bodies with mass from `from` (left out) to `to`.
std::vector<int> LimbBetween(const Character& character, int from, int to) {
  std::vector<int> limb;
  for (int i = to; i >= 0 && i != from; i = character.bodies[i].parent) {
    if (character.bodies[i].mass > 0) limb.push_back(i);
  }
  std::reverse(limb.begin(), limb.end());
  return limb;
}

// Legs of a body whose names say nothing of them: two limbs that mirror each other and are the only
// ones to reach the ground in the zero pose.
void InferLegs(Character* character) {
  constexpr Role kLegs[2][4] = {
      {Role::kLeftThigh, Role::kLeftShank, Role::kLeftFoot, Role::kLeftToe},
      {Role::kRightThigh, Role::kRightShank, Role::kRightFoot, Role::kRightToe}};
  for (const auto& leg : kLegs) {
    for (const Role role : leg) {
      if (character->BodyOf(role) >= 0) return;
    }
  }
  const std::vector<Vec3d> origins = ZeroPoseOrigins(*character);
  std::vector<double> bottom(character->bodies.size(), HUGE_VAL);  // of a body and all below it
  double lowest = HUGE_VAL, highest = -HUGE_VAL;
  for (const ContactPoint& point : character->contact_points) {
    const double z = origins[point.body].z + point.position.z - point.radius;
    bottom[point.body] = std::min(bottom[point.body], z);
    lowest = std::min(lowest, z);
    highest = std::max(highest, z + 2 * point.radius);
  }
  const double near = 0.05 * (highest - lowest);
  std::vector<int> feet;
  for (int i = 1; i < character->BodyCount(); ++i) {
    if (bottom[i] <= lowest + near) feet.push_back(i);
  }
  if (feet.size() == 4) {  // with toes
    if (character->bodies[feet[1]].parent == feet[0] &&
        character->bodies[feet[3]].parent == feet[2]) {
      feet = {feet[1], feet[3]};
    }
  }
  if (feet.size() != 2) return;
  if (origins[feet[0]].y < origins[feet[1]].y) std::swap(feet[0], feet[1]);
  const Vec3d apart = origins[feet[0]] - origins[feet[1]];
  if (!(apart.y > near) || std::fabs(apart.x) > near || std::fabs(apart.z) > near) return;
  int common = feet[0];
  const auto carries = [&](int body) {
    int i = feet[1];
    while (i >= 0 && i != body) i = character->bodies[i].parent;
    return i == body;
  };
  while (common >= 0 && !carries(common)) common = character->bodies[common].parent;
  const std::vector<int> legs[2] = {LimbBetween(*character, common, feet[0]),
                                    LimbBetween(*character, common, feet[1])};
  const std::size_t count = legs[0].size();
  if (count != legs[1].size() || count < 2 || count > 4) return;
  for (int side = 0; side < 2; ++side) {
    for (std::size_t k = 0; k < count; ++k) {
      character->roles[static_cast<int>(kLegs[side][k])] = legs[side][k];
    }
  }
}

}  // namespace

void InferRoles(Character* character) {
  std::vector<Name> names;
  for (const Body& body : character->bodies) {
    names.push_back(body.mass > 0 ? Parse(body.name) : Name{});
  }
  const auto assign = [&](Role role, Side side, const std::vector<std::string>& parts) {
    if (character->BodyOf(role) >= 0) return;
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
  InferLegs(character);
  common_parent(Role::kPelvis, Role::kLeftThigh, Role::kRightThigh);
  common_parent(Role::kTrunk, Role::kLeftUpperArm, Role::kRightUpperArm);
  // What has legs but no trunk of its own is a pelvis that is the trunk too.
  const bool legs =
      character->BodyOf(Role::kLeftThigh) >= 0 && character->BodyOf(Role::kRightThigh) >= 0;
  if (legs && character->BodyOf(Role::kTrunk) < 0) {
    character->roles[static_cast<int>(Role::kTrunk)] = character->BodyOf(Role::kPelvis);
  }
}

void InferContactPoints(Character* character, std::span<const FlatCylinder> cylinders) {
  std::vector<ContactPoint> kept;
  for (int i = 0; i < character->BodyCount(); ++i) {
    const std::vector<Shape>& shapes = character->bodies[i].shapes;
    for (int k = 0; k < static_cast<int>(shapes.size()); ++k) {
      if (!shapes[k].collides) continue;
      character->contact_points.clear();
      const bool flat = std::any_of(
          cylinders.begin(), cylinders.end(),
          [&](const FlatCylinder& cylinder) { return cylinder.body == i && cylinder.shape == k; });
      if (flat) {
        AddRims(i, shapes[k], &character->contact_points);
      } else {
        AddContactPoints(character, i, shapes[k]);
      }
      for (const ContactPoint& point : character->contact_points) {
        if (!IsCovered(*character, point, k)) kept.push_back(point);
      }
    }
  }
  character->contact_points = std::move(kept);
}

std::vector<int> EndsWithoutContact(const Character& character) {
  std::vector<bool> silent(character.bodies.size(), true);
  for (const Body& body : character.bodies) {
    if (body.parent >= 0) silent[body.parent] = false;
  }
  for (const ContactPoint& point : character.contact_points) silent[point.body] = false;
  std::vector<int> ends;
  for (int i = 0; i < character.BodyCount(); ++i) {
    if (silent[i]) ends.push_back(i);
  }
  return ends;
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

  const bool stands = RootMoves(*character) && !character->contact_points.empty();
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
    if (joint.kind == JointKind::kSlide) {
      joint.kp = 20 * kGravity * mass[i];
      joint.kd = 0.1 * joint.kp;
      continue;
    }
    const double hanging = kGravity * Norm(moment[i] - origins[i] * mass[i]);
    joint.kp = std::clamp(20 * hanging, 0.05 * most, most);
    if (carries[i]) joint.kp = std::max(joint.kp, support);
    joint.kd = 0.1 * joint.kp;
  }
}

void ReleaseRails(Character* character) {
  if (!RunsOnRails(*character)) return;
  for (int i = RootBody(*character); i >= 0; --i) {
    character->bodies[i].joint.kp = character->bodies[i].joint.kd = 0;
  }
}

void InferRestPose(Character* character) {
  character->rest_q = ZeroState(*character).q;
  const Layout layout = LayoutOf(*character);
  for (int i = 0; i < character->BodyCount(); ++i) {
    const Joint& joint = character->bodies[i].joint;
    if (!joint.limited || !HasOneAxis(joint.kind) || (joint.lower <= 0 && joint.upper >= 0)) {
      continue;
    }
    character->rest_q[layout.q[i]] = 0.5 * (joint.lower + joint.upper);
  }
  if (RootMoves(*character) && !character->contact_points.empty()) {
    PutOnGround(*character, &character->rest_q);
  }
}

}  // namespace stride
