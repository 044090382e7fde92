#pragma once

#include <cstddef>
#include <string_view>

// The files of data/skills, put into the program by the build (cmake/embed_skills.cmake).
namespace stride {

struct SkillFile {
  const char* name;
  const char *begin, *end;
  std::string_view text() const { return {begin, static_cast<std::size_t>(end - begin)}; }
};
extern const SkillFile kSkillFiles[];
extern const std::size_t kSkillFileCount;

}  // namespace stride
