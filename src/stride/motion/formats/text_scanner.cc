#include "stride/motion/formats/text_scanner.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "stride/core/error.h"

namespace stride {
namespace {

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}
char Lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// from_chars reports overflow and underflow alike; what is too small to hold is zero.
bool IsUnderflow(std::string_view number) {
  const std::size_t e = number.find_first_of("eE");
  return e != std::string_view::npos && e + 1 < number.size() && number[e + 1] == '-';
}

}  // namespace

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (char c : text.substr(0, 40)) {
    quoted += std::isprint(static_cast<unsigned char>(c)) ? c : '?';
  }
  return quoted += text.size() > 40 ? "...'" : "'";
}

void TextScanner::SkipBlanks() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (comments_ && c == '#') {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (IsBlank(c)) {
      ++position_;
    } else {
      return;
    }
  }
}

bool TextScanner::AtEnd() {
  SkipBlanks();
  return position_ == text_.size();
}

std::string_view TextScanner::Peek() {
  SkipBlanks();
  std::size_t end = position_;
  while (end < text_.size() && !IsBlank(text_[end])) ++end;
  return text_.substr(position_, end - position_);
}

std::string_view TextScanner::Word() {
  const std::string_view word = Peek();
  position_ += word.size();
  return word;
}

std::string_view TextScanner::RestOfLine(char stop) {
  const std::size_t begin = position_;
  while (position_ < text_.size() && text_[position_] != '\n' && text_[position_] != stop)
    ++position_;
  std::string_view line = text_.substr(begin, position_ - begin);
  while (!line.empty() && IsBlank(line.front())) line.remove_prefix(1);
  while (!line.empty() && IsBlank(line.back())) line.remove_suffix(1);
  return line;
}

bool TextScanner::Accept(std::string_view word) {
  const std::string_view found = Peek();
  if (!EqualIgnoringCase(found, word)) return false;
  position_ += found.size();
  return true;
}

bool TextScanner::AcceptChar(char c) {
  SkipBlanks();
  if (position_ == text_.size() || text_[position_] != c) return false;
  ++position_;
  return true;
}

bool TextScanner::OnNewLine() {
  const std::size_t begin = position_;
  if (AtEnd()) return true;
  return text_.substr(begin, position_ - begin).find('\n') != std::string_view::npos;
}

double TextScanner::Number(const char* what) {
  SkipBlanks();
  const char* begin = text_.data() + position_;
  const char* end = text_.data() + text_.size();
  if (end - begin > 1 && *begin == '+' && begin[1] != '-') ++begin;  // from_chars takes no plus
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  const bool whole = stop != begin && (stop == end || IsBlank(*stop));
  if (error == std::errc::result_out_of_range && whole &&
      IsUnderflow({begin, static_cast<std::size_t>(stop - begin)})) {
    value = 0;
  } else if (error != std::errc() || !whole || !(std::fabs(value) <= 1e9)) {
    FailExpected(std::string(what) + " (a number of at most 1e9 in size)");
  }
  position_ = static_cast<std::size_t>(stop - text_.data());
  return value;
}

long TextScanner::Integer(const char* what) {
  const std::string_view word = Peek();
  long value = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || stop != word.data() + word.size()) {
    FailExpected(std::string(what) + " (a whole number)");
  }
  position_ += word.size();
  return value;
}

int TextScanner::LineAt(std::size_t position) const {
  const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(position, text_.size()));
  return 1 + static_cast<int>(std::count(text_.begin(), end, '\n'));
}

void TextScanner::FailExpected(std::string_view expected) {
  const std::string_view word = Peek();
  const std::string found = word.empty() ? "the file ends here" : "found " + Quoted(word);
  FailAt(position_, found + "; expected " + std::string(expected));
}

void TextScanner::FailAt(std::size_t position, std::string_view message) const {
  throw InputError(file_, LineAt(position), message);
}

}  // namespace stride
