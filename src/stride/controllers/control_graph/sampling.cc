#include <algorithm>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "stride/controllers/control_graph/clip_servos.h"
#include "stride/controllers/control_graph/planner.h"
#include "stride/controllers/registry.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/dynamics/model.h"
#include "stride/learn/rollout_block.h"
#include "stride/math/rotation.h"
#include "stride/motion/edit/seam.h"
#include "stride/motion/edit/symmetry.h"
#include "stride/scenario/fall.h"

// Performs any clip at once, with nothing learned: sampling control (liu16, Algorithm 1) runs ahead
// of the simulation, fragment by fragment.
namespace stride::sampling_controller {
namespace {

struct SamplingConfig {
  int samples = 0;
  int horizon = 6;
  int border_samples = 128;
  int border_horizon = 3;
  double sigma_deg = 20;
  double memory = 0.3;
  double balance = 10;
  double smooth = 0.2;
  double fragment = 0.1;
  double lead = 0.9;
  double turn_rate = 0.6;
  double rest = 0.4;
  int threads = 0;
  int seed = 0;
};
template <class Visitor>
void VisitConfig(SamplingConfig& c, Visitor& visit) {
  visit("samples", c.samples, {0, 100000},
        "samples a fragment, planned ahead; 0: as many as this machine makes in real time");
  visit("horizon", c.horizon, {1, Plan::kMostFragments}, "fragments planned ahead");
  visit("border_samples", c.border_samples, {0, 10000},
        "samples a fragment from where the character really is, when a fragment begins");
  visit("border_horizon", c.border_horizon, {1, Plan::kMostFragments}, "fragments of these");
  visit("sigma_deg", c.sigma_deg, {0.1, 45, "degrees"}, "widest spread of the sampled offsets");
  visit("memory", c.memory, {0, 1}, "how much of a path's earlier cost counts");
  visit("balance", c.balance, {0, 1000}, "cost of lost balance, per m");
  visit("smooth", c.smooth, {0, 10}, "cost of offsets that jump, per rad");
  visit("fragment", c.fragment, {0.02, 0.5, "s"}, "length of a fragment (paper: 0.1)");
  visit("lead", c.lead, {0, 3}, "how far targets run ahead, in units of the servo's lag kd / kp");
  visit("turn_rate", c.turn_rate, {0, 10, "rad/s"}, "how fast a commanded heading is taken up");
  visit("rest", c.rest, {0, 60, "s"}, "pause before a clip that is no loop begins again");
  visit("threads", c.threads, {0, 256}, "that plan; 0: all cores");
  visit("seed", c.seed, {0, 2147483647}, "of the random numbers");
}

// Most of what planning may take of a fragment's time; the rest is for the simulation and the
// machine's other work.
constexpr double kShare = 0.6;
constexpr int kFewestSamples = 64, kMostSamples = 4000;
constexpr int kProbedSamples = 128;

// The clip with its end pose held for a while.
Motion WithRest(Motion motion, double seconds) {
  const int frames = std::max(1, static_cast<int>(std::lround(seconds * motion.fps)));
  for (int k = 0; k < frames; ++k) {
    motion.frames.push_back(motion.frames.back());
    if (!motion.contacts.empty()) motion.contacts.push_back(motion.contacts.back());
  }
  return motion;
}

Quatd RootOf(const std::vector<double>& pose) { return {pose[3], pose[4], pose[5], pose[6]}; }

// A clip that ends as it begins is repeated; another is held in its last pose.
ControlGraph GraphOf(const Motion& motion, const Character& character, const SamplingConfig& config,
                     double time_step) {
  const ClipOptions clip{.fragment = config.fragment, .lead = config.lead};
  if (motion.loops) return MakeControlGraph(motion, character, clip, time_step);
  constexpr double kAlike = 0.2;  // rad
  if (MeanJointAngle(character, motion.frames.front(), motion.frames.back()) < kAlike &&
      TiltBetween(RootOf(motion.frames.front()), RootOf(motion.frames.back())) < kAlike) {
    const Motion rested = WithRest(motion, config.rest);
    return MakeControlGraph(MakeLoop(character, rested, 0, rested.FrameCount() - 1), character,
                            clip, time_step);
  }
  ControlGraph graph =
      MakeControlGraph(WithRest(motion, 2 * config.fragment), character, clip, time_step);
  graph.fragments.back().next = {graph.Fragments() - 1};
  return graph;
}

class SamplingController final : public Controller {
 public:
  SamplingController(const ControllerInput& input, const SamplingConfig& config)
      : config_(config), terrain_(input.world.terrain) {
    const Character& character = input.world.actors[0];
    time_step_ = input.world.time_step;
    graph_ = std::make_shared<const ControlGraph>(
        GraphOf(input.motions.at(0), character, config_, time_step_));
    servos_.emplace(graph_, character, terrain_);
    here_ = RestState(character);
    base_ = -segment().travel_heading;
    PlannerOptions options;
    options.horizon = std::max(config_.horizon, config_.border_horizon);
    options.most_samples = std::max(config_.samples, config_.border_samples);
    options.threads = config_.threads > 0
                          ? config_.threads
                          : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    options.sigma = config_.sigma_deg * 3.14159265358979 / 180;
    options.memory = config_.memory;
    options.balance = config_.balance;
    options.smooth = config_.smooth;
    options.seed = static_cast<std::uint64_t>(config_.seed);
    planner_.emplace(input.world, graph_, options);
  }

  std::unique_ptr<Controller> Clone() const override {
    return std::make_unique<SamplingController>(*this);
  }

  State Start() const override {
    State state = graph_->border_states[0];
    MovePose(graph_->character, base_, {}, &state.q);
    const Vec3d v = Rotate(AxisAngle({0, 0, 1}, base_), Vec3d{state.v[0], state.v[1], state.v[2]});
    state.v[0] = v.x, state.v[1] = v.y, state.v[2] = v.z;
    state.q[2] += SurfaceAt(terrain_, state.q[0], state.q[1]).height;
    return state;
  }

  bool TakesSpeed() const override { return false; }

  void Step(const Observation& observation, const Command& command, Actuation* actuation) override {
    Steer(command);
    if (step_ == now().end) NextFragment();
    if (step_ == now().begin) Decide(observation.state);
    servos_->Aim(step_, action_, actuation);
    servos_->ShowReference(step_, base_, observation.state);
    ++step_;
  }

  const State* Reference() const override { return servos_->Reference(); }

  std::vector<DebugChannel> Channels() const override {
    return {{"phase", "", DebugChannel::Kind::kScalar},
            {"action", "rad", DebugChannel::Kind::kScalar},
            {"plan cost", "", DebugChannel::Kind::kScalar},
            {"samples", "", DebugChannel::Kind::kScalar},
            {"planning share", kWallClock, DebugChannel::Kind::kScalar}};
  }
  void ReadChannels(std::span<float> values) const override {
    values[0] = static_cast<float>(step_) / static_cast<float>(segment().end);
    float square = 0;
    for (const float a : action_) square += a * a;
    values[1] = std::sqrt(square);
    values[2] = cost_;
    values[3] = static_cast<float>(config_.samples);
    values[4] = share_;
  }

  // Seconds a plan ahead takes, wall clock.
  double TimeOfPlan() {
    here_ = Start();
    planner_->Begin(
        here_,
        {.fragment = 0, .base = base_, .samples = config_.samples, .horizon = config_.horizon});
    planner_->Finish();
    return planner_->Seconds();
  }
  double FragmentSeconds() const { return graph_->Seconds(0); }

 private:
  const Segment& segment() const { return graph_->segments[0]; }
  const Fragment& now() const { return graph_->fragments[fragment_]; }

  // The heading that is kept moves towards the commanded one.
  void Steer(const Command& command) {
    if (!command.heading) return;
    servos_->Steer(graph_->segments[0], *command.heading, config_.turn_rate * time_step_, &base_);
  }

  void NextFragment() {
    base_ += now().turn;
    fragment_ = now().next[0];
    step_ = now().begin;
  }

  // What was planned ahead for this fragment is improved from where the character really is; then
  // the next fragment is planned from where this leads, while it is performed.
  void Decide(const State& state) {
    std::copy(state.q.begin(), state.q.end(), here_.q.begin());
    std::copy(state.v.begin(), state.v.end(), here_.v.begin());
    here_.q[2] -= SurfaceAt(terrain_, here_.q[0], here_.q[1]).height;
    here_.q[0] = here_.q[1] = 0;
    planner_->Finish();
    double seconds = planner_->Seconds();
    const bool first = plans_ == 0;
    const int samples = first ? config_.samples : config_.border_samples;
    if (samples > 0) {
      planner_->Begin(here_, {.fragment = fragment_,
                              .base = base_,
                              .samples = samples,
                              .horizon = first ? config_.horizon : config_.border_horizon,
                              .id = plans_++});
    }
    const Plan& plan = planner_->Finish();
    if (samples > 0) seconds += planner_->Seconds();
    share_ = static_cast<float>(seconds / graph_->Seconds(fragment_));
    std::copy_n(plan.First(), kActionCount, action_);
    cost_ = plan.cost;
    planner_->Begin(here_, {.fragment = now().next[0],
                            .base = base_ + now().turn,
                            .samples = config_.samples,
                            .horizon = config_.horizon,
                            .id = plans_++,
                            .ahead = true,
                            .fragment_before = fragment_});
  }

  SamplingConfig config_;
  std::shared_ptr<const ControlGraph> graph_;
  Terrain terrain_;
  double time_step_;
  std::optional<ClipServos> servos_;
  State here_;
  // Memory of the run.
  std::optional<Planner> planner_;  // and the plan for the next fragment
  int fragment_ = 0, step_ = 0;
  double base_ = 0;  // heading of the clip's beginning
  std::uint32_t plans_ = 0;
  float action_[kActionCount] = {};
  float cost_ = 0;
  float share_ = 0;  // of a fragment's time, that planning took
};

// As many samples as fit into a fragment's time.
SamplingConfig Resolved(const ControllerInput& input, std::vector<std::string>* warnings) {
  SamplingConfig config;
  ConfigFromJson(input.config, "sampling", &config);
  if (config.samples > 0) return config;
  SamplingConfig probe = config;
  probe.samples = kProbedSamples;
  SamplingController prober(input, probe);
  const double fragment = prober.FragmentSeconds();
  double seconds = HUGE_VAL;  // of the probe; the machine may be busy for a moment
  for (int k = 0; k < 4; ++k) seconds = std::min(seconds, prober.TimeOfPlan());
  const double border =
      seconds * config.border_samples * config.border_horizon / (kProbedSamples * config.horizon);
  const double affordable = kProbedSamples * (kShare * fragment - border) / seconds;
  config.samples = std::clamp(static_cast<int>(affordable) / kTrialBlock * kTrialBlock,
                              kFewestSamples, kMostSamples);
  const double needed = border + seconds * config.samples / kProbedSamples;
  if (needed > fragment && warnings) {
    warnings->push_back(fmt::format(
        "sampling cannot keep real time: {} samples over {} fragments take {:.0f} ms, a fragment "
        "lasts {:.0f} ms; it goes on, slower (a shorter horizon or fewer border_samples help)",
        config.samples, config.horizon, 1000 * needed, 1000 * fragment));
  }
  return config;
}

}  // namespace

ControllerInfo Describe() {
  return {.name = "sampling",
          .description =
              "performs any clip at once, nothing learned: samples what to do ahead of "
              "the simulation (liu16, on line)",
          .make = [](const ControllerInput& input) -> std::unique_ptr<Controller> {
            return std::make_unique<SamplingController>(input, Resolved(input, nullptr));
          },
          .min_motions = 1,
          .max_motions = 1,
          .follows_any_clip = true,
          .schema = [] { return ConfigSchema<SamplingConfig>(); },
          .resolve =
              [](const ControllerInput& input, std::vector<std::string>* warnings) {
                nlohmann::json config = input.config;
                config["samples"] = Resolved(input, warnings).samples;
                return config;
              },
          .refuses = WhyNoParts,
          .example = {.character = "liu16",
                      .motion = "walk",
                      .config = {{"samples", 128}, {"border_samples", 64}, {"threads", 1}}}};
}

}  // namespace stride::sampling_controller
