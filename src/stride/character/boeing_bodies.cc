#include <string>
#include <utility>

#include "stride/character/human.h"
#include "stride/character/paper_bodies.h"
#include "stride/character/rest_pose.h"
#include "stride/character/shapes.h"
#include "stride/core/error.h"

// The paper states which joints there are and no dimension but "comparable to a human being" for
// the android: sizes, masses (at about the density of water), limits and gains are assumed.
namespace stride {
namespace {

constexpr double kKneeLimit = 2.6;  // rad

// A solid box of that mass, the body's only shape.
void SetBox(Body* body, double mass, const Vec3d& low, const Vec3d& high) {
  const Vec3d size = high - low;
  const double xx = size.x * size.x, yy = size.y * size.y, zz = size.z * size.z;
  body->mass = mass;
  body->com = (low + high) * 0.5;
  body->inertia = Sym3d{yy + zz, 0, 0, xx + zz, 0, xx + yy} * (mass / 12);
  body->shapes.push_back(BoxBetween(low, high));
}

// A round rod of that mass along `axis` from the body's origin, drawn as a capsule.
void SetRod(Body* body, double mass, const Vec3d& axis, double radius) {
  const double length = Norm(axis);
  const Sym3d across = PointInertia(axis * (1 / length));
  body->mass = mass;
  body->com = axis * 0.5;
  // About its axis m r^2 / 2; across it m (r^2 / 4 + l^2 / 12).
  body->inertia = Sym3d::Diagonal(mass * radius * radius / 2) +
                  across * (mass * (length * length / 12 - radius * radius / 4));
  body->shapes.push_back(CapsuleBetween({}, axis, radius));
}

int AddBody(Character* character, const std::string& name, int parent, const Vec3d& offset) {
  Body body;
  body.name = name;
  body.parent = parent;
  body.offset = offset;
  body.joint.kind = parent < 0 ? JointKind::kFree : JointKind::kHinge;
  character->bodies.push_back(body);
  return character->BodyCount() - 1;
}

void SetHinge(Body* body, const Vec3d& axis, double lower, double upper, double kp) {
  body->joint.axis = axis;
  body->joint.limited = true;
  body->joint.lower = lower;
  body->joint.upper = upper;
  body->joint.kp = kp;
  body->joint.kd = kp / 10;
}

void SetRole(Character* character, Role role, int body) {
  character->roles[static_cast<int>(role)] = body;
}

constexpr Vec3d kY{0, 1, 0};
constexpr double kSegment = 0.35;  // thigh and shank, m
constexpr double kThighMass = 3.5, kShankMass = 2.5;

// Thigh and shank below `offset` of the root; returns the shank.
int AddLeg(Character* character, const std::string& prefix, const Vec3d& offset, double kp) {
  const int thigh = AddBody(character, prefix + "thigh", 0, offset);
  SetRod(&character->bodies[thigh], kThighMass, {0, 0, -kSegment}, 0.055);
  SetHinge(&character->bodies[thigh], kY, -2, 1, kp);
  const int shank = AddBody(character, prefix + "shank", thigh, {0, 0, -kSegment});
  SetRod(&character->bodies[shank], kShankMass, {0, 0, -kSegment}, 0.045);
  SetHinge(&character->bodies[shank], kY, 0, kKneeLimit, kp);
  character->contact_points.push_back({shank, {}, 0.055});
  return shank;
}

}  // namespace

Character MakeBiped() {
  Character character;
  character.name = "biped";
  character.description = "Boeing 2008: pelvis on two legs of three hinges, large feet";
  constexpr double kAnkleHeight = 0.08, kGain = 400;
  const int pelvis = AddBody(&character, "pelvis", -1, {0, 0, kAnkleHeight + 2 * kSegment});
  const Vec3d half{0.09, 0.16, 0};
  SetBox(&character.bodies[pelvis], 10, {-half.x, -half.y, -0.04}, {half.x, half.y, 0.20});
  for (const double x : {-half.x, half.x}) {
    for (const double y : {-half.y, half.y}) {
      character.contact_points.push_back({pelvis, {x, y, 0.20}, 0});
    }
  }
  SetRole(&character, Role::kPelvis, pelvis);
  SetRole(&character, Role::kTrunk, pelvis);
  for (const bool left : {true, false}) {
    const std::string prefix = left ? "left_" : "right_";
    const int shank = AddLeg(&character, prefix, {0, left ? 0.11 : -0.11, 0}, kGain);
    const int foot = AddBody(&character, prefix + "foot", shank, {0, 0, -kSegment});
    // Wide enough to stand on one foot without a joint that moves sideways.
    const Vec3d low{-0.13, -0.09, -kAnkleHeight}, high{0.19, 0.09, -0.02};
    SetBox(&character.bodies[foot], 2, low, high);
    SetHinge(&character.bodies[foot], kY, -0.8, 0.8, kGain);
    for (const double x : {low.x, high.x}) {
      for (const double y : {low.y, high.y}) {
        character.contact_points.push_back({foot, {x, y, low.z}, 0});
      }
    }
    SetRole(&character, left ? Role::kLeftThigh : Role::kRightThigh,
            character.bodies[shank].parent);
    SetRole(&character, left ? Role::kLeftShank : Role::kRightShank, shank);
    SetRole(&character, left ? Role::kLeftFoot : Role::kRightFoot, foot);
  }
  SetQuietStand(&character);
  Validate(character);
  return character;
}

Character MakeAndroid() {
  HumanParams params;
  params.name = "android";
  params.description = "Boeing 2008: human-sized, legs of four hinges, rigid upper body";
  params.waist = params.chest = params.neck = params.head = JointStyle::kFixed;
  params.shoulder = params.elbow = params.wrist = params.toe = JointStyle::kFixed;
  params.hip = JointStyle::kUniversal;
  params.knee = params.ankle = JointStyle::kHinge;
  return MakeHuman(params);
}

Character MakeTripod() {
  Character character;
  character.name = "tripod";
  character.description = "Boeing 2008: three legs of two hinges, no feet";
  constexpr double kGain = 300, kFootRadius = 0.045, kBend = 0.3;
  const int pelvis = AddBody(&character, "pelvis", -1, {0, 0, 2 * kSegment + kFootRadius});
  SetBox(&character.bodies[pelvis], 10, {-0.25, -0.16, -0.04}, {0.25, 0.16, 0.12});
  for (const double x : {-0.25, 0.25}) {
    for (const double y : {-0.16, 0.16}) {
      character.contact_points.push_back({pelvis, {x, y, 0.12}, 0});
    }
  }
  SetRole(&character, Role::kPelvis, pelvis);
  SetRole(&character, Role::kTrunk, pelvis);
  const std::pair<const char*, Vec3d> legs[] = {
      {"left_", {0.15, 0.2, 0}}, {"right_", {0.15, -0.2, 0}}, {"rear_", {-0.3, 0, 0}}};
  for (const auto& [prefix, offset] : legs) {
    const int shank = AddLeg(&character, prefix, offset, kGain);
    character.contact_points.push_back({shank, {0, 0, -kSegment}, kFootRadius});
  }
  SetRole(&character, Role::kLeftThigh, FindBody(character, "left_thigh"));
  SetRole(&character, Role::kLeftShank, FindBody(character, "left_shank"));
  SetRole(&character, Role::kRightThigh, FindBody(character, "right_thigh"));
  SetRole(&character, Role::kRightShank, FindBody(character, "right_shank"));
  // Knees a little bent, each foot below its hip.
  const Layout layout = LayoutOf(character);
  character.rest_q = ZeroState(character).q;
  for (int i = 1; i < character.BodyCount(); ++i) {
    character.rest_q[layout.q[i]] = character.bodies[i].parent == 0 ? -kBend : 2 * kBend;
  }
  PutOnGround(character, &character.rest_q);
  Validate(character);
  return character;
}

Character MakeSnake(int links) {
  if (links < 1 || links > 10000) {
    throw InputError("snake: " + std::to_string(links) + " links; expected 1 to 10000");
  }
  constexpr double kRadius = 0.04, kLength = 0.16, kMass = 0.8;
  Character character;
  character.name = links == 7 ? "snake" : "snake-" + std::to_string(links);
  character.description =
      "Boeing 2008: chain of " + std::to_string(links) + " links, joints by turns about Z and Y";
  for (int i = 0; i < links; ++i) {
    const Vec3d offset = i == 0 ? Vec3d{0, 0, kRadius} : Vec3d{-kLength, 0, 0};
    const int link = AddBody(&character, "link" + std::to_string(i), i - 1, offset);
    Body& body = character.bodies[link];
    SetRod(&body, kMass, {-kLength, 0, 0}, kRadius);
    if (i > 0) SetHinge(&body, i % 2 == 1 ? Vec3d{0, 0, 1} : kY, -1.2, 1.2, 40);
    character.contact_points.push_back({link, {}, kRadius});
  }
  character.contact_points.push_back({links - 1, {-kLength, 0, 0}, kRadius});
  SetRole(&character, Role::kHead, 0);
  character.rest_q = ZeroState(character).q;
  Validate(character);
  return character;
}

}  // namespace stride
