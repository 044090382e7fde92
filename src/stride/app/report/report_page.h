#pragma once

#include <string>

namespace stride {

// A whole page around `body`.
std::string ReportPage(const std::string& title, const std::string& body);

}  // namespace stride
