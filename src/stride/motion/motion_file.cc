#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/json_text.h"
#include "stride/motion/motion.h"

// The motion file, described in docs/formats.md.
namespace stride {
namespace {

constexpr int kVersion = 1;

// Where a key stands, for messages; the parsed JSON has no lines.
int LineOfKey(const std::string& text, const std::string& key) {
  const std::size_t at = text.find('"' + key + '"');
  return at == std::string::npos ? 1 : LineAt(text, at);
}

// The n-th bracket after "frames" and its own opens frame n.
int LineOfFrame(const std::string& text, std::size_t frame) {
  std::size_t at = text.find('[', text.find("\"frames\""));
  for (std::size_t n = 0; n <= frame && at != std::string::npos; ++n) at = text.find('[', at + 1);
  return at == std::string::npos ? 0 : LineAt(text, at);
}

class MotionParser {
 public:
  MotionParser(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  Motion Parse() {
    json_ = ParseJson(text_, file_);
    if (!json_.is_object() || !json_.contains("stride_motion")) {
      throw InputError(file_, 1, "has no \"stride_motion\"; expected stride's motion file (JSON)");
    }
    if (json_["stride_motion"] != kVersion) {
      Fail("stride_motion", "is of another version than " + std::to_string(kVersion) +
                                "; expected a file of this version of stride");
    }
    for (const auto& [key, value] : json_.items()) {
      if (key != "stride_motion" && key != "name" && key != "character" && key != "source" &&
          key != "fps" && key != "loops" && key != "contacts" && key != "frames") {
        Fail(key,
             "is not a key of a motion; expected name, character, source, fps, loops, contacts, "
             "frames");
      }
    }
    Motion motion;
    motion.name = Text("name");
    motion.character = Text("character");
    motion.source = Text("source");
    const nlohmann::json& fps = Get("fps");
    if (!fps.is_number() || !(fps.get<double>() > 0 && fps.get<double>() <= 1e6)) {
      Fail("fps", "is not a positive number of frames a second");
    }
    motion.fps = fps.get<double>();
    const nlohmann::json& loops = Get("loops");
    if (!loops.is_boolean()) Fail("loops", "is neither true nor false");
    motion.loops = loops.get<bool>();
    ReadFrames(&motion);
    ReadContacts(&motion);
    return motion;
  }

 private:
  [[noreturn]] void Fail(const std::string& key, const std::string& what) const {
    throw InputError(file_, LineOfKey(text_, key), "\"" + key.substr(0, 40) + "\" " + what);
  }
  const nlohmann::json& Get(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) throw InputError(file_, 1, std::string("has no \"") + key + "\"");
    return *found;
  }
  std::string Text(const char* key) const {
    const nlohmann::json& value = Get(key);
    if (!value.is_string()) Fail(key, "is not a text");
    return value.get<std::string>();
  }

  void ReadFrames(Motion* motion) const {
    const nlohmann::json& frames = Get("frames");
    if (!frames.is_array() || frames.empty()) Fail("frames", "is not a list of at least one frame");
    const auto fail = [&](std::size_t frame, const std::string& what) {
      throw InputError(file_, LineOfFrame(text_, frame),
                       "frame " + std::to_string(frame) + " " + what);
    };
    motion->frames.reserve(frames.size());
    for (const nlohmann::json& frame : frames) {
      const std::size_t index = motion->frames.size();
      if (!frame.is_array() || frame.empty()) fail(index, "is not a list of numbers");
      if (index > 0 && frame.size() != motion->frames[0].size()) {
        fail(index, "has " + std::to_string(frame.size()) + " numbers; expected " +
                        std::to_string(motion->frames[0].size()) + " like the first");
      }
      std::vector<double> q;
      q.reserve(frame.size());
      for (const nlohmann::json& number : frame) {
        if (!number.is_number()) fail(index, "has something else than a number");
        q.push_back(number.get<double>());
      }
      motion->frames.push_back(std::move(q));
    }
  }

  void ReadContacts(Motion* motion) const {
    const nlohmann::json& contacts = Get("contacts");
    if (!contacts.is_array() || contacts.size() != motion->frames.size()) {
      Fail("contacts",
           "is not a list of one label a frame (" + std::to_string(motion->frames.size()) + ")");
    }
    for (const nlohmann::json& label : contacts) {
      if (!label.is_number_integer() || label.get<std::int64_t>() < 0 ||
          label.get<std::int64_t>() > 255) {
        Fail("contacts", "has something else than whole numbers from 0 to 255");
      }
      motion->contacts.push_back(label.get<std::uint8_t>());
    }
  }

  const std::string& text_;
  const std::string& file_;
  nlohmann::json json_;
};

}  // namespace

Motion ParseMotion(const std::string& text, const std::string& file_name) {
  return MotionParser(text, file_name).Parse();
}

Motion ReadMotion(const std::string& path) { return ParseMotion(ReadFile(path), path); }

std::string MotionText(const Motion& motion) {
  const auto quote = [](const std::string& text) { return nlohmann::json(ToUtf8(text)).dump(); };
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(
      out,
      "{{\"stride_motion\": {},\n\"name\": {},\n\"character\": {},\n\"source\": {},\n\"fps\": {},\n"
      "\"loops\": {},\n\"contacts\": [{}],\n\"frames\": [\n",
      kVersion, quote(motion.name), quote(motion.character), quote(motion.source), motion.fps,
      motion.loops, fmt::join(motion.contacts, ","));
  for (std::size_t f = 0; f < motion.frames.size(); ++f) {
    // The shortest digits that read back as the same number.
    fmt::format_to(out, "[{}]{}\n", fmt::join(motion.frames[f], ","),
                   f + 1 < motion.frames.size() ? "," : "");
  }
  text += "]}\n";
  return text;
}

void WriteMotion(const Motion& motion, const std::string& path) {
  WriteFileWhole(path, MotionText(motion));
}

}  // namespace stride
