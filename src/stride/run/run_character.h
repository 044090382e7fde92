#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stride/dynamics/model.h"
#include "stride/learn/skill.h"
#include "stride/motion/graph/motion_graph.h"
#include "stride/motion/motion.h"
#include "stride/record/recording.h"
#include "stride/run/run_setup.h"
#include "stride/run/run_sources.h"
#include "stride/scenario/fall.h"
#include "stride/scenario/metrics.h"

// One controlled character of a run: its controller, what it is told, and whether it lies.
namespace stride {

// The world as seen from where a character starts, so that no controller needs to know of places:
// there the origin lies on the ground under it, and +X is where it faces. Heading and ground are
// those of the world where a character starts at the origin.
class Viewpoint {
 public:
  Viewpoint(double x, double y, double heading, const Terrain& terrain);

  bool IsWorld() const { return is_world_; }
  double Heading() const { return heading_; }
  void Raise(const Terrain& terrain);  // the ground has changed
  // Of a field or steps only the place may change (CharacterSetup).
  Terrain See(Terrain terrain) const;
  void See(const State& world, State* seen) const;  // `seen` has its size
  Contact See(const Contact& world) const;
  State ToWorld(State seen) const;
  Vec3d ToWorld(const Vec3d& seen) const { return origin_ + Rotate(turn_, seen); }

 private:
  bool is_world_;
  Vec3d origin_;
  double heading_;
  Quatd turn_;  // to the world
};

// A controller that is copied by Clone().
class OwnedController {
 public:
  OwnedController() = default;
  explicit OwnedController(std::unique_ptr<Controller> controller) : it_(std::move(controller)) {}
  OwnedController(const OwnedController& other) : it_(other.it_->Clone()) {}
  OwnedController(OwnedController&&) noexcept = default;
  OwnedController& operator=(OwnedController&&) noexcept = default;
  Controller* operator->() const { return it_.get(); }
  Controller& operator*() const { return *it_; }

 private:
  std::unique_ptr<Controller> it_;
};

class RunCharacter {
 public:
  // Drives actor `actor` of `world`. `commands`: all it will be told. `setup->controller_config`
  // becomes what a recording keeps. Throws InputError.
  RunCharacter(int actor, const LoadedCharacter& loaded, const World& world,
               std::vector<TimedCommand> commands, CharacterSetup* setup,
               std::vector<std::string>* warnings);

  const State& Start() const { return start_; }  // in the world
  const Controller& GetController() const { return *controller_; }
  void Edit(const CurveEdit& edit) { controller_->Edit(edit); }  // throws InputError
  const Model<double>& ModelAt(const State& state) const;

  Command command;  // as it stands now, world
  // Takes the next of the setup's commands that is due; false: none is.
  bool TakeCommand(double time);
  // As the controller is told: a point becomes a heading, and a speed of 0 there.
  void UseCommand(const State& state);
  const Command& UsedCommand() const { return used_command_; }  // in the last step

  // One step of the controller, which sees the contacts of the last step.
  void Act(double time, const State& state, Actuation* actuation);

  // After a step: the contacts in it, each as one of this character's bodies, in the world.
  void ClearContacts() { contacts_.clear(); }
  void AddContact(const Contact& contact) { contacts_.push_back(contact); }
  // The step counts, until the first fall.
  void Measure(const State& state, const Actuation& actuation);
  Metrics Measured() const { return meter_->Result(); }
  // A new fall needs a second on its feet since the last; then it has risen.
  enum class Balance { kAsBefore, kFalls, kRises };
  Balance Watch(double time, const State& state);
  bool Lies() const { return down_; }
  // What drove it in the last step, in the world. `state`: after it.
  void ReadControl(const State& state, const Actuation& actuation, RecordedControl* control) const;
  void Fail() { failed_ = true; }  // the engine lost its numbers: it acts no more
  bool Failed() const { return failed_; }
  int FallCount() const { return fall_count_; }
  int RecoveryCount() const { return recovery_count_; }
  std::optional<double> FellAt() const { return fell_at_; }  // first
  void ChangeGround(const Terrain& terrain);

 private:
  const State& See(const State& state);
  void ReadTorques(const State& state, const Actuation& actuation,
                   std::vector<float>* torques) const;
  void ReadChannels(std::vector<float>* values) const;

  Viewpoint viewpoint_;
  OwnedController controller_;
  Character character_;
  Layout layout_;
  double time_step_;
  std::vector<DebugChannel> channels_;
  std::size_t channel_values_ = 0;
  Terrain terrain_;  // as seen
  State seen_start_, start_;
  mutable Model<double> model_;
  FallDetector fall_;
  std::optional<MetricsMeter> meter_;  // made when the start is known
  std::vector<TimedCommand> commands_;
  std::size_t next_command_ = 0;
  Command used_command_;
  bool arrived_ = false;  // at the point it was told to go to
  State seen_;
  std::optional<State> before_;  // the last step; none: it has acted in none
  std::vector<Contact> contacts_, seen_contacts_;
  bool down_ = false, failed_ = false;
  std::optional<double> fell_at_, up_since_;
  int fall_count_ = 0, recovery_count_ = 0;
};

}  // namespace stride
