// Compiled once for each instruction set: see cmake/lanes.cmake.
#include "stride/dynamics/step.h"
#include "stride/math/lanes.h"
#include "stride/sim/engines/batch/batch_kernel.h"

namespace stride {
namespace STRIDE_LANES_NAMESPACE {
namespace {

static_assert(sizeof(JointState<Lanes>) == kJointSlots * sizeof(Lanes));
static_assert(sizeof(JointDrive<Lanes>) == kDriveSlots * sizeof(Lanes));
static_assert(sizeof(RootState<Lanes>) == kRootSlots * sizeof(Lanes));

// Ground of any form: each lane looks up its own tangent plane, where it may touch at all.
struct FieldGround {
  static constexpr bool kPlane = false;
  const Terrain* terrain;
  const double* origin;
  Lanes clear;  // points higher than this do not touch

  Lanes Height(const Vec3<Lanes>& x, Vec3<Lanes>* normal) const {
    *normal = {Lanes(0.0f), Lanes(0.0f), Lanes(1.0f)};
    Lanes height(1e6f);
    const LaneMask above = x.z > clear;
    if (All(above)) return height;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (above.v[lane]) continue;
      const float point[3] = {x.x.v[lane], x.y.v[lane], x.z.v[lane]};
      float out[4];
      ProbeGround(*terrain, origin + 3 * lane, point, out);
      height.v[lane] = out[0];
      normal->x.v[lane] = out[1];
      normal->y.v[lane] = out[2];
      normal->z.v[lane] = out[3];
    }
    return height;
  }
};

std::size_t RoundUp(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

std::size_t ScratchBytes(int bodies, int points) {
  return RoundUp(bodies * sizeof(BodyMotion<Lanes>)) +
         RoundUp(bodies * sizeof(ArticulatedBody<Lanes>)) +
         RoundUp(bodies * sizeof(BodyForce<Lanes>)) +
         RoundUp((points + 1) * sizeof(PointContact<Lanes>));
}

struct Scratch {
  Articulation<Lanes> art;
  BodyForce<Lanes>* forces;
};

Scratch MapScratch(const Tree<float>& tree, const BatchMemory& memory) {
  const std::size_t n = tree.bodies.size();
  char* at = static_cast<char*>(memory.scratch);
  Scratch s;
  s.art.joints = reinterpret_cast<JointState<Lanes>*>(memory.joints);
  s.art.root = reinterpret_cast<RootState<Lanes>*>(memory.root);
  s.art.motion = reinterpret_cast<BodyMotion<Lanes>*>(at);
  at += RoundUp(n * sizeof(BodyMotion<Lanes>));
  s.art.articulated = reinterpret_cast<ArticulatedBody<Lanes>*>(at);
  at += RoundUp(n * sizeof(ArticulatedBody<Lanes>));
  s.forces = reinterpret_cast<BodyForce<Lanes>*>(at);
  at += RoundUp(n * sizeof(BodyForce<Lanes>));
  s.art.contacts = reinterpret_cast<PointContact<Lanes>*>(at);
  return s;
}

void Update(const Tree<float>& tree, const BatchMemory& memory) {
  Scratch s = MapScratch(tree, memory);
  UpdateMotion(tree, &s.art);
}

template <class Ground>
void Run(const Tree<float>& tree, const BatchMemory& memory, const Ground& ground, int steps) {
  Scratch s = MapScratch(tree, memory);
  const Lanes* e = reinterpret_cast<const Lanes*>(memory.environment);
  const Environment<Lanes> env = {e[0],
                                  e[1],
                                  e[2],
                                  e[3],
                                  e[4],
                                  Lanes(memory.time_step),
                                  memory.limits_on,
                                  memory.contact_passes};
  const JointDrive<Lanes>* drives = reinterpret_cast<const JointDrive<Lanes>*>(memory.drives);
  for (int k = 0; k < memory.forced_count; ++k) {
    const int body = memory.forced_bodies[k];
    const Lanes* f = reinterpret_cast<const Lanes*>(memory.forces) + kForceSlots * body;
    s.forces[k] = {body, {f[0], f[1], f[2]}, {f[3], f[4], f[5]}, {f[6], f[7], f[8]}};
  }
  Lanes& failed = *reinterpret_cast<Lanes*>(memory.failed);
  for (int step = 0; step < steps; ++step) {
    const LaneMask frozen = failed > Lanes(0.0f);
    const LaneMask bad = Step(tree, env, ground, memory.contacts_on, drives, s.forces,
                              memory.forced_count, frozen, &s.art);
    failed = Select(bad, Lanes(1.0f), failed);
  }
  Lanes* out = reinterpret_cast<Lanes*>(memory.contacts);
  for (int k = 0; k < kContactSlots * static_cast<int>(tree.points.size()); ++k)
    out[k] = Lanes(0.0f);
  for (int k = 0; k < s.art.contact_count; ++k) {
    const PointContact<Lanes>& c = s.art.contacts[k];
    Lanes* slot = out + kContactSlots * c.point;
    const Lanes on = Select(c.active, Lanes(1.0f), Lanes(0.0f));
    slot[0] = c.force.x * on;
    slot[1] = c.force.y * on;
    slot[2] = c.force.z * on;
    slot[3] = c.depth * on;
    slot[4] = c.normal.x;
    slot[5] = c.normal.y;
    slot[6] = c.normal.z;
    slot[7] = c.position.x;
    slot[8] = c.position.y;
    slot[9] = c.position.z;
  }
}

void StepLanes(const Tree<float>& tree, const BatchMemory& memory, int steps) {
  const Lanes* g = reinterpret_cast<const Lanes*>(memory.ground);
  if (memory.terrain) {
    Run(tree, memory, FieldGround{memory.terrain, memory.origin, g[3]}, steps);
  } else {
    Run(tree, memory, PlaneGround<Lanes>{{g[0], g[1], g[2]}, g[3]}, steps);
  }
}

}  // namespace
}  // namespace STRIDE_LANES_NAMESPACE

STRIDE_DEFINE_LANE_KERNEL(BatchKernel, BatchKernels, ScratchBytes, Update, StepLanes)

}  // namespace stride
