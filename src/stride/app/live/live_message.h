#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "stride/run/run.h"

// What the page may say to a live session (docs/viewer.md, Protocol): values, checked for form but
// not for whether they can be done.
namespace stride {

struct PauseMessage {
  bool on = false;
};
struct StepMessage {};
struct RateMessage {
  double value = 1;
};
struct RestartMessage {};
// A damped spring from a point of a body (its frame) to a point of the world.
struct DragMessage {
  int actor = 0, body = 0;
  Vec3d point, target;
};
struct ReleaseMessage {};
// Absent: stays as it is. An empty motion or skill: none.
struct SetupMessage {
  std::optional<std::string> character, engine, controller, motion, skill;
};
struct RecordMessage {
  bool on = false;
};
struct PlayMessage {
  std::string motion;
};
struct GoLiveMessage {};

// RunInput: push, throw, command, friction, slope and curve.
using LiveMessage =
    std::variant<PauseMessage, StepMessage, RateMessage, RestartMessage, RunInput, DragMessage,
                 ReleaseMessage, SetupMessage, RecordMessage, PlayMessage, GoLiveMessage>;

// The points of the largest surface fit.
inline constexpr std::size_t kMaxLiveMessageBytes = 8192;

// Strict. Throws InputError, to be shown to whoever sent it: too long, no JSON object, an unknown
// type, a missing, extra, repeated or wrongly typed key, a number that is not finite.
LiveMessage ParseLiveMessage(std::string_view text);

}  // namespace stride
