#include "stride/character/paper_bodies.h"

#include <string>
#include <utility>

#include "stride/character/human.h"
#include "stride/character/rest_pose.h"
#include "stride/character/shapes.h"

namespace stride {
namespace {

// ---- lee10

// Figure 3 of lee10: mass (kg), length (m), inertia Lx, Ly, Lz (kg m^2).
//
// Reading of the axes. Each row is a solid box whose extent along z is the row's length: for the
// torso, Lx, Ly, Lz give 0.221 x 0.157 x 0.231 m against a length of 0.230, for the hip 0.249 x
// 0.134 x 0.179 against 0.180, and the others fit as well. So z runs along the part, x is the
// torso's breadth and y its depth: Lx is our Iyy, Ly our Ixx. The foot's z points to the toes, our
// X.
struct Lee10Part {
  double mass, length, lx, ly, lz;
};
constexpr Lee10Part kHead{3, 0.180, 0.012, 0.012, 0.008};
constexpr Lee10Part kUpperArm{2, 0.238, 0.011, 0.011, 0.003};
constexpr Lee10Part kLowerArm{1, 0.200, 0.004, 0.004, 0.001};
constexpr Lee10Part kTorso{8, 0.230, 0.052, 0.068, 0.049};
constexpr Lee10Part kHip{6, 0.180, 0.025, 0.047, 0.040};
constexpr Lee10Part kThigh{5, 0.400, 0.072, 0.072, 0.010};
constexpr Lee10Part kShin{5, 0.380, 0.065, 0.065, 0.011};
constexpr Lee10Part kFoot{2, 0.225, 0.010, 0.010, 0.003};
// Half extents of the boxes the inertias imply, m.
constexpr double kTorsoHalfBreadth = 0.1105, kTorsoHalfDepth = 0.0785;
constexpr double kHipHalfBreadth = 0.1245, kHipHalfDepth = 0.067;
constexpr double kThighHalf = 0.055, kShinHalf = 0.0575, kFootHalf = 0.0475;
constexpr double kUpperArmHalf = 0.0475, kLowerArmHalf = 0.039, kHeadHalf = 0.063;
// Assumed: the paper gives no positions of joints. The ankle is on the top of the foot.
constexpr double kSoleRadius = 0.05, kSoleInset = 0.01;
constexpr double kNeckGap = 0.05, kAnkleFromHeel = 0.40;

class Lee10Builder {
 public:
  explicit Lee10Builder(bool round_soles) : round_soles_(round_soles) {}

  Character Build() {
    character_.name = round_soles_ ? "lee10-round" : "lee10";
    character_.description = round_soles_
                                 ? "lee10 with the soles of the authors' program: six balls a foot"
                                 : "Lee, Kim, Lee 2010, Figure 3: 13 parts, 12 ball joints";
    const double leg = kShin.length + kThigh.length + 2 * kFootHalf;
    const int pelvis = Add("pelvis", -1, {0, 0, leg}, kHip, Along::kUp, 0);
    AddShape(pelvis, BoxBetween({-kHipHalfDepth, -kHipHalfBreadth, 0},
                                {kHipHalfDepth, kHipHalfBreadth, kHip.length}));
    const int torso = Add("torso", pelvis, {0, 0, kHip.length}, kTorso, Along::kUp, 1.5);
    AddShape(torso, BoxBetween({-kTorsoHalfDepth, -kTorsoHalfBreadth, 0.01},
                               {kTorsoHalfDepth, kTorsoHalfBreadth, kTorso.length}));
    AddHead(torso);
    for (const bool left : {true, false}) AddArm(torso, left);
    for (const bool left : {true, false}) AddLeg(pelvis, left);
    SetRole(Role::kPelvis, pelvis);
    SetRole(Role::kTrunk, torso);
    AddPoint(pelvis, {0, 0, 0.09}, 0.067);
    for (const double side : {1.0, -1.0}) AddPoint(torso, {0, side * 0.05, 0.16}, 0.07);
    SetQuietStand(&character_);
    // Weight times height sets the scale of the gains, as in MakeHuman.
    const double unit = TotalMass(character_) * 9.81 * StandingHeight(character_);
    for (Body& body : character_.bodies) {
      body.joint.kp *= unit;
      body.joint.kd = body.joint.kp / 10;
    }
    Validate(character_);
    return std::move(character_);
  }

 private:
  // Where the part extends from its joint.
  enum class Along { kUp, kDown, kFoot };

  // `stiffness`: kp as a share of weight times height.
  int Add(const std::string& name, int parent, const Vec3d& offset, const Lee10Part& part,
          Along along, double stiffness) {
    Body body;
    body.name = name;
    body.parent = parent;
    body.offset = offset;
    body.joint.kind = parent < 0 ? JointKind::kFree : JointKind::kBall;
    body.joint.kp = stiffness;
    body.mass = part.mass;
    const bool foot = along == Along::kFoot;
    body.com = foot ? Vec3d{(0.5 - kAnkleFromHeel) * part.length, 0, -kFootHalf}
                    : Vec3d{0, 0, (along == Along::kUp ? 0.5 : -0.5) * part.length};
    body.inertia = foot ? Sym3d{part.lz, 0, 0, part.lx, 0, part.ly}
                        : Sym3d{part.ly, 0, 0, part.lx, 0, part.lz};
    character_.bodies.push_back(body);
    return character_.BodyCount() - 1;
  }
  void AddShape(int body, const Shape& shape) { character_.bodies[body].shapes.push_back(shape); }
  void AddPoint(int body, const Vec3d& position, double radius) {
    character_.contact_points.push_back({body, position, radius});
  }
  void SetRole(Role role, int body) { character_.roles[static_cast<int>(role)] = body; }

  void AddHead(int torso) {
    const int head = Add("head", torso, {0, 0, kTorso.length + kNeckGap}, kHead, Along::kUp, 0.2);
    AddShape(head, CapsuleBetween({0, 0, kHeadHalf}, {0, 0, kHead.length - kHeadHalf}, kHeadHalf));
    AddShape(head, Decoration(CapsuleBetween({0, 0, -kNeckGap}, {0, 0, 0.03}, 0.04)));
    AddShape(head, Decoration(SphereAt({kHeadHalf, 0, 0.08}, 0.01)));
    AddPoint(head, {0, 0, kHead.length - kHeadHalf}, kHeadHalf);
    SetRole(Role::kHead, head);
  }

  void AddArm(int torso, bool left) {
    const std::string prefix = left ? "left_" : "right_";
    const double y = (left ? 1 : -1) * (kTorsoHalfBreadth + kUpperArmHalf);
    const int upper = Add(prefix + "upper_arm", torso, {0, y, kTorso.length - kUpperArmHalf},
                          kUpperArm, Along::kDown, 0.2);
    AddShape(upper, CapsuleBetween({0, 0, 0}, {0, 0, -kUpperArm.length}, 0.9 * kUpperArmHalf));
    const int lower =
        Add(prefix + "lower_arm", upper, {0, 0, -kUpperArm.length}, kLowerArm, Along::kDown, 0.12);
    const Vec3d hand{0, 0, -kLowerArm.length + kLowerArmHalf};
    AddShape(lower, CapsuleBetween({0, 0, 0}, hand, kLowerArmHalf));
    AddPoint(lower, {0, 0, 0}, kLowerArmHalf);
    AddPoint(lower, hand, kLowerArmHalf);
    SetRole(left ? Role::kLeftUpperArm : Role::kRightUpperArm, upper);
    SetRole(left ? Role::kLeftForearm : Role::kRightForearm, lower);
  }

  void AddLeg(int pelvis, bool left) {
    const std::string prefix = left ? "left_" : "right_";
    const double y = (left ? 1 : -1) * (kHipHalfBreadth - kThighHalf);
    const int thigh = Add(prefix + "thigh", pelvis, {0, y, 0}, kThigh, Along::kDown, 1.0);
    for (const Shape& shape :
         Tapered({0, 0, 0}, {0, 0, -kThigh.length}, 1.2 * kThighHalf, 0.85 * kThighHalf)) {
      AddShape(thigh, shape);
    }
    const int shin = Add(prefix + "shin", thigh, {0, 0, -kThigh.length}, kShin, Along::kDown, 1.0);
    for (const Shape& shape :
         Tapered({0, 0, 0}, {0, 0, -kShin.length}, 0.95 * kShinHalf, 0.65 * kShinHalf)) {
      AddShape(shin, shape);
    }
    AddPoint(shin, {0, 0, 0}, 0.95 * kShinHalf);
    const int foot = Add(prefix + "foot", shin, {0, 0, -kShin.length}, kFoot, Along::kFoot, 1.0);
    const double heel = -kAnkleFromHeel * kFoot.length, tip = heel + kFoot.length;
    AddShape(foot, BoxBetween({heel, -kFootHalf, -2 * kFootHalf}, {tip, kFootHalf, 0}));
    if (round_soles_) {
      // As in the authors' program: six balls along the sole's edges, over which it rolls.
      const double middle = 0.5 * (heel + tip), half = 0.5 * kFoot.length - kSoleInset;
      for (const double x : {middle - half, middle, middle + half}) {
        for (const double side : {1.0, -1.0}) {
          AddPoint(foot, {x, side * (kFootHalf - kSoleInset), kSoleRadius - 2 * kFootHalf},
                   kSoleRadius);
        }
      }
    } else {
      for (const double x : {heel, tip}) {
        for (const double side : {1.0, -1.0}) {
          AddPoint(foot, {x, side * kFootHalf, -2 * kFootHalf}, 0);
        }
      }
    }
    SetRole(left ? Role::kLeftThigh : Role::kRightThigh, thigh);
    SetRole(left ? Role::kLeftShank : Role::kRightShank, shin);
    SetRole(left ? Role::kLeftFoot : Role::kRightFoot, foot);
  }

  bool round_soles_;
  Character character_;
};

}  // namespace

Character MakeLee10(bool round_soles) { return Lee10Builder(round_soles).Build(); }

// Masses of SIMBICON's body (Yin, Loken, van de Panne 2007; hands with the forearms), on the same
// joints; inertias grow with them. The paper's push experiment has these.
Character MakeLee10Heavy() {
  Character character = MakeLee10(true);
  character.name = "lee10-heavy";
  character.description = "lee10-round with the masses of SIMBICON's body, for its push experiment";
  constexpr std::pair<const char*, double> kMasses[] = {
      {"pelvis", 16.61},         {"torso", 29.27},         {"head", 5.89},
      {"left_upper_arm", 2.79},  {"left_lower_arm", 1.76}, {"left_thigh", 8.35},
      {"left_shin", 4.16},       {"left_foot", 1.34},      {"right_upper_arm", 2.79},
      {"right_lower_arm", 1.76}, {"right_thigh", 8.35},    {"right_shin", 4.16},
      {"right_foot", 1.34},
  };
  const double before = TotalMass(character);
  for (const auto& [name, mass] : kMasses) {
    Body& body = character.bodies[FindBody(character, name)];
    body.inertia = body.inertia * (mass / body.mass);
    body.mass = mass;
  }
  const double factor = TotalMass(character) / before;
  for (Body& body : character.bodies) {
    body.joint.kp *= factor;
    body.joint.kd *= factor;
  }
  SetQuietStand(&character);
  Validate(character);
  return character;
}

// The paper's 39 internal degrees of freedom with 1-axis knees leave one natural reading: toes and
// elbows hinges too, and 11 joints of three axes: waist, upper back, neck, shoulders, wrists, hips,
// ankles.
Character MakeLiu16(bool strong) {
  HumanParams params;
  params.name = strong ? "liu16-strong" : "liu16";
  params.description = strong ? "Liu, van de Panne, Yin 2016, with the gains for dynamic stunts"
                              : "Liu, van de Panne, Yin 2016";
  params.height = 1.7;
  params.mass = 62;
  // At these gains servos alone would sag too far with the ankle further back.
  params.ankle_position = 0.48;
  Character character = MakeHuman(params);
  for (int i = 1; i < character.BodyCount(); ++i) {
    Joint& joint = character.bodies[i].joint;
    joint.kp = 500;
    joint.kd = 50;
  }
  if (!strong) return character;
  const auto set = [&](int body, double kp, double kd) {
    character.bodies[body].joint.kp = kp;
    character.bodies[body].joint.kd = kd;
  };
  for (const Role role :
       {Role::kLeftThigh, Role::kLeftShank, Role::kLeftFoot, Role::kLeftToe, Role::kRightThigh,
        Role::kRightShank, Role::kRightFoot, Role::kRightToe}) {
    set(character.BodyOf(role), 1000, 50);
  }
  set(FindBody(character, "abdomen"), 2000, 100);
  set(FindBody(character, "chest"), 2000, 100);
  return character;
}

// The paper's count does not add up: 6 + 4 hinges + 3 n is never 44. With the root as 7 coordinates
// (position and quaternion) it is 7 + 4 + 33: 11 joints of three axes. The body has these, and a
// nod of the head on the neck, so that it has 44 degrees of freedom.
Character MakeKwon17() {
  HumanParams params;
  params.name = "kwon17";
  params.description = "Kwon, Hodgins 2017: hinge knees and elbows, three axes elsewhere";
  params.head = JointStyle::kHinge;
  params.toe = JointStyle::kFixed;
  return MakeHuman(params);
}

// Table 2 of wang09 names the axes: back, neck, hip and arm xyz, knee and toe y, ankle xy, elbow
// yz. That makes 30. Heights and masses are those of Figure 8; proportions are assumed from the
// bodies' names.
Character MakeWang09(Wang09Body body) {
  HumanParams params;
  params.chest = JointStyle::kFixed;
  params.ankle = JointStyle::kUniversal;
  params.elbow = JointStyle::kUniversal;
  params.wrist = JointStyle::kFixed;
  const auto set = [&](const char* name, double height, double mass) {
    params.name = std::string("wang09-") + name;
    params.description = std::string("Wang, Fleet, Hertzmann 2009, Figure 8: ") + name;
    params.height = height;
    params.mass = mass;
  };
  switch (body) {
    case Wang09Body::kShort: set("short", 1.65, 57); break;
    case Wang09Body::kTall: set("tall", 1.96, 79); break;
    case Wang09Body::kStocky:
      set("stocky", 1.65, 70);
      params.shoulder_width = 1.1;
      params.hip_width = 1.05;
      params.arm_mass = 1.1;
      break;
    case Wang09Body::kOverweight:
      set("overweight", 1.61, 86);
      params.trunk_mass = 1.25;
      params.hip_width = 1.1;
      params.shoulder_width = 1.1;
      break;
    case Wang09Body::kThin: set("thin", 1.65, 41); break;
    case Wang09Body::kLongArm:
      set("longarm", 1.27, 65);
      params.arm_length = 1.35;
      params.leg_length = 0.7;
      params.shoulder_width = 1.15;
      break;
  }
  return MakeHuman(params);
}

}  // namespace stride
