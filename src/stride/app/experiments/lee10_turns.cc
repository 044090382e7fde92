#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "stride/app/experiments/lee10_walks.h"
#include "stride/app/simulate.h"
#include "stride/math/rotation.h"
#include "stride/motion/import/motion_source.h"
#include "stride/motion/kinematics.h"

// Section 5: walk left 45, left 90, U-turn and spin, out of a walk and back into it.
namespace stride::experiments::lee10_turns {
namespace {

constexpr double kEvery = 8;  // s from one turn to the next

double Degrees(double radians) { return radians * 180 / std::numbers::pi; }

// Of the pelvis from the start of a motion to its end, all turns counted, rad.
double TurnOf(const Motion& motion) {
  double turn = 0;
  for (int f = 1; f < motion.FrameCount(); ++f) {
    turn += std::remainder(NearestHeading(QuatAt(motion.frames[f], 3)) -
                               NearestHeading(QuatAt(motion.frames[f - 1], 3)),
                           2 * std::numbers::pi);
  }
  return turn;
}

}  // namespace

std::string Describe() {
  return "turns of 45, 90 and 180 degrees and a spin, each 20 times in a row out of a walk";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  const int times = context.quick ? 1 : 20;
  const std::vector<Lee10Clip> walks = Lee10Walks(context);
  std::vector<Lee10Clip> turns = Lee10Turns(context);
  if (turns.empty()) {
    // Built in are walks that turn all the time; steering bends them in.
    context.Tell("no captured clips: nothing to turn with (--mocap)");
    findings.rows.push_back({.name = "turns",
                             .paper_text = "four turns",
                             .ours = 0,
                             .unit = "turns",
                             .note = "needs the captured clips (--mocap)"});
    return findings;
  }
  const std::string walk = Lee10Motion(walks[0], true, "lee10-round", context, &findings);
  for (const Lee10Clip& clip : turns) {
    const std::string motion = Lee10Motion(clip, false, "lee10-round", context, &findings);
    const double wanted = TurnOf(LoadAnyMotion(motion, "lee10-round").motion);
    RunSetup setup =
        Lee10Setup(clip, walk, "lee10-round", GainsFor(walks[0].name) + "," + GainsFor(clip.name),
                   2 + kEvery * times);
    setup.characters[0].motions.push_back(motion);
    for (int k = 0; k < times; ++k) {
      setup.scenario.commands.push_back({.at = 2 + kEvery * k, .style = 1});
      setup.scenario.commands.push_back({.at = 2 + kEvery * (k + 0.5), .style = 0});
    }
    if (context.quick) setup.scenario.seconds = 3;
    PerturbStart(1000 * context.seed + 1, &setup);
    Run run(setup);
    double turned = 0, before = Heading(QuatAt(run.ActorState().q, 3));
    while (!run.Finished()) {
      run.Step();
      const double now = Heading(QuatAt(run.ActorState().q, 3));
      turned += std::remainder(now - before, 2 * std::numbers::pi);
      before = now;
    }
    const double seconds = run.FellAt().value_or(run.Time());
    const int done = static_cast<int>(std::floor((seconds - 2) / kEvery + 1e-6));
    const double each = done > 0 ? turned / std::max(done, 1) : 0;
    const bool complete = !run.Fell() && done >= times;
    findings.rows.push_back({.name = clip.name + ": in a row",
                             .paper_text = "reproduced",
                             .ours = 1.0 * done,
                             .unit = "turns",
                             .met = context.quick ? std::nullopt : std::optional<bool>(complete),
                             .note = fmt::format("of {}, from a perturbed start; gains {}", times,
                                                 GainsFor(clip.name))});
    findings.rows.push_back(
        {.name = clip.name + ": turned to the clip's",
         .ours = each / wanted,
         .unit = "",
         .met = context.quick ? std::nullopt
                              : std::optional<bool>(complete && std::fabs(each / wanted - 1) < 0.1),
         .note = fmt::format("{:.0f} degrees each; the clip's {:.0f}; within 10 %", Degrees(each),
                             Degrees(wanted))});
    setup.scenario.seconds = std::min(setup.scenario.seconds, 10.0);
    Simulate({.setup = setup, .sheet = fmt::format("{}/{}.png", context.folder, clip.name)});
    context.Tell(fmt::format("{}: {} of {}, {:.0f} of {:.0f} degrees each", clip.name, done, times,
                             Degrees(each), Degrees(wanted)));
  }
  return findings;
}

}  // namespace stride::experiments::lee10_turns
