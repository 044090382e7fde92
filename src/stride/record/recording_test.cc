#include "stride/record/recording.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/core/chunk.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/json_node.h"
#include "stride/testing/input_error_of.h"
#include "stride/testing/test_recordings.h"

namespace stride {
namespace {

using Json = nlohmann::ordered_json;
using testing::AllOf;
using testing::HasSubstr;

std::string ParseError(const std::string& bytes) {
  return InputErrorOf([&] { ParseRecording(bytes, "run.stride"); });
}

std::string ChunkOf(std::string_view type, const std::string& payload) {
  std::string bytes;
  BeginChunk(type, &bytes);
  bytes += payload;
  EndChunk(&bytes);
  return bytes;
}

// Whether the first frames of `all` are those of `part`, and as many as `count`.
testing::AssertionResult IsPrefix(const Recording& part, const Recording& all, std::size_t count) {
  if (part.frames.size() != count) {
    return testing::AssertionFailure() << part.frames.size() << " frames, not " << count;
  }
  for (std::size_t f = 0; f < count; ++f) {
    if (!(part.frames[f] == all.frames[f])) return testing::AssertionFailure() << "frame " << f;
  }
  if (!(part.header == all.header)) return testing::AssertionFailure() << "header";
  return testing::AssertionSuccess();
}

TEST(Recording, RoundTripsBitForBit) {
  const Recording recording = SmallRecording();
  const std::string bytes = EncodeRecording(recording);
  EXPECT_TRUE(ParseRecording(bytes, "a") == recording);
  std::string joined;
  for (const Piece& piece : PiecesOf(recording)) joined += piece.bytes;
  EXPECT_EQ(bytes, joined);
}

TEST(Recording, FramesDifferByABit) {
  const Recording recording = SmallRecording();
  const auto differs = [&](const std::function<void(RecordedFrame*)>& change) {
    RecordedFrame frame = recording.frames[5];
    EXPECT_TRUE(frame == recording.frames[5]);
    change(&frame);
    return !(frame == recording.frames[5]);
  };
  EXPECT_TRUE(differs([](RecordedFrame* f) { f->actors[0].v[0] = 0.0; }));  // was -0
  EXPECT_TRUE(differs([](RecordedFrame* f) { f->actors[1].q[2] *= 1 + 1e-15; }));
  EXPECT_TRUE(differs([](RecordedFrame* f) { f->time += 1e-15; }));
  EXPECT_TRUE(differs([](RecordedFrame* f) { f->controls[0].target_q.clear(); }));
  EXPECT_TRUE(differs([](RecordedFrame* f) { f->contacts[0].force[1] = 2; }));
  EXPECT_TRUE(differs([](RecordedFrame* f) { f->controls[0].heading = 0; }));
  EXPECT_TRUE(differs([](RecordedFrame* f) { f->controls[0].channels[0] = 1; }));
  EXPECT_TRUE(differs([](RecordedFrame* f) { f->controls[0].style = 0; }));
  EXPECT_TRUE(differs([](RecordedFrame* f) { f->controls[0].torques[1] = 0; }));  // was -0
  EXPECT_TRUE(differs([](RecordedFrame* f) { f->controls.emplace_back(); }));
}

TEST(Recording, HoldsEveryCharacterExactly) {
  for (const CharacterInfo& info : BuiltInCharacters()) {
    Recording recording;
    recording.header.world.actors = {LoadCharacter(info.name)};
    RecordedFrame frame;
    frame.actors = {RestState(recording.header.world.actors[0])};
    recording.frames = {frame, frame};
    const Recording back = ParseRecording(EncodeRecording(recording), "a");
    EXPECT_TRUE(IsPrefix(back, recording, 2)) << info.name;
  }
}

// Every driven actor has a control of its own, of its own sizes; the ball beside them has none.
TEST(Recording, HoldsTheControlOfEveryDrivenActor) {
  Recording recording;
  RecordingHeader& header = recording.header;
  header.world.actors = {LoadCharacter("biped"), LoadCharacter("liu16"), MakeBall(0.1, 1)};
  header.controllers = {{.controller = "hold", .channels = {{"phase", "", 1}}},
                        {.controller = "passive",
                         .skill = "walk",
                         .channels = {{"foot", "m", 3}, {"load", "N", 1}},
                         .styles = {"calm"}}};
  RecordedFrame frame;
  for (const Character& actor : header.world.actors) frame.actors.push_back(RestState(actor));
  frame.controls.resize(2);
  frame.controls[0].target_q = frame.actors[0].q;
  frame.controls[0].channels = {0.5f};
  frame.controls[1].reference = frame.actors[1].q;
  frame.controls[1].torques.assign(frame.actors[1].v.size(), 2.5f);
  frame.controls[1].channels = {1, 2, 3, 4};
  frame.controls[1].speed = 1.25f;
  frame.controls[1].style = 3;
  recording.frames = {frame, frame};
  const Recording back = ParseRecording(EncodeRecording(recording), "a");
  EXPECT_TRUE(IsPrefix(back, recording, 2)) << back.damage;

  // A torque too many for the actor it is of.
  recording.frames[1].controls[1].torques.push_back(0);
  EXPECT_TRUE(IsPrefix(ParseRecording(EncodeRecording(recording), "a"), recording, 1));
  // More controllers than actors.
  const std::string bytes = EncodeHeader(header);
  Json json = Json::parse(bytes.substr(8, bytes.size() - 12));
  for (int i = 0; i < 2; ++i) json["controllers"].push_back(json["controllers"][0]);
  EXPECT_THAT(ParseError(RecordingPreamble() + ChunkOf("HEAD", json.dump())),
              HasSubstr("controllers"));
}

// What version 1 was, as docs/recordings.md described it: the header's own keys and the end of a
// frame hold the first actor's control.
std::string EncodeAsVersion1(const Recording& recording) {
  std::string bytes = "STRIDEREC";
  PutNumber(std::uint32_t{1}, &bytes);
  const std::string head = EncodeHeader(recording.header);
  Json json = Json::parse(head.substr(8, head.size() - 12));
  const Json driver = json["controllers"][0];
  json.erase("controllers");
  for (const char* key : {"controller", "motion", "channels", "styles", "graph"}) {
    json[key] = driver[key];
  }
  json["graph"].erase("node_channel");
  json["graph"].erase("down_channel");
  bytes += ChunkOf("HEAD", json.dump());
  for (const RecordedFrame& frame : recording.frames) {
    const RecordedControl& control = frame.controls[0];
    std::string payload;
    PutNumber(frame.step, &payload);
    PutNumber(frame.time, &payload);
    PutNumber(static_cast<std::uint16_t>(frame.actors.size()), &payload);
    for (const State& actor : frame.actors) {
      PutNumbers(actor.q.data(), actor.q.size(), &payload);
      PutNumbers(actor.v.data(), actor.v.size(), &payload);
    }
    const int flags = (control.target_q.empty() ? 0 : 1) + (control.reference.empty() ? 0 : 2);
    PutNumber(static_cast<std::uint8_t>(flags), &payload);
    PutNumbers(control.target_q.data(), control.target_q.size(), &payload);
    PutNumbers(control.reference.data(), control.reference.size(), &payload);
    PutNumber(static_cast<std::uint16_t>(frame.contacts.size()), &payload);
    for (const RecordedContact& contact : frame.contacts) {
      for (const int i : {contact.actor, contact.body, contact.other_actor, contact.other_body}) {
        PutNumber(static_cast<std::int16_t>(i), &payload);
      }
      PutNumbers(contact.position.data(), 3, &payload);
      PutNumbers(contact.force.data(), 3, &payload);
    }
    PutNumber(static_cast<std::uint16_t>(frame.forces.size()), &payload);
    for (const RecordedForce& force : frame.forces) {
      PutNumber(static_cast<std::int16_t>(force.actor), &payload);
      PutNumber(static_cast<std::int16_t>(force.body), &payload);
      PutNumbers(force.position.data(), 3, &payload);
      PutNumbers(force.force.data(), 3, &payload);
    }
    PutNumber(control.speed, &payload);
    PutNumber(control.heading, &payload);
    PutNumber(static_cast<std::int16_t>(control.style), &payload);
    PutNumbers(control.channels.data(), control.channels.size(), &payload);
    bytes += ChunkOf("FRAM", payload);
  }
  return bytes + EncodeDone(recording.summary);
}

TEST(Recording, ReadsVersion1) {
  Recording expected = SmallRecording();
  expected.header.controllers[0].channels[0] = {"node", "", 1};
  expected.frames.resize(4);  // before the box joins
  expected.events.clear();
  const std::string bytes = EncodeAsVersion1(expected);
  expected.version = 1;
  expected.header.controllers[0].skill.clear();
  expected.header.controllers[0].channels[0].unit = kNodeUnit;
  expected.header.controllers[0].graph.node_channel = "node";
  expected.header.controllers[0].graph.down_channel = "lying";
  for (RecordedFrame& frame : expected.frames) frame.controls[0].torques.clear();
  const Recording read = ParseRecording(bytes, "old.stride");
  EXPECT_TRUE(read == expected) << read.damage;
  // It knew no torques.
  std::string torques = bytes;
  const std::size_t frame = torques.find("FRAM"), flags = frame + 8 + 14 + 8 * 13;
  std::string payload = torques.substr(frame + 8, flags + 1 - frame - 8);
  payload.back() = 4;
  EXPECT_TRUE(ParseRecording(torques.substr(0, frame) + ChunkOf("FRAM", payload), "a")
                  .damage.find("does not fit") != std::string::npos);
  // Written again, it is of the present version.
  const Recording again = ParseRecording(EncodeRecording(read), "new.stride");
  EXPECT_EQ(again.version, kRecordingVersion);
  EXPECT_TRUE(again.header == read.header && again.frames == read.frames);
}

TEST(Recording, HoldsWhatItWasMadeFrom) {
  Recording recording = SmallRecording();
  recording.header.sources = {{"skill", "walk.skill", "", "{\"a\":\n1}\n"},
                              {"motion", "a \"b\".bvh", "liu16", ""}};
  const std::string bytes = EncodeRecording(recording);
  EXPECT_TRUE(ParseRecording(bytes, "run.stride") == recording);
  // A piece that is none ends the recording like any other damage.
  const auto with = [&](const std::string& payload) {
    std::string chunk;
    BeginChunk("FROM", &chunk);
    chunk += payload;
    EndChunk(&chunk);
    return RecordingPreamble() + EncodeHeader(recording.header) + chunk;
  };
  for (const std::string payload :
       {"", "{}", "{}\nx", "{\"kind\":1,\"name\":\"\",\"of\":\"\"}\nx"}) {
    EXPECT_THAT(ParseRecording(with(payload), "run.stride").damage, HasSubstr("damaged"));
  }
}

TEST(Recording, KnowsActorsThatJoined) {
  const std::vector<Character> actors = ActorsOf(SmallRecording());
  ASSERT_EQ(actors.size(), 2u);
  EXPECT_TRUE(actors[0] == MakeBall(0.1, 2.0 / 3));
  EXPECT_TRUE(actors[1] == MakeBox({0.1, 0.2, 0.3}, 1.1));
}

TEST(Recording, CutAtEveryByteOpensUpToTheLastWholeFrame) {
  const Recording recording = SmallRecording();
  const std::vector<Piece> pieces = PiecesOf(recording);
  const std::string bytes = EncodeRecording(recording);
  const std::size_t header_end = pieces[0].bytes.size() + pieces[1].bytes.size();
  for (std::size_t n = 0; n <= bytes.size(); ++n) {
    const std::string cut = bytes.substr(0, n);
    if (n < header_end) {
      EXPECT_THROW(ParseRecording(cut, "a"), InputError) << n;
      continue;
    }
    std::size_t end = 0, frames = 0, events = 0;
    for (const Piece& piece : pieces) {
      end += piece.bytes.size();
      if (end > n) break;
      frames += piece.type == "FRAM";
      events += piece.type == "EVNT";
    }
    const Recording part = ParseRecording(cut, "a");
    ASSERT_TRUE(IsPrefix(part, recording, frames)) << n;
    EXPECT_EQ(part.events.size(), events) << n;
    EXPECT_EQ(part.complete, n == bytes.size()) << n;
    EXPECT_EQ(part.damage.empty(), part.complete) << n;
    EXPECT_EQ(part.summary.is_null(), !part.complete) << n;
  }
}

TEST(Recording, DamagedAtAnyByteOpensUpToTheLastGoodPiece) {
  const Recording recording = SmallRecording();
  const std::vector<Piece> pieces = PiecesOf(recording);
  std::string bytes = EncodeRecording(recording);
  std::size_t begin = 0, frames = 0;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const std::size_t end = begin + pieces[p].bytes.size();
    for (std::size_t i = begin; i < end; ++i) {
      for (const char flip : {'\x01', '\x80', '\xff'}) {
        bytes[i] = static_cast<char>(bytes[i] ^ flip);
        if (p < 2) {
          EXPECT_THROW(ParseRecording(bytes, "a"), InputError) << i;
        } else {
          const Recording part = ParseRecording(bytes, "a");
          ASSERT_TRUE(IsPrefix(part, recording, frames)) << i;
          EXPECT_FALSE(part.complete) << i;
          // A length that became too large looks like a cut.
          EXPECT_THAT(part.damage, HasSubstr(std::to_string(begin))) << i;
        }
        bytes[i] = static_cast<char>(bytes[i] ^ flip);
      }
    }
    frames += pieces[p].type == "FRAM";
    begin = end;
  }
}

TEST(Recording, SaysWhatIsWrongWithAFile) {
  const std::string good = EncodeRecording(SmallRecording());
  EXPECT_THAT(ParseError(""), AllOf(HasSubstr("run.stride"), HasSubstr("not a recording")));
  EXPECT_THAT(ParseError("HIERARCHY\nROOT hips"), HasSubstr("not a recording"));
  EXPECT_THAT(ParseError("STRIDE"), HasSubstr("first bytes"));
  EXPECT_THAT(ParseError(good.substr(0, 100)), HasSubstr("no whole header"));
  std::string newer = good;
  newer[9] = 7;
  EXPECT_THAT(ParseError(newer), AllOf(HasSubstr("version 7"), HasSubstr("reads versions 1 to 2")));
  EXPECT_THAT(ParseError(RecordingPreamble() + ChunkOf("EVNT", "{}")), HasSubstr("header"));
  EXPECT_THAT(ParseError(RecordingPreamble() + ChunkOf("HEAD", "{\"title\": 3}")),
              HasSubstr("title is 3; expected a text"));
  EXPECT_THAT(InputErrorOf([] { ReadRecording("/nowhere/run.stride"); }),
              HasSubstr("cannot be read"));
}

TEST(Recording, AHeaderNeedsNoGraphButAGoodOne) {
  RecordingHeader header = SmallRecording().header;
  const auto error_with = [](std::string json, const std::string& from, const std::string& to) {
    const std::size_t at = json.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return ParseError(RecordingPreamble() + ChunkOf("HEAD", json.replace(at, from.size(), to)));
  };
  const std::string bytes = EncodeHeader(header);
  const std::string json = bytes.substr(8, bytes.size() - 12);
  EXPECT_THAT(error_with(json, "\"from\":1", "\"from\":2"),
              HasSubstr("graph.links[0].from is 2; expected a whole number, 0 to 1"));
  EXPECT_THAT(error_with(json, "\"style\":1", "\"style\":2"), HasSubstr("graph.nodes[0].style"));
  EXPECT_THAT(error_with(json, "\"robustness\":0.5", "\"robustness\":1.5"),
              HasSubstr("graph.links[0].robustness is 1.5; expected 0 to 1, or null"));
  // As recordings were before there were graphs.
  header.controllers[0].graph = {};
  const std::string without = EncodeHeader(header);
  EXPECT_EQ(without.find("\"graph\""), std::string::npos);
  EXPECT_TRUE(ParseRecording(RecordingPreamble() + without, "a").header == header);
}

TEST(Recording, AHeaderBeyondAllBoundsIsRefused) {
  const std::string preamble = RecordingPreamble();
  EXPECT_THAT(ParseError(preamble + ChunkOf("HEAD", std::string(kMaxJsonBytes + 1, ' '))),
              HasSubstr("at most"));
  // A length that the file does not have asks for no memory.
  EXPECT_THAT(ParseError(preamble + "HEAD\xff\xff\xff\xff{}"), HasSubstr("no whole header"));

  // What could not be read back is not written either.
  RecordingHeader header = SmallRecording().header;
  Terrain& terrain = header.world.terrain;
  terrain.kind = Terrain::Kind::kHeightField;
  terrain.nx = terrain.ny = 1024;
  terrain.heights.assign(1024 * 1024, 0.1234567890123456);
  EXPECT_THAT(InputErrorOf([&] { EncodeHeader(header); }), HasSubstr("fewer points"));
}

TEST(Recording, AHeaderMustHoldAWorld) {
  const std::string preamble = RecordingPreamble();
  const std::string header = EncodeHeader(SmallRecording().header);
  const std::string json = header.substr(8, header.size() - 12);
  EXPECT_EQ(ParseRecording(preamble + ChunkOf("HEAD", json), "a").frames.size(), 0u);
  const auto error_with = [&](const std::string& from, const std::string& to) {
    std::string changed = json;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return ParseError(preamble + ChunkOf("HEAD", changed.replace(at, from.size(), to)));
  };
  EXPECT_THAT(error_with("\"actors\":[{", "\"actors\":[3,{"), HasSubstr("world.actors[0]"));
  EXPECT_THAT(error_with("\"kind\":\"free\"", "\"kind\":\"rope\""),
              HasSubstr("world.actors[0].bodies[0].joint.kind is \"rope\"; expected one of: free"));
  EXPECT_THAT(error_with("\"mass\":0.6666666666666666", "\"mass\":-1"), HasSubstr("mass"));
  EXPECT_THAT(error_with("\"time_step\":0.005", "\"time_step\":0"), HasSubstr("time_step"));
  EXPECT_THAT(error_with("\"gravity\":9.81,", ""), HasSubstr("no \"world.gravity\""));
  EXPECT_THAT(error_with("\"values\":3", "\"values\":2"), HasSubstr("channels[1].values"));
  EXPECT_THAT(error_with("\"values\":1", "\"values\":1e99"), HasSubstr("channels[0].values"));
  EXPECT_THAT(error_with("\"seed\":18446744073709551615", "\"seed\":-1"), HasSubstr("seed"));
  EXPECT_THAT(error_with("\"slope\":0.0", "\"slope\":2"), HasSubstr("slope"));
  EXPECT_THAT(error_with("\"parent\":-1", "\"parent\":-2"), HasSubstr("parent"));
  EXPECT_THAT(error_with("\"radius\":", "\"radius\":1e999,\"x\":"), HasSubstr("JSON"));
  EXPECT_THAT(error_with("\"x0\":0.0", "\"x0\":null"), HasSubstr("x0 is null"));
}

// Whole chunks with good checksums, but made up.
TEST(Recording, HostileChunksEndTheRecording) {
  const Recording recording = SmallRecording();
  std::vector<Piece> pieces = PiecesOf(recording);
  const std::string start =
      pieces[0].bytes + pieces[1].bytes + pieces[2].bytes;  // the first frame is whole
  const auto damage_of = [&](const std::string& chunk) {
    const Recording part = ParseRecording(start + chunk + EncodeDone(nullptr), "a");
    EXPECT_TRUE(IsPrefix(part, recording, 1));
    EXPECT_FALSE(part.complete);
    return part.damage;
  };
  RecordedFrame frame = recording.frames[0];
  std::string bytes;
  EncodeFrame(frame, &bytes);
  const std::string payload = bytes.substr(8, bytes.size() - 12);
  ASSERT_EQ(ParseRecording(start + ChunkOf("FRAM", payload), "a").frames.size(), 2u);

  const auto with = [&](std::size_t at, std::uint16_t value) {
    std::string changed = payload;
    std::memcpy(changed.data() + at, &value, sizeof value);
    return ChunkOf("FRAM", changed);
  };
  // Of the control: flags, speed and heading, style, ten channels.
  const std::size_t actors = 12, flags = 14 + 8 * 13, contacts = flags + 1 + 8 + 2 + 40;
  EXPECT_THAT(damage_of(with(actors, 0)), HasSubstr("does not fit"));
  EXPECT_THAT(damage_of(with(actors, 2)), HasSubstr("does not fit"));
  EXPECT_THAT(damage_of(with(actors, 0xffff)), HasSubstr("does not fit"));
  EXPECT_THAT(damage_of(with(contacts, 0xffff)), HasSubstr("does not fit"));
  EXPECT_THAT(damage_of(with(contacts + 2, 0xffff)), HasSubstr("does not fit"));
  EXPECT_THAT(damage_of(with(flags, 0x00ff)), HasSubstr("does not fit"));
  EXPECT_THAT(damage_of(with(flags, 8)), HasSubstr("does not fit"));
  EXPECT_THAT(damage_of(ChunkOf("FRAM", "")), HasSubstr("does not fit"));
  EXPECT_THAT(damage_of(ChunkOf("FRAM", payload + "x")), HasSubstr("does not fit"));
  const auto changed_frame = [&](const std::function<void(RecordedFrame*)>& change) {
    RecordedFrame changed = frame;
    change(&changed);
    EncodeFrame(changed, &bytes);
    return damage_of(bytes);
  };
  EXPECT_THAT(changed_frame([](RecordedFrame* f) { f->contacts = {{1, 0}}; }), HasSubstr("fit"));
  EXPECT_THAT(changed_frame([](RecordedFrame* f) { f->contacts = {{0, 1}}; }), HasSubstr("fit"));
  EXPECT_THAT(changed_frame([](RecordedFrame* f) { f->contacts = {{-1, 0}}; }), HasSubstr("fit"));
  EXPECT_THAT(changed_frame([](RecordedFrame* f) {
                f->contacts = {{0, 0, 3, 0}};
              }),
              HasSubstr("fit"));
  EXPECT_THAT(changed_frame([](RecordedFrame* f) { f->forces = {{0, -1}}; }), HasSubstr("fit"));
  EXPECT_THAT(changed_frame([](RecordedFrame* f) { f->controls.clear(); }), HasSubstr("fit"));
  EXPECT_THAT(changed_frame([](RecordedFrame* f) { f->controls[0].torques = {1}; }),
              HasSubstr("fit"));
  EXPECT_THAT(changed_frame([](RecordedFrame* f) { f->time = NAN; }), HasSubstr("time"));
  EXPECT_THAT(changed_frame([](RecordedFrame* f) { f->time = -1; }), HasSubstr("time"));

  EXPECT_THAT(damage_of(pieces[1].bytes), HasSubstr("second header"));
  EXPECT_THAT(damage_of(ChunkOf("EVNT", "{")), HasSubstr("JSON"));
  EXPECT_THAT(damage_of(ChunkOf("EVNT", "{\"step\":-1}")), HasSubstr("step"));
  EXPECT_THAT(damage_of(EncodeEvent({0, 0, kActorEvent})), HasSubstr("character"));
  EXPECT_THAT(damage_of(ChunkOf("DONE", "\xff")), HasSubstr("JSON"));
  EXPECT_THAT(damage_of(ChunkOf("DONE", std::string(1 << 20, '['))), HasSubstr("deeper"));
  std::string wide = "{\"0\":0";
  for (int i = 1; i < 300000; ++i) wide += ",\"" + std::to_string(i) + "\":0";
  EXPECT_THAT(damage_of(ChunkOf("DONE", wide + "}")), HasSubstr("keys"));
}

TEST(Recording, ChunksOfUnknownTypeAreSkipped) {
  const Recording recording = SmallRecording();
  std::string bytes;
  for (const Piece& piece : PiecesOf(recording)) {
    if (piece.type == "FRAM") bytes += ChunkOf("NEWS", "of a later version");
    bytes += piece.bytes;
  }
  EXPECT_TRUE(ParseRecording(bytes, "a") == recording);
}

TEST(Recording, TextThatIsNotUtf8IsReplaced) {
  Recording recording = SmallRecording();
  recording.header.controllers[0].motion = "caf\xe9.bvh";
  EXPECT_THAT(ParseRecording(EncodeRecording(recording), "a").header.controllers[0].motion,
              HasSubstr("caf"));
}

TEST(Recording, IsToldByContentElseByEnding) {
  const std::string path = testing::TempDir() + "stride_recording_test.dat";
  WriteFileWhole(path, EncodeRecording(SmallRecording()));
  EXPECT_TRUE(NamesRecording(path));
  WriteFileWhole(path, "HIERARCHY\nROOT hips");
  EXPECT_FALSE(NamesRecording(path));
  EXPECT_TRUE(NamesRecording("missing.stride"));
  EXPECT_FALSE(NamesRecording("missing.bvh"));
  EXPECT_FALSE(NamesRecording("walk"));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace stride
