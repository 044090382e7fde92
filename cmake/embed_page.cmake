# Puts the viewer's page (web/dist/index.html, made by scripts/build_web.sh) into a library, as the
# function ViewerPage() of apps/server/page.h. The bytes come in through the assembler, which takes
# no time, and anew whenever the page was built anew.
function(stride_embed_page target)
  set(page "${CMAKE_SOURCE_DIR}/web/dist/index.html")
  if(NOT EXISTS "${page}")
    message(FATAL_ERROR "The viewer's page is not built: ${page} is missing. Run scripts/setup.sh.")
  endif()
  set(source "${CMAKE_BINARY_DIR}/generated/viewer_page.cc")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT [[
// Written by the build: the viewer's page.
#include "page.h"

asm(R"(
  .section .rodata
  .global stride_viewer_page
  .global stride_viewer_page_end
stride_viewer_page:
  .incbin "@page@"
stride_viewer_page_end:
  .byte 0
  .previous
)");
extern "C" const char stride_viewer_page[], stride_viewer_page_end[];

namespace stride {

std::string_view ViewerPage() {
  return {stride_viewer_page, static_cast<std::size_t>(stride_viewer_page_end - stride_viewer_page)};
}

}  // namespace stride
]])
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${page}")
  target_sources(${target} PRIVATE "${source}")
  target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}/apps/server")
endfunction()
