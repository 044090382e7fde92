#pragma once

#include <string>
#include <string_view>

namespace stride {

// Reads words and numbers from text in memory. The line is worked out only when something is wrong.
class TextScanner {
 public:
  // Both must outlive the scanner.
  TextScanner(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  // Moves to the next word and tells if there is none. '#' starts a comment if comments were asked
  // for.
  bool AtEnd();
  void SkipComments() { comments_ = true; }

  // The next word (up to white space), empty at the end; Peek leaves it there.
  std::string_view Word();
  std::string_view Peek();
  // What is left of this line, trimmed, up to `stop`.
  std::string_view RestOfLine(char stop = '\n');
  // Moves over the next word if it is `word`, upper or lower case alike.
  bool Accept(std::string_view word);
  // Moves over one character, after blanks on any line.
  bool AcceptChar(char c);
  bool OnNewLine();  // white space from here to the next word holds a line end, or the text ends

  // A finite number of at most 1e9 in size. `what` names it in the error.
  double Number(const char* what);
  long Integer(const char* what);

  std::size_t Position() const { return position_; }
  void Rewind(std::size_t position) { position_ = position; }
  std::size_t Remaining() const { return text_.size() - position_; }
  int LineAt(std::size_t position) const;

  // Throws InputError at the next word: "file:line: found 'word'; expected ...".
  [[noreturn]] void FailExpected(std::string_view expected);
  // Throws InputError with the line of `position`.
  [[noreturn]] void FailAt(std::size_t position, std::string_view message) const;

 private:
  void SkipBlanks();

  std::string_view text_, file_;
  std::size_t position_ = 0;
  bool comments_ = false;
};

bool EqualIgnoringCase(std::string_view a, std::string_view b);
// For error messages: at most 40 characters, unprintable ones replaced.
std::string Quoted(std::string_view text);

}  // namespace stride
