#pragma once

#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>

#include <nlohmann/json.hpp>

// Damage of JSON whose bytes are mostly numbers in arrays, where random changes say little: a place
// in the tree, and what to put there.
namespace fuzz {

using Json = nlohmann::ordered_json;

// Goes down to the value that `place` chooses, at most to the leaves.
inline Json* Choose(Json* json, std::uint32_t place) {
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

// `foreign`: something of another kind to put there.
inline void Damage(Json* value, std::uint8_t how, const Json& foreign) {
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
    *value = foreign;
  }
}

}  // namespace fuzz
