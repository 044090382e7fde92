#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "stride/controllers/control_graph/clip_servos.h"
#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/controllers/control_graph/falls.h"
#include "stride/controllers/control_graph/graph_choice.h"
#include "stride/controllers/control_graph/learn_graph.h"
#include "stride/controllers/control_graph/learn_openloop.h"
#include "stride/controllers/control_graph/learn_retarget.h"
#include "stride/controllers/control_graph/learn_skill.h"
#include "stride/controllers/registry.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/dynamics/model.h"
#include "stride/math/rotation.h"
#include "stride/motion/edit/blend.h"
#include "stride/motion/kinematics.h"
#include "stride/scenario/fall.h"

// Performs a learned skill (liu16): the fragments of its clip one after the other, around and
// around, or along a graph of clips, each with its linear feedback. Falls, lies and rises again
// where the graph has a way to (Section 6.2).
namespace stride::control_graph_controller {
namespace {

constexpr double kLeftOfATurn = 0.1;  // rad
constexpr double kFalling = 0.5;      // s, from the first sign of a fall until it lies, about
// How far the heading may run ahead of a character; LearnOptions::evolve_turn teaches a little
// more.
constexpr double kTaughtTurn = 0.8;  // rad

struct SkillConfig {
  double turn_rate = 0;      // rad/s
  double turn_lead = 0;      // rad
  double turn_action = 0;    // rad
  double phase_reset = 0;    // s
  double fall_action = 1.8;  // rad
  int seed = 0;
};
template <class Visitor>
void VisitConfig(SkillConfig& c, Visitor& visit) {
  visit("turn_rate", c.turn_rate, {0, 10, "rad/s"},
        "how fast a commanded heading is taken up; 0: as fast as it was taught to");
  visit("turn_lead", c.turn_lead, {0, 3, "rad"},
        "how far the heading that is kept runs ahead of a character that turns; 0: as far as it "
        "was taught to");
  visit("turn_action", c.turn_action, {0, 100, "rad"},
        "feedback that asks for more than this is not led on into a turn for now; 0: as trials "
        "have found, or 0.8");
  visit("phase_reset", c.phase_reset, {0, 0.5, "s"},
        "a foot that lands early by up to this time begins its landing fragment at once");
  visit("fall_action", c.fall_action, {0.5, 100, "rad"},
        "feedback of a gait that asks for more than this twice in a row is taken for a fall (who "
        "stands asks for less than 1.4); of other clips for 1.6 times as much");
  visit("seed", c.seed, {0, 1 << 30}, "of random walks on a graph");
}

constexpr const char *kNodeChannel = "node", *kLyingChannel = "lying";

class SkillController final : public Controller {
 public:
  explicit SkillController(const ControllerInput& input)
      : skill_(std::make_shared<const ClipSkill>(FromEnvelope(*input.skill))),
        terrain_(input.world.terrain),
        model_(input.world.actors[0]) {
    ConfigFromJson(input.config, "control_graph", &config_);
    const Character& character = input.world.actors[0];
    // The servo's gains, masses and lengths may be changed; the joints must be the same.
    if (character.BodyCount() != skill_->character.BodyCount()) {
      throw InputError("the skill was learned on '" + skill_->character.name + "'; '" +
                       character.name +
                       "' has other bodies; learn the skill anew on it (stride learn)");
    }
    graph_ = std::make_shared<const ControlGraph>(GraphOf(*skill_));
    choice_.emplace(graph_, skill_->plan, config_.seed);
    drifts_.assign(graph_->segments.size(), 0.0);
    for (const Segment& each : graph_->segments) can_rise_ = can_rise_ || each.rises;
    time_step_ = input.world.time_step;
    servos_.emplace(graph_, character, terrain_);
    base_ = -segment().travel_heading;
    own_speed_ = MeanSpeed(segment().motion);
    turn_action_ = config_.turn_action > 0   ? config_.turn_action
                   : skill_->turn_action > 0 ? skill_->turn_action
                                             : kCautiousTurn;
    for (const Segment& each : graph_->segments) {
      bends_.push_back(BendOf(each));
      upright_.push_back(GoesUpright(each));
    }
    if (graph_->segments.size() == 1) FindLandings();
  }

  std::unique_ptr<Controller> Clone() const override {
    return std::make_unique<SkillController>(*this);
  }

  State Start() const override {
    State state = Turned(skill_->character,
                         skill_->start.q.empty() ? graph_->border_states[0] : skill_->start, base_);
    state.q[2] += SurfaceAt(terrain_, state.q[0], state.q[1]).height;
    return state;
  }

  void Step(const Observation& observation, const Command& command, Actuation* actuation) override {
    if (lying_) {
      lying_seconds_ += time_step_;
      if (can_rise_) Lie(observation.state, observation.contacts);
    } else {
      Steer(command);
      // Known of a single clip only.
      if (config_.phase_reset > 0 && !foot_of_.empty()) ResetPhase(observation.contacts);
      const double end = graph_->fragments[fragment_].end * graph_->time_step;
      if (clip_time_ > end - 0.5 * time_step_) {
        NextFragment(command);
        KeepWay(observation.state, command);
      }
      if (!acted_) Feedback(observation.state);
    }
    const int step = std::clamp(static_cast<int>(clip_time_ / graph_->time_step + 1e-6),
                                segment().begin, segment().end - 1);
    servos_->Aim(step, action_, actuation);
    if (lying_) Soften(actuation);
    servos_->ShowReference(step, base_, observation.state);
    if (!lying_) clip_time_ += time_step_;
  }

  const State* Reference() const override { return servos_->Reference(); }
  std::optional<SpeedRange> Speeds() const override {
    if (skill_->pace.actions.empty()) return {};
    return SpeedRange{own_speed_ + skill_->pace.slowest, own_speed_ + skill_->pace.fastest, false};
  }

  std::vector<DebugChannel> Channels() const override {
    return {{"phase", "", DebugChannel::Kind::kScalar},
            {"action", "rad", DebugChannel::Kind::kScalar},
            {"heading error", "rad", DebugChannel::Kind::kScalar},
            {kNodeChannel, kNodeUnit, DebugChannel::Kind::kScalar},
            {"from node", kNodeUnit, DebugChannel::Kind::kScalar},  // in a transition
            {kLyingChannel, "s", DebugChannel::Kind::kScalar}};
  }
  std::vector<std::string> Styles() const override {
    return graph_->segments.size() > 1 ? choice_->Styles() : std::vector<std::string>{};
  }
  bool Turns() const override {
    return graph_->segments.size() > 1 || skill_->keep_heading || skill_->turns.rate > 0;
  }
  // A single clip that was not taught a pace goes at its own speed.
  bool TakesSpeed() const override {
    return graph_->segments.size() > 1 || !skill_->pace.actions.empty();
  }
  BehaviourGraph Graph() const override {
    if (graph_->segments.size() == 1) return {};
    BehaviourGraph graph = choice_->Picture(*skill_);
    graph.node_channel = kNodeChannel;
    graph.down_channel = kLyingChannel;
    return graph;
  }
  void ReadChannels(std::span<float> values) const override {
    const Segment& now = segment();
    values[0] = static_cast<float>((clip_time_ - now.begin * graph_->time_step) /
                                   ((now.end - now.begin) * graph_->time_step));
    float square = 0;
    for (const float a : action_) square += a * a;
    values[1] = std::sqrt(square);
    values[2] = heading_error_;
    values[3] = static_cast<float>(choice_->NodeOf(fragment_));
    if (now.clip < 0) values[4] = static_cast<float>(now.from);
    values[5] = static_cast<float>(lying_ ? lying_seconds_ : 0);
  }

 private:
  struct Bend {
    double rate, lead;  // rad/s, rad
  };
  // As fast as it was found to bear; else, and on graphs, as most bear what were taught to turn.
  // Skills learned before that was follow slowly.
  Bend BendOf(const Segment& gait) const {
    constexpr double kAside = 2.8;  // m/s2: the faster, the more a bend takes
    Bend bend{0.6, 0.25};
    if (skill_->clip.mirror_axes) {
      bend = {std::clamp(kAside / std::max(MeanSpeed(gait.motion), 0.1), 0.5, 1.2), kTaughtTurn};
    }
    if (skill_->turn_rate > 0) bend.rate = skill_->turn_rate;
    if (config_.turn_rate > 0) bend.rate = config_.turn_rate;
    if (config_.turn_lead > 0) bend.lead = config_.turn_lead;
    return bend;
  }

  // A gait whose root keeps upright and facing about one way: not a kick that whirls around, a flip
  // or a cartwheel that gets along.
  bool GoesUpright(const Segment& each) const {
    constexpr double kTilt = 0.6, kAround = 1.6;  // rad, from its first reference
    if (!IsGait(each)) return false;
    const auto root_at = [this](int fragment) {
      const Quat<float>& r = graph_->borders[graph_->fragments[fragment].border].root;
      return Quatd{r.w, r.x, r.y, r.z};
    };
    for (int f = each.first; f < each.first + each.count; ++f) {
      const Facing<double> facing = FacingOf(root_at(f), root_at(each.first), 1.0, 0.0);
      if (Norm(facing.tilt) > kTilt) return false;
      if (std::fabs(std::atan2(facing.s, facing.c)) > kAround) return false;
    }
    return true;
  }

  const Segment& segment() const { return graph_->segments[graph_->fragments[fragment_].segment]; }

  // The heading that is kept moves towards the commanded one, while something travels.
  void Steer(const Command& command) {
    course_error_ = 0;
    turns_ = command.heading && graph_->segments.size() > 1;
    turned_before_ += time_step_;
    push_turn_ = 0;
    if (command.heading && skill_->turns.rate > 0) {
      constexpr double kFullTurn = 0.3;  // rad off the heading: all of the recorded actions
      const double error = std::remainder(*command.heading - segment().travel_heading - base_,
                                          2 * 3.14159265358979323846);
      push_turn_ = std::clamp(error / kFullTurn, -1.0, 1.0);
    }
    if (!command.heading || !skill_->keep_heading || segment().rises) return;
    const bool in_graph = graph_->segments.size() > 1;
    const double turn_rate = in_graph ? choice_->TurnRate(fragment_) : 0;
    const double course = turn_rate != 0
                              ? turn_rate * (clip_time_ - segment().begin * graph_->time_step)
                              : segment().travel_heading;
    course_error_ = std::remainder(*command.heading - course - base_, 2 * 3.14159265358979323846);
    if (in_graph) {
      // Transitions and clips that turn by themselves do not bear more, nor what leads to them.
      if (segment().clip < 0 || turn_rate != 0 || !segment().travels) return;
      const bool far = std::fabs(course_error_) > GraphChoice::kFarAround;
      if (choice_->GoesToTurn() || (choice_->GetsAway() && far)) return;
    }
    // The character comes along before the heading moves on.
    const Bend& bend = bends_[graph_->fragments[fragment_].segment];
    if (heading_error_ * course_error_ < 0 && std::fabs(heading_error_) > bend.lead) return;
    if (asked_ > turn_action_) return;  // it has enough to do
    const double before = base_;
    servos_->Steer(segment(), *command.heading, bend.rate * time_step_, &base_);
    if (std::fabs(base_ - before) > 1e-9) turned_before_ = 0;
  }

  // Fragments that begin when a foot lands in the clip, and which bodies belong to each foot.
  void FindLandings() {
    const Character& character = skill_->character;
    const int feet[2] = {graph_->parts.left_foot, graph_->parts.right_foot};
    foot_of_.assign(character.BodyCount(), -1);
    for (int i = 0; i < character.BodyCount(); ++i) {
      for (int side = 0; side < 2; ++side) {
        if (i == feet[side] ||
            (character.bodies[i].parent >= 0 && foot_of_[character.bodies[i].parent] == side)) {
          foot_of_[i] = side;
        }
      }
    }
    const std::uint8_t flags[2] = {kLeftFootDown, kRightFootDown};
    for (int f = 0; f < graph_->Fragments(); ++f) {
      const Fragment& now = graph_->fragments[f];
      const double middle = 0.5 * (now.begin + now.end) * graph_->time_step;
      const double before = middle - graph_->Seconds(f);
      for (int side = 0; side < 2; ++side) {
        const bool down = SampleContacts(segment().motion, middle) & flags[side];
        const bool was_down =
            SampleContacts(segment().motion, before < 0 ? before + graph_->Seconds() : before) &
            flags[side];
        if (down && !was_down) landings_[side].push_back(f);
      }
    }
  }

  // Contact-aligned phase reset (Section 6.1), at the landing of a foot that was in the air.
  void ResetPhase(std::span<const Contact> contacts) {
    bool down[2] = {false, false};
    for (const Contact& contact : contacts) {
      const int side = foot_of_[contact.body];
      if (side >= 0 && contact.force.z > 0) down[side] = true;
    }
    for (int side = 0; side < 2; ++side) {
      constexpr double kSwing = 0.15;  // s in the air at least
      const bool landed = down[side] && in_air_[side] > kSwing;
      in_air_[side] = down[side] ? 0 : in_air_[side] + time_step_;
      if (!landed) continue;
      for (const int f : landings_[side]) {
        const double begin = graph_->fragments[f].begin * graph_->time_step;
        const double early = std::remainder(begin - clip_time_, graph_->Seconds());
        if (early <= 0 || early > config_.phase_reset) continue;
        // Over the end of the round?
        if (begin < clip_time_) base_ += graph_->fragments.back().turn;
        fragment_ = f;
        clip_time_ = begin;
        acted_ = false;
        break;
      }
    }
  }

  void NextFragment(const Command& command) {
    acted_ = false;
    const Fragment& done = graph_->fragments[fragment_];
    base_ += done.turn;
    fragment_ = graph_->segments.size() > 1 ? choice_->Next(fragment_, command, course_error_)
                                            : done.next[0];
    const int begin = graph_->fragments[fragment_].begin;
    if (begin != done.end) clip_time_ = begin * graph_->time_step;
  }

  // A gait may go a little aside of where it faces, or face a little aside of where it is to; and
  // be a little slower than its clip. The heading and the pace that its feedback is shown move
  // against what whole rounds were off.
  void KeepWay(const State& state, const Command& command) {
    const int now = graph_->fragments[fragment_].segment;
    if (now != round_segment_) round_base_.reset();
    round_segment_ = now;
    const Segment& loop = segment();
    const double turn = graph_->fragments[loop.first + loop.count - 1].turn;
    if (fragment_ != loop.first || !IsGait(loop) || std::fabs(turn) > 0.05) return;
    constexpr double kShare = 0.2;  // of the error a round
    // Rad; and who is more off than that turns, or was pushed. Axes of a first frame leave more.
    const double most = skill_->clip.mirror_axes ? 0.6 : 1.2;
    const double turning = skill_->clip.mirror_axes ? 0.35 : 0.9;
    const Vec3d here = Vec3At(state.q, 0), way = here - round_start_;
    const double off = std::remainder(std::atan2(way.y, way.x) - base_ - loop.travel_heading,
                                      2 * std::numbers::pi);
    const bool straight = round_base_ && std::fabs(*round_base_ - base_) < 1e-6;
    if (straight && skill_->keep_heading && std::fabs(off) < turning) {
      drifts_[now] = std::clamp(drifts_[now] - kShare * off, -most, most);
    }
    if (round_base_ && !skill_->pace.actions.empty()) {
      const double wanted = command.speed.value_or(own_speed_);
      const double slow = wanted - std::hypot(way.x, way.y) / graph_->Seconds();
      pace_ = std::clamp(pace_ + kShare * std::clamp(slow, -0.5, 0.5), skill_->pace.slowest,
                         skill_->pace.fastest);
    }
    round_start_ = here;
    round_base_ = base_;
  }

  // Of its state, or of feedback that asks for too much (the paper's sign).
  bool Fallen(const double* features, const BorderReference& border) {
    const bool gait = upright_[graph_->fragments[fragment_].segment];
    const double most = gait ? config_.fall_action : 1.6 * config_.fall_action;
    wild_ = asked_ > most ? wild_ + 1 : 0;
    const bool lost =
        IsFallen(kFallFromReference, features[feature::kHeight],
                 static_cast<double>(border.features[feature::kHeight]), TiltSquared(features));
    lost_ = lost ? lost_ + 1 : 0;
    // A flip that is a little late is off for a moment; clips of graphs were taught not to be.
    return wild_ >= 2 || lost_ >= (gait || can_rise_ ? 1 : 3);
  }

  // What falls falls like a body: servos that went on would throw it up.
  void Soften(Actuation* actuation) const {
    constexpr double kSoft = 0.15;
    const double share =
        can_rise_ ? std::clamp((lying_seconds_ - kFalling) / kFalling, kSoft, 1.0) : kSoft;
    for (double& kp : actuation->kp) kp *= share;
    for (double& kd : actuation->kd) kd *= std::sqrt(share);
  }

  void BeginToLie() {
    lying_ = true;
    lying_seconds_ = 0;
    free_seconds_ = 0;
    wild_ = lost_ = 0;
    std::fill(action_, action_ + kActionCount, 0.0f);
  }

  // Aims at the pose in which the nearest way to rise begins, until it is taken and nobody lies on
  // top.
  void Lie(const State& state, std::span<const Contact> contacts) {
    constexpr double kLeast = kFalling + 0.8, kMost = kFalling + 2.5, kMostBelow = 8;  // s
    constexpr double kTilt = 0.5, kSlow = 0.4;  // rad; m/s or rad/s
    constexpr double kPressed = 50;             // N
    constexpr double kFree = 0.3;               // s
    if (lying_seconds_ < kFalling) return;
    const int rising = NearestRising(*graph_, state);
    const int first = graph_->segments[rising].first;
    if (first != fragment_) {
      fragment_ = first;
      clip_time_ = graph_->fragments[first].begin * graph_->time_step;
    }
    const Quatd root{state.q[3], state.q[4], state.q[5], state.q[6]};
    const Quat<float>& r = graph_->borders[graph_->fragments[first].border].root;
    double fastest = 0;
    for (int k = 0; k < 6; ++k) fastest = std::max(fastest, std::fabs(state.v[k]));
    const bool ready = TiltFrom(root, r) < kTilt && fastest < kSlow;
    const Facing<double> facing = FacingOf(root, Quatd{r.w, r.x, r.y, r.z}, 1.0, 0.0);
    base_ = std::atan2(facing.s, facing.c);
    double pressed = 0;
    for (const Contact& contact : contacts) {
      if (contact.other_actor >= 0) pressed -= contact.force.z;
    }
    // Of two that lie on each other, the one on top goes first.
    if (pressed > kPressed) free_seconds_ = 0;
    free_seconds_ += time_step_;
    if (lying_seconds_ < kLeast || (!ready && lying_seconds_ < kMost)) return;
    if (free_seconds_ < kFree && lying_seconds_ < kMostBelow) return;
    lying_ = false;
    acted_ = false;
  }

  // Equation 2, once at the beginning of a fragment.
  void Feedback(const State& state) {
    acted_ = true;
    model_.SetState(state);
    const Articulation<double> art = model_.View();
    const Quat<float>& r = graph_->borders[graph_->fragments[fragment_].border].root;
    const double shown_base = base_ + drifts_[graph_->fragments[fragment_].segment];
    const Facing<double> facing = FacingOf(art.joints[0].rot, Quatd{r.w, r.x, r.y, r.z},
                                           std::cos(0.5 * shown_base), std::sin(0.5 * shown_base));
    const double ground = SurfaceAt(terrain_, state.q[0], state.q[1]).height;
    double features[kFeatureCount];
    ComputeFeatures(model_.GetTree(), art, graph_->parts, facing, ground, features);
    heading_error_ = static_cast<float>(features[feature::kHeading]);
    // What is left of a turn goes slowly if it is shown as it is; and the turn begins late.
    constexpr double kTurning = 3;  // s since the heading that is kept has moved
    if (turned_before_ < kTurning && skill_->turn_shown > 1) {
      double& error = features[feature::kHeading];
      const double most = std::max(std::fabs(error), kTaughtTurn);
      error = std::clamp(skill_->turn_shown * error, -most, most);
    }
    if (!skill_->keep_heading) {
      base_ += 2 * std::asin(std::clamp(features[feature::kHeading] / 2, -1.0, 1.0));
      features[feature::kHeading] = 0;
    }
    // Where a turn was asked for, transitions and clips that turn were not learned with what is
    // left of it.
    if (turns_ && (segment().clip < 0 || choice_->TurnRate(fragment_) != 0)) {
      const double left = std::clamp(features[feature::kHeading], -kLeftOfATurn, kLeftOfATurn);
      base_ += features[feature::kHeading] - left;
      features[feature::kHeading] = left;
    }
    float seen[kFeatureCount];
    for (int k = 0; k < kFeatureCount; ++k) seen[k] = static_cast<float>(features[k]);
    const Fragment& now = graph_->fragments[fragment_];
    FragmentPolicy policy = skill_->policies[now.policy];
    if (pace_ != 0) {
      for (int a = 0; a < kActionCount; ++a) {
        policy.offset[a] += static_cast<float>(pace_) * skill_->pace.actions[now.policy][a];
      }
    }
    Act(policy, now.mirrored, seen, action_);
    if (push_turn_ != 0) {
      for (int k = 0; k < kActionCount; ++k) {
        action_[k] += static_cast<float>(push_turn_) * skill_->turns.actions[fragment_][k];
      }
    }
    double square = 0;
    for (const float a : action_) square += a * a;
    asked_ = std::sqrt(square);
    if (Fallen(features, graph_->borders[now.border])) BeginToLie();
  }

  std::shared_ptr<const ClipSkill> skill_;
  std::shared_ptr<const ControlGraph> graph_;
  SkillConfig config_;
  Terrain terrain_;
  Model<double> model_;
  double time_step_;
  std::optional<ClipServos> servos_;
  bool can_rise_ = false;
  double own_speed_ = 0;          // m/s, of the clip
  double turn_action_;            // rad
  std::vector<Bend> bends_;       // of each segment
  std::vector<bool> upright_;     // of each segment: a gait that keeps upright
  std::vector<int> foot_of_;      // of each body: 0 left, 1 right, -1 neither
  std::vector<int> landings_[2];  // fragments
  // Memory of the run.
  std::optional<GraphChoice> choice_;
  int fragment_ = 0;
  double clip_time_ = 0;     // of the graph's steps, s
  double base_ = 0;          // heading of the clip's beginning
  double course_error_ = 0;  // rad
  // By which the heading shown to the feedback is off base_, of each segment, rad.
  std::vector<double> drifts_;
  double pace_ = 0;  // m/s faster than by itself
  Vec3d round_start_;
  std::optional<double> round_base_;  // base_ where the round began, once one has
  int round_segment_ = -1;
  bool lying_ = false;
  double lying_seconds_ = 0;
  double free_seconds_ = 0;  // since somebody lay on top
  int wild_ = 0, lost_ = 0;  // fragments in a row
  bool acted_ = false;
  bool turns_ = false;          // a heading is commanded
  double turned_before_ = 1e9;  // s since the heading that is kept moved
  double push_turn_ = 0;        // share of the recorded actions that turn it, -1 to 1
  float action_[kActionCount] = {};
  double asked_ = 0;  // rad, size of the action
  float heading_error_ = 0;
  double in_air_[2] = {0, 0};  // s, left and right foot
};

}  // namespace

ControllerInfo Describe() {
  return {.name = "control_graph",
          .description =
              "performs a learned skill (liu16): linear feedback for every tenth of a second",
          .make = [](const ControllerInput& input) -> std::unique_ptr<Controller> {
            return std::make_unique<SkillController>(input);
          },
          .needs_skill = true,
          .schema = [] { return ConfigSchema<SkillConfig>(); },
          .example = {.skill = "walk"},
          .learns = {SkillMethod(), OpenLoopMethod(), GraphMethod(), RetargetMethod()},
          .check_skill = [](const Skill& skill) { FromEnvelope(skill); },
          .skill_rows = ClipSkillRows,
          .upgrade = UpgradeClipSkill};
}

}  // namespace stride::control_graph_controller
