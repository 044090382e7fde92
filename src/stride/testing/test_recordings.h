#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "stride/record/recording.h"
#include "stride/record/world_json.h"
#include "stride/sim/world.h"

// What the tests of recordings share.
namespace stride {

// A ball with everything a recording can hold: numbers of all kinds, an actor that joins, events.
inline Recording SmallRecording() {
  Recording recording;
  RecordingHeader& header = recording.header;
  header.title = "a \"small\" run, ä";
  header.engine = "native";
  header.seed = 0xffffffffffffffffu;
  header.world.actors = {MakeBall(0.1, 2.0 / 3)};
  header.world.friction = 0.1 + 0.2;
  header.frame_interval = 1.0 / 60;
  header.controllers = {{.controller = "hold",
                         .motion = "walk",
                         .skill = "stride",
                         .channels = {{"phase", "", 1}, {"foot", "m", 3}, {"pendulum", "m", 6}},
                         .styles = {"calm", "brisk"},
                         .graph = {.nodes = {{"stand", 1, 1.0 / 3}, {"rise \"<b>", 0, -1}},
                                   .links = {{1, 0, 0.5}},
                                   .node_channel = "phase"}}};
  header.version = "0.1.0";
  header.setup = {{"zebra", 1}, {"apple", {1.5, nullptr, "x"}}};

  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const auto fill = [&](int count, std::vector<double>* values) {
    values->resize(count);
    for (double& value : *values) value = normal(random);
  };
  for (int f = 0; f < 6; ++f) {
    RecordedFrame frame;
    frame.step = f * 3;
    frame.time = f / 60.0;
    frame.actors.resize(f < 4 ? 1 : 2);
    for (State& actor : frame.actors) {
      fill(7, &actor.q);
      fill(6, &actor.v);
    }
    frame.actors[0].v[0] = -0.0;
    frame.actors[0].v[1] = std::numeric_limits<double>::denorm_min();
    RecordedControl& control = frame.controls.emplace_back();
    if (f % 2 == 1) fill(7, &control.target_q);
    if (f % 3 == 1) fill(7, &control.reference);
    for (int c = 0; c < f % 3; ++c) {
      frame.contacts.push_back({0, 0, -1, -1, {0.1f, 0.2f, 0.3f}, {0, 1, static_cast<float>(f)}});
    }
    if (f == 5) frame.contacts.push_back({1, 0, 0, 0, {1, 2, 3}, {4, 5, 6}});
    if (f == 2) frame.forces.push_back({0, 0, {0, 0, 1}, {60, 0, 0}});
    if (f != 3) control.speed = 1.25f;
    control.style = f - 2;
    for (int i = 0; i < 10; ++i) control.channels.push_back(i == f ? NAN : static_cast<float>(i));
    if (f > 0) control.torques = {0, -0.0f, 1.5f, NAN, 1e-30f, static_cast<float>(f)};
    recording.frames.push_back(std::move(frame));
  }
  recording.events = {
      {3, 1 / 60.0, "push", {{"force", {60.0, 0.0, 0.0}}, {"input", {{"kind", "push"}}}}},
      {12, 4 / 60.0, kActorEvent, {{"character", ToJson(MakeBox({0.1, 0.2, 0.3}, 1.1))}}},
      {15, 5 / 60.0, "fall", nlohmann::ordered_json::object()}};
  recording.summary = {{"fell", true}, {"seconds", 0.1}};
  recording.complete = true;
  return recording;
}

// Its pieces, as they follow each other in the file; "" for the preamble.
struct Piece {
  std::string type, bytes;
};
inline std::vector<Piece> PiecesOf(const Recording& recording) {
  std::vector<Piece> pieces = {{"", RecordingPreamble()}, {"HEAD", EncodeHeader(recording.header)}};
  auto event = recording.events.begin();
  for (const RecordedFrame& frame : recording.frames) {
    for (; event != recording.events.end() && event->step <= frame.step; ++event) {
      pieces.push_back({"EVNT", EncodeEvent(*event)});
    }
    std::string bytes;
    EncodeFrame(frame, &bytes);
    pieces.push_back({"FRAM", bytes});
  }
  pieces.push_back({"DONE", EncodeDone(recording.summary)});
  return pieces;
}

}  // namespace stride
