#include <algorithm>
#include <cmath>
#include <optional>

#include "stride/controllers/clip_servos.h"
#include "stride/controllers/registry.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/dynamics/model.h"
#include "stride/learn/skill.h"
#include "stride/math/rotation.h"

// Performs a learned skill (liu16): the fragments of its clip one after the other, around and
// around, each with its linear feedback.
namespace stride::control_graph_controller {
namespace {

struct SkillConfig {
  double turn_rate = 0.6;  // rad/s
  double phase_reset = 0;  // s
};
template <class Visitor>
void VisitConfig(SkillConfig& c, Visitor& visit) {
  visit("turn_rate", c.turn_rate, {0, 10, "rad/s"}, "how fast a commanded heading is taken up");
  visit("phase_reset", c.phase_reset, {0, 0.5, "s"},
        "a foot that lands early by up to this time begins its landing fragment at once");
}

class SkillController final : public Controller {
 public:
  explicit SkillController(const ControllerInput& input)
      : skill_(input.skill), terrain_(input.world.terrain), model_(input.world.actors[0]) {
    ConfigFromJson(input.config, "control_graph", &config_);
    const Character& character = input.world.actors[0];
    // The servo's gains, masses and lengths may be changed; the joints must be the same.
    if (character.BodyCount() != skill_->character.BodyCount()) {
      throw InputError("the skill was learned on '" + skill_->character.name + "'; '" +
                       character.name +
                       "' has other bodies; learn the skill anew on it (stride learn)");
    }
    graph_ = std::make_shared<const ControlGraph>(
        MakeControlGraph(skill_->motion, skill_->character, skill_->clip, skill_->time_step));
    time_step_ = input.world.time_step;
    servos_.emplace(graph_, character, terrain_);
    base_ = -segment().travel_heading;
    FindLandings();
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
    Steer(command);
    if (config_.phase_reset > 0) ResetPhase(observation.contacts);
    const double end = graph_->fragments[fragment_].end * graph_->time_step;
    if (clip_time_ > end - 0.5 * time_step_) NextFragment();
    if (!acted_) Feedback(observation.state);
    const int step =
        std::clamp(static_cast<int>(clip_time_ / graph_->time_step + 1e-6), 0, segment().end - 1);
    servos_->Aim(step, action_, actuation);
    servos_->ShowReference(step, base_, observation.state);
    clip_time_ += time_step_;
  }

  const State* Reference() const override { return servos_->Reference(); }

  std::vector<DebugChannel> Channels() const override {
    return {{"phase", "", DebugChannel::Kind::kScalar},
            {"action", "rad", DebugChannel::Kind::kScalar},
            {"heading error", "rad", DebugChannel::Kind::kScalar}};
  }
  void ReadChannels(std::span<float> values) const override {
    values[0] = static_cast<float>(clip_time_ / graph_->Seconds());
    float square = 0;
    for (const float a : action_) square += a * a;
    values[1] = std::sqrt(square);
    values[2] = heading_error_;
  }

 private:
  const Segment& segment() const { return graph_->segments[0]; }

  // The heading that is kept moves towards the commanded one.
  void Steer(const Command& command) {
    if (!command.heading || !skill_->keep_heading) return;
    servos_->Steer(*command.heading, config_.turn_rate * time_step_, &base_);
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

  void NextFragment() {
    acted_ = false;
    const Fragment& done = graph_->fragments[fragment_];
    base_ += done.turn;
    fragment_ = done.next[0];
    if (fragment_ == 0) clip_time_ = 0;
  }

  // Equation 2, once at the beginning of a fragment.
  void Feedback(const State& state) {
    acted_ = true;
    model_.SetState(state);
    const Articulation<double> art = model_.View();
    const Quat<float>& r = graph_->borders[graph_->fragments[fragment_].border].root;
    const Facing<double> facing = FacingOf(art.joints[0].rot, Quatd{r.w, r.x, r.y, r.z},
                                           std::cos(base_ / 2), std::sin(base_ / 2));
    const double ground = SurfaceAt(terrain_, state.q[0], state.q[1]).height;
    double features[kFeatureCount];
    ComputeFeatures(model_.GetTree(), art, graph_->parts, facing, ground, features);
    heading_error_ = static_cast<float>(features[18]);
    if (!skill_->keep_heading) {
      base_ += 2 * std::asin(std::clamp(features[18] / 2, -1.0, 1.0));
      features[18] = 0;
    }
    float seen[kFeatureCount];
    for (int k = 0; k < kFeatureCount; ++k) seen[k] = static_cast<float>(features[k]);
    const Fragment& now = graph_->fragments[fragment_];
    Act(skill_->policies[now.policy], now.mirrored, seen, action_);
  }

  std::shared_ptr<const Skill> skill_;
  std::shared_ptr<const ControlGraph> graph_;
  SkillConfig config_;
  Terrain terrain_;
  Model<double> model_;
  double time_step_;
  std::optional<ClipServos> servos_;
  std::vector<int> foot_of_;      // of each body: 0 left, 1 right, -1 neither
  std::vector<int> landings_[2];  // fragments
  // Memory of the run.
  int fragment_ = 0;
  double clip_time_ = 0;  // since the cycle began, s
  double base_ = 0;       // heading of the clip's beginning
  bool acted_ = false;
  float action_[kActionCount] = {};
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
          .schema = [] { return ConfigSchema<SkillConfig>(); }};
}

}  // namespace stride::control_graph_controller
