#include "stride/controllers/control_graph/learn_retarget.h"

#include <algorithm>

#include <fmt/format.h>

#include "stride/character/library.h"
#include "stride/controllers/skill_library.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/core/hash.h"
#include "stride/scenario/option_text.h"

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

std::unique_ptr<LearningJob> MakeRetargetJob(const LearnRetargetRequest& request,
                                             const Workers& workers,
                                             std::vector<std::string>* warnings) {
  const ClipSkill& source = request.skill;
  if (source.plan.clips.size() > 1) {
    throw InputError(fmt::format(
        "{}: a graph of {} clips; retargeting takes skills of one clip. Learn the graph on the "
        "other body (stride learn graph FILE --character C)",
        source.name, source.plan.clips.size()));
  }
  ClipSkill skill = source;
  if (!request.character.empty()) skill.character = LoadCharacter(request.character, warnings);
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
  LearnStart start;
  constexpr double kDegree = 3.14159265358979 / 180;
  start.from.policies = WarmPolicies(source.policies, GraphOf(source), GraphOf(skill),
                                     options.first_sigma_deg / 2 * kDegree);
  start.hash = HashOf(std::string_view(reinterpret_cast<const char*>(start.from.policies.data()),
                                       start.from.policies.size() * sizeof(FragmentPolicy)));
  if (!request.name.empty()) skill.name = request.name;
  skill.provenance = {{"method", "liu16"},
                      {"seed", nullptr},
                      {"stride", nullptr},
                      {"warm_start", source.name},
                      {"source", clip.motion.source}};
  return MakeSkillJob(skill, options, request.seed, workers, start, request.out);
}

LearningOutcome LearnRetarget(const LearnRetargetRequest& request, const LearningRunOptions& run,
                              int threads) {
  const Workers workers(threads);
  std::vector<std::string> warnings;
  const std::unique_ptr<LearningJob> job = MakeRetargetJob(request, workers, &warnings);
  return RunToEnd(run, workers, job.get());
}

LearningMethod RetargetMethod() {
  return {
      .name = "retarget",
      .summary = "A skill learned again on another body, from what it knows",
      .input = "skill",
      .input_help = "Skill of one clip: a built-in name or a file",
      .examples = {"stride learn retarget run --change legs,1.2 --change arms,1.3 -o tall.skill"},
      .options = {{"change",
                   "BODY,LENGTH[,MASS]: factors for a body, a role, legs, arms or all; "
                   "repeatable",
                   LearningOption::Kind::kList}},
      .schema = ConfigSchema<LearnOptions>,
      .make = [](const LearningRequest& r, const Workers& workers,
                 std::vector<std::string>* warnings) {
        LearnRetargetRequest request{.skill = FromEnvelope(LoadSkill(r.input)),
                                     .character = r.character,
                                     .name = r.name,
                                     .seed = r.seed,
                                     .out = r.out};
        if (r.Has("change")) {
          for (const std::string& text : r.options.at("change")) {
            request.changes.push_back(ParseChange(text));
          }
        }
        if (request.changes.empty() && r.character.empty()) {
          throw InputError("the body stays as it is: give --change or --character");
        }
        r.RefuseSettings({"fragment", "lead", "symmetric", "keep_heading"},
                         "it is the skill's, whose policies are learned again");
        for (const std::string& text : r.settings) SetConfigValue(text, &request.options);
        return MakeRetargetJob(request, workers, warnings);
      }};
}

}  // namespace stride
