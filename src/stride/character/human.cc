#include "stride/character/human.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "stride/character/rest_pose.h"
#include "stride/character/shapes.h"
#include "stride/core/error.h"

namespace stride {
namespace {

// ---- The reference man

constexpr double kReferenceMass = 73.0;  // kg; stature 1.741 m (de Leva 1996)

// De Leva's Table 4, males: mass as a share of the body's; length, m; centre of mass from the upper
// end and radii of gyration about the front-to-back, left-to-right and long axes as shares of the
// length.
struct SegmentData {
  double mass, length, com, kx, ky, kz;
};
constexpr SegmentData kUpperTrunk{0.1596, 0.1707, 0.2999, 0.716, 0.454, 0.659};
constexpr SegmentData kMiddleTrunk{0.1633, 0.2155, 0.4502, 0.482, 0.383, 0.468};
constexpr SegmentData kLowerTrunk{0.1117, 0.1457, 0.6115, 0.615, 0.551, 0.587};
constexpr SegmentData kUpperArm{0.0271, 0.2817, 0.5772, 0.285, 0.269, 0.158};
constexpr SegmentData kForearm{0.0162, 0.2689, 0.4574, 0.276, 0.265, 0.121};
// To the third knuckle. Palms face the thighs here, so kx and ky change places.
constexpr SegmentData kHand{0.0061, 0.0862, 0.7900, 0.513, 0.628, 0.401};
constexpr SegmentData kThigh{0.1416, 0.4222, 0.4095, 0.329, 0.329, 0.149};
constexpr SegmentData kShank{0.0433, 0.4340, 0.4459, 0.255, 0.249, 0.103};
constexpr double kFootMass = 0.0137, kFootLength = 0.2581;
constexpr double kHeadMass = 0.0694;

// De Leva's foot (centre of mass 0.4415 of the length from the heel; radii 0.124, 0.245, 0.257) and
// head with neck (vertex to C7, centre half way; radii 0.303, 0.315, 0.261 of 0.2429 m) as two
// parts each whose sum is his: assumed are the toes' share of 12 % beyond 72 % of the foot, and the
// neck's of 20 %.
constexpr double kToeShare = 0.12, kToeStart = 0.72, kNeckShare = 0.20;
constexpr double kHindFootCom = 0.3844, kToeCom = 0.86;  // from the heel, shares of the length
constexpr Vec3d kHindFootSpread{0.187, 0.103,
                                0.069};  // standard deviations of mass, the same shares
constexpr Vec3d kToeSpread{0.081, 0.103, 0.030};
constexpr double kNeckLength = 0.100, kHeadTop = 0.141;  // C7 to skull joint to crown, m
constexpr double kNeckCom = 0.045, kHeadCom = 0.038;     // above the part's own joint, m
constexpr Vec3d kNeckSpread{0.030, 0.030, 0.030}, kHeadSpread{0.0506, 0.0450, 0.0507};  // m

// Winter: ankle at 0.039 and shoulder at 0.818 of the height.
constexpr double kAnkleHeight = 0.068;
constexpr double kShoulderBelowSternum = 0.032;
// Assumed: C7 against the upper end of the breastbone, half distances between joint centres,
// breadth.
constexpr double kNeckAboveSternum = 0.044;
constexpr double kHipHalfWidth = 0.090, kShoulderHalfWidth = 0.190;
constexpr double kFootWidth = 0.094;

// ---- Joints: axes, limits (rad) and relative stiffness, assumed from everyday ranges of motion

struct JointSpec {
  Vec3d axis;           // hinge, or the first axis of a universal joint
  double lower, upper;  // about it
  Vec3d second_axis;
  double second_lower, second_upper;  // left side; mirrored on the right
  double ball;                        // largest rotation angle of a ball joint; 0: no limit
  double stiffness;                   // kp as a share of weight times height
};
constexpr Vec3d kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1}, kMinusY{0, -1, 0};
constexpr double kFlexion = 150 * M_PI / 180;
constexpr JointSpec kWaist{kY, -0.6, 1.2, kX, -0.6, 0.6, 1.2, 1.50};
constexpr JointSpec kChest{kY, -0.4, 0.8, kX, -0.5, 0.5, 0.8, 1.50};
constexpr JointSpec kNeck{kY, -0.9, 0.9, kX, -0.7, 0.7, 1.1, 0.20};
constexpr JointSpec kHead{kY, -0.5, 0.6, kZ, -0.8, 0.8, 0.8, 0.10};
constexpr JointSpec kShoulder{kY, -3.0, 1.0, kX, -0.4, 2.9, 0, 0.20};
constexpr JointSpec kElbow{kMinusY, 0, kFlexion, kZ, -1.5, 1.5, kFlexion, 0.12};
constexpr JointSpec kWrist{kY, -0.5, 0.5, kX, -1.3, 1.3, 1.5, 0.04};
constexpr JointSpec kHip{kY, -2.2, 0.6, kX, -0.5, 0.9, 2.4, 1.00};
constexpr JointSpec kKnee{kY, 0, kFlexion, kZ, -0.4, 0.4, kFlexion, 1.00};
constexpr JointSpec kAnkle{kY, -0.7, 0.9, kX, -0.5, 0.5, 1.0, 1.00};
constexpr JointSpec kToe{kY, -1.2, 0.6, kX, -0.2, 0.2, 1.2, 0.20};
constexpr double kGravity = 9.81;

// ---- The builder

// Scales of a region against the reference man: along its bones, across them, and of its mass.
struct Scale {
  double length, girth, mass;
};

struct Segment {
  double mass;
  Vec3d com;
  Vec3d spread;  // standard deviations of the mass about com
  std::vector<Shape> shapes;
};

// Second moments of the mass about its centre; they add up to the radii of gyration.
Segment MakeSegment(const SegmentData& data, const Scale& scale, double com_z) {
  const double xx = data.kx * data.kx, yy = data.ky * data.ky, zz = data.kz * data.kz;
  const double across = data.length * scale.girth, along = data.length * scale.length;
  return {kReferenceMass * data.mass * scale.mass,
          {0, 0, com_z * along},
          {across * std::sqrt((yy + zz - xx) / 2), across * std::sqrt((xx + zz - yy) / 2),
           along * std::sqrt((xx + yy - zz) / 2)}};
}
Segment MakeLimb(const SegmentData& data, const Scale& scale) {
  return MakeSegment(data, scale, -data.com);
}
// Frames of trunk parts are at their lower end.
Segment MakeTrunkPart(const SegmentData& data, const Scale& scale) {
  return MakeSegment(data, scale, 1 - data.com);
}

void CheckRange(const char* name, double value, double low, double high) {
  if (value >= low && value <= high) return;
  throw InputError(std::string("human: ") + name + " is " + std::to_string(value) +
                   "; expected a number from " + std::to_string(low) + " to " +
                   std::to_string(high));
}

void CheckParams(const HumanParams& p) {
  CheckRange("height", p.height, 0.3, 3);
  CheckRange("mass", p.mass, 5, 400);
  CheckRange("strength", p.strength, 0.01, 100);
  CheckRange("ankle_position", p.ankle_position, 0.2, 0.5);
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, double>>{{"leg_length", p.leg_length},
                                                             {"trunk_length", p.trunk_length},
                                                             {"arm_length", p.arm_length},
                                                             {"head_size", p.head_size},
                                                             {"foot_length", p.foot_length},
                                                             {"hip_width", p.hip_width},
                                                             {"shoulder_width", p.shoulder_width},
                                                             {"leg_mass", p.leg_mass},
                                                             {"trunk_mass", p.trunk_mass},
                                                             {"arm_mass", p.arm_mass}}) {
    CheckRange(name, value, 0.3, 3);
  }
  for (const JointStyle style : {p.hip, p.knee, p.ankle}) {
    if (style == JointStyle::kFixed) {
      throw InputError(
          "human: a hip, knee or ankle is fixed; expected a hinge, universal or ball joint");
    }
  }
}

class HumanBuilder {
 public:
  explicit HumanBuilder(const HumanParams& params) : params_(params) {
    CheckParams(params);
    const double trunk_height =
        kLowerTrunk.length + kMiddleTrunk.length + kUpperTrunk.length + kNeckAboveSternum;
    const double reference_height =
        kAnkleHeight + (kShank.length + kThigh.length) * params.leg_length +
        trunk_height * params.trunk_length + (kNeckLength + kHeadTop) * params.head_size;
    scale_ = params.height / reference_height;

    const double head = std::pow(params.head_size, 3);
    const double trunk = params.trunk_length * params.trunk_mass;
    const double arm = params.arm_length * params.arm_mass;
    const double leg = params.leg_length * params.leg_mass;
    const double total = kHeadMass * head +
                         (kLowerTrunk.mass + kMiddleTrunk.mass + kUpperTrunk.mass) * trunk +
                         2 * (kUpperArm.mass + kForearm.mass + kHand.mass) * arm +
                         2 * (kThigh.mass + kShank.mass + kFootMass) * leg;
    const double unit = params.mass / (kReferenceMass * total);
    const auto scale_of = [&](double length, double mass) -> Scale {
      return {scale_ * length, std::sqrt(mass * unit / (scale_ * length)), mass * unit};
    };
    head_ = scale_of(params.head_size, head);
    trunk_ = scale_of(params.trunk_length, trunk);
    arm_ = scale_of(params.arm_length, arm);
    leg_ = scale_of(params.leg_length, leg);
  }

  Character Build() {
    character_.name = params_.name;
    character_.description = params_.description;
    const Anchor pelvis = AddPelvis();
    const Anchor chest = AddTrunk(pelvis);
    AddHead(chest);
    for (const bool left : {true, false}) AddArm(chest, left);
    for (const bool left : {true, false}) AddLeg(pelvis, left);
    CheckStands();
    SetQuietStand(&character_);
    Validate(character_);
    return std::move(character_);
  }

 private:
  // Where a part's frame is: its own body's, or that of the body it is fixed to.
  struct Anchor {
    int body = -1;
    Vec3d origin;
  };

  int AddBody(int parent, const std::string& name, const Vec3d& offset, const Joint& joint) {
    Body body;
    body.name = name;
    body.parent = parent;
    body.offset = offset;
    body.joint = joint;
    character_.bodies.push_back(body);
    return character_.BodyCount() - 1;
  }

  // Arms longer than legs, or a trunk wider than high, reach below the soles or above the crown.
  void CheckStands() const {
    const double extent = StandingHeight(character_);
    if (extent < 1.001 * params_.height) return;
    throw InputError("human: with these proportions the parts span " + std::to_string(extent) +
                     " m upright, more than the height of " + std::to_string(params_.height) +
                     " m; use shorter arms, longer legs or less mass");
  }

  void SetRole(Role role, const Anchor& anchor) {
    character_.roles[static_cast<int>(role)] = anchor.body;
  }
  // For parts that may have no body of their own.
  void SetRoleUnlessFixed(Role role, const Anchor& anchor, JointStyle style) {
    if (style != JointStyle::kFixed) SetRole(role, anchor);
  }

  Joint MakeJoint(const JointSpec& spec, JointStyle style, bool second, bool left) const {
    Joint joint;
    joint.kp = spec.stiffness * params_.strength * params_.mass * kGravity * params_.height;
    joint.kd = joint.kp / 10;
    if (style == JointStyle::kBall) {
      joint.kind = JointKind::kBall;
      joint.limited = spec.ball > 0;
      joint.upper = spec.ball;
      return joint;
    }
    joint.kind = JointKind::kHinge;
    joint.limited = true;
    joint.axis = second ? spec.second_axis : spec.axis;
    joint.lower = second ? spec.second_lower : spec.lower;
    joint.upper = second ? spec.second_upper : spec.upper;
    if (second && !left) {
      std::swap(joint.lower, joint.upper);
      joint.lower = -joint.lower;
      joint.upper = -joint.upper;
    }
    return joint;
  }

  Anchor Add(const Anchor& parent, const std::string& name, const Vec3d& offset, JointStyle style,
             const JointSpec& spec, const Segment& segment, bool left = true) {
    Anchor anchor{parent.body, parent.origin + offset};
    if (style == JointStyle::kUniversal) {
      const Joint first = MakeJoint(spec, style, false, left);
      anchor.body = AddBody(parent.body, name + "_link", anchor.origin, first);
      anchor.origin = {};
    }
    if (style != JointStyle::kFixed) {
      const Joint joint = MakeJoint(spec, style, style == JointStyle::kUniversal, left);
      anchor.body = AddBody(anchor.body, name, anchor.origin, joint);
      anchor.origin = {};
    }
    AddMass(anchor, segment);
    return anchor;
  }

  void AddMass(const Anchor& anchor, const Segment& segment) {
    Body& body = character_.bodies[anchor.body];
    const Vec3d com = anchor.origin + segment.com;
    const double mass = body.mass + segment.mass;
    const Vec3d center = (body.com * body.mass + com * segment.mass) * (1 / mass);
    const Vec3d& s = segment.spread;
    const Sym3d own{s.y * s.y + s.z * s.z, 0, 0, s.x * s.x + s.z * s.z, 0, s.x * s.x + s.y * s.y};
    body.inertia += PointInertia(body.com - center) * body.mass;
    body.inertia += (own + PointInertia(com - center)) * segment.mass;
    body.mass = mass;
    body.com = center;
    for (Shape shape : segment.shapes) {
      shape.center += anchor.origin;
      body.shapes.push_back(shape);
    }
  }

  void AddPoint(const Anchor& anchor, const Vec3d& position, double radius) {
    character_.contact_points.push_back({anchor.body, anchor.origin + position, radius});
  }

  Anchor AddPelvis() {
    const double l = trunk_.length, g = trunk_.girth;
    Segment segment = MakeTrunkPart(kLowerTrunk, trunk_);
    segment.shapes = {CrossCapsule(0.045 * l, 0.075 * g, 0.095 * g),
                      Decoration(CrossCapsule(0.095 * l, 0.066 * g, 0.088 * g))};
    Joint free;
    free.kind = JointKind::kFree;
    const double height = scale_ * kAnkleHeight + (kShank.length + kThigh.length) * leg_.length;
    const Anchor pelvis{AddBody(-1, "pelvis", {0, 0, height}, free), {}};
    AddMass(pelvis, segment);
    SetRole(Role::kPelvis, pelvis);
    AddPoint(pelvis, {0, 0, 0.045 * l}, 0.095 * g);
    return pelvis;
  }

  Anchor AddTrunk(const Anchor& pelvis) {
    const double l = trunk_.length, g = trunk_.girth;
    Segment abdomen = MakeTrunkPart(kMiddleTrunk, trunk_);
    Segment chest = MakeTrunkPart(kUpperTrunk, trunk_);
    // Upright columns side by side rather than rings: a flat belly and back, wider towards the
    // shoulders.
    for (const double y : {0.058, -0.058, 0.0}) {
      const Shape column =
          CapsuleBetween({0, y * g, -0.01 * l}, {0, 1.05 * y * g, 0.20 * l}, 0.090 * g);
      abdomen.shapes.push_back(y == 0 ? Decoration(column) : column);
      const Shape rib =
          CapsuleBetween({0, 1.1 * y * g, -0.01 * l}, {0, 1.6 * y * g, 0.100 * l}, 0.096 * g);
      chest.shapes.push_back(y == 0 ? Decoration(rib) : rib);
      if (y == 0) continue;
      const double side = y > 0 ? 1 : -1;  // from the shoulder to the neck
      chest.shapes.push_back(Decoration(CapsuleBetween(
          {0, side * 0.150 * g, 0.145 * l}, {0, side * 0.03 * g, 0.185 * l}, 0.050 * g)));
    }

    const bool whole = params_.chest == JointStyle::kFixed;
    const Anchor middle = Add(pelvis, whole ? "trunk" : "abdomen", {0, 0, kLowerTrunk.length * l},
                              params_.waist, kWaist, abdomen);
    const Anchor upper =
        Add(middle, "chest", {0, 0, kMiddleTrunk.length * l}, params_.chest, kChest, chest);
    SetRole(Role::kTrunk, upper);
    for (const double side : {1.0, -1.0}) {
      AddPoint(upper, {0, side * 0.093 * g, 0.100 * l}, 0.096 * g);
    }
    return upper;
  }

  void AddHead(const Anchor& chest) {
    const double l = head_.length, g = head_.girth;
    const double mass = kReferenceMass * kHeadMass * head_.mass;
    const auto spread = [&](const Vec3d& s) { return Vec3d{s.x * g, s.y * g, s.z * l}; };
    const Segment neck{mass * kNeckShare,
                       {0, 0, kNeckCom * l},
                       spread(kNeckSpread),
                       {CapsuleBetween({0, 0, -0.03 * l}, {0, 0, kNeckLength * l}, 0.052 * g)}};
    // The crown is at the exact height however stout the head is.
    const double radius = std::min(0.078 * g, 0.100 * l);
    const double top = kHeadTop * l - radius, chin = -0.070 * l + radius;
    const Segment head{mass * (1 - kNeckShare),
                       {0, 0, kHeadCom * l},
                       spread(kHeadSpread),
                       {CapsuleBetween({0, 0, std::min(chin, top)}, {0, 0, top}, radius),
                        Decoration(SphereAt({radius, 0, 0.005 * l}, 0.16 * radius))}};

    const bool whole = params_.head == JointStyle::kFixed;
    const double height = (kUpperTrunk.length + kNeckAboveSternum) * trunk_.length;
    const Anchor lower =
        Add(chest, whole ? "head" : "neck", {0, 0, height}, params_.neck, kNeck, neck);
    const Anchor upper = Add(lower, "head", {0, 0, kNeckLength * l}, params_.head, kHead, head);
    if (upper.body != chest.body) SetRole(Role::kHead, upper);
    AddPoint(upper, {0, 0, top}, radius);
  }

  void AddArm(const Anchor& chest, bool left) {
    const std::string prefix = left ? "left_" : "right_";
    const double l = arm_.length, g = arm_.girth;
    Segment upper = MakeLimb(kUpperArm, arm_);
    upper.shapes = Tapered({0, 0, 0}, {0, 0, -kUpperArm.length * l}, 0.050 * g, 0.037 * g);
    Segment lower = MakeLimb(kForearm, arm_);
    lower.shapes = Tapered({0, 0, -0.01 * l}, {0, 0, -0.255 * l}, 0.041 * g, 0.026 * g);
    Segment hand = MakeLimb(kHand, arm_);
    const Vec3d fingers{0, 0, -0.135 * l};
    hand.shapes = {CapsuleBetween({0, 0, -0.04 * l}, fingers, 0.030 * g)};

    const double y = (left ? 1 : -1) * kShoulderHalfWidth * params_.shoulder_width * scale_ *
                     std::sqrt(trunk_.girth / scale_);
    const double z = (kUpperTrunk.length - kShoulderBelowSternum) * trunk_.length;
    const Anchor shoulder =
        Add(chest, prefix + "upper_arm", {0, y, z}, params_.shoulder, kShoulder, upper, left);
    const Anchor elbow = Add(shoulder, prefix + "forearm", {0, 0, -kUpperArm.length * l},
                             params_.elbow, kElbow, lower, left);
    const Anchor wrist = Add(elbow, prefix + "hand", {0, 0, -kForearm.length * l}, params_.wrist,
                             kWrist, hand, left);
    SetRoleUnlessFixed(left ? Role::kLeftUpperArm : Role::kRightUpperArm, shoulder,
                       params_.shoulder);
    SetRoleUnlessFixed(left ? Role::kLeftForearm : Role::kRightForearm, elbow, params_.elbow);
    SetRoleUnlessFixed(left ? Role::kLeftHand : Role::kRightHand, wrist, params_.wrist);
    // About 20 points in all: toes cost four, elbows make up for it.
    if (params_.toe == JointStyle::kFixed) AddPoint(elbow, {0, 0, 0}, 0.042 * g);
    AddPoint(wrist, fingers, 0.030 * g);
  }

  void AddLeg(const Anchor& pelvis, bool left) {
    const std::string prefix = left ? "left_" : "right_";
    const double l = leg_.length, g = leg_.girth;
    Segment thigh = MakeLimb(kThigh, leg_);
    thigh.shapes = Tapered({0, 0, -0.02 * l}, {0, 0, -kThigh.length * l}, 0.082 * g, 0.052 * g);
    Segment shank = MakeLimb(kShank, leg_);
    shank.shapes = Tapered({-0.008 * g, 0, -0.09 * l}, {0, 0, -0.415 * l}, 0.056 * g, 0.036 * g);
    shank.shapes.push_back(CapsuleBetween({0, 0, 0}, {-0.008 * g, 0, -0.09 * l}, 0.050 * g));

    const double y = (left ? 1 : -1) * kHipHalfWidth * params_.hip_width * scale_ *
                     std::sqrt(leg_.girth / scale_);
    const Anchor hip = Add(pelvis, prefix + "thigh", {0, y, 0}, params_.hip, kHip, thigh, left);
    const Anchor knee =
        Add(hip, prefix + "shank", {0, 0, -kThigh.length * l}, params_.knee, kKnee, shank, left);
    SetRole(left ? Role::kLeftThigh : Role::kRightThigh, hip);
    SetRole(left ? Role::kLeftShank : Role::kRightShank, knee);
    AddPoint(knee, {0, 0, 0}, 0.050 * g);
    AddFoot(knee, left);
  }

  void AddFoot(const Anchor& knee, bool left) {
    const std::string prefix = left ? "left_" : "right_";
    const double length = kFootLength * params_.foot_length * scale_;
    const double breadth = std::sqrt(scale_ * leg_.girth), width = kFootWidth * breadth;
    const double sole = -kAnkleHeight * scale_;
    const double heel = -params_.ankle_position * length, ball = heel + kToeStart * length;
    const double tip = heel + length;
    const double foot_height = 0.056 * scale_, toe_height = 0.034 * scale_;
    const double toe_joint = 0.5 * toe_height;  // above the sole
    const double mass = kReferenceMass * kFootMass * leg_.mass;
    const auto spread = [&](const Vec3d& s) {
      return Vec3d{s.x * length, s.y * kFootLength * breadth, s.z * kFootLength * breadth};
    };
    const Segment hind{mass * (1 - kToeShare),
                       {heel + kHindFootCom * length, 0, sole + 0.45 * foot_height},
                       spread(kHindFootSpread),
                       {BoxBetween({heel, -width / 2, sole}, {ball, width / 2, sole + foot_height}),
                        Decoration(CapsuleBetween({0, 0, -0.010 * scale_},
                                                  {0.7 * ball, 0, sole + 0.6 * foot_height},
                                                  0.55 * foot_height))}};
    const Segment toe{
        mass * kToeShare,
        {(kToeCom - kToeStart) * length, 0, 0},
        spread(kToeSpread),
        {BoxBetween({0, -width / 2, -toe_joint}, {tip - ball, width / 2, toe_height - toe_joint})}};

    const Anchor ankle = Add(knee, prefix + "foot", {0, 0, -kShank.length * leg_.length},
                             params_.ankle, kAnkle, hind, left);
    const Anchor toes =
        Add(ankle, prefix + "toe", {ball, 0, sole + toe_joint}, params_.toe, kToe, toe, left);
    SetRole(left ? Role::kLeftFoot : Role::kRightFoot, ankle);
    SetRoleUnlessFixed(left ? Role::kLeftToe : Role::kRightToe, toes, params_.toe);
    for (const double side : {0.5, -0.5}) AddPoint(ankle, {heel, side * width, sole}, 0);
    if (params_.toe != JointStyle::kFixed) {
      for (const double side : {0.5, -0.5}) AddPoint(ankle, {ball, side * width, sole}, 0);
    }
    for (const double side : {0.5, -0.5}) {
      AddPoint(toes, {tip - ball, side * width, -toe_joint}, 0);
    }
  }

  HumanParams params_;
  Character character_;
  double scale_ = 1;
  Scale head_, trunk_, arm_, leg_;
};

}  // namespace

Character MakeHuman(const HumanParams& params) { return HumanBuilder(params).Build(); }

}  // namespace stride
