#include "stride/app/experiments/liu16_skills.h"

#include <filesystem>

#include <fmt/format.h>

#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/controllers/control_graph/learn_skill.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/core/nearest.h"
#include "stride/motion/edit/seam.h"

namespace stride::experiments {
namespace {

constexpr const char* kLearnSeconds = "learn_seconds";  // among a skill's metrics

ObtainedSkill TakeSkill(const std::string& from, const std::string& to) {
  const ClipSkill skill = ReadClipSkill(from);
  WriteSkill(skill, to);  // with the result, which may take the place of the one it is from
  ObtainedSkill taken{.file = to, .note = skill.FirstMotion().source + ", learned before"};
  if (skill.metrics.contains(kLearnSeconds)) {
    taken.learn_seconds = skill.metrics[kLearnSeconds].get<double>();
  }
  return taken;
}

}  // namespace

const SkillClip& FindSkillClip(const std::string& name) {
  std::vector<std::string> names;
  for (const SkillClip& clip : kSkillClips) {
    if (clip.name == name) return clip;
    names.emplace_back(clip.name);
  }
  throw InputError(NotAmong("skill of Table II", name, names));
}

Motion LoadSkillMotion(const SkillClip& clip, const ExperimentContext& context, std::string* note) {
  if (!context.mocap.empty()) {
    *note = clip.file;
    if (clip.capture.first_frame >= 0) {
      *note += fmt::format(" {}:{}", clip.capture.first_frame, clip.capture.last_frame);
    }
    return LoadAnyMotion(context.mocap + "/" + clip.file, clip.character, clip.capture).motion;
  }
  if (!clip.built_in) {
    throw InputError(
        fmt::format("no built-in motion stands in for {}; give --mocap the folder that holds {}",
                    clip.name, clip.file));
  }
  *note = fmt::format("built-in {} stands in for {}", clip.built_in, clip.file);
  const MotionSource source = LoadAnyMotion(clip.built_in, clip.character);
  const Motion& motion = source.motion;
  if (motion.loops) return motion;
  return MakeLoop(source.character, motion, 0, motion.FrameCount() - 1);
}

nlohmann::ordered_json LearnSettings(const SkillClip& clip) {
  auto settings = nlohmann::ordered_json::parse(kSkillSettings);
  settings.update(nlohmann::ordered_json::parse(clip.settings));
  return settings;
}

ObtainedSkill ObtainSkill(const SkillClip& clip, const ExperimentContext& context) {
  return ObtainSkill(clip, LearnSettings(clip), context);
}

ObtainedSkill ObtainSkill(const SkillClip& clip, const nlohmann::ordered_json& settings,
                          const ExperimentContext& context) {
  const std::string file = fmt::format("{}/{}.skill", context.folder, clip.name);
  const std::string learned_before = fmt::format("{}/{}.skill", context.skills, clip.name);
  if (!context.skills.empty() && std::filesystem::exists(learned_before)) {
    context.Tell(fmt::format("{}: taken from {}", clip.name, learned_before));
    return TakeSkill(learned_before, file);
  }
  ObtainedSkill learned{.file = file};
  const std::string motion = fmt::format("{}/{}.motion", context.folder, clip.name);
  WriteMotion(LoadSkillMotion(clip, context, &learned.note), motion);
  LearnSkillRequest request{.clip = motion,
                            .character = clip.character,
                            .name = clip.name,
                            .symmetry = clip.symmetric ? Symmetry::kYes : Symmetry::kAuto,
                            .seed = context.seed,
                            .out = file};
  ConfigFromJson(settings, fmt::format("settings of {}", clip.name), &request.options);
  if (context.quick) {
    ConfigFromJson(nlohmann::json::parse(kQuickLearning), "quick settings", &request.options);
  }
  context.Tell(fmt::format("{}: learning from {}", clip.name, learned.note));
  const LearningOutcome result =
      LearnSkill(request, {.out = file, .quiet = !context.progress}, context.threads);
  std::filesystem::remove(file + ".checkpoint");
  std::filesystem::remove(motion);  // the skill has it
  learned.learn_seconds = result.wall_seconds;
  ClipSkill skill = ReadClipSkill(file);
  skill.metrics[kLearnSeconds] = result.wall_seconds;
  WriteSkill(skill, file);
  return learned;
}

}  // namespace stride::experiments
