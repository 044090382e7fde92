#include <initializer_list>
#include <string>
#include <utility>

#include "stride/character/human.h"
#include "stride/character/paper_bodies.h"
#include "stride/character/rest_pose.h"
#include "stride/character/shapes.h"
#include "stride/core/error.h"

// The paper states which joints there are and no dimension but "comparable to a human being" for
// the android: sizes, masses (at about the density of water), limits and gains are assumed. Below
// them bodies of our own in the same manner.
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

// `damping_time`: kd / kp, s.
void SetHinge(Body* body, const Vec3d& axis, double lower, double upper, double kp,
              double damping_time = 0.1) {
  body->joint.axis = axis;
  body->joint.limited = true;
  body->joint.lower = lower;
  body->joint.upper = upper;
  body->joint.kp = kp;
  body->joint.kd = kp * damping_time;
}

void SetRole(Character* character, Role role, int body) {
  character->roles[static_cast<int>(role)] = body;
}

// The corners of the body's box, the `sides` of it (-1 below, +1 above), touch the ground.
void AddCorners(Character* character, int body, std::initializer_list<int> sides) {
  const Shape& box = character->bodies[body].shapes[0];
  for (const double x : {-box.size.x, box.size.x}) {
    for (const double y : {-box.size.y, box.size.y}) {
      for (const int z : sides) {
        character->contact_points.push_back({body, box.center + Vec3d{x, y, z * box.size.z}, 0});
      }
    }
  }
}

constexpr Vec3d kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};
constexpr double kSegment = 0.35;  // thigh and shank, m

// A leg of two hinges about Y, thigh and shank of the same length.
struct Leg {
  double segment = kSegment;                          // m
  double thigh_mass = 3.5, shank_mass = 2.5;          // kg
  double thigh_radius = 0.055, shank_radius = 0.045;  // m
  double kp = 400;                                    // N m/rad
  double damping_time = 0.1;                          // kd / kp, s
  bool knee_behind = false;                           // it bends the other way: an elbow
};

// Below `offset` of the root; returns the shank.
int AddLeg(Character* character, const std::string& prefix, const Vec3d& offset, const Leg& leg) {
  const auto set = [&](int body, double lower, double upper) {
    SetHinge(&character->bodies[body], kY, leg.knee_behind ? -upper : lower,
             leg.knee_behind ? -lower : upper, leg.kp, leg.damping_time);
  };
  const int thigh = AddBody(character, prefix + "thigh", 0, offset);
  SetRod(&character->bodies[thigh], leg.thigh_mass, {0, 0, -leg.segment}, leg.thigh_radius);
  set(thigh, -2, 1);
  const int shank = AddBody(character, prefix + "shank", thigh, {0, 0, -leg.segment});
  SetRod(&character->bodies[shank], leg.shank_mass, {0, 0, -leg.segment}, leg.shank_radius);
  set(shank, 0, kKneeLimit);
  character->contact_points.push_back({shank, {}, leg.thigh_radius});
  return shank;
}

// The rest pose: every knee bent, every foot below its hip and level, on the ground.
void BendKnees(Character* character, double bend) {
  const Layout layout = LayoutOf(*character);
  character->rest_q = ZeroState(*character).q;
  for (int i = 1; i < character->BodyCount(); ++i) {
    const int parent = character->bodies[i].parent;
    const bool shank = parent > 0 && character->bodies[parent].parent == 0;
    // A thigh's range tells which way its knee points.
    const int thigh = parent == 0 ? i : shank ? parent : character->bodies[parent].parent;
    const Joint& hip = character->bodies[thigh].joint;
    const double turn = -hip.lower > hip.upper ? bend : -bend;
    character->rest_q[layout.q[i]] = shank ? 2 * turn : -turn;
  }
  PutOnGround(*character, &character->rest_q);
}

}  // namespace

Character MakeBiped(const BipedSize& size) {
  Character character;
  character.name = size.name;
  character.description = size.description;
  constexpr double kAnkleHeight = 0.08;
  Leg leg;
  leg.segment = size.segment;
  leg.thigh_mass *= size.segment / kSegment;  // as thick
  leg.shank_mass *= size.segment / kSegment;
  leg.kp = size.kp;
  const int pelvis = AddBody(&character, "pelvis", -1, {0, 0, kAnkleHeight + 2 * size.segment});
  const Vec3d half{0.09, 0.16, 0};
  SetBox(&character.bodies[pelvis], size.torso_mass, {-half.x, -half.y, -0.04},
         {half.x, half.y, size.torso});
  AddCorners(&character, pelvis, {1});
  SetRole(&character, Role::kPelvis, pelvis);
  SetRole(&character, Role::kTrunk, pelvis);
  for (const bool left : {true, false}) {
    const std::string prefix = left ? "left_" : "right_";
    const int shank = AddLeg(&character, prefix, {0, left ? 0.11 : -0.11, 0}, leg);
    const int foot = AddBody(&character, prefix + "foot", shank, {0, 0, -size.segment});
    // Wide enough to stand on one foot without a joint that moves sideways.
    const Vec3d low{-0.13, -0.09, -kAnkleHeight}, high{0.19, 0.09, -0.02};
    SetBox(&character.bodies[foot], 2, low, high);
    SetHinge(&character.bodies[foot], kY, -0.8, 0.8, leg.kp);
    AddCorners(&character, foot, {-1});
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
  constexpr double kFootRadius = 0.045, kBend = 0.3;
  Leg leg;
  leg.kp = 300;
  const int pelvis = AddBody(&character, "pelvis", -1, {0, 0, 2 * kSegment + kFootRadius});
  SetBox(&character.bodies[pelvis], 10, {-0.25, -0.16, -0.04}, {0.25, 0.16, 0.12});
  AddCorners(&character, pelvis, {1});
  SetRole(&character, Role::kPelvis, pelvis);
  SetRole(&character, Role::kTrunk, pelvis);
  const std::pair<const char*, Vec3d> legs[] = {
      {"left_", {0.15, 0.2, 0}}, {"right_", {0.15, -0.2, 0}}, {"rear_", {-0.3, 0, 0}}};
  for (const auto& [prefix, offset] : legs) {
    const int shank = AddLeg(&character, prefix, offset, leg);
    character.contact_points.push_back({shank, {0, 0, -kSegment}, kFootRadius});
  }
  SetRole(&character, Role::kLeftThigh, FindBody(character, "left_thigh"));
  SetRole(&character, Role::kLeftShank, FindBody(character, "left_shank"));
  SetRole(&character, Role::kRightThigh, FindBody(character, "right_thigh"));
  SetRole(&character, Role::kRightShank, FindBody(character, "right_shank"));
  BendKnees(&character, kBend);
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
    if (i > 0) SetHinge(&body, i % 2 == 1 ? kZ : kY, -1.2, 1.2, 40);
    character.contact_points.push_back({link, {}, kRadius});
  }
  character.contact_points.push_back({links - 1, {-kLength, 0, 0}, kRadius});
  SetRole(&character, Role::kHead, 0);
  character.rest_q = ZeroState(character).q;
  Validate(character);
  return character;
}

Character MakeQuadruped() {
  Character character;
  character.name = "quadruped";
  character.description = "ours: the size of a dog, four legs of two hinges, no feet";
  constexpr double kFootRadius = 0.03, kBend = 0.4;
  Leg leg;
  leg.segment = 0.25;
  leg.thigh_mass = 1.2;
  leg.shank_mass = 0.7;
  leg.thigh_radius = 0.04;
  leg.shank_radius = kFootRadius;
  leg.kp = 200;
  leg.damping_time = 0.05;
  const int trunk = AddBody(&character, "trunk", -1, {0, 0, 2 * leg.segment + kFootRadius});
  SetBox(&character.bodies[trunk], 12, {-0.3, -0.09, -0.05}, {0.3, 0.09, 0.11});
  AddCorners(&character, trunk, {-1, 1});
  SetRole(&character, Role::kPelvis, trunk);
  SetRole(&character, Role::kTrunk, trunk);
  for (const bool front : {true, false}) {
    leg.knee_behind = front;
    for (const bool left : {true, false}) {
      const std::string prefix = std::string(left ? "left_" : "right_") + (front ? "fore" : "hind");
      const Vec3d hip{front ? 0.24 : -0.24, left ? 0.14 : -0.14, 0};
      const int shank = AddLeg(&character, prefix, hip, leg);
      character.contact_points.push_back({shank, {0, 0, -leg.segment}, kFootRadius});
    }
  }
  BendKnees(&character, kBend);
  Validate(character);
  return character;
}

Character MakeHexapod() {
  Character character;
  character.name = "hexapod";
  character.description = "ours: six legs of two hinges, one swings them, one lifts them";
  constexpr double kGain = 60, kDampingTime = 0.06, kThighLength = 0.14;
  constexpr double kThighRadius = 0.025, kFootRadius = 0.02;
  constexpr Vec3d kShank{0, 0.06, -0.18};  // of a left leg, knee to foot
  const int trunk = AddBody(&character, "trunk", -1, {0, 0, -kShank.z + kFootRadius});
  SetBox(&character.bodies[trunk], 5, {-0.26, -0.1, -0.04}, {0.26, 0.1, 0.06});
  AddCorners(&character, trunk, {-1, 1});
  SetRole(&character, Role::kPelvis, trunk);
  SetRole(&character, Role::kTrunk, trunk);
  const std::pair<const char*, double> rows[] = {{"fore", 0.2}, {"middle", 0}, {"hind", -0.2}};
  for (const auto& [row, x] : rows) {
    for (const bool left : {true, false}) {
      const std::string prefix = std::string(left ? "left_" : "right_") + row;
      const double side = left ? 1 : -1;
      const Vec3d knee{0, side * kThighLength, 0}, foot{0, side * kShank.y, kShank.z};
      const int thigh = AddBody(&character, prefix + "thigh", trunk, {x, side * 0.1, 0});
      SetRod(&character.bodies[thigh], 0.3, knee, kThighRadius);
      SetHinge(&character.bodies[thigh], kZ, -0.8, 0.8, kGain, kDampingTime);
      const int shank = AddBody(&character, prefix + "shank", thigh, knee);
      SetRod(&character.bodies[shank], 0.25, foot, kFootRadius);
      // Up to level with the thigh, and as far inwards as below it.
      SetHinge(&character.bodies[shank], kX, left ? -0.6 : -1.2, left ? 1.2 : 0.6, kGain,
               kDampingTime);
      character.contact_points.push_back({shank, {}, kThighRadius});
      character.contact_points.push_back({shank, foot, kFootRadius});
    }
  }
  character.rest_q = ZeroState(character).q;
  PutOnGround(character, &character.rest_q);
  Validate(character);
  return character;
}

Character MakeHopper() {
  Character character;
  character.name = "hopper";
  character.description = "ours: a trunk on one leg of three hinges with a foot to stand on";
  constexpr double kAnkleHeight = 0.06, kBend = 0.5;
  Leg leg;
  leg.segment = 0.25;
  leg.thigh_mass = 1.5;
  leg.shank_mass = 1;
  leg.thigh_radius = 0.045;
  leg.shank_radius = 0.037;
  leg.kp = 300;
  leg.damping_time = 0.05;
  const int trunk = AddBody(&character, "trunk", -1, {0, 0, 2 * leg.segment + kAnkleHeight});
  SetBox(&character.bodies[trunk], 8, {-0.11, -0.15, -0.02}, {0.11, 0.15, 0.24});
  AddCorners(&character, trunk, {-1, 1});
  SetRole(&character, Role::kPelvis, trunk);
  SetRole(&character, Role::kTrunk, trunk);
  const int shank = AddLeg(&character, "", {}, leg);
  const int foot = AddBody(&character, "foot", shank, {0, 0, -leg.segment});
  // Its middle is below the centre of mass of the rest pose.
  SetBox(&character.bodies[foot], 1.5, {-0.13, -0.13, -kAnkleHeight}, {0.17, 0.13, -0.02});
  SetHinge(&character.bodies[foot], kY, -1, 1, leg.kp, leg.damping_time);
  AddCorners(&character, foot, {-1});
  BendKnees(&character, kBend);
  Validate(character);
  return character;
}

}  // namespace stride
