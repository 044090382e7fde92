#include "stride/app/live/live_message.h"

#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stride/core/error.h"
#include "stride/core/json_text.h"

namespace stride {
namespace {

using Json = nlohmann::json;

// What came from outside, short enough to be repeated in an error.
std::string Shown(const std::string& text) {
  constexpr std::size_t kLongest = 40;
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

// The keys of a message, each to be read once.
class Fields {
 public:
  explicit Fields(const Json& message)
      : message_(message), type_(message["type"].get<std::string>()) {}

  const std::string& type() const { return type_; }

  bool Has(const char* key) const { return message_.contains(key); }

  bool Flag(const char* key) {
    const Json& value = At(key);
    if (!value.is_boolean()) Refuse(key, "true or false");
    return value.get<bool>();
  }
  double Number(const char* key) { return NumberOf(At(key), key, "a number"); }
  std::optional<double> NumberOrNull(const char* key) {
    const Json& value = At(key);
    if (value.is_null()) return std::nullopt;
    return NumberOf(value, key, "a number or null");
  }
  int Index(const char* key) {
    const Json& value = At(key);
    if (!value.is_number_integer() || value < 0 || value > std::numeric_limits<int>::max()) {
      Refuse(key, "an integer from 0");
    }
    return value.get<int>();
  }
  Vec3d Vector(const char* key) {
    const Json& value = At(key);
    if (!value.is_array() || value.size() != 3) Refuse(key, "three numbers");
    return {NumberOf(value[0], key, "three numbers"), NumberOf(value[1], key, "three numbers"),
            NumberOf(value[2], key, "three numbers")};
  }
  std::vector<double> Numbers(const char* key) {
    const Json& value = At(key);
    if (!value.is_array()) Refuse(key, "a list of numbers");
    std::vector<double> numbers;
    for (const Json& each : value) numbers.push_back(NumberOf(each, key, "a list of numbers"));
    return numbers;
  }
  std::optional<GroundPoint> PlaceIfThere(const char* key) {
    if (!Has(key)) return std::nullopt;
    const Json& value = At(key);
    if (value.is_null()) return std::nullopt;
    if (!value.is_array() || value.size() != 2) Refuse(key, "two numbers");
    return GroundPoint{NumberOf(value[0], key, "two numbers"),
                       NumberOf(value[1], key, "two numbers")};
  }
  std::string Name(const char* key) {
    const Json& value = At(key);
    if (!value.is_string() || value.get_ref<const std::string&>().empty()) Refuse(key, "a name");
    return value.get<std::string>();
  }
  std::optional<std::string> NameIfThere(const char* key) {
    return Has(key) ? std::optional(Name(key)) : std::nullopt;
  }
  // Null is the empty name.
  std::optional<std::string> NameOrNullIfThere(const char* key) {
    if (!Has(key)) return std::nullopt;
    if (message_[key].is_null()) {
      ++read_;
      return "";
    }
    return Name(key);
  }

  void CheckAllRead() const {
    if (read_ + 1 != message_.size()) {  // the type was read before
      throw InputError(fmt::format("message '{}': it has keys that are not part of it", type_));
    }
  }

 private:
  [[noreturn]] void Refuse(const char* key, const char* expected) const {
    throw InputError(fmt::format("message '{}': '{}' must be {}", type_, key, expected));
  }
  const Json& At(const char* key) {
    if (!Has(key)) throw InputError(fmt::format("message '{}': '{}' is missing", type_, key));
    ++read_;
    return message_[key];
  }
  double NumberOf(const Json& value, const char* key, const char* expected) const {
    if (!value.is_number()) Refuse(key, expected);
    const double number = value.get<double>();
    if (!std::isfinite(number)) Refuse(key, "finite");
    return number;
  }

  const Json& message_;
  std::string type_;
  std::size_t read_ = 0;
};

LiveMessage Push(Fields* f) {
  RunInput input;
  input.kind = RunInput::Kind::kPush;
  input.actor = f->Index("actor");
  input.body = f->Index("body");
  input.point = f->Vector("point");
  input.vector = f->Vector("force");
  input.duration = f->Number("duration");
  return input;
}

LiveMessage Throw(Fields* f) {
  RunInput input;
  input.kind = RunInput::Kind::kThrow;
  input.point = f->Vector("from");
  input.vector = f->Vector("velocity");
  input.mass = f->Number("mass");
  return input;
}

LiveMessage Steer(Fields* f) {
  RunInput input;
  input.kind = RunInput::Kind::kCommand;
  if (f->Has("actor")) input.actor = f->Index("actor");
  input.command.speed = f->NumberOrNull("speed");
  input.command.heading = f->NumberOrNull("heading");
  input.command.style = f->Index("style");
  input.command.point = f->PlaceIfThere("point");
  return input;
}

LiveMessage Ground(RunInput::Kind kind, double value) {
  RunInput input;
  input.kind = kind;
  input.value = value;
  return input;
}

LiveMessage Curve(Fields* f) {
  RunInput input;
  input.kind = RunInput::Kind::kCurve;
  if (f->Has("actor")) input.actor = f->Index("actor");
  input.edit = {f->Index("curve"), f->Name("part"), {f->Numbers("times"), f->Numbers("values")}};
  return input;
}

LiveMessage Drag(Fields* f) {
  return DragMessage{f->Index("actor"), f->Index("body"), f->Vector("point"), f->Vector("target")};
}

LiveMessage Setup(Fields* f) {
  return SetupMessage{f->NameIfThere("character"), f->NameIfThere("engine"),
                      f->NameIfThere("controller"), f->NameOrNullIfThere("motion"),
                      f->NameOrNullIfThere("skill")};
}

using Reader = LiveMessage (*)(Fields*);
const std::map<std::string, Reader>& Readers() {
  static const std::map<std::string, Reader> readers = {
      {"pause", [](Fields* f) -> LiveMessage { return PauseMessage{f->Flag("on")}; }},
      {"step", [](Fields*) -> LiveMessage { return StepMessage{}; }},
      {"rate", [](Fields* f) -> LiveMessage { return RateMessage{f->Number("value")}; }},
      {"restart", [](Fields*) -> LiveMessage { return RestartMessage{}; }},
      {"push", Push},
      {"throw", Throw},
      {"command", Steer},
      {"curve", Curve},
      {"drag", Drag},
      {"release", [](Fields*) -> LiveMessage { return ReleaseMessage{}; }},
      {"setup", Setup},
      {"friction", [](Fields* f) { return Ground(RunInput::Kind::kFriction, f->Number("value")); }},
      {"slope",
       [](Fields* f) {
         return Ground(RunInput::Kind::kSlope, f->Number("value_deg") * std::numbers::pi / 180);
       }},
      {"record", [](Fields* f) -> LiveMessage { return RecordMessage{f->Flag("on")}; }},
      {"play", [](Fields* f) -> LiveMessage { return PlayMessage{f->Name("motion")}; }},
      {"live", [](Fields*) -> LiveMessage { return GoLiveMessage{}; }}};
  return readers;
}

}  // namespace

LiveMessage ParseLiveMessage(std::string_view text) {
  if (text.size() > kMaxLiveMessageBytes) {
    throw InputError(fmt::format("the message has more than {} bytes", kMaxLiveMessageBytes));
  }
  std::size_t keys = 0;
  Json json;
  try {
    json = Json::parse(text, [&](int depth, Json::parse_event_t event, const Json&) {
      CheckJsonDepth(depth, "the message");
      keys += event == Json::parse_event_t::key;
      return true;
    });
  } catch (const Json::exception&) {
    throw InputError("the message is no valid JSON");
  }
  if (!json.is_object() || !json.contains("type") || !json["type"].is_string()) {
    throw InputError("the message is no JSON object with a \"type\"");
  }
  // The parser keeps the last of two equal keys; no value of a message is an object itself.
  if (keys != json.size()) throw InputError("the message repeats a key or nests an object");
  Fields fields(json);
  const auto reader = Readers().find(fields.type());
  if (reader == Readers().end()) {
    throw InputError(fmt::format("there is no message of type '{}'", Shown(fields.type())));
  }
  LiveMessage message = reader->second(&fields);
  fields.CheckAllRead();
  return message;
}

}  // namespace stride
