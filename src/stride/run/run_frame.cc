#include "stride/run/run_frame.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/sim/batch.h"

namespace stride {
namespace {

std::array<float, 3> Floats(const Vec3d& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

RecordedController ControllerOf(const CharacterSetup& setup, const Controller& controller) {
  RecordedController recorded;
  recorded.controller = setup.controller;
  recorded.motion = fmt::format("{}", fmt::join(setup.motions, ", "));
  recorded.skill = setup.skill;
  for (const DebugChannel& channel : controller.Channels()) {
    recorded.channels.push_back({channel.name, channel.unit, ValueCount(channel.kind)});
  }
  recorded.styles = controller.Styles();
  recorded.graph = controller.Graph();
  return recorded;
}

}  // namespace

RecordingHeader HeaderOf(const RunStage& stage) {
  const RunSetup& setup = stage.setup;
  RecordingHeader header;
  const std::string& name = setup.scenario.name;
  header.title = fmt::format("{} on {}{}", setup.characters[0].controller,
                             stage.world.actors[0].name, name.empty() ? "" : ": " + name);
  header.engine = setup.engine;
  header.seed = setup.seed;
  header.world = stage.world;
  header.frame_interval = stage.world.time_step;
  for (std::size_t k = 0; k < stage.characters.size(); ++k) {
    header.controllers.push_back(
        ControllerOf(setup.characters[k], stage.characters[k].GetController()));
  }
  header.version = STRIDE_VERSION;
  header.setup = ToJson(setup);
  header.setup[kInstructionSet] = Batch::ChosenInstructionSet();
  return header;
}

void ReadFrame(const RunStage& stage, RecordedFrame* frame) {
  frame->step = stage.step;
  frame->time = stage.Time();
  frame->actors.resize(stage.world.actors.size());
  for (std::size_t k = 0; k < frame->actors.size(); ++k) {
    frame->actors[k] = stage.engine->GetState(static_cast<int>(k));
  }
  frame->controls.resize(stage.characters.size());
  for (std::size_t k = 0; k < frame->controls.size(); ++k) {
    stage.characters[k].ReadControl(frame->actors[k], stage.actuations[k], &frame->controls[k]);
  }
  frame->contacts.clear();
  for (const Contact& c : stage.contacts) {
    frame->contacts.push_back(
        {c.actor, c.body, c.other_actor, c.other_body, Floats(c.position), Floats(c.force)});
  }
  frame->forces.clear();
  for (const ExternalForce& f : stage.forces) {
    frame->forces.push_back(
        {f.actor, f.body, Floats(stage.PointInWorld(f.actor, f.body, f.point)), Floats(f.force)});
  }
}

}  // namespace stride
