#include "stride/core/error.h"

#include <cstdio>
#include <cstdlib>

namespace stride {
namespace {

std::string Located(std::string_view file, int line, std::string_view message) {
  std::string text(file);
  if (line > 0) text.append(":").append(std::to_string(line));
  if (!text.empty()) text += ": ";
  return text += message;
}

}  // namespace

InputError::InputError(std::string_view file, int line, std::string_view message)
    : std::runtime_error(Located(file, line, message)) {}

void CheckFailed(const char* file, int line, const char* expression) {
  std::fprintf(stderr, "%s:%d: internal error: '%s' does not hold. Please report this.\n", file,
               line, expression);
  std::abort();
}

}  // namespace stride
