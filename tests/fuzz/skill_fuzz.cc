// A skill with damaged values: read, or refused with one InputError. What is read is written the
// same again. The input is a list of places and of what to put there.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "damage.h"
#include "stride/character/library.h"
#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/controllers/registry.h"
#include "stride/core/error.h"
#include "stride/motion/library.h"

namespace {

using fuzz::Json;

// As short as can be.
Json SmallSkill() {
  stride::ClipSkill skill;
  skill.name = "small";
  skill.character = stride::LoadCharacter("liu16");
  stride::Motion walk = stride::LoadMotion("walk", skill.character);
  walk.loops = false;
  constexpr int kFrames = 20;
  walk.frames.resize(kFrames);
  walk.contacts.resize(kFrames);
  skill.time_step = 0.05;
  skill.plan = stride::PlanOf(walk, false);
  skill.policies.resize(stride::GraphOf(skill).policies);
  return Json::parse(stride::SkillText(skill));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Json kSkill = SmallSkill();
  Json json = kSkill;
  constexpr int kMost = 8;
  for (int k = 0; k < kMost && size >= 5; ++k, data += 5, size -= 5) {
    std::uint32_t place = 0;
    std::memcpy(&place, data, 4);
    fuzz::Damage(fuzz::Choose(&json, place), data[4], kSkill["payload"]["clips"]);
  }
  try {
    const std::string text =
        stride::SkillText(stride::FromEnvelope(stride::ParseSkill(json.dump(), "fuzz")));
    const stride::Skill again = stride::ParseSkill(text, "written again");
    STRIDE_CHECK(stride::SkillText(stride::FromEnvelope(again)) == text);
  } catch (const stride::InputError&) {
  }
  return 0;
}
