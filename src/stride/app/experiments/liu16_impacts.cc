#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "stride/app/experiments/experiment.h"
#include "stride/app/experiments/graph_watch.h"
#include "stride/app/experiments/skill_trials.h"
#include "stride/character/rest_pose.h"
#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/core/error.h"
#include "stride/core/parallel.h"
#include "stride/core/random.h"
#include "stride/math/rotation.h"
#include "stride/scenario/push.h"

// Section 6 and Figure 9: balls thrown at a moving character. The paper gives no figure; how many
// it takes before a fall.
namespace stride::experiments::liu16_impacts {
namespace {

constexpr double kSpeed = 10;             // m/s
constexpr double kFirst = 3, kEvery = 3;  // s
constexpr double kFirstInGraph = 12;      // s: it has to get from standing to the node
constexpr double kSpread = 1;             // s later by chance: any moment of the gait
constexpr double kLastBall = 2;           // s in which it may still bring the character down

struct Config {
  std::vector<double> masses = {1, 2, 3, 4, 5};      // kg
  std::vector<std::string> clips = {"walk", "run"};  // skills, and nodes of the graph
  int balls = 20;                                    // of a trial that does not end in a fall
  int trials = 20;
};

struct Performance {
  std::string name;
  RunSetup setup;
  double first = kFirst;  // ball, s
};

struct Trial {
  int balls = 0;  // thrown before it fell, the one that brought it down included; or all
  int hits = 0;   // of those
  bool fell = false;
};

// Leaves the hand 2 m from where the trunk will be when it arrives, with what gravity will take
// from it.
RunInput BallAt(const Run& run, double mass, double heading) {
  constexpr double kDistance = 2;  // m
  const Character& character = run.GetWorld().actors[0];
  const State& state = run.ActorState();
  const int trunk = PushedBody(character);
  const BodyFrames frames = FramesAt(character, state.q);
  const double flight = kDistance / kSpeed;
  const Vec3d meets = frames.position[trunk] +
                      Rotate(frames.rotation[trunk], character.bodies[trunk].com) +
                      Vec3d{state.v[0], state.v[1], 0} * flight;
  const Vec3d along{std::cos(heading), std::sin(heading), 0};
  return {.kind = RunInput::Kind::kThrow,
          .point = meets - along * kDistance,
          .vector = along * kSpeed + Vec3d{0, 0, 0.5 * run.GetWorld().gravity * flight},
          .mass = mass};
}

Trial Perform(const Performance& what, double mass, int balls, std::uint64_t seed) {
  RunSetup setup = what.setup;
  setup.scenario.seconds = what.first + kEvery * balls + kLastBall;
  setup.seed = seed;
  setup.scenario.stop_at_fall = true;
  Run run(setup);
  Random random(seed, 1);
  const auto next_at = [&](int k) { return what.first + kEvery * k + random.Uniform(0, kSpread); };
  double at = next_at(0);
  Trial trial;
  bool hit = true;  // the ball that is on its way
  RecordedFrame frame;
  while (!run.Finished() && !(trial.balls == balls && run.Time() > at + kLastBall)) {
    if (trial.balls < balls && run.Time() >= at) {
      run.Apply(BallAt(run, mass, random.Uniform(0, 2 * std::numbers::pi)));
      hit = false;
      if (++trial.balls < balls) at = next_at(trial.balls);
    }
    run.Step();
    if (hit) continue;
    run.ReadFrame(&frame);
    for (const RecordedContact& contact : frame.contacts) {
      if (contact.actor == 0 && contact.other_actor > 0) hit = true;
    }
    trial.hits += hit;
  }
  trial.fell = run.Fell() || run.Failed();
  return trial;
}

}  // namespace

std::string Describe() {
  return "Figure 9: balls of 1 to 5 kg at 10 m/s thrown at the walk and the run until it falls";
}

Findings Measure(const ExperimentContext& context) {
  const Config config = context.quick
                            ? Config{.masses = {1, 5}, .clips = {"walk"}, .balls = 3, .trials = 2}
                            : Config{};
  Findings findings;
  std::vector<Performance> performances;
  for (const std::string& clip : config.clips) {
    performances.push_back({clip, PerformAlone(clip, 0)});
    findings.inputs.push_back({"skill " + clip, InputHash(SkillText(LoadClipSkill(clip)))});
  }
  try {
    const GraphSkill graph = FindGraphSkill(kLocomotion, context);
    for (const std::string& clip : config.clips) {
      performances.push_back({clip + " in the graph",
                              PerformGraph(graph, {.style = graph.StyleOf(clip)}, 0),
                              kFirstInGraph});
    }
    findings.inputs.push_back({"skill " + graph.name, graph.hash});
  } catch (const InputError& error) {
    findings.rows.push_back(NotMeasured("in the graph", error.what()));
  }
  constexpr std::uint64_t kSeedsApart = 1000;
  const std::size_t each = config.masses.size() * config.trials;
  std::vector<Trial> trials(performances.size() * each);
  context.Tell(fmt::format("{} trials of up to {} balls", trials.size(), config.balls));
  ForEachInParallel(static_cast<int>(trials.size()), context.threads, [&](int k) {
    trials[k] = Perform(performances[k / each], config.masses[k % each / config.trials],
                        config.balls, context.seed * kSeedsApart + k % config.trials);
  });

  Plot plot{.title = "Balls before a fall", .x_label = "mass, kg", .y_label = "balls"};
  std::size_t next = 0;
  for (const Performance& performance : performances) {
    Series series{.name = performance.name};
    for (const double mass : config.masses) {
      double balls = 0, hits = 0;
      int fell = 0;
      for (int k = 0; k < config.trials; ++k, ++next) {
        balls += static_cast<double>(trials[next].balls) / config.trials;
        hits += static_cast<double>(trials[next].hits) / config.trials;
        fell += trials[next].fell;
      }
      series.x.push_back(mass);
      series.y.push_back(balls);
      findings.rows.push_back(
          {.name = fmt::format("{}, {:g} kg", performance.name, mass),
           .ours = balls,
           .unit = "balls",
           .note = fmt::format("until the fall, or {}: {} of {} trials fell; {:.1f} hit it{}",
                               config.balls, fell, config.trials, hits,
                               context.quick ? "; quick" : "")});
    }
    plot.series.push_back(std::move(series));
  }
  findings.plots = {std::move(plot)};
  findings.config = {
      {"speed", kSpeed},        {"first", kFirst},       {"first_in_graph", kFirstInGraph},
      {"every", kEvery},        {"balls", config.balls}, {"trials", config.trials},
      {"masses", config.masses}};
  return findings;
}

}  // namespace stride::experiments::liu16_impacts
