#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "stride/control/lane_program.h"
#include "stride/dynamics/model.h"

namespace stride {

// A lane program in double, as a Controller: what it does in lanes, for one character and in any
// engine.
template <class Program>
class ProgramController : public Controller {
 public:
  // `reference`: what it tries to be in, if it follows anything that stands still.
  ProgramController(Program program, const World& world, State start,
                    std::vector<double> parameters, std::optional<State> reference = {})
      : program_(std::move(program)),
        parameters_(std::move(parameters)),
        model_(world.actors[0]),
        terrain_(world.terrain),
        time_step_(world.time_step),
        start_(std::move(start)),
        reference_(std::move(reference)),
        memory_(program_.MemorySlots()),
        drives_(model_.BodyCount()) {
    Reserve();
    for (int i = 0; i < model_.BodyCount(); ++i) drives_[i].target = Quatd::Identity();
  }

  std::unique_ptr<Controller> Clone() const override {
    auto clone = std::make_unique<ProgramController>(*this);
    clone->Reserve();
    return clone;
  }
  State Start() const override { return start_; }
  const State* Reference() const override { return reference_ ? &*reference_ : nullptr; }
  std::optional<SpeedRange> Speeds() const override {
    if constexpr (requires { program_.Speeds(); }) return program_.Speeds();
    return {};
  }
  bool Turns() const override {
    if constexpr (requires { program_.Turns(); }) return program_.Turns();
    return true;
  }
  bool TakesSpeed() const override {
    if constexpr (requires { program_.TakesSpeed(); }) return program_.TakesSpeed();
    return true;
  }
  std::vector<DebugChannel> Channels() const override { return program_.Channels(); }
  void ReadChannels(std::span<float> values) const override {
    program_.ReadChannels(memory_.data(), values);
  }

  void Step(const Observation& observation, const Command& command, Actuation* actuation) override {
    model_.SetState(observation.state);
    contacts_.clear();
    contact_bodies_.clear();
    for (const Contact& contact : observation.contacts) {
      if (static_cast<int>(contact_bodies_.size()) == kMostContacts) break;
      contact_bodies_.push_back(contact.body);
      for (const double x : {contact.force.x, contact.force.y, contact.force.z, contact.depth,
                             contact.normal.x, contact.normal.y, contact.normal.z,
                             contact.position.x, contact.position.y, contact.position.z}) {
        contacts_.push_back(x);
      }
    }
    const Vec3d& root = model_.Root().position;
    const Surface ground = SurfaceAt(terrain_, root.x, root.y);
    const LaneView<double, double> view{model_.GetTree(),
                                        model_.View(),
                                        drives_.data(),
                                        {},
                                        ground.height,
                                        ground.normal,
                                        time_step_,
                                        contacts_.data(),
                                        contact_bodies_.data(),
                                        static_cast<int>(contact_bodies_.size())};
    const LaneCommand<double> wanted{command.speed.value_or(0), command.heading.value_or(0),
                                     command.speed ? 1.0 : 0.0, command.heading ? 1.0 : 0.0};
    if (!begun_) program_.Begin(view, wanted, parameters_.data(), memory_.data());
    begun_ = true;
    program_.Step(view, wanted, parameters_.data(), memory_.data());
    Aim(actuation);
  }

 protected:
  // Memory that a copy does not take over.
  void Reserve() {
    contacts_.reserve(kMostContacts * kContactSlots);
    contact_bodies_.reserve(kMostContacts);
  }
  // For what is changed while it runs: the memory stays.
  Program program_;
  std::vector<double> parameters_;

 private:
  static constexpr int kMostContacts = 256;

  void Aim(Actuation* actuation) const {
    for (int i = 0; i < model_.BodyCount(); ++i) {
      const TreeBody<double>& body = model_.GetTree().bodies[i];
      if (body.kind == JointKind::kFree) {
        // No servo; where the targets are drawn, they stand where the reference does.
        if (reference_) std::copy_n(&reference_->q[body.q], 7, &actuation->target_q[body.q]);
        continue;
      }
      const JointDrive<double>& drive = drives_[i];
      double* q = &actuation->target_q[body.q];
      double* v = &actuation->target_v[body.v];
      double* torque = &actuation->torque[body.v];
      q[0] = drive.target.w, v[0] = drive.target_v.x, torque[0] = drive.torque.x;
      if (body.kind == JointKind::kBall) {
        q[1] = drive.target.x, q[2] = drive.target.y, q[3] = drive.target.z;
        v[1] = drive.target_v.y, v[2] = drive.target_v.z;
        torque[1] = drive.torque.y, torque[2] = drive.torque.z;
      }
      actuation->kp[i] = drive.kp;
      actuation->kd[i] = drive.kd;
    }
  }

  Model<double> model_;
  Terrain terrain_;
  double time_step_;
  State start_;
  std::optional<State> reference_;
  std::vector<double> memory_;
  std::vector<JointDrive<double>> drives_;
  std::vector<double> contacts_;
  std::vector<int> contact_bodies_;
  bool begun_ = false;
};

}  // namespace stride
