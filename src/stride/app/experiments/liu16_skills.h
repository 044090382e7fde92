#pragma once

#include <optional>
#include <string>

#include "stride/app/experiment.h"
#include "stride/app/motion_source.h"

// The cyclic skills of liu16, Table II: from which clips they are learned here, and how.
namespace stride::experiments {

struct SkillClip {
  const char* name;  // of its rows, and of its file
  // Motion capture below the folder that STRIDE_MOCAP_DIR names.
  const char* file;
  CaptureOptions capture;
  const char* built_in;   // stands in where there is no capture; null: nothing does
  const char* character;  // with the paper's gains (a), or (b) for stunts
  const char* settings;   // LearnOptions, as JSON over the defaults
  double paper_minutes;   // to learn, on 20 cores
  double paper_seconds;   // survived under growing pushes
};

inline constexpr SkillClip kSkillClips[] = {
    {"catwalk",
     "cmu/137_38.bvh",
     {368, 572, 120, true},
     "walk",
     "liu16",
     R"({"first_sigma_deg": 10})",
     40.3,
     107},
    {"striding_run",
     "cmu/16_46.bvh",
     {39, 120, 120, true},
     "run",
     "liu16",
     R"({"first_sigma_deg": 10})",
     21.1,
     370},
    {"waltz",
     "cmu/55_01.bvh",
     {1243, 1401, 120, true},
     nullptr,
     "liu16",
     R"({"first_sigma_deg": 10})",
     314,
     67.2},
    {"kick",
     "deepmimic/humanoid3d_spinkick.txt",
     {},
     "kick",
     "liu16-strong",
     R"({"first_sigma_deg": 10})",
     93.8,
     280},
    {"dance_spin",
     "deepmimic/humanoid3d_dance_spin.txt",
     {},
     "spin",
     "liu16-strong",
     R"({"first_sigma_deg": 10})",
     102,
     139},
    {"backflip",
     "deepmimic/humanoid3d_backflip.txt",
     {},
     "backflip",
     "liu16-strong",
     R"({"first_sigma_deg": 10})",
     153,
     73.7},
};
const SkillClip& FindSkillClip(const std::string& name);

// A skill's file in the folder of the result, and how it came there.
struct ObtainedSkill {
  std::string file;
  std::optional<double> learn_seconds;  // wall time; none: a skill that does not say
  std::string note;                     // clip and circumstances
};

// Learns the skill; or takes it from the folder that STRIDE_SKILLS_DIR names if it is there
// (NAME.skill, as an earlier result's folder has it), so that trials can be repeated. Throws
// InputError: a clip that cannot be learned from, a damaged file.
ObtainedSkill ObtainSkill(const SkillClip& clip, const ExperimentContext& context);

}  // namespace stride::experiments
