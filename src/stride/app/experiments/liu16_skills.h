#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "stride/app/experiments/experiment.h"
#include "stride/motion/import/motion_source.h"

// The cyclic skills of liu16, Table II: from which clips they are learned here, and how.
namespace stride::experiments {

struct SkillClip {
  const char* name;  // of its rows, and of its file
  const char* file;  // motion capture below the folder of --mocap
  CaptureOptions capture;
  const char* built_in;    // stands in where there is no capture; null: nothing does
  const char* character;   // with the paper's gains (a), or (b) for stunts
  bool symmetric = false;  // made so by mirroring half a cycle (paper: walking and running)
  const char* settings;    // LearnOptions, as JSON over kSkillSettings
  double paper_minutes;    // to learn, on 20 cores
  double paper_seconds;    // survived under growing pushes
};

// For all of them: pushes as far apart as those of the push test, a world that varies less than it
// does by default, the mean of the last gains.
inline constexpr const char* kSkillSettings = R"({
  "evolve_push": 400, "evolve_push_every": 2, "evolve_average": 0.4,
  "vary_friction": 1.15, "vary_stiffness": 1.3, "vary_damping": 1.3, "vary_gains": 1.03})";

inline constexpr SkillClip kSkillClips[] = {
    {.name = "catwalk",
     .file = "cmu/137_38.bvh",
     .capture = {368, 572, 120, true},
     .built_in = "walk",
     .character = "liu16",
     .symmetric = true,
     .settings = R"({"first_sigma_deg": 10, "first_samples": 600, "evolve_iterations": 100})",
     .paper_minutes = 40.3,
     .paper_seconds = 107},
    {.name = "striding_run",
     .file = "cmu/16_46.bvh",
     .capture = {39, 120, 120, true},
     .built_in = "run",
     .character = "liu16",
     .symmetric = true,
     .settings = R"({"first_sigma_deg": 10, "first_samples": 1000, "evolve_iterations": 160})",
     .paper_minutes = 21.1,
     .paper_seconds = 370},
    {.name = "waltz",
     .file = "cmu/55_01.bvh",
     .capture = {1457, 1745, 120, true},
     .built_in = nullptr,
     .character = "liu16",
     .settings = R"({"first_sigma_deg": 20, "first_samples": 600, "evolve_iterations": 80})",
     .paper_minutes = 314,
     .paper_seconds = 67.2},
    {.name = "kick",
     .file = "deepmimic/humanoid3d_spinkick.txt",
     .built_in = "kick",
     .character = "liu16-strong",
     .settings =
         R"({"first_sigma_deg": 15, "first_samples": 1000, "evolve_iterations": 650, "evolve_seconds": 3.4, "evolve_top": 1, "evolve_focus": 0.5, "evolve_cost": 0.03, "evolve_push": 480, "evolve_push_least": 0.5, "evolve_push_every": 3.4, "evolve_push_from": 0.38, "evolve_push_to": 0.62})",
     .paper_minutes = 93.8,
     .paper_seconds = 280},
    {.name = "dance_spin",
     .file = "deepmimic/humanoid3d_dance_spin.txt",
     .built_in = "spin",
     .character = "liu16-strong",
     .settings = R"({"first_sigma_deg": 10, "first_samples": 1000, "evolve_iterations": 140})",
     .paper_minutes = 102,
     .paper_seconds = 139},
    {.name = "backflip",
     .file = "deepmimic/humanoid3d_backflip.txt",
     .built_in = "backflip",
     .character = "liu16-strong",
     .settings = R"({"first_sigma_deg": 15, "first_samples": 1000, "evolve_iterations": 90})",
     .paper_minutes = 153,
     .paper_seconds = 73.7},
};
const SkillClip& FindSkillClip(const std::string& name);
nlohmann::ordered_json LearnSettings(const SkillClip& clip);  // kSkillSettings and its own

// The clip it is learned from, of --mocap or what stands in; `note` says which. Throws InputError.
Motion LoadSkillMotion(const SkillClip& clip, const ExperimentContext& context, std::string* note);

// LearnOptions of quick experiments: just enough to go through all of the learning.
inline constexpr const char* kQuickLearning = R"({
  "chains": 1, "first_samples": 64, "first_cycles": 3, "guided_iterations": 1,
  "guided_samples": 32, "guided_pairs": 20, "evolve_iterations": 1, "evolve_pairs": 16,
  "evolve_seconds": 1})";

// A skill's file in the folder of the result, and how it came there.
struct ObtainedSkill {
  std::string file;
  std::optional<double> learn_seconds;  // wall time; none: a skill that does not say
  std::string note;                     // clip and circumstances
};

// Learns the skill; or takes it from the folder of --skills if it is there
// (NAME.skill, as an earlier result's folder has it), so that trials can be repeated. Throws
// InputError: a clip that cannot be learned from, a damaged file.
ObtainedSkill ObtainSkill(const SkillClip& clip, const ExperimentContext& context);
// With other settings than LearnSettings(clip).
ObtainedSkill ObtainSkill(const SkillClip& clip, const nlohmann::ordered_json& settings,
                          const ExperimentContext& context);

}  // namespace stride::experiments
