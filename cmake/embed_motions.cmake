# Puts the files of data/motions into the program, so that it needs no data folder.
function(stride_embed_motions target)
  file(GLOB files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/data/motions/*.json")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(table "")
  set(count 0)
  foreach(path IN LISTS files)
    file(READ "${path}" text)
    get_filename_component(name "${path}" NAME_WE)
    string(APPEND table "    {\"${name}\", R\"motion(${text})motion\"},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  set(source "${CMAKE_BINARY_DIR}/generated/motion_files.cc")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT "// Written by the build from data/motions.
#include \"stride/motion/builtin/motion_files.h\"

namespace stride {

const MotionFile kMotionFiles[] = {
@table@};
const std::size_t kMotionFileCount = @count@;

}  // namespace stride
")
  target_sources(${target} PRIVATE "${source}")
endfunction()
