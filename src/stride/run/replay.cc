#include <algorithm>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/run/run.h"
#include "stride/run/run_frame.h"
#include "stride/sim/batch.h"

namespace stride {
namespace {

template <class Number>
std::string ValuesDiffer(const char* name, const std::vector<Number>& now,
                         const std::vector<Number>& recorded) {
  if (now.size() != recorded.size()) {
    return fmt::format("{} has {} numbers, recorded were {}", name, now.size(), recorded.size());
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] == recorded[i]) continue;
    return fmt::format("{}[{}] is {}, recorded was {}", name, i, now[i], recorded[i]);
  }
  return "";
}

std::string ControlDifference(const RecordedControl& now, const RecordedControl& recorded) {
  if (now == recorded) return "";
  std::string difference = ValuesDiffer("target_q", now.target_q, recorded.target_q);
  if (difference.empty()) difference = ValuesDiffer("reference", now.reference, recorded.reference);
  if (difference.empty()) difference = ValuesDiffer("torques", now.torques, recorded.torques);
  return difference.empty() ? "command or channels" : difference;
}

std::string FrameDifference(const RecordedFrame& now, const RecordedFrame& recorded) {
  if (now == recorded) return "";
  if (now.actors.size() != recorded.actors.size()) {
    return fmt::format("{} actors, recorded were {}", now.actors.size(), recorded.actors.size());
  }
  if (now.controls.size() != recorded.controls.size()) {
    return fmt::format("{} driven actors, recorded were {}", now.controls.size(),
                       recorded.controls.size());
  }
  std::string difference;
  for (std::size_t k = 0; k < now.actors.size() && difference.empty(); ++k) {
    difference = ValuesDiffer("q", now.actors[k].q, recorded.actors[k].q);
    if (difference.empty()) difference = ValuesDiffer("v", now.actors[k].v, recorded.actors[k].v);
    if (!difference.empty()) difference = fmt::format("actor {}: {}", k, difference);
  }
  for (std::size_t k = 0; k < now.controls.size() && difference.empty(); ++k) {
    difference = ControlDifference(now.controls[k], recorded.controls[k]);
    if (!difference.empty()) difference = fmt::format("actor {}: {}", k, difference);
  }
  if (difference.empty() && now.contacts != recorded.contacts) difference = "contacts";
  if (difference.empty() && now.forces != recorded.forces) difference = "forces";
  return difference.empty() ? "time" : difference;
}

// Leaves of `now` what the recording could hold: version 1 knew the first actor's control only, and
// no torques.
void TakeWhatIsKnown(const Recording& recording, RecordedFrame* now) {
  now->controls.resize(std::min(now->controls.size(), recording.header.controllers.size()));
  if (recording.version > 1) return;
  for (RecordedControl& control : now->controls) control.torques.clear();
}

// What the clock measured is not repeated.
void TakeWallClock(const RecordedController& driver, const RecordedControl& recorded,
                   RecordedControl* now) {
  if (now->channels.size() != recorded.channels.size()) return;
  std::size_t at = 0;
  for (const RecordedChannel& channel : driver.channels) {
    for (int k = 0; k < channel.values && at < now->channels.size(); ++k, ++at) {
      if (channel.unit == kWallClock) now->channels[at] = recorded.channels[at];
    }
  }
}

// What else is not as it was: a reason, where a run differs.
std::string Circumstances(const RecordingHeader& header) {
  std::string text;
  const auto set = header.setup.find(kInstructionSet);
  const std::string lanes = Batch::ChosenInstructionSet();
  if (set != header.setup.end() && set->is_string() && *set != lanes) {
    text += fmt::format(
        "; it was made where lanes are of '{}', here they are of '{}', and what runs in lanes (the "
        "engine batch, controllers that plan in them) rounds differently, and so does the C "
        "library "
        "where one processor has fused multiply-add and the other has not: replay it on a "
        "processor that has '{}' (where it is not the best one: with STRIDE_INSTRUCTION_SET={})",
        set->get<std::string>(), lanes, set->get<std::string>(), set->get<std::string>());
  }
  if (header.version != STRIDE_VERSION) {
    text += fmt::format("; it was made by stride {}, this is {}", header.version, STRIDE_VERSION);
  }
  return text;
}

}  // namespace

std::string ReplayDifference(const Recording& recording) {
  const RecordingHeader& header = recording.header;
  Run run(SetupOf(recording));
  const std::vector<Character>& actors = run.GetWorld().actors;
  for (int k = 0; k < run.CharacterCount(); ++k) {
    if (header.world.actors.size() > static_cast<std::size_t>(k) &&
        actors[k] == header.world.actors[k]) {
      continue;
    }
    return fmt::format("the character '{}' is not the one that was recorded", actors[k].name);
  }
  std::size_t next_event = 0;
  const auto apply_inputs = [&] {
    for (; next_event < recording.events.size(); ++next_event) {
      const RecordedEvent& event = recording.events[next_event];
      if (event.step > run.StepCount()) return;
      if (event.data.contains("input")) run.Apply(RunInputFromJson(event.data["input"]));
    }
  };
  RecordedFrame now;
  for (const RecordedFrame& frame : recording.frames) {
    while (run.StepCount() < frame.step && !run.Failed()) {
      apply_inputs();
      run.Step();
    }
    run.ReadFrame(&now);
    TakeWhatIsKnown(recording, &now);
    for (std::size_t k = 0; k < now.controls.size() && k < frame.controls.size(); ++k) {
      TakeWallClock(header.controllers[k], frame.controls[k], &now.controls[k]);
    }
    const std::string difference = FrameDifference(now, frame);
    if (!difference.empty()) {
      return fmt::format("step {} ({:.3f} s): {}{}", frame.step, frame.time, difference,
                         Circumstances(header));
    }
  }
  return "";
}

}  // namespace stride
