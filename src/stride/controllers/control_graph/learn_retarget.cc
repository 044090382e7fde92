#include "stride/controllers/control_graph/learn_retarget.h"

#include <algorithm>

#include <fmt/format.h>

#include "stride/character/library.h"
#include "stride/controllers/control_graph/skill_library.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/learn/learning_run.h"

namespace stride {
namespace {

// What is known of one body, for another: what feedback expects to see moves with the reference,
// and it explores again.
Policies WarmPolicies(const Policies& known, const ControlGraph& before, const ControlGraph& now,
                      double sigma) {
  Policies policies = known;
  for (const Fragment& f : now.fragments) {
    if (f.mirrored) continue;
    FragmentPolicy& p = policies[f.policy];
    for (int k = 0; k < kFeatureCount; ++k) {
      p.mean[k] += now.borders[f.border].features[k] - before.borders[f.border].features[k];
    }
    std::fill_n(p.sigma, kActionCount, static_cast<float>(sigma));
  }
  return policies;
}

}  // namespace

Motion OntoBody(const Motion& motion, const Character& from, const Character& to) {
  const auto alike = [](const Body& a, const Body& b) {
    return a.parent == b.parent && a.joint.kind == b.joint.kind;
  };
  if (!std::equal(from.bodies.begin(), from.bodies.end(), to.bodies.begin(), to.bodies.end(),
                  alike)) {
    throw InputError(
        fmt::format("'{}' has other joints than '{}', on which the skill was learned; learn it "
                    "from its clip instead (stride learn skill CLIP --character {})",
                    to.name, from.name, to.name));
  }
  const double scale = to.rest_q[2] / from.rest_q[2];
  Motion moved = motion;
  for (std::vector<double>& q : moved.frames) {
    for (int k = 0; k < 3; ++k) q[k] *= scale;
  }
  return moved;
}

LearnSkillResult LearnRetarget(const LearnRetargetRequest& request) {
  if (request.out.empty()) throw InputError("-o: the skill needs a file to be written to");
  const Workers workers(request.threads);
  LearnSkillResult result;
  const Skill source = LoadSkill(request.skill);
  if (source.plan.clips.size() > 1) {
    throw InputError(fmt::format(
        "{}: a graph of {} clips; retargeting takes skills of one clip. Learn the graph on the "
        "other body (stride learn graph FILE --character C)",
        request.skill, source.plan.clips.size()));
  }
  Skill skill = source;
  if (!request.character.empty()) {
    skill.character = LoadCharacter(request.character, &result.warnings);
  }
  Scenario changes;
  changes.changes = request.changes;
  ApplyChanges(changes, &skill.character);
  GraphClip& clip = skill.plan.clips[0];
  clip.motion = OntoBody(clip.motion, source.character, skill.character);
  LearnOptions options = request.options;
  options.fragment = skill.clip.fragment;
  options.lead = skill.clip.lead;
  options.symmetric = clip.symmetric;
  options.keep_heading = skill.keep_heading;
  const ControlGraph graph = GraphOf(skill);
  LearnStart start;
  constexpr double kDegree = 3.14159265358979 / 180;
  start.from.policies =
      WarmPolicies(source.policies, GraphOf(source), graph, options.first_sigma_deg / 2 * kDegree);
  Learner learner(graph, options, request.seed, workers, start);
  GoOnFrom(request.out, request.resume, &learner);
  const LearningRun run = RunToEnd(
      request.out, workers, request.quiet, request.stop,
      [&] { return std::pair(learner.DoneIterations(), learner.TotalIterations()); },
      [&]() -> const nlohmann::ordered_json& { return learner.Known().history; }, &learner);
  FillResult(run, learner, workers, request.seed, &result);
  result.clip = clip.name;
  result.character = skill.character.name;
  result.out = request.out;
  result.symmetric = options.symmetric;
  result.settings = ConfigToJson(options);
  if (result.stopped) return result;
  result.metrics = MeasureSkill(learner);
  if (!workers.Leader()) return result;
  if (!request.name.empty()) skill.name = request.name;
  skill.policies = learner.Known().policies;
  skill.start = learner.Start();
  RecordTurns(&skill);
  skill.provenance = {
      {"method", "liu16"},         {"seed", request.seed},         {"stride", STRIDE_VERSION},
      {"warm_start", source.name}, {"source", clip.motion.source}, {"settings", result.settings}};
  skill.metrics = result.metrics;
  WriteSkill(skill, request.out);
  return result;
}

}  // namespace stride
