#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stride/app/experiments/boeing08_gaits.h"
#include "stride/controllers/registry.h"
#include "stride/run/run.h"

// A control point moved by hand (Fig. 11): seen at once, and the same once saved and loaded.
namespace stride::experiments::boeing08_edit {
namespace {

constexpr double kEditAt = 5, kSeconds = 8, kMoved = 0.15;

double Apart(const State& a, const State& b) {
  double most = 0;
  for (std::size_t k = 7; k < a.q.size(); ++k) most = std::max(most, std::abs(a.q[k] - b.q[k]));
  return most;
}

}  // namespace

std::string Describe() {
  return "a control point of an evolved gait moved while it is performed; saved and loaded";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  const ObtainedWalker gait = ObtainGait(PlanOf("biped"), context.seed, context);
  const RunSetup setup = GaitSetup(gait.file, kSeconds, -1);

  Run plain(setup), edited(setup);
  const std::vector<ControlCurve> curves = plain.ControllerOf().Curves();
  CurveEdit edit{.curve = 1, .part = "cycle", .points = curves[1].cycle};
  double& point = edit.points.values[0];
  point = std::clamp(point + (point + kMoved <= curves[1].high ? kMoved : -kMoved), curves[1].low,
                     curves[1].high);
  double before = 0, within = 0;
  while (!plain.Finished()) {
    if (std::abs(edited.Time() - kEditAt) < 1e-9) {
      edited.Apply({.kind = RunInput::Kind::kCurve, .edit = edit});
    }
    plain.Step();
    edited.Step();
    const double apart = Apart(plain.ActorState(), edited.ActorState());
    if (edited.Time() <= kEditAt) {
      before = std::max(before, apart);
    } else if (edited.Time() <= kEditAt + 2) {
      within = std::max(within, apart);
    }
  }
  findings.rows.push_back({.name = "joints apart before the edit",
                           .ours = before,
                           .unit = "rad",
                           .met = before == 0,
                           .note = "asked: 0"});
  findings.rows.push_back(
      {.name = "joints apart within two seconds after it",
       .ours = within,
       .unit = "rad",
       .met = within > 0.3 * kMoved,
       .note = fmt::format("a point of '{}' moved by {:g} rad; asked: a third of it",
                           curves[1].name, kMoved)});

  Skill skill = ReadSkill(gait.file);
  FindController(skill.controller).edit_skill(edit, &skill);
  const std::string saved = context.folder + "/edited.skill";
  WriteSkill(skill, saved);
  RunSetup with_edit = setup;
  with_edit.characters[0].curves = {edit};
  Run a(with_edit), b(GaitSetup(saved, kSeconds, -1));
  double difference = 0;
  while (!a.Finished() && !b.Finished()) {
    a.Step();
    b.Step();
    difference = std::max(difference, Apart(a.ActorState(), b.ActorState()));
  }
  findings.rows.push_back(
      {.name = "saved and loaded against edited",
       .ours = difference,
       .unit = "rad",
       .met = difference == 0 && a.ControllerOf().Curves() == b.ControllerOf().Curves(),
       .note = "asked: the same curves and the same motion, bit for bit"});
  return findings;
}

}  // namespace stride::experiments::boeing08_edit
