# Puts the files of data/skills into the program, so that it needs no data folder. The bytes come in
# through the assembler, as the viewer's page does.
function(stride_embed_skills target)
  file(GLOB files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/data/skills/*.skill")
  set(symbols "")
  set(table "")
  set(bytes "")
  set(count 0)
  foreach(path IN LISTS files)
    get_filename_component(name "${path}" NAME_WE)
    set(symbol "stride_skill_${count}")
    string(APPEND bytes "  .global ${symbol}_begin\n  .global ${symbol}_end\n${symbol}_begin:\n"
                        "  .incbin \"${path}\"\n${symbol}_end:\n  .byte 0\n")
    string(APPEND symbols "extern \"C\" const char ${symbol}_begin[], ${symbol}_end[];\n")
    string(APPEND table "    {\"${name}\", ${symbol}_begin, ${symbol}_end},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  set(source "${CMAKE_BINARY_DIR}/generated/skill_files.cc")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT [[
// Written by the build from data/skills.
#include "stride/controllers/skill_files.h"

asm(R"(
  .section .rodata
@bytes@  .previous
)");
@symbols@
namespace stride {

const SkillFile kSkillFiles[] = {
@table@    {nullptr, nullptr, nullptr}};
const std::size_t kSkillFileCount = @count@;

}  // namespace stride
]])
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${files}")
  target_sources(${target} PRIVATE "${source}")
endfunction()
