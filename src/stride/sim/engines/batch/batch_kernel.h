#pragma once

#include <cstddef>

#include "stride/dynamics/tree.h"
#include "stride/sim/world.h"

// Between the host side of a batch and its kernel: plain memory, a kernel for each instruction set.
namespace stride {

// Arrays of [slot][lane] floats, aligned to 64 bytes.
struct BatchMemory {
  float* root;    // 6 slots: position, velocity
  float* joints;  // 8 a body: quaternion, angular velocity (hinge: rate first), hinge angle
  float* drives;  // 12 a body: target quaternion (hinge: angle first), target_v, torque, kp, kd
  float* environment;  // 5: gravity, friction, stiffness, damping, stick
  float* ground;       // 4: normal, distance
  float* forces;       // 9 a body: force, torque, point
  float* failed;       // 1: not zero once a lane has failed
  float* contacts;     // 10 a contact point: force, depth, normal, position (of the last step)
  void* scratch;       // ScratchBytes()
  const int* forced_bodies;  // bodies with a force on some lane
  int forced_count;
  const Terrain* terrain;  // null: the plane of `ground`
  const double* origin;    // 3 a lane: where the lane's x = y = z = 0 is in the world
  float time_step;
  bool contacts_on, limits_on;
  int contact_passes;
};
constexpr int kRootSlots = 6, kJointSlots = 8, kDriveSlots = 12, kEnvironmentSlots = 5,
              kGroundSlots = 4, kForceSlots = 9, kContactSlots = 10;

struct BatchKernel {
  const char* instruction_set;
  int lanes;
  std::size_t (*scratch_bytes)(int bodies, int points);
  // Brings the bodies' motion (in scratch) up to date after the host has written states.
  void (*update)(const Tree<float>& tree, const BatchMemory& memory);
  void (*step)(const Tree<float>& tree, const BatchMemory& memory, int steps);
};

const BatchKernel& KernelSse2();
const BatchKernel& KernelAvx2();
const BatchKernel& KernelAvx512();

// Distance of a point of a lane to a ground that is not a plane; out: distance, normal.
void ProbeGround(const Terrain& terrain, const double* lane_origin, const float* point, float* out);

}  // namespace stride
