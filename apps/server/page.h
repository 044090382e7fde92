#pragma once

#include <string_view>

namespace stride {

// The viewer: one HTML file with all it needs, put into the program by cmake/embed_page.cmake.
std::string_view ViewerPage();

}  // namespace stride
