#pragma once

#include <cstddef>
#include <string>
#include <vector>

// The XML below the MJCF reader (and that of URDF): one tree of elements with every include in its
// place, each element and attribute knowing where it stands. Internal to character/.
namespace stride::mjcf {

struct Location {
  int file = 0;  // index into Document::files
  int line = 0;
};

struct Attribute {
  std::string name, value;
  Location at;
};

struct Element {
  std::string tag;
  std::vector<Attribute> attributes;
  std::vector<Element> children;
  Location at;

  const Attribute* Find(const std::string& name) const;
  std::string Text(const std::string& name, const std::string& otherwise = {}) const;
};

class Document {
 public:
  // Throws InputError: not well formed, nested too deeply, an include that is missing, cyclic or
  // repeated, more than kMaxBytes or kMaxElements in all files together.
  Document(const std::string& text, const std::string& file_name,
           const std::string& include_folder);

  // The same files, their content put into other elements.
  Document(const Document& source, Element root);

  const Element& Root() const { return root_; }
  const std::string& Folder() const { return include_folder_; }

  [[noreturn]] void Fail(const Location& at, const std::string& message) const;
  std::string Describe(const Location& at) const;  // "file:line: "

  // The numbers of an attribute: finite, `at_least` to `at_most` of them.
  std::vector<double> Numbers(const Attribute& attribute, std::size_t at_least,
                              std::size_t at_most) const;
  double Number(const Attribute& attribute) const { return Numbers(attribute, 1, 1)[0]; }
  // "true" or "false".
  bool Flag(const Attribute& attribute) const;

  static constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
  static constexpr int kMaxElements = 200000;
  static constexpr int kMaxDepth = 400;  // elements inside each other, over all files

 private:
  friend class DocumentBuilder;
  std::vector<std::string> files_;
  std::string include_folder_;
  Element root_;
};

}  // namespace stride::mjcf
