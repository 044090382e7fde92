# Puts the files of data/gait into the program, so that it needs no data folder.
function(stride_embed_gait target)
  file(GLOB files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/data/gait/*.csv")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(table "")
  set(count 0)
  foreach(path IN LISTS files)
    file(READ "${path}" text)
    get_filename_component(name "${path}" NAME_WE)
    string(APPEND table "    {\"${name}\", R\"gait(${text})gait\"},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  set(source "${CMAKE_BINARY_DIR}/generated/gait_files.cc")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT "// Written by the build from data/gait.
#include \"stride/record/gait_files.h\"

namespace stride {

const GaitFile kGaitFiles[] = {
@table@    {nullptr, nullptr}};
const std::size_t kGaitFileCount = @count@;

}  // namespace stride
")
  target_sources(${target} PRIVATE "${source}")
endfunction()
