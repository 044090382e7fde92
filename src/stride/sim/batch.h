#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stride/sim/world.h"

namespace stride {

struct BatchMemory;
template <class Real>
struct Tree;

// What may differ from lane to lane without costing anything: learning varies the world over the
// lanes.
struct LaneConditions {
  double gravity, friction;
  ContactModel contact;
  double slope = 0, slope_heading = 0;  // rad; only where the terrain is a plane
};

// Many copies of one character in SIMD lanes: float, each lane its own state, drive, forces and
// conditions, all stepped together. The instruction set is chosen when the program runs.
// No allocation after construction.
class Batch {
 public:
  // `instruction_set`: "sse2", "avx2", "avx512", or empty for the best that this processor has
  // (or what the environment variable STRIDE_INSTRUCTION_SET names).
  explicit Batch(const World& world, const std::string& instruction_set = "");
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  int Lanes() const;
  const char* InstructionSet() const;
  static std::vector<std::string> InstructionSets();  // those this processor can run
  static std::string ChosenInstructionSet();          // where none is asked for

  // A state that is not finite marks the lane as failed and is not taken; a finite one revives the
  // lane.
  void SetState(int lane, const State& state);
  void GetState(int lane, State* state) const;
  void SetActuation(int lane, const Actuation& actuation);
  void SetConditions(int lane, const LaneConditions& conditions);
  LaneConditions DefaultConditions() const;

  // Servo gains of a body's joint; targets and torques stay.
  void SetGains(int lane, int body, double kp, double kd);

  // A lane's state as floats, exactly, for what begins again and again where it was; but for its
  // place on the ground, unless that is kept: the origin is then on the plane below the root.
  int StoredSize() const;
  void Store(int lane, float* state, bool keep_place = false) const;
  void Load(int lane, const float* state);

  // Forces stay until cleared; one for each body and lane.
  void SetForce(int lane, const ExternalForce& force);
  void ClearForces();

  void Step(int steps = 1);

  // True once the lane's numbers left the finite range or it was frozen; it then keeps its last
  // good state.
  bool Failed(int lane) const;
  // For a lane that is of no more interest, until it gets a state: what has fallen and lies about
  // would cost its neighbours time.
  void Freeze(int lane);

  // Ground contact of a Character::contact_points entry during the last step.
  struct PointForce {
    Vec3d force, normal, position;
    double depth;  // 0: no contact
  };
  PointForce ContactForce(int lane, int contact_point) const;

  // The lane's exact memory (floats and origin), for snapshots that repeat bit for bit.
  std::vector<double> SaveLane(int lane) const;
  void RestoreLane(int lane, const std::vector<double>& memory);

  // For what works on the lanes themselves: their memory, by name (lanes.h). After states were
  // set, Refresh() brings the bodies' motion up to date, as a step does by itself.
  const BatchMemory& Memory() const;
  const Tree<float>& GetTree() const;
  void Refresh();
  // Before the first step of new trials: Refresh(), and nothing is left of what was done before.
  // No contacts, no forces, passive joints.
  void BeginAnew();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stride
