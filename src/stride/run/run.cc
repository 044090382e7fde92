#include "stride/run/run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stride/run/hand_inputs.h"
#include "stride/run/run_frame.h"
#include "stride/run/run_stage.h"
#include "stride/run/scenario_acts.h"

namespace stride {

struct Run::Impl {
  explicit Impl(const RunSetup& setup) : stage(setup), acts(stage) {
    last_step = static_cast<std::uint32_t>(
        std::clamp(std::round(setup.scenario.seconds / stage.world.time_step), 1.0, 4e9));
  }

  RunStage stage;
  ScenarioActs acts;
  HandInputs inputs;
  std::uint32_t last_step = 0;
};

Run::Run(const RunSetup& setup) : impl_(std::make_unique<Impl>(setup)) {}
Run::Run(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Run::~Run() = default;
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;

void Run::Apply(const RunInput& input) { impl_->inputs.Add(input, &impl_->stage); }

void Run::Step() {
  RunStage* stage = &impl_->stage;
  if (Failed()) return;
  impl_->inputs.Take(stage);
  stage->TakeCommands();
  impl_->acts.Throw(stage);
  stage->forces.clear();
  impl_->acts.Push(stage);
  impl_->inputs.Push(stage);
  stage->Advance();
}

bool Run::Finished() const {
  return StepCount() >= impl_->last_step || Failed() || (Fell() && Setup().scenario.stop_at_fall);
}
bool Run::Fell(int actor) const { return FellAt(actor).has_value(); }
bool Run::Lies(int actor) const { return impl_->stage.characters.at(actor).Lies(); }
bool Run::Failed(int actor) const { return impl_->stage.characters.at(actor).Failed(); }
std::optional<double> Run::FellAt(int actor) const {
  return impl_->stage.characters.at(actor).FellAt();
}
int Run::Falls(int actor) const { return impl_->stage.characters.at(actor).FallCount(); }
int Run::Recoveries(int actor) const { return impl_->stage.characters.at(actor).RecoveryCount(); }
int Run::CharacterCount() const { return static_cast<int>(impl_->stage.characters.size()); }
const Controller& Run::ControllerOf(int actor) const {
  return impl_->stage.characters.at(actor).GetController();
}
double Run::Time() const { return impl_->stage.Time(); }
std::uint32_t Run::StepCount() const { return impl_->stage.step; }
const RunSetup& Run::Setup() const { return impl_->stage.setup; }
const World& Run::GetWorld() const { return impl_->stage.world; }
const State& Run::ActorState(int actor) const { return impl_->stage.engine->GetState(actor); }
const Command& Run::CurrentCommand(int actor) const {
  return impl_->stage.characters.at(actor).command;
}
const std::vector<std::string>& Run::Warnings() const { return impl_->stage.warnings; }
const std::vector<std::string>& Run::Unobeyed() const { return impl_->stage.unobeyed; }
Metrics Run::Measure(int actor) const { return impl_->stage.characters.at(actor).Measured(); }

RecordingHeader Run::Header() const { return HeaderOf(impl_->stage); }
std::vector<RecordedSource> Run::Sources() const {
  return SourcesOf(impl_->stage.setup, *impl_->stage.loaded);
}
void Run::ReadFrame(RecordedFrame* frame) const { ::stride::ReadFrame(impl_->stage, frame); }
std::vector<RecordedEvent> Run::TakeEvents() { return std::exchange(impl_->stage.events, {}); }

Run Run::Branch() const { return Run(std::make_unique<Impl>(*impl_)); }

}  // namespace stride
