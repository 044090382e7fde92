#include "stride/controllers/control_graph/checkpoint.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/controllers/control_graph/graph_learner.h"
#include "stride/core/error.h"
#include "stride/motion/library.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using testing::AllOf;
using testing::HasSubstr;

LearnOptions Small() {
  LearnOptions o;
  o.chains = 2;
  o.first_samples = 64;
  o.first_cycles = 3;
  o.guided_samples = 32;
  o.guided_pairs = 40;
  o.guided_iterations = 1;
  o.evolve_iterations = 3;
  o.evolve_pairs = 16;
  o.evolve_seconds = 1;
  o.evolve_average = 1;
  return o;
}

ControlGraph Clip(const std::string& motion, const Character& character, double speed = 1) {
  Motion clip = LoadMotion(motion, character);
  clip.fps *= speed;
  return MakeControlGraph(clip, character, {}, 0.005);
}

// With one chunk changed, and its checksum right again.
std::string Altered(const std::string& bytes, std::string_view type,
                    const std::function<void(std::string*)>& alter) {
  std::string out;
  ChunkReader chunks(bytes, 0);
  bool found = false;
  while (const std::optional<Chunk> chunk = chunks.Next()) {
    std::string payload(chunk->payload);
    if (chunk->type == type) alter(&payload), found = true;
    AppendChunk(
        chunk->type, [&](std::string* to) { *to += payload; }, &out);
  }
  EXPECT_TRUE(found) << type;
  return out;
}
std::string WithHead(const std::string& bytes, std::string_view type,
                     const std::function<void(nlohmann::ordered_json*)>& alter) {
  return Altered(bytes, type, [&](std::string* payload) {
    nlohmann::ordered_json head = nlohmann::ordered_json::parse(*payload);
    alter(&head);
    *payload = head.dump();
  });
}

class CheckpointTest : public testing::Test {
 protected:
  // In the middle of the evolution: all there is to write down.
  static const std::string& Written() {
    static const std::string bytes = [] {
      const Workers workers(2);
      Learner learner(Clip("walk", LoadCharacter("liu16")), Small(), 4, workers);
      while (learner.Known().phase != LearnPhase::kEvolve || learner.Known().iteration < 2) {
        learner.Advance();
      }
      EXPECT_FALSE(learner.Known().pool_fragment.empty());
      EXPECT_FALSE(learner.Known().average.empty());
      return learner.Checkpoint();
    }();
    return bytes;
  }
  static std::string Refusal(const std::string& bytes, Learner* learner) {
    return InputErrorOf([&] { learner->Restore(bytes, "a.checkpoint"); });
  }

  Character body_ = LoadCharacter("liu16");
  ControlGraph walk_ = Clip("walk", body_);
  Workers workers_{2};
  Learner learner_{walk_, Small(), 4, workers_};
};

TEST_F(CheckpointTest, IsReadAndWrittenAgain) {
  learner_.Restore(Written(), "a.checkpoint");
  EXPECT_EQ(learner_.Checkpoint(), Written());
}

TEST_F(CheckpointTest, OfAnotherRunIsRefusedWithTheDifference) {
  const auto refusal = [&](const ControlGraph& graph, const LearnOptions& options, int seed) {
    Learner other(graph, options, seed, workers_);
    return Refusal(Written(), &other);
  };
  EXPECT_THAT(refusal(walk_, Small(), 5), AllOf(HasSubstr("a.checkpoint"), HasSubstr("seed 4"),
                                                HasSubstr("has 5"), HasSubstr("--resume")));
  LearnOptions options = Small();
  options.variation.friction = 1.25;
  // From another skill.
  Learner from(walk_, Small(), 4, workers_, {.hash = "another"});
  EXPECT_THAT(Refusal(Written(), &from), HasSubstr("another motion named 'walk'"));
  EXPECT_THAT(refusal(walk_, options, 4),
              AllOf(HasSubstr("'vary_friction'"), HasSubstr("1.6"), HasSubstr("1.25")));
  EXPECT_THAT(refusal(Clip("run", body_), Small(), 4),
              HasSubstr("is of the motion 'walk', this run is of the motion 'run'"));
  EXPECT_THAT(refusal(Clip("walk", body_, 0.9), Small(), 4),
              HasSubstr("another motion named 'walk'"));
  Character heavier = body_;
  heavier.bodies.back().mass += 0.1;
  EXPECT_THAT(refusal(Clip("walk", heavier), Small(), 4), HasSubstr("another body named 'liu16'"));
  Character renamed = body_;
  renamed.name = "somebody";
  EXPECT_THAT(refusal(Clip("walk", renamed), Small(), 4),
              HasSubstr("is of the character 'liu16', this run is of 'somebody'"));
}

TEST_F(CheckpointTest, OfAnotherInstructionSetIsRefusedWithBoth) {
  const std::string mine = learner_.InstructionSet();
  const std::string other = WithHead(Written(), "LRNR", [](nlohmann::ordered_json* head) {
    (*head)["run"]["instruction_set"] = "mmx";
  });
  EXPECT_THAT(Refusal(other, &learner_),
              AllOf(HasSubstr("'mmx'"), HasSubstr("'" + mine + "'"), HasSubstr("lanes")));
  for (const std::string& set : Batch::InstructionSets()) {
    Learner there(walk_, Small(), 4, workers_, {}, set);
    EXPECT_EQ(Refusal(Written(), &there).empty(), set == mine) << set;
  }
}

TEST_F(CheckpointTest, OfAnotherVersionIsRefused) {
  EXPECT_THAT(Refusal("{\"stride_checkpoint\":4,\"motion\":\"walk\"}\n....", &learner_),
              HasSubstr("older version"));
  EXPECT_THAT(Refusal("{\"stride_graph_checkpoint\":1}\n", &learner_), HasSubstr("older version"));
  const std::string newer =
      WithHead(Written(), "LRNR", [](nlohmann::ordered_json* head) { (*head)["version"] = 99; });
  EXPECT_THAT(Refusal(newer, &learner_), HasSubstr("version 99"));
  EXPECT_THAT(Refusal("", &learner_), HasSubstr("cut short"));
  EXPECT_THAT(Refusal("no checkpoint at all, but a text of some length", &learner_),
              HasSubstr("no checkpoint"));
}

TEST_F(CheckpointTest, DamageIsFoundByTheChecksum) {
  Random random(1);
  const int size = static_cast<int>(Written().size());
  for (int k = 0; k < 50; ++k) {
    std::string damaged = Written();
    damaged[random.Index(size)] ^= 1 << random.Index(8);
    EXPECT_NE(Refusal(damaged, &learner_), "");
    EXPECT_NE(Refusal(Written().substr(0, random.Index(size)), &learner_), "");
  }
}

// Nothing that a run cannot write is taken, whatever the checksum says; nothing of it is taken
// then.
TEST_F(CheckpointTest, WhatNoRunWritesIsRefusedUnderARightChecksum) {
  const Policies before = learner_.Known().policies;
  const auto refuse_head = [&](const char* key, const nlohmann::ordered_json& value) {
    const std::string altered =
        WithHead(Written(), "LRNR", [&](nlohmann::ordered_json* head) { (*head)[key] = value; });
    EXPECT_NE(Refusal(altered, &learner_), "") << key << " " << value;
  };
  for (const char* key : {"phase", "iteration", "samples", "stale"}) {
    refuse_head(key, -1);
    refuse_head(key, 2000000000);
    refuse_head(key, 1e300);
    refuse_head(key, "three");
  }
  for (const char* key : {"first_sigma", "disturbance", "best_seconds", "push", "sigma"}) {
    refuse_head(key, -2);
    refuse_head(key, 1e12);
    refuse_head(key, nullptr);
  }
  for (const int phase : {0, 1, 3}) refuse_head("phase", phase);  // of other contents
  refuse_head("best", false);
  refuse_head("direction_falls", {1.0, 1.0});
  refuse_head("direction_falls", nlohmann::ordered_json::array());
  refuse_head("direction_falls", std::vector<double>(8, 0.0));
  refuse_head("start_falls", std::vector<double>(1000, 1.0));
  refuse_head("history", 3);
  refuse_head("run", 3);
  const nlohmann::ordered_json head = [&] {
    ChunkReader chunks(Written(), 0);
    return nlohmann::ordered_json::parse(chunks.Next()->payload);
  }();
  for (const auto& [key, value] : head.items()) {
    const std::string& name = key;
    EXPECT_NE(Refusal(WithHead(Written(), "LRNR",
                               [&](nlohmann::ordered_json* json) { json->erase(name); }),
                      &learner_),
              "")
        << name;
  }

  const auto refuse = [&](const char* type, const char* why,
                          const std::function<void(std::string*)>& alter) {
    EXPECT_THAT(Refusal(Altered(Written(), type, alter), &learner_), HasSubstr(why)) << type;
  };
  const auto put = [](std::string* payload, std::size_t at, auto value) {
    std::memcpy(payload->data() + at, &value, sizeof value);
  };
  constexpr float kNot = std::numeric_limits<float>::quiet_NaN();
  for (const char* type : {"POLI", "BORD", "POOL", "EVOL", "ENTR"}) {
    refuse(type, "damaged", [](std::string* payload) { *payload += "1234"; });
  }
  for (const char* type : {"POLI", "BORD", "POOL", "EVOL"}) {
    refuse(type, "damaged", [](std::string* payload) { payload->resize(payload->size() - 4); });
    refuse(type, "not finite",
           [&](std::string* payload) { put(payload, payload->size() - 4, kNot); });
  }
  for (const int fragment : {-1, walk_.Fragments(), 1 << 30}) {
    refuse("POOL", "another graph", [&](std::string* payload) { put(payload, 0, fragment); });
  }
  EXPECT_EQ(learner_.Known().policies, before);
  EXPECT_EQ(learner_.Known().phase, LearnPhase::kOpenLoop);
}

// Any change at all: read, or refused; what was read can go on.
TEST_F(CheckpointTest, NoAlterationCrashes) {
  Random random(2);
  int read = 0;
  for (int k = 0; k < 300; ++k) {
    const char* type = std::array{"LRNR", "POLI", "BORD", "POOL", "EVOL", "ENTR"}[k % 6];
    const std::string altered = Altered(Written(), type, [&](std::string* payload) {
      if (payload->empty()) return;
      for (int n = 0; n < 3; ++n) {
        (*payload)[random.Index(static_cast<int>(payload->size()))] =
            static_cast<char>(random.Index(256));
      }
    });
    if (!Refusal(altered, &learner_).empty()) continue;
    if (++read % 40 == 0) learner_.Advance();
  }
  EXPECT_GT(read, 40);
}

TEST(GraphCheckpointTest, IsComparedAndChecked) {
  const Workers workers(1);
  const Character body = LoadCharacter("liu16");
  const ControlGraph walk = Clip("walk", body);
  GraphLearnOptions options;
  options.stage = Small();
  GraphLearner learner(walk, options, 4, workers);
  const std::string written = learner.Checkpoint();
  const auto refusal = [&](const std::string& bytes, GraphLearner* to) {
    return InputErrorOf([&] { to->Restore(bytes, "a.checkpoint"); });
  };
  EXPECT_EQ(refusal(written, &learner), "");
  EXPECT_EQ(learner.Checkpoint(), written);
  for (const int stage : {-1, 1, 2, 3, 1000000}) {
    const std::string altered =
        WithHead(written, "GRPH", [&](nlohmann::ordered_json* head) { (*head)["stage"] = stage; });
    EXPECT_NE(refusal(altered, &learner), "") << stage;
  }
  GraphLearner again(walk, options, 4, workers);
  for (const char* type : {"GRPH", "STAG"}) {
    const std::string cut =
        Altered(written, type, [](std::string* payload) { payload->resize(9); });
    EXPECT_NE(refusal(cut, &again), "") << type;
  }
  options.whole_pairs = 64;
  GraphLearner other(walk, options, 4, workers);
  EXPECT_THAT(refusal(written, &other),
              AllOf(HasSubstr("'whole_pairs'"), HasSubstr("2048"), HasSubstr("64")));
  GraphLearner run(Clip("run", body), options, 4, workers);
  EXPECT_THAT(refusal(written, &run),
              HasSubstr("is of the motion 'walk', this run is of the motion 'run'"));
  // A clip's own checkpoint is none of a graph.
  Learner alone(walk, Small(), 4, workers);
  EXPECT_THAT(refusal(alone.Checkpoint(), &learner), HasSubstr("kind of run"));
}

}  // namespace
}  // namespace stride
