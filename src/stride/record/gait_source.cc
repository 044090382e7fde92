#include "stride/record/gait_source.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stride/character/structure.h"
#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/motion/import/contact_detection.h"
#include "stride/motion/kinematics.h"

namespace stride {
namespace {

constexpr double kWeightBorne = 0.05;  // share of the weight on a foot that is down
constexpr double kSettling = 2;        // s at the start of a run that are left out ...
constexpr double kLongRun = 6;         // ... where it is longer than this
constexpr int kLoopRounds = 3;

struct SideRoles {
  Role thigh, shank, foot, upper_arm, forearm;
};
constexpr SideRoles kSides[2] = {
    {Role::kLeftThigh, Role::kLeftShank, Role::kLeftFoot, Role::kLeftUpperArm, Role::kLeftForearm},
    {Role::kRightThigh, Role::kRightShank, Role::kRightFoot, Role::kRightUpperArm,
     Role::kRightForearm}};

void RequireLegs(const Character& character, const std::string& name) {
  if (character.IsHuman()) return;
  throw InputError(fmt::format("{}: '{}' is no human, whose gait could be measured: {}", name,
                               character.name, WhyNotHuman(character)));
}

// Puts poses into GaitFrames.
class Reader {
 public:
  explicit Reader(const Character& character) : character_(character), kinematics_(character_) {
    for (int side = 0; side < 2; ++side) {
      const int arm = character_.BodyOf(kSides[side].upper_arm);
      const int forearm = character_.BodyOf(kSides[side].forearm);
      if (arm < 0) continue;
      arms_ = true;
      // The vertical, so that hanging arms are 0 in the zero pose even if they stand off a little.
      arm_[side] = {0, 0, -1};
      if (forearm < 0 || character_.bodies[forearm].parent != arm) continue;
      const Vec3d bone = character_.bodies[forearm].offset;
      if (-bone.z < 0.7 * Norm(bone)) arm_[side] = Normalized(bone);
    }
  }
  bool Arms() const { return arms_; }

  GaitFrame Read(double time, const std::vector<double>& q) {
    kinematics_.Frames(q, &frames_);
    const auto turn = [&](Role role) { return frames_.rotation[character_.BodyOf(role)]; };
    GaitFrame frame;
    frame.time = time;
    frame.pelvis = frames_.position[character_.BodyOf(Role::kPelvis)];
    frame.pelvis_turn = turn(Role::kPelvis);
    frame.trunk = turn(Role::kTrunk);
    for (int side = 0; side < 2; ++side) {
      GaitFrame::Side& leg = frame.sides[side];
      leg.ankle = frames_.position[character_.BodyOf(kSides[side].foot)];
      leg.thigh = turn(kSides[side].thigh);
      leg.shank = turn(kSides[side].shank);
      leg.foot = turn(kSides[side].foot);
      if (character_.BodyOf(kSides[side].upper_arm) < 0) continue;
      leg.upper_arm = Rotate(Conjugate(frame.trunk) * turn(kSides[side].upper_arm), arm_[side]);
    }
    return frame;
  }
  // Height of the lowest of these in the pose read last.
  double Lowest(const std::vector<ContactPoint>& points) const {
    double lowest = std::numeric_limits<double>::infinity();
    for (const ContactPoint& point : points) lowest = std::min(lowest, PointAt(frames_, point).z);
    return lowest;
  }

 private:
  const Character& character_;
  Kinematics kinematics_;
  BodyFrames frames_;
  bool arms_ = false;
  std::array<Vec3d, 2> arm_{};
};

GaitSource Begin(const std::string& name, const Character& character, double gravity) {
  RequireLegs(character, name);
  GaitSource source;
  source.name = name;
  source.character = character.name;
  source.mass = TotalMass(character);
  source.gravity = gravity;
  return source;
}

// Keeps the frames from options.from to options.to.
void Cut(const GaitOptions& options, GaitSource* source) {
  std::vector<GaitFrame>& frames = source->frames;
  if (frames.empty()) {
    throw InputError(source->name + ": no frame of '" + source->character + "'");
  }
  const double first = frames.front().time, last = frames.back().time;
  const double from = options.from.value_or(first), to = options.to.value_or(last);
  if (std::isfinite(from) && std::isfinite(to) && from >= 0) {
    std::erase_if(frames, [&](const GaitFrame& frame) {
      return frame.time < from - 1e-9 || frame.time > to + 1e-9;
    });
    if (!frames.empty()) return;
  }
  throw InputError(
      fmt::format("{}: nothing from {:g} s to {:g} s; expected times between {:.2f} s and {:.2f} s",
                  source->name, from, to, first, last));
}

// Which group of joints each body's joint belongs to; -1: the root's, which nothing drives.
std::vector<int> JointGroups(const Character& character) {
  const Kinematics kinematics(character);
  std::vector<int> groups(character.bodies.size(), kOtherJoints);
  groups[0] = -1;
  const auto mark = [&](Role from, Role to, int group) {
    for (const int body : kinematics.Path(character.BodyOf(from), character.BodyOf(to))) {
      groups[body] = group;
    }
  };
  for (const SideRoles& side : kSides) {
    mark(Role::kPelvis, side.thigh, kHipJoints);
    mark(side.thigh, side.shank, kKneeJoints);
    mark(side.shank, side.foot, kAnkleJoints);
  }
  return groups;
}

std::optional<GaitDrive> DriveOf(const RecordedFrame& frame, int actor, const Character& character,
                                 const Layout& layout, const std::vector<int>& groups) {
  if (static_cast<std::size_t>(actor) >= frame.controls.size()) return std::nullopt;
  const std::vector<float>& torques = frame.controls[actor].torques;
  const std::vector<double>& v = frame.actors[actor].v;
  if (torques.size() != v.size()) return std::nullopt;
  GaitDrive drive;
  for (int i = 0; i < character.BodyCount(); ++i) {
    if (groups[i] < 0) continue;
    double power = 0;
    for (int k = 0; k < DofCount(character.bodies[i].joint.kind); ++k) {
      const double torque = torques[layout.v[i] + k];
      if (!std::isfinite(torque)) return std::nullopt;
      power += torque * v[layout.v[i] + k];
      drive.squared_torque[groups[i]] += torque * torque;
    }
    drive.power[groups[i]] += std::fabs(power);
  }
  return drive;
}

// Per body the side whose foot it belongs to, or -1.
std::vector<int> FootSides(const Character& character) {
  std::vector<int> sides(character.bodies.size(), -1);
  for (int side = 0; side < 2; ++side) sides[character.BodyOf(kSides[side].foot)] = side;
  for (std::size_t i = 1; i < sides.size(); ++i) {
    if (sides[i] < 0) sides[i] = sides[character.bodies[i].parent];
  }
  return sides;
}

double FirstFall(const Recording& recording, int actor) {
  for (const RecordedEvent& event : recording.events) {
    if (event.kind != "fall") continue;
    const auto who = event.data.is_object() ? event.data.find("actor") : event.data.end();
    const bool named = who != event.data.end() && who->is_number_integer();
    if ((named ? who->get<std::int64_t>() : 0) == actor) return event.time;
  }
  return std::numeric_limits<double>::infinity();
}

bool Finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

bool Simulated(const Recording& recording) {
  return !recording.header.setup.is_null() ||
         std::any_of(recording.frames.begin(), recording.frames.end(),
                     [](const RecordedFrame& frame) { return !frame.contacts.empty(); });
}

// Labels of captures want a foot that has come to rest, which is some frames after the heel has
// touched. The foot is farthest ahead of the pelvis as it strikes (Zeni, Richards, Higginson 2008),
// or shortly before where it is drawn back in the air: the strike is where the sole is low from
// then on. Moves each label's beginning there, by no more than the bounds below.
constexpr double kEarliest = 0.15, kLatest = 0.08;  // s before and after the label
constexpr double kLowSole = 0.02;                   // m

void MoveStrikes(const std::vector<double>& sole, int side, std::vector<GaitFrame>* frames) {
  const int count = static_cast<int>(frames->size());
  const auto foot = [&](int f) -> GaitFrame::Side& { return (*frames)[f].sides[side]; };
  const auto is_near = [&](int f, int label) {
    const double late = (*frames)[f].time - (*frames)[label].time;
    return late >= -kEarliest - 1e-9 && late <= kLatest + 1e-9;
  };
  for (int label = 1; label < count; ++label) {
    if (!foot(label).down || foot(label - 1).down) continue;
    int first = label, last = label;
    while (first > 0 && is_near(first - 1, label) && !foot(first - 1).down) --first;
    while (last + 1 < count && is_near(last + 1, label) && foot(last + 1).down) ++last;
    const Vec3d way = (*frames)[last].pelvis - (*frames)[first].pelvis;
    const auto ahead = [&](int f) {
      return (foot(f).ankle.x - (*frames)[f].pelvis.x) * way.x +
             (foot(f).ankle.y - (*frames)[f].pelvis.y) * way.y;
    };
    int strike = first;
    for (int f = first; f <= last; ++f) {
      if (ahead(f) > ahead(strike)) strike = f;
    }
    while (strike < label && sole[strike] > kLowSole) ++strike;
    for (int f = first; f <= last; ++f) foot(f).down = f >= strike;
    label = last;
  }
}

// Turns a foot so that it is level where it rests: the median of its pitch in that half of its
// contacts in which it turns least.
void LevelFoot(int side, std::vector<GaitFrame>* frames) {
  const auto pitch = [&](std::size_t f) {
    const Vec3d toes = Rotate((*frames)[f].sides[side].foot, Vec3d{1, 0, 0});
    return std::atan2(toes.z, std::hypot(toes.x, toes.y));
  };
  std::vector<std::pair<double, double>> rests;  // how fast it turns, its pitch
  for (std::size_t f = 1; f + 1 < frames->size(); ++f) {
    if (!(*frames)[f].sides[side].down) continue;
    rests.emplace_back(std::fabs(pitch(f + 1) - pitch(f - 1)), pitch(f));
  }
  if (rests.size() < 2) return;
  std::sort(rests.begin(), rests.end());
  rests.resize(rests.size() / 2);
  std::sort(rests.begin(), rests.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  const Quatd level = AxisAngle({0, 1, 0}, rests[rests.size() / 2].second);
  for (GaitFrame& frame : *frames) frame.sides[side].foot = frame.sides[side].foot * level;
}

}  // namespace

GaitSource GaitSourceOf(const Recording& recording, const GaitOptions& options) {
  const std::vector<Character> actors = ActorsOf(recording);
  const std::string name = "recording '" + recording.header.title + "'";
  const int actor = options.actor;
  if (actor < 0 || static_cast<std::size_t>(actor) >= actors.size()) {
    throw InputError(fmt::format("{} has no actor {}; expected 0 to {}", name, actor,
                                 static_cast<int>(actors.size()) - 1));
  }
  const Character& character = actors[actor];
  if (!Simulated(recording)) {
    RequireLegs(character, name);
    return GaitSourceOf(MotionFromRecording(recording, actor), character, options);
  }
  GaitSource source = Begin(name, character, std::fabs(recording.header.world.gravity));
  source.forces = source.gravity > 0;
  const double weight = source.mass * source.gravity;
  const Layout layout = LayoutOf(character);
  const std::vector<int> foot_sides = FootSides(character), groups = JointGroups(character);
  const double fall = FirstFall(recording, actor);
  Reader reader(character);
  source.arms = reader.Arms();
  for (const RecordedFrame& recorded : recording.frames) {
    if (static_cast<std::size_t>(actor) >= recorded.actors.size()) continue;
    const State& state = recorded.actors[actor];
    if (state.q.size() != static_cast<std::size_t>(layout.nq) ||
        state.v.size() != static_cast<std::size_t>(layout.nv) || !Finite(state.q) ||
        !Finite(state.v)) {
      break;  // a run that failed ends in frames that are no poses
    }
    if (!source.frames.empty() && !(recorded.time > source.frames.back().time)) continue;
    if (recorded.time >= fall) {
      source.notes.push_back(fmt::format("what follows the fall at {:.2f} s was left out", fall));
      break;
    }
    GaitFrame frame = reader.Read(recorded.time, state.q);
    for (const RecordedContact& contact : recorded.contacts) {
      if (contact.actor != actor || contact.other_actor != -1 || contact.body < 0 ||
          contact.body >= character.BodyCount() || foot_sides[contact.body] < 0) {
        continue;
      }
      frame.sides[foot_sides[contact.body]].force +=
          Vec3d{contact.force[0], contact.force[1], contact.force[2]};
    }
    for (GaitFrame::Side& side : frame.sides) side.down = side.force.z > kWeightBorne * weight;
    frame.drive = DriveOf(recorded, actor, character, layout, groups);
    source.frames.push_back(std::move(frame));
  }
  GaitOptions cut = options;
  if (!cut.from && !source.frames.empty() &&
      source.frames.back().time - source.frames.front().time > kLongRun) {
    cut.from = source.frames.front().time + kSettling;
    source.notes.push_back(
        fmt::format("the first {:g} s were left out (--from 0 takes them in)", kSettling));
  }
  Cut(cut, &source);
  return source;
}

GaitSource GaitSourceOf(const Motion& motion, const Character& character,
                        const GaitOptions& options) {
  const std::string name = "motion '" + motion.name + "'";
  GaitSource source = Begin(name, character, 0);
  Validate(motion, character);
  const std::array<FootParts, 2> feet = FeetOf(character);
  std::array<std::vector<double>, 2> soles;  // height of the lowest point, per frame
  Motion labelled;
  const Motion* labels = &motion;
  constexpr std::uint8_t kFeet = kLeftFootDown | kRightFootDown;
  if (std::none_of(motion.contacts.begin(), motion.contacts.end(),
                   [](std::uint8_t flags) { return flags & kFeet; }) &&
      motion.FrameCount() > 1) {
    labelled = motion;
    const GroundTracks tracks = TrackHeights(character, motion);
    const double leg =
        Norm(character.bodies[feet[0].shank].offset) + Norm(character.bodies[feet[0].foot].offset);
    labelled.contacts =
        DetectContacts(tracks, FindFloor(tracks, leg, motion.fps), GroundOptions{}, motion.fps);
    labels = &labelled;
    source.notes.emplace_back(
        "it has no contact labels; contacts were found from the feet's height "
        "and speed");
  }
  const int last = motion.FrameCount() - 1;
  const int count = motion.loops && last > 0 ? kLoopRounds * last + 1 : motion.FrameCount();
  if (count > motion.FrameCount()) {
    source.notes.push_back(fmt::format("the loop was played {} times", kLoopRounds));
  }
  Reader reader(character);
  source.arms = reader.Arms();
  for (int f = 0; f < count; ++f) {
    const double time = f / motion.fps;
    GaitFrame frame =
        reader.Read(time, f <= last ? motion.frames[f] : SampleMotion(motion, character, time));
    // Of a loop the last frame is the first one again.
    const std::uint8_t flags = labels->contacts[f <= last ? f : (f - 1) % last + 1];
    for (int side = 0; side < 2; ++side) {
      frame.sides[side].down = flags & feet[side].flag;
      soles[side].push_back(reader.Lowest(feet[side].sole));
    }
    source.frames.push_back(std::move(frame));
  }
  for (int side = 0; side < 2; ++side) {
    if (options.captured || labels == &labelled) MoveStrikes(soles[side], side, &source.frames);
    if (options.captured) LevelFoot(side, &source.frames);
  }
  Cut(options, &source);
  return source;
}

}  // namespace stride
