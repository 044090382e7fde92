#include "stride/record/recording.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include <fmt/format.h>

#include "stride/core/chunk.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/json_node.h"
#include "stride/record/frame_codec.h"
#include "stride/record/world_json.h"

namespace stride {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMagic = "STRIDEREC";
constexpr std::size_t kPreambleBytes = kMagic.size() + sizeof(std::uint32_t);
constexpr const char* kEvent = "event";  // for errors
constexpr const char* kFrom = "FROM";
// Frames hold indices of 16 bits.
constexpr std::size_t kMaxIndex = std::numeric_limits<std::int16_t>::max();

bool SameBits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
bool SameBits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}
template <class T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

std::string JsonChunk(std::string_view type, const Json& json) {
  std::string bytes;
  BeginChunk(type, &bytes);
  // File names need not be UTF-8; JSON is.
  bytes += json.dump(-1, ' ', false, Json::error_handler_t::replace);
  EndChunk(&bytes);
  return bytes;
}

void CheckSize(const Character& character, const std::string& source) {
  if (character.bodies.size() > kMaxIndex) {
    throw InputError(source, 0,
                     fmt::format("'{}' has {} bodies; expected at most {}", character.name,
                                 character.bodies.size(), kMaxIndex));
  }
}

// What is not known is null: no reader then takes it for a number.
Json ToJson(const BehaviourGraph& graph) {
  const auto known = [](double robustness) {
    return robustness >= 0 ? Json(robustness) : Json(nullptr);
  };
  Json json = {{"nodes", Json::array()}, {"links", Json::array()}};
  for (const BehaviourGraph::Node& node : graph.nodes) {
    json["nodes"].push_back(
        {{"name", node.name}, {"style", node.style}, {"robustness", known(node.robustness)}});
  }
  for (const BehaviourGraph::Link& link : graph.links) {
    json["links"].push_back(
        {{"from", link.from}, {"to", link.to}, {"robustness", known(link.robustness)}});
  }
  json["node_channel"] = graph.node_channel;
  json["down_channel"] = graph.down_channel;
  return json;
}

BehaviourGraph GraphFromJson(const JsonNode& node, int style_count) {
  const auto robustness = [](const JsonNode& value) {
    if (value.value().is_null()) return -1.0;
    const double number = value.Number();
    if (number < 0 || number > 1) value.Fail("0 to 1, or null");
    return number;
  };
  BehaviourGraph graph;
  const JsonNode nodes = node["nodes"], links = node["links"];
  const int count = static_cast<int>(nodes.Size());
  for (int i = 0; i < count; ++i) {
    const JsonNode one = nodes.At(i);
    graph.nodes.push_back({one["name"].Text(), one["style"].Int(0, std::max(0, style_count - 1)),
                           robustness(one["robustness"])});
  }
  for (std::size_t i = 0; i < links.Size(); ++i) {
    const JsonNode one = links.At(i);
    graph.links.push_back({one["from"].Int(0, count - 1), one["to"].Int(0, count - 1),
                           robustness(one["robustness"])});
  }
  // Version 1 had none of the two (NameNodeChannels).
  if (node.value().contains("node_channel")) graph.node_channel = node["node_channel"].Text();
  if (node.value().contains("down_channel")) graph.down_channel = node["down_channel"].Text();
  return graph;
}

// Version 1 knew by their names which channels are about the graph.
void NameNodeChannels(RecordedController* driver) {
  for (RecordedChannel& channel : driver->channels) {
    if (channel.name == "node" || channel.name == "from node") channel.unit = kNodeUnit;
  }
  if (driver->graph.nodes.empty()) return;
  driver->graph.node_channel = "node";
  driver->graph.down_channel = "lying";
}

RecordedController ControllerFromJson(const JsonNode& node) {
  RecordedController driver;
  driver.controller = node["controller"].Text();
  driver.motion = node["motion"].Text();
  if (node.value().contains("skill")) driver.skill = node["skill"].Text();  // since version 2
  const JsonNode channels = node["channels"];
  for (std::size_t i = 0; i < channels.Size(); ++i) {
    const JsonNode channel = channels.At(i);
    const int values = channel["values"].Int(1, 6);
    if (values != 1 && values != 3 && values != 6) channel["values"].Fail("1, 3 or 6");
    driver.channels.push_back({channel["name"].Text(), channel["unit"].Text(), values});
  }
  const JsonNode styles = node["styles"];
  for (std::size_t i = 0; i < styles.Size(); ++i) driver.styles.push_back(styles.At(i).Text());
  if (node.value().contains("graph")) {
    driver.graph = GraphFromJson(node["graph"], static_cast<int>(driver.styles.size()));
  }
  return driver;
}

RecordingHeader HeaderFromJson(const Json& json, int version, const std::string& source) {
  const JsonNode node(json, source);
  RecordingHeader header;
  header.title = node["title"].Text();
  header.engine = node["engine"].Text();
  header.seed = node["seed"].Unsigned();
  header.version = node["stride"].Text();
  header.frame_interval = node["frame_interval"].Number();
  if (header.frame_interval < 0) node["frame_interval"].Fail("0 or more");
  header.world = WorldFromJson(node["world"]);
  const std::vector<Character>& actors = header.world.actors;
  if (actors.empty() || actors.size() > kMaxIndex) {
    node["world"]["actors"].Fail("at least one actor");
  }
  for (const Character& actor : actors) CheckSize(actor, source);
  if (version == 1) {
    // The first actor's controller is all that it knows, among the header's own keys.
    header.controllers.push_back(ControllerFromJson(node));
    NameNodeChannels(&header.controllers[0]);
  } else {
    const JsonNode drivers = node["controllers"];
    if (drivers.Size() > actors.size()) drivers.Fail("one for each actor at most");
    for (std::size_t i = 0; i < drivers.Size(); ++i) {
      header.controllers.push_back(ControllerFromJson(drivers.At(i)));
    }
  }
  header.setup = node["setup"].value();
  return header;
}

RecordedEvent EventFromJson(const Json& json, const std::string& source) {
  const JsonNode node(json, source);
  RecordedEvent event;
  const std::uint64_t step = node["step"].Unsigned();
  if (step > std::numeric_limits<std::uint32_t>::max()) node["step"].Fail("a number of 32 bits");
  event.step = static_cast<std::uint32_t>(step);
  event.time = node["time"].Number();
  event.kind = node["kind"].Text();
  event.data = node["data"].value();
  return event;
}

Character ActorFromEvent(const RecordedEvent& event, const std::string& source) {
  Character actor = CharacterFromJson(JsonNode(event.data, source)["character"]);
  CheckSize(actor, source);
  return actor;
}

// A line of JSON that says what it is, then the text.
RecordedSource SourceFrom(std::string_view payload) {
  const std::size_t end = payload.find('\n');
  if (end == std::string_view::npos) throw InputError("a source without a text");
  const Json json = ParseBoundedJson(payload.substr(0, end), "source");
  const JsonNode node(json, "source");
  return {node["kind"].Text(), node["name"].Text(), node["of"].Text(),
          std::string(payload.substr(end + 1))};
}

// Reads chunks after the header's into a recording.
class Reader {
 public:
  Reader(ChunkReader* chunks, Recording* recording)
      : chunks_(chunks), recording_(recording), shape_(recording->header, recording->version) {}

  void Read() {
    while (const std::optional<Chunk> chunk = chunks_->Next()) {
      try {
        Take(*chunk);
      } catch (const InputError& error) {
        recording_->damage = Place() + error.what();
      }
      if (recording_->complete || !recording_->damage.empty()) return;
    }
    recording_->damage = chunks_->Problem().empty()
                             ? "has no end: its run was stopped, or still goes on"
                             : chunks_->Problem();
  }

 private:
  std::string Place() const {
    return fmt::format("is damaged in the piece that begins at byte {}: ", chunks_->At());
  }
  // Types that are not known are skipped: a later version may add some that matter to it alone.
  void Take(const Chunk& chunk) {
    if (chunk.type == "FRAM") {
      TakeFrame(chunk.payload);
    } else if (chunk.type == "EVNT") {
      RecordedEvent event = EventFromJson(ParseBoundedJson(chunk.payload, kEvent), kEvent);
      if (event.kind == kActorEvent) {
        if (shape_.ActorCount() == kMaxIndex) throw InputError("too many actors");
        shape_.AddActor(ActorFromEvent(event, kEvent));
      }
      recording_->events.push_back(std::move(event));
    } else if (chunk.type == "DONE") {
      recording_->summary = ParseBoundedJson(chunk.payload, "result");
      recording_->complete = true;
    } else if (chunk.type == kFrom) {
      recording_->header.sources.push_back(SourceFrom(chunk.payload));
    } else if (chunk.type == "HEAD") {
      throw InputError("a second header");
    }
  }

  void TakeFrame(std::string_view payload) {
    std::vector<RecordedFrame>& frames = recording_->frames;
    RecordedFrame frame;
    if (!shape_.Decode(payload, &frame)) {
      throw InputError("a frame that does not fit the header's world");
    }
    if (!std::isfinite(frame.time) || (!frames.empty() && frame.time < frames.back().time)) {
      throw InputError("a frame whose time goes back");
    }
    frames.push_back(std::move(frame));
  }

  ChunkReader* chunks_;
  Recording* recording_;
  FrameShape shape_;
};

}  // namespace

Json ToJson(const RecordedController& driver) {
  Json json = {{"controller", driver.controller},
               {"motion", driver.motion},
               {"skill", driver.skill},
               {"channels", Json::array()},
               {"styles", driver.styles}};
  for (const RecordedChannel& channel : driver.channels) {
    json["channels"].push_back(
        {{"name", channel.name}, {"unit", channel.unit}, {"values", channel.values}});
  }
  if (!driver.graph.nodes.empty()) json["graph"] = ToJson(driver.graph);
  return json;
}

bool operator==(const RecordedControl& a, const RecordedControl& b) {
  return SameBits(a.target_q, b.target_q) && SameBits(a.reference, b.reference) &&
         SameBits(a.torques, b.torques) && SameBits(a.speed, b.speed) &&
         SameBits(a.heading, b.heading) && a.style == b.style && SameBits(a.channels, b.channels);
}

bool operator==(const RecordedFrame& a, const RecordedFrame& b) {
  // Contacts and forces have no padding: indices of 4 bytes and floats.
  static_assert(sizeof(RecordedContact) == 40 && sizeof(RecordedForce) == 32);
  if (a.actors.size() != b.actors.size()) return false;
  for (std::size_t i = 0; i < a.actors.size(); ++i) {
    if (!SameBits(a.actors[i].q, b.actors[i].q) || !SameBits(a.actors[i].v, b.actors[i].v)) {
      return false;
    }
  }
  return a.step == b.step && SameBits(a.time, b.time) && a.controls == b.controls &&
         SameBits(a.contacts, b.contacts) && SameBits(a.forces, b.forces);
}

std::vector<Character> ActorsOf(const Recording& recording) {
  std::vector<Character> actors = recording.header.world.actors;
  for (const RecordedEvent& event : recording.events) {
    if (event.kind == kActorEvent) actors.push_back(ActorFromEvent(event, kEvent));
  }
  return actors;
}

std::string RecordingPreamble() {
  std::string bytes(kMagic);
  PutNumber(std::uint32_t{kRecordingVersion}, &bytes);
  return bytes;
}

std::string EncodeHeader(const RecordingHeader& header) {
  STRIDE_CHECK(!header.world.actors.empty());
  for (const Character& actor : header.world.actors) CheckSize(actor, "recording");
  STRIDE_CHECK(header.controllers.size() <= header.world.actors.size());
  Json json = {{"title", header.title},
               {"engine", header.engine},
               {"seed", header.seed},
               {"stride", header.version},
               {"frame_interval", header.frame_interval},
               {"controllers", Json::array()},
               {"world", ToJson(header.world)},
               {"setup", header.setup}};
  for (const RecordedController& driver : header.controllers) {
    json["controllers"].push_back(ToJson(driver));
  }
  std::string bytes = JsonChunk("HEAD", json);
  if (bytes.size() > kMaxJsonBytes) {
    throw InputError(fmt::format(
        "the recording's header has {} bytes; expected at most {}: use ground with fewer points, "
        "or do not record",
        bytes.size(), kMaxJsonBytes));
  }
  return bytes;
}

std::string EncodeSources(const std::vector<RecordedSource>& sources) {
  std::string bytes, chunk;
  for (const RecordedSource& source : sources) {
    BeginChunk(kFrom, &chunk);
    chunk += Json{{"kind", source.kind}, {"name", source.name}, {"of", source.of}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
    chunk += '\n';
    chunk += source.text;
    EndChunk(&chunk);
    bytes += chunk;
  }
  return bytes;
}

std::string EncodeEvent(const RecordedEvent& event) {
  return JsonChunk(
      "EVNT",
      {{"step", event.step}, {"time", event.time}, {"kind", event.kind}, {"data", event.data}});
}

std::string EncodeDone(const Json& summary) { return JsonChunk("DONE", summary); }

Recording ParseRecording(std::string_view bytes, const std::string& file_name) {
  const std::string_view magic = bytes.substr(0, kMagic.size());
  if (magic.empty() || magic != kMagic.substr(0, magic.size())) {
    throw InputError(file_name, 0,
                     "is not a recording; expected a file that `stride simulate --record` or the "
                     "viewer wrote");
  }
  std::uint32_t version = 0;
  if (bytes.size() < kPreambleBytes || !ByteReader(bytes.substr(kMagic.size())).Take(&version)) {
    throw InputError(file_name, 0, "ends within its first bytes; nothing was recorded");
  }
  if (version < 1 || version > kRecordingVersion) {
    throw InputError(file_name, 0,
                     fmt::format("is a recording of version {}; this stride reads versions 1 to "
                                 "{}: open it with a stride as new as the one that wrote it",
                                 version, kRecordingVersion));
  }
  ChunkReader chunks(bytes, kPreambleBytes);
  const std::optional<Chunk> head = chunks.Next();
  if (!head || head->type != "HEAD") {
    throw InputError(file_name, 0,
                     "has no whole header: the recording was cut at its very start, or is damaged; "
                     "nothing can be read from it");
  }
  Recording recording;
  recording.version = static_cast<int>(version);
  recording.header =
      HeaderFromJson(ParseBoundedJson(head->payload, file_name), recording.version, file_name);
  Reader(&chunks, &recording).Read();
  return recording;
}

Recording ReadRecording(const std::string& path) {
  std::string bytes;
  try {
    bytes = ReadFile(path, kMaxRecordingFileBytes);
  } catch (const InputError& error) {
    const std::string part = path + kPartEnding;
    if (!std::ifstream(part)) throw;
    throw InputError(
        fmt::format("{}; '{}' is there, of a run that was stopped or still goes on: "
                    "open that",
                    error.what(), part));
  }
  return ParseRecording(bytes, path);
}

std::string EncodeRecording(const Recording& recording) {
  const RecordingHeader& header = recording.header;
  std::string bytes = RecordingPreamble() + EncodeHeader(header) + EncodeSources(header.sources);
  std::string frame_bytes;
  auto event = recording.events.begin();
  std::size_t actors = recording.header.world.actors.size();
  for (const RecordedFrame& frame : recording.frames) {
    for (; event != recording.events.end() &&
           (event->step <= frame.step || actors < frame.actors.size());
         ++event) {
      if (event->kind == kActorEvent) ++actors;
      bytes += EncodeEvent(*event);
    }
    EncodeFrame(frame, &frame_bytes);
    bytes += frame_bytes;
  }
  for (; event != recording.events.end(); ++event) bytes += EncodeEvent(*event);
  if (recording.complete) bytes += EncodeDone(recording.summary);
  return bytes;
}

bool NamesRecording(const std::string& path) {
  std::string magic(kMagic.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  if (file && file.read(magic.data(), static_cast<std::streamsize>(magic.size()))) {
    return magic == kMagic;
  }
  return FileExtension(path) == kRecordingEnding;
}

}  // namespace stride
