#include "stride/learn/lane_driver.h"

#include <utility>

#include "stride/core/error.h"
#include "stride/sim/batch_contacts.h"
#include "stride/sim/lane_floats.h"

namespace stride {
namespace {

class ProgramDriver final : public LaneDriver {
 public:
  ProgramDriver(std::shared_ptr<const LaneProgram> program, const Batch& batch)
      : program_(std::move(program)),
        kernel_(program_->Kernel(batch.InstructionSet())),
        commands_(kCommandSlots, batch.Lanes()),
        parameters_(program_->Parameters(), batch.Lanes()),
        memory_(program_->MemorySlots(), batch.Lanes()),
        values_(program_->Values(), batch.Lanes()) {}

  void Begin(std::span<const std::span<const double>> parameters, Batch* batch) override {
    for (int lane = 0; lane < batch->Lanes(); ++lane) {
      STRIDE_CHECK(static_cast<int>(parameters[lane].size()) == program_->Parameters());
      for (int k = 0; k < program_->Parameters(); ++k) {
        parameters_.At(k, lane) = static_cast<float>(parameters[lane][k]);
      }
      for (int k = 0; k < program_->MemorySlots(); ++k) memory_.At(k, lane) = 0;
    }
    batch->BeginAnew();
    kernel_.begin(program_->Object(), batch->GetTree(), batch->Memory(), Numbers());
  }
  void SetCommand(int lane, const Command& command) override {
    commands_.At(0, lane) = static_cast<float>(command.speed.value_or(0));
    commands_.At(1, lane) = static_cast<float>(command.heading.value_or(0));
    commands_.At(2, lane) = command.speed ? 1 : 0;
    commands_.At(3, lane) = command.heading ? 1 : 0;
  }
  void Step(double, Batch* batch) override {
    kernel_.step(program_->Object(), batch->GetTree(), batch->Memory(), Numbers());
  }
  int Values() const override { return program_->Values(); }
  void Measure(int lane, Batch* batch, std::span<double> values) override {
    kernel_.measure(program_->Object(), batch->GetTree(), batch->Memory(), Numbers(),
                    values_.data());
    for (int k = 0; k < program_->Values(); ++k) values[k] = values_.At(k, lane);
  }

 private:
  LaneNumbers Numbers() const { return {commands_.data(), parameters_.data(), memory_.data()}; }

  std::shared_ptr<const LaneProgram> program_;
  const LaneProgramKernel& kernel_;
  LaneFloats commands_, parameters_, memory_, values_;
};

class CloneDriver final : public LaneDriver {
 public:
  CloneDriver(const Character& character, ControllerMaker make, const Batch& batch)
      : character_(character), make_(std::move(make)), lanes_(batch.Lanes()) {
    for (Lane& lane : lanes_) {
      lane.state = RestState(character);
      lane.actuation = Passive(character);
      lane.contacts.reserve(character.contact_points.size());
    }
  }

  void Begin(std::span<const std::span<const double>> parameters, Batch* batch) override {
    for (std::size_t k = 0; k < lanes_.size(); ++k) {
      const bool as_before = k > 0 && parameters[k].data() == parameters[k - 1].data();
      lanes_[k].controller = as_before ? lanes_[k - 1].controller->Clone() : make_(parameters[k]);
      if (lanes_[k].ground) lanes_[k].controller->ChangeGround(*lanes_[k].ground);
      lanes_[k].contacts.clear();
      lanes_[k].actuation = Passive(character_);
    }
    batch->BeginAnew();
  }
  void SetSlope(int lane, double slope, double heading) override {
    lanes_[lane].ground = Terrain{.slope = slope, .slope_heading = heading};
  }
  void SetCommand(int lane, const Command& command) override { lanes_[lane].command = command; }
  void Step(double time, Batch* batch) override {
    for (std::size_t k = 0; k < lanes_.size(); ++k) {
      const int lane = static_cast<int>(k);
      if (batch->Failed(lane)) continue;
      Lane& at = lanes_[k];
      batch->GetState(lane, &at.state);
      at.contacts.clear();
      if (time > 0) ReadContacts(*batch, lane, character_, &at.contacts);
      at.controller->Step({time, at.state, at.contacts}, at.command, &at.actuation);
      batch->SetActuation(lane, at.actuation);
    }
  }

 private:
  struct Lane {
    std::unique_ptr<Controller> controller;
    State state;
    Actuation actuation;
    std::vector<Contact> contacts;
    Command command;
    std::optional<Terrain> ground;
  };

  Character character_;
  ControllerMaker make_;
  std::vector<Lane> lanes_;
};

}  // namespace

LaneDriverMaker DriveByProgram(std::shared_ptr<const LaneProgram> program) {
  return [program = std::move(program)](const Batch& batch) {
    return std::make_unique<ProgramDriver>(program, batch);
  };
}

LaneDriverMaker DriveByClones(const Character& character, ControllerMaker make) {
  return [character, make = std::move(make)](const Batch& batch) {
    return std::make_unique<CloneDriver>(character, make, batch);
  };
}

}  // namespace stride
