// A skill with damaged values: read, or refused with one InputError. What is read is written the
// same again. Most bytes of a skill are numbers in arrays, where random changes say little: the
// input is a list of places and of what to put there.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "stride/character/library.h"
#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/controllers/registry.h"
#include "stride/core/error.h"
#include "stride/motion/library.h"

namespace {

using Json = nlohmann::ordered_json;

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

// Goes down to the value that `place` chooses, at most to the leaves.
Json* Choose(Json* json, std::uint32_t place) {
  while (json->is_structured() && !json->empty()) {
    const std::uint32_t choices = static_cast<std::uint32_t>(json->size()) + (place % 5 == 0);
    place /= 5;
    const std::uint32_t k = place % choices;
    place = place / choices * 2654435761u + 12345u;
    if (k == json->size()) return json;  // this one as a whole
    auto at = json->begin();
    std::advance(at, k);
    json = &*at;
  }
  return json;
}

void Damage(Json* value, std::uint8_t how, const Json& whole) {
  static const Json kValues[] = {nullptr,
                                 true,
                                 -1,
                                 0,
                                 1,
                                 1e-300,
                                 -0.0,
                                 1e30,
                                 1e308,
                                 2147483647,
                                 -2147483648LL,
                                 9007199254740993LL,
                                 "",
                                 "walk",
                                 std::string(3000, 'x'),
                                 Json::array(),
                                 Json::object(),
                                 Json::array({1, 2, 3}),
                                 {{"stride_skill", 2}}};
  constexpr std::uint8_t kCount = sizeof(kValues) / sizeof(kValues[0]);
  if (how < kCount) {
    *value = kValues[how];
  } else if (value->is_number()) {
    *value = value->get<double>() * (how % 2 == 0 ? -1.0 : 1.5) + how * 1e-3;
  } else if (value->is_array() && !value->empty()) {
    if (how % 2 == 0)
      value->erase(value->begin());
    else
      value->push_back(Json(value->front()));
  } else if (value->is_object() && !value->empty()) {
    value->erase(value->begin().key());
  } else {
    *value = whole["payload"]["clips"];
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Json kSkill = SmallSkill();
  Json json = kSkill;
  constexpr int kMost = 8;
  for (int k = 0; k < kMost && size >= 5; ++k, data += 5, size -= 5) {
    std::uint32_t place = 0;
    std::memcpy(&place, data, 4);
    Damage(Choose(&json, place), data[4], kSkill);
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
