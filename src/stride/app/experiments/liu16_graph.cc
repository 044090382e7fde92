#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "stride/app/experiments/experiment.h"
#include "stride/app/experiments/graph_watch.h"
#include "stride/app/experiments/transition_sheet.h"
#include "stride/controllers/control_graph/graph_choice.h"
#include "stride/core/error.h"
#include "stride/core/parallel.h"
#include "stride/core/random.h"

// Section 7: random walks on control graphs "never fail" unperturbed; and under pushes, where it
// falls, rises and goes on.
namespace stride::experiments::liu16_graph {
namespace {

constexpr const char* kGraphs[] = {kLocomotion, "dance"};
constexpr double kForce = 30, kDuration = 0.2, kEvery = 4;  // N, s, s
constexpr double kUpWithin = 15;                            // s

struct Walk {
  std::vector<GraphFall> falls;
  std::vector<int> visits;       // by clip of the plan
  std::vector<int> link_visits;  // by transition of the plan
  bool failed = false;
};

// `sheet`: file for the picture of the transitions; empty: none.
Walk Perform(const GraphSkill& skill, double seconds, bool pushed, std::uint64_t seed,
             const std::string& sheet) {
  RunSetup setup = PerformGraph(skill, {.style = skill.StyleOf(kRandomStyleName)}, seconds);
  setup.seed = seed;
  setup.characters[0].controller_config["seed"] = seed % (1u << 30);
  Random random(seed, 2);
  for (double at = kEvery; pushed && at < seconds; at += kEvery) {
    setup.scenario.pushes.push_back({.force = kForce,
                                     .heading = random.Uniform(0, 2 * std::numbers::pi),
                                     .at = at,
                                     .duration = kDuration});
  }
  Run run(setup);
  GraphWatch watch(run, skill);
  TransitionSheet transitions(run, skill);
  while (!run.Finished()) {
    run.Step();
    watch.Look(run);
    if (!sheet.empty()) transitions.Look(run, watch);
  }
  if (!sheet.empty()) transitions.Write(sheet);
  Walk walk{.falls = watch.Falls(), .failed = run.Failed()};
  const GraphPlan& plan = skill.skill.plan;
  for (std::size_t k = 0; k < plan.clips.size(); ++k) {
    walk.visits.push_back(watch.Visits(static_cast<int>(k)));
  }
  for (const GraphTransition& link : plan.transitions) {
    walk.link_visits.push_back(watch.Visits(link.from, link.to));
  }
  return walk;
}

// Where it fell, as far as it is of use: "12.3 s, 45.6 s".
std::string Moments(const std::vector<GraphFall>& falls) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t k = 0; k < std::min(falls.size(), kMost); ++k) {
    text += fmt::format("{}{:.1f} s", k ? ", " : " at ", falls[k].at);
  }
  return text + (falls.size() > kMost ? ", ..." : "");
}

void Report(const GraphSkill& skill, double seconds, const Walk& alone, const Walk& pushed,
            bool quick, Findings* findings) {
  const GraphPlan& plan = skill.skill.plan;
  const std::string quick_note = quick ? "; quick" : "";
  const auto judged = [&](Row row, bool met) {
    row.note += quick_note;
    if (!quick) row.met = met;
    findings->rows.push_back(std::move(row));
  };
  judged({.name = skill.name + ": falls of a random walk",
          .paper_text = "never fails",
          .ours = static_cast<double>(alone.falls.size()),
          .unit = "falls",
          .note = fmt::format("{:g} s unperturbed{}; asked: 0", seconds, Moments(alone.falls))},
         alone.falls.empty() && !alone.failed);

  // Clips that rise are entered after falls only.
  Plot nodes{.kind = Plot::Kind::kBars,
             .title = skill.name + ": visits of a random walk",
             .y_label = "visits",
             .series = {{.name = "unperturbed"}, {.name = "pushed"}}};
  Plot links = nodes;
  links.title = skill.name + ": visits of transitions";
  int missed = 0, all = 0;
  std::string never;
  const auto count = [&](const std::string& name, bool rises, int visits, int pushed_visits,
                         Plot* plot) {
    plot->categories.push_back(name);
    plot->series[0].y.push_back(visits);
    plot->series[1].y.push_back(pushed_visits);
    if (rises) return;
    ++all;
    if (visits > 0) return;
    ++missed;
    never += (never.empty() ? "; never: " : ", ") + name;
  };
  for (std::size_t k = 0; k < plan.clips.size(); ++k) {
    count(plan.clips[k].name, plan.clips[k].rises, alone.visits[k], pushed.visits[k], &nodes);
  }
  for (std::size_t k = 0; k < plan.transitions.size(); ++k) {
    const GraphClip &from = plan.clips[plan.transitions[k].from],
                    &to = plan.clips[plan.transitions[k].to];
    count(from.name + ">" + to.name, from.rises, alone.link_visits[k], pushed.link_visits[k],
          &links);
  }
  judged({.name = skill.name + ": nodes and transitions visited",
          .ours = static_cast<double>(all - missed),
          .unit = fmt::format("of {}", all),
          .note = fmt::format("of those that are not for rising; asked: all{}", never)},
         missed == 0);

  const Risings risings = RisingsOf(pushed.falls, kUpWithin, seconds - kUpWithin);
  findings->rows.push_back(
      {.name = skill.name + ": falls of a random walk under pushes",
       .ours = static_cast<double>(pushed.falls.size()),
       .unit = "falls",
       .note = fmt::format("{:g} s, {:g} N for {:g} s every {:g} s towards "
                           "random headings{}{}",
                           seconds, kForce, kDuration, kEvery, Moments(pushed.falls), quick_note)});
  judged({.name = skill.name + ": up again after them",
          .ours = static_cast<double>(risings.up),
          .unit = fmt::format("of {}", risings.falls),
          .note = fmt::format("back in the graph within {:g} s: {:.1f} s on average, {:.1f} s "
                              "at most; asked: all",
                              kUpWithin, risings.mean, risings.longest)},
         risings.up == risings.falls && !pushed.failed);
  findings->plots.push_back(std::move(nodes));
  findings->plots.push_back(std::move(links));
}

}  // namespace

std::string Describe() {
  return "Section 7: ten minutes of random walk on control graphs, alone and pushed";
}

Findings Measure(const ExperimentContext& context) {
  const double seconds = context.quick ? 8 : 600;
  Findings findings;
  for (const char* name : kGraphs) {
    try {
      const GraphSkill skill = FindGraphSkill(name, context);
      context.Tell(fmt::format("{}: two walks of {:g} s", name, seconds));
      Walk walks[2];
      ForEachInParallel(2, context.threads, [&](int k) {
        walks[k] =
            Perform(skill, seconds, k == 1, context.seed,
                    k == 0 ? fmt::format("{}/{}_transitions.png", context.folder, name) : "");
      });
      Report(skill, seconds, walks[0], walks[1], context.quick, &findings);
      findings.inputs.push_back({"skill " + skill.name, skill.hash});
    } catch (const InputError& error) {  // a graph that is missing does not spoil the other
      findings.rows.push_back(NotMeasured(name, error.what()));
    }
  }
  findings.config = {{"seconds", seconds}, {"force", kForce},  {"duration", kDuration},
                     {"every", kEvery},    {"up_for", kUpFor}, {"up_within", kUpWithin}};
  return findings;
}

}  // namespace stride::experiments::liu16_graph
