#include "stride/character/rest_pose.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stride/core/error.h"
#include "stride/math/rotation.h"

namespace stride {
namespace {

std::vector<Vec3d> ContactPositions(const Character& character, const std::vector<double>& q) {
  const BodyFrames frames = FramesAt(character, q);
  std::vector<Vec3d> result;
  for (const ContactPoint& point : character.contact_points) {
    result.push_back(frames.position[point.body] +
                     Rotate(frames.rotation[point.body], point.position) -
                     Vec3d{0, 0, point.radius});
  }
  return result;
}

// The body whose joint swings this foot about Y: the foot, or the link before it.
int AnkleOf(const Character& character, int foot) {
  for (int i = foot; i > 0; i = character.bodies[i].parent) {
    const Joint& joint = character.bodies[i].joint;
    if (joint.kind == JointKind::kBall || std::fabs(joint.axis.y) > 0.999) return i;
  }
  return -1;
}

// The zero pose turned by `angle` about Y, with the ankles turned back.
std::vector<double> LeaningPose(const Character& character, double angle) {
  const Layout layout = LayoutOf(character);
  std::vector<double> q = ZeroState(character).q;
  const Quatd lean = AxisAngle({0, 1, 0}, angle);
  q[3] = lean.w;
  q[5] = lean.y;
  for (const Role role : {Role::kLeftFoot, Role::kRightFoot}) {
    const int ankle = AnkleOf(character, character.BodyOf(role));
    const Joint& joint = character.bodies[ankle].joint;
    double* numbers = &q[layout.q[ankle]];
    if (joint.kind == JointKind::kHinge) {
      numbers[0] = joint.axis.y > 0 ? -angle : angle;
    } else {
      numbers[0] = lean.w;
      numbers[2] = -lean.y;
    }
  }
  PutOnGround(character, &q);
  return q;
}

}  // namespace

JointPlace PlaceOf(const Body& body, const double* q) {
  switch (body.joint.kind) {
    case JointKind::kFree: return {{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}};
    case JointKind::kBall: return {body.offset, {q[0], q[1], q[2], q[3]}};
    case JointKind::kHinge: return {body.offset, AxisAngle(body.joint.axis, q[0])};
    case JointKind::kSlide: break;
  }
  return {body.offset + body.joint.axis * q[0], Quatd::Identity()};
}

JointPlace RootFrameAt(const Character& character, const std::vector<double>& q) {
  const int root = RootBody(character);
  JointPlace frame = PlaceOf(character.bodies[0], q.data());
  // Links without mass have one number each.
  for (int i = 1; i <= root; ++i) {
    const JointPlace place = PlaceOf(character.bodies[i], &q[i]);
    frame = {frame.offset + Rotate(frame.turn, place.offset), frame.turn * place.turn};
  }
  return frame;
}

BodyFrames FramesAt(const Character& character, const std::vector<double>& q) {
  const Layout layout = LayoutOf(character);
  STRIDE_CHECK(static_cast<int>(q.size()) == layout.nq);
  BodyFrames frames;
  for (int i = 0; i < character.BodyCount(); ++i) {
    const Body& body = character.bodies[i];
    const auto [offset, turn] = PlaceOf(body, &q[layout.q[i]]);
    if (body.parent < 0) {
      frames.position.push_back(offset);
      frames.rotation.push_back(turn);
    } else {
      const Quatd& parent = frames.rotation[body.parent];
      frames.position.push_back(frames.position[body.parent] + Rotate(parent, offset));
      frames.rotation.push_back(parent * turn);
    }
  }
  return frames;
}

Vec3d CenterOfMassAt(const Character& character, const std::vector<double>& q) {
  const BodyFrames frames = FramesAt(character, q);
  Vec3d sum;
  for (int i = 0; i < character.BodyCount(); ++i) {
    const Body& body = character.bodies[i];
    sum += (frames.position[i] + Rotate(frames.rotation[i], body.com)) * body.mass;
  }
  return sum * (1 / TotalMass(character));
}

double LowestContactAt(const Character& character, const std::vector<double>& q) {
  STRIDE_CHECK(!character.contact_points.empty());
  double lowest = std::numeric_limits<double>::infinity();
  for (const Vec3d& point : ContactPositions(character, q)) lowest = std::min(lowest, point.z);
  return lowest;
}

Vec3d SupportCenterAt(const Character& character, const std::vector<double>& q) {
  const double ground = LowestContactAt(character, q);
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Vec3d low{kFar, kFar, 0}, high{-kFar, -kFar, 0};
  for (const Vec3d& point : ContactPositions(character, q)) {
    if (point.z > ground + 1e-3) continue;
    low = {std::min(low.x, point.x), std::min(low.y, point.y), 0};
    high = {std::max(high.x, point.x), std::max(high.y, point.y), 0};
  }
  return (low + high) * 0.5 + Vec3d{0, 0, ground};
}

void RaiseRoot(const Character& character, double rise, std::vector<double>* q) {
  STRIDE_CHECK(RootMoves(character));
  if (character.bodies[0].joint.kind == JointKind::kFree) {
    (*q)[2] += rise;
    return;
  }
  int steepest = -1;
  double gain = 0.1;  // of height by way: below it is as good as level
  Quatd above = Quatd::Identity();
  const int root = RootBody(character);
  for (int i = 0; i <= root; ++i) {
    const Body& body = character.bodies[i];
    const double up = Rotate(above, body.joint.axis).z;
    if (body.joint.kind == JointKind::kSlide && std::fabs(up) > std::fabs(gain)) {
      steepest = i;
      gain = up;
    }
    above = above * PlaceOf(body, &(*q)[i]).turn;
  }
  if (steepest >= 0) (*q)[steepest] += rise / gain;
}

void PutOnGround(const Character& character, std::vector<double>* q) {
  RaiseRoot(character, -LowestContactAt(character, *q), q);
}

void SetQuietStand(Character* character) {
  for (const Role role : {Role::kLeftFoot, Role::kRightFoot}) {
    STRIDE_CHECK(character->BodyOf(role) > 0 && AnkleOf(*character, character->BodyOf(role)) > 0);
  }
  // Leaning forwards moves the centre of mass forwards against the feet: bisect. Beyond 20 degrees
  // a stand is no longer quiet; a body that would need more stands as far over its feet as that
  // allows.
  double back = -0.35, front = 0.35;
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (back + front);
    const std::vector<double> q = LeaningPose(*character, middle);
    const bool too_far = CenterOfMassAt(*character, q).x > SupportCenterAt(*character, q).x;
    (too_far ? front : back) = middle;
  }
  character->rest_q = LeaningPose(*character, 0.5 * (back + front));
}

}  // namespace stride
