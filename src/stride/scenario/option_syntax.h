#pragma once

#include <cstddef>
#include <string>
#include <vector>

// Options with a small syntax of their own ("60,90,2,0.2"), on the command line and in scenarios.
namespace stride {

// What an option looks like, for its errors.
struct OptionSyntax {
  const char* option;
  const char* form;
  const char* example;

  // Throws InputError with the option, what was found and what is expected.
  [[noreturn]] void Refuse(const std::string& text, const std::string& why) const;
  double Number(const std::string& word, const std::string& text) const;  // finite
  // A list of `least` to `most` numbers; `text` is the whole option, for errors.
  std::vector<double> Numbers(const std::string& list, std::size_t least, std::size_t most,
                              const std::string& text) const;
};

std::vector<std::string> SplitAtCommas(const std::string& text);

}  // namespace stride
