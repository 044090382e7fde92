#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

// Three kinds of trouble: bad input throws InputError (the program prints it and exits with 1); a
// fall or a search that did not converge is a result; a broken invariant of ours aborts
// (STRIDE_CHECK).
namespace stride {

// Bad input from outside. The message reads "file:line: what was found; what was expected".
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message) {}
  // line 0: no line is known.
  InputError(std::string_view file, int line, std::string_view message);
};

[[noreturn]] void CheckFailed(const char* file, int line, const char* expression);

}  // namespace stride

#define STRIDE_CHECK(condition) \
  ((condition) ? void(0) : ::stride::CheckFailed(__FILE__, __LINE__, #condition))
