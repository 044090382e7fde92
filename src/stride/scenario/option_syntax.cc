#include "stride/scenario/option_syntax.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "stride/core/error.h"

namespace stride {

void OptionSyntax::Refuse(const std::string& text, const std::string& why) const {
  throw InputError(fmt::format("{} '{}': {}; expected {}, for instance {} {}", option, text, why,
                               form, option, example));
}

double OptionSyntax::Number(const std::string& word, const std::string& text) const {
  double value = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (word.empty() || error != std::errc() || stop != end || !std::isfinite(value)) {
    Refuse(text, fmt::format("'{}' is not a number", word));
  }
  return value;
}

std::vector<double> OptionSyntax::Numbers(const std::string& list, std::size_t least,
                                          std::size_t most, const std::string& text) const {
  const std::vector<std::string> words = SplitAtCommas(list);
  if (words.size() < least || words.size() > most) {
    Refuse(text, fmt::format("has {} value{}", words.size(), words.size() == 1 ? "" : "s"));
  }
  std::vector<double> numbers;
  for (const std::string& word : words) numbers.push_back(Number(word, text));
  return numbers;
}

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace stride
