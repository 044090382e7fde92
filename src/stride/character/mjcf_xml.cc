#include "stride/character/mjcf_xml.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <string_view>

#include <tinyxml2.h>

#include "stride/core/error.h"
#include "stride/core/file.h"

namespace stride::mjcf {
namespace {

// Larger numbers are mistakes, and their powers would leave the range of a double.
constexpr double kLargestNumber = 1e15;

std::string Quoted(const Attribute& attribute) {
  constexpr std::size_t kShown = 60;
  const bool cut = attribute.value.size() > kShown;
  return attribute.name + "=\"" + attribute.value.substr(0, kShown) + (cut ? "..." : "") + "\"";
}

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    if (IsSpace(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && !IsSpace(text[end])) ++end;
    words.push_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

// The line of the first element with more than kMaxAttributes attributes, 0 if there is none. The
// XML library compares each attribute with all before it, so a hostile element would keep it busy
// for hours.
constexpr int kMaxAttributes = 1000;
int LineWithTooManyAttributes(std::string_view text) {
  const auto skip_past = [&](std::string_view mark, std::size_t from) {
    const std::size_t found = text.find(mark, from);
    return found == std::string_view::npos ? text.size() : found + mark.size();
  };
  for (std::size_t i = text.find('<'); i < text.size(); i = text.find('<', i)) {
    const std::size_t start = i;
    if (text.substr(i).starts_with("<!--")) {
      i = skip_past("-->", i + 4);
    } else if (text.substr(i).starts_with("<![CDATA[")) {
      i = skip_past("]]>", i + 9);
    } else if (text.substr(i).starts_with("<!") || text.substr(i).starts_with("<?")) {
      i = skip_past(">", i);
    } else {
      int values = 0;
      for (; i < text.size() && text[i] != '>'; ++i) {
        if (text[i] != '"' && text[i] != '\'') continue;
        i = text.find(text[i], i + 1);
        if (i == std::string_view::npos) return 0;  // cut off: the parser says so
        if (++values > kMaxAttributes) {
          return 1 + static_cast<int>(std::count(text.begin(), text.begin() + start, '\n'));
        }
      }
    }
  }
  return 0;
}

}  // namespace

const Attribute* Element::Find(const std::string& name) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& a) { return a.name == name; });
  return found == attributes.end() ? nullptr : &*found;
}

std::string Element::Text(const std::string& name, const std::string& otherwise) const {
  const Attribute* attribute = Find(name);
  return attribute ? attribute->value : otherwise;
}

// Parses the files one by one and copies their elements into the document.
class DocumentBuilder {
 public:
  explicit DocumentBuilder(Document* document) : document_(*document) {}

  // The children of the file's root element replace the include that named it.
  void AddFile(const std::string& text, const std::string& name, int depth, Element* into) {
    const int file = static_cast<int>(document_.files_.size());
    document_.files_.push_back(name);
    bytes_ += text.size();
    if (bytes_ > Document::kMaxBytes) {
      document_.Fail({file, 0}, "more than " + std::to_string(Document::kMaxBytes >> 20) +
                                    " MB of XML; expected a model of one character");
    }
    if (text.find('\0') != std::string::npos) {
      document_.Fail({file, 0}, "contains zero bytes; expected XML text");
    }
    if (const int line = LineWithTooManyAttributes(text)) {
      document_.Fail({file, line}, "an element has more than " + std::to_string(kMaxAttributes) +
                                       " attributes; expected an MJCF model");
    }
    tinyxml2::XMLDocument xml;
    if (xml.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) FailToParse(file, xml);
    const tinyxml2::XMLElement* root = xml.RootElement();
    if (!root)
      document_.Fail({file, 0}, "has no XML element; expected <mujoco> (MJCF) or <robot> (URDF)");
    const std::string_view tag = root->Name();
    if (tag != "mujoco" && tag != "mujocoinclude" && !(depth == 0 && tag == "robot")) {
      document_.Fail({file, root->GetLineNum()}, "the root element is <" + std::string(tag) +
                                                     ">; expected <mujoco> (MJCF) or <robot> "
                                                     "(URDF)");
    }
    if (depth == 0) {
      *into = Copy(*root, file);
    }
    open_.push_back(name);
    AddChildren(*root, file, depth + 1, into);
    open_.pop_back();
  }

 private:
  [[noreturn]] void FailToParse(int file, const tinyxml2::XMLDocument& xml) const {
    const int line = xml.ErrorLineNum();
    switch (xml.ErrorID()) {
      case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
        FailTooDeep({file, line}, TINYXML2_MAX_ELEMENT_DEPTH - 1);
      case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
        document_.Fail({file, 0}, "is empty; expected an MJCF model (<mujoco> ...)");
      case tinyxml2::XML_ERROR_PARSING:
      case tinyxml2::XML_ERROR_PARSING_ELEMENT:
      case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
        document_.Fail({file, line},
                       "the XML is broken here or cut off (an element is not closed); "
                       "expected well-formed XML");
      case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
        document_.Fail({file, line},
                       "an attribute is broken or given twice; expected name=\"value\"");
      default:
        document_.Fail({file, line}, std::string("the XML is broken here (") + xml.ErrorName() +
                                         "); expected well-formed XML");
    }
  }
  [[noreturn]] void FailTooDeep(const Location& at, int most) const {
    document_.Fail(
        at, "elements are nested too deeply; expected at most " + std::to_string(most) + " levels");
  }

  Element Copy(const tinyxml2::XMLElement& source, int file) const {
    Element element;
    element.tag = source.Name();
    element.at = {file, source.GetLineNum()};
    for (auto* a = source.FirstAttribute(); a; a = a->Next()) {
      element.attributes.push_back({a->Name(), a->Value(), {file, a->GetLineNum()}});
    }
    return element;
  }

  void AddChildren(const tinyxml2::XMLElement& source, int file, int depth, Element* into) {
    for (auto* child = source.FirstChildElement(); child; child = child->NextSiblingElement()) {
      if (depth > Document::kMaxDepth)
        FailTooDeep({file, child->GetLineNum()}, Document::kMaxDepth);
      if (++elements_ > Document::kMaxElements) {
        document_.Fail({file, child->GetLineNum()},
                       "more than " + std::to_string(Document::kMaxElements) +
                           " elements; expected a model of one character");
      }
      Element element = Copy(*child, file);
      if (element.tag == "include") {
        Include(element, depth, into);
      } else {
        AddChildren(*child, file, depth + 1, &element);
        into->children.push_back(std::move(element));
      }
    }
  }

  void Include(const Element& include, int depth, Element* into) {
    const Attribute* file = include.Find("file");
    if (!file) document_.Fail(include.at, "<include> names no file; expected file=\"...\"");
    if (document_.include_folder_.empty()) {
      document_.Fail(file->at, "includes '" + file->value +
                                   "', but this text has no folder to look in; "
                                   "read it from a file instead");
    }
    const std::filesystem::path path =
        std::filesystem::path(document_.include_folder_) / file->value;
    const std::string name = path.lexically_normal().string();
    if (std::find(open_.begin(), open_.end(), name) != open_.end()) {
      document_.Fail(file->at, "cyclic include: '" + name + "' includes itself");
    }
    if (std::find(document_.files_.begin(), document_.files_.end(), name) !=
        document_.files_.end()) {
      document_.Fail(file->at, "'" + name + "' is included a second time; MJCF allows it once");
    }
    // Only files: reading a pipe or a device could block for ever.
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
      document_.Fail(file->at, "includes '" + name +
                                   "', which is not there; expected a file (the path "
                                   "is relative to the main model's folder)");
    }
    AddFile(ReadFile(name, Document::kMaxBytes), name, depth, into);
  }

  Document& document_;
  std::vector<std::string> open_;  // files whose includes are being followed
  std::size_t bytes_ = 0;
  int elements_ = 0;
};

Document::Document(const std::string& text, const std::string& file_name,
                   const std::string& include_folder)
    : include_folder_(include_folder) {
  DocumentBuilder(this).AddFile(text, file_name, 0, &root_);
}

Document::Document(const Document& source, Element root)
    : files_(source.files_), include_folder_(source.include_folder_), root_(std::move(root)) {}

void Document::Fail(const Location& at, const std::string& message) const {
  throw InputError(files_[at.file], at.line, message);
}

std::string Document::Describe(const Location& at) const {
  return files_[at.file] + ":" + std::to_string(at.line) + ": ";
}

std::vector<double> Document::Numbers(const Attribute& attribute, std::size_t at_least,
                                      std::size_t at_most) const {
  const std::vector<std::string_view> words = Words(attribute.value);
  if (words.size() < at_least || words.size() > at_most) {
    const std::string range = at_least == at_most
                                  ? std::to_string(at_least)
                                  : std::to_string(at_least) + " to " + std::to_string(at_most);
    Fail(attribute.at, Quoted(attribute) + " has " + std::to_string(words.size()) +
                           " numbers; expected " + range);
  }
  std::vector<double> numbers;
  for (std::string_view word : words) {
    const std::string shown(word.substr(0, 40));
    if (word.size() > 1 && word[0] == '+') word.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) {
      Fail(attribute.at,
           Quoted(attribute) + ": '" + shown + "' is not a number; expected a number");
    }
    if (!(std::fabs(value) <= kLargestNumber)) {
      Fail(attribute.at, Quoted(attribute) + ": '" + shown +
                             "' is not finite or too large; expected a "
                             "number below 1e15");
    }
    numbers.push_back(value);
  }
  return numbers;
}

bool Document::Flag(const Attribute& attribute) const {
  if (attribute.value == "true") return true;
  if (attribute.value == "false") return false;
  Fail(attribute.at, Quoted(attribute) + "; expected \"true\" or \"false\"");
}

}  // namespace stride::mjcf
