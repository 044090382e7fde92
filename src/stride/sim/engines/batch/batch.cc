#include "stride/sim/batch.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "stride/core/error.h"
#include "stride/sim/engines/batch/batch_kernel.h"
#include "stride/sim/ground.h"

namespace stride {
namespace {

// A lane whose root strays further than this from its origin gets a new origin: float then still
// resolves a micrometre of height on a slope.
constexpr double kLaneRadius = 8.0;
constexpr int kStepsBetweenRecentring = 64;

bool Runs(const BatchKernel& kernel) {
  const std::string set = kernel.instruction_set;
  if (set == "avx512") {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
  }
  if (set == "avx2") return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return true;
}

std::vector<const BatchKernel*> RunnableKernels() {
  std::vector<const BatchKernel*> kernels;
  for (const BatchKernel* kernel : BatchKernels().all) {
    if (Runs(*kernel)) kernels.push_back(kernel);
  }
  return kernels;
}

// Where none is asked for, the environment may: tests run a whole program in other lanes.
const BatchKernel& ChooseKernel(std::string instruction_set) {
  if (const char* wanted = std::getenv("STRIDE_INSTRUCTION_SET");
      wanted && instruction_set.empty()) {
    instruction_set = wanted;
  }
  std::string names;
  for (const BatchKernel* kernel : RunnableKernels()) {
    if (instruction_set.empty() || instruction_set == kernel->instruction_set) return *kernel;
    names += (names.empty() ? "" : ", ") + std::string(kernel->instruction_set);
  }
  throw InputError("this processor cannot run lanes of '" + instruction_set +
                   "'; expected one of: " + names);
}

struct FreeAligned {
  void operator()(void* p) const { std::free(p); }
};
using AlignedBytes = std::unique_ptr<char, FreeAligned>;

AlignedBytes AllocateAligned(std::size_t bytes) {
  bytes = (bytes + 63) / 64 * 64;
  AlignedBytes block(static_cast<char*>(std::aligned_alloc(64, std::max<std::size_t>(bytes, 64))));
  if (!block) throw std::bad_alloc();
  std::memset(block.get(), 0, bytes);
  return block;
}

// Height above which the centre of no contact point is within its radius of the terrain.
double ClearOf(const Terrain& terrain, const Character& character) {
  double radius = 0;
  for (const ContactPoint& point : character.contact_points) {
    radius = std::max(radius, point.radius);
  }
  if (terrain.kind == Terrain::Kind::kSteps) {
    return radius + std::max(0.0, terrain.step_rise * terrain.step_count) + 1e-3;
  }
  if (terrain.kind != Terrain::Kind::kHeightField) return 0;
  // Distances are along the normal: less than heights, by how steep the field is.
  double highest = 0, steepest = 0;
  for (int iy = 0; iy < terrain.ny; ++iy) {
    const double* row = &terrain.heights[static_cast<std::size_t>(iy) * terrain.nx];
    for (int ix = 0; ix < terrain.nx; ++ix) {
      highest = std::max(highest, row[ix]);
      if (ix > 0) steepest = std::max(steepest, std::fabs(row[ix] - row[ix - 1]));
      if (iy > 0) steepest = std::max(steepest, std::fabs(row[ix] - row[ix - terrain.nx]));
    }
  }
  steepest /= terrain.cell;
  return highest + radius * std::sqrt(1 + 2 * steepest * steepest) + 1e-3;
}

}  // namespace

void ProbeGround(const Terrain& terrain, const double* lane_origin, const float* point,
                 float* out) {
  Vec3d normal;
  const Vec3d world{point[0] + lane_origin[0], point[1] + lane_origin[1],
                    point[2] + lane_origin[2]};
  out[0] = static_cast<float>(DistanceToGround(terrain, world, &normal));
  out[1] = static_cast<float>(normal.x);
  out[2] = static_cast<float>(normal.y);
  out[3] = static_cast<float>(normal.z);
}

struct Batch::Impl {
  World world;
  const BatchKernel* kernel;
  Tree<float> tree;
  BatchMemory memory{};
  AlignedBytes block, scratch;
  std::vector<double> origin;        // 3 a lane
  std::vector<double> plane_normal;  // 3 a lane, in double for the plane's distance at the origin
  double clear_of_ground = 0;        // m: no contact point above touches a terrain that is no plane
  std::vector<int> forced;
  std::vector<int> point_slot;  // of a Character::contact_points entry
  std::vector<int> point_bodies;
  Actuation passive;
  int until_recentring = kStepsBetweenRecentring;
  bool motion_stale = true;

  int lanes() const { return kernel->lanes; }
  float& At(float* array, int slot, int lane) const { return array[slot * kernel->lanes + lane]; }
  float* Joint(int body) const { return memory.joints + body * kJointSlots * kernel->lanes; }
  float* Drive(int body) const { return memory.drives + body * kDriveSlots * kernel->lanes; }

  void PlaceGround(int lane) {
    const double* n = &plane_normal[3 * lane];
    const double* o = &origin[3 * lane];
    // A terrain that is no plane has no normal here, and as its distance the height above which
    // nothing touches it.
    if (memory.terrain) {
      At(memory.ground, 3, lane) = static_cast<float>(clear_of_ground - o[2]);
      return;
    }
    const double distance = -(n[0] * o[0] + n[1] * o[1] + n[2] * o[2]);
    for (int k = 0; k < 3; ++k) At(memory.ground, k, lane) = static_cast<float>(n[k]);
    At(memory.ground, 3, lane) = static_cast<float>(distance);
  }
  // Puts the lane's origin to the nearest whole metres; returns what is left of x, y, z.
  Vec3d MoveOrigin(int lane, const Vec3d& position) {
    const Vec3d whole{std::nearbyint(position.x), std::nearbyint(position.y),
                      std::nearbyint(position.z)};
    // On level ground heights stay near zero by themselves, and the ground exactly at zero.
    const double z = std::fabs(position.z) > kLaneRadius ? whole.z : 0;
    origin[3 * lane] = whole.x;
    origin[3 * lane + 1] = whole.y;
    origin[3 * lane + 2] = z;
    PlaceGround(lane);
    return {position.x - whole.x, position.y - whole.y, position.z - z};
  }
  Vec3d WorldPosition(int lane, double x, double y, double z) const {
    const double* o = &origin[3 * lane];
    return {x + o[0], y + o[1], z + o[2]};
  }
  void PutRoot(int lane, const Vec3d& position) {
    const Vec3d local = MoveOrigin(lane, position);
    At(memory.root, 0, lane) = static_cast<float>(local.x);
    At(memory.root, 1, lane) = static_cast<float>(local.y);
    At(memory.root, 2, lane) = static_cast<float>(local.z);
  }
  Vec3d Root(int lane) const {
    return WorldPosition(lane, At(memory.root, 0, lane), At(memory.root, 1, lane),
                         At(memory.root, 2, lane));
  }
  void Recentre() {
    if (!tree.free_root) return;
    for (int lane = 0; lane < lanes(); ++lane) {
      const float x = At(memory.root, 0, lane), y = At(memory.root, 1, lane),
                  z = At(memory.root, 2, lane);
      const float far = std::max({std::fabs(x), std::fabs(y), std::fabs(z)});
      // Whole metres off a float of this size: exact.
      if (far > kLaneRadius && far < 1e6f) PutRoot(lane, Root(lane));
    }
  }
};

Batch::Batch(const World& world, const std::string& instruction_set) : impl_(new Impl) {
  STRIDE_CHECK(world.actors.size() == 1);
  Impl& b = *impl_;
  b.world = world;
  b.kernel = &ChooseKernel(instruction_set);
  const Character& character = world.actors[0];
  b.tree = BuildTree<float>(character);
  const int bodies = character.BodyCount(), points = static_cast<int>(b.tree.points.size());
  const int lanes = b.kernel->lanes;
  const int slots[] = {kRootSlots,
                       bodies * kJointSlots,
                       bodies * kDriveSlots,
                       kEnvironmentSlots,
                       kGroundSlots,
                       bodies * kForceSlots,
                       1,
                       points * kContactSlots};
  float** arrays[] = {&b.memory.root,   &b.memory.joints, &b.memory.drives, &b.memory.environment,
                      &b.memory.ground, &b.memory.forces, &b.memory.failed, &b.memory.contacts};
  std::size_t total = 0;
  for (const int count : slots) total += static_cast<std::size_t>(count) * lanes + 16;
  b.block = AllocateAligned(total * sizeof(float));
  float* at = reinterpret_cast<float*>(b.block.get());
  for (int k = 0; k < 8; ++k) {
    *arrays[k] = at;
    at += (static_cast<std::size_t>(slots[k]) * lanes + 15) / 16 * 16;
  }
  b.scratch = AllocateAligned(b.kernel->scratch_bytes(bodies, points));
  b.memory.scratch = b.scratch.get();
  b.origin.assign(3 * lanes, 0.0);
  b.plane_normal.assign(3 * lanes, 0.0);
  b.forced.reserve(bodies);
  b.memory.time_step = static_cast<float>(world.time_step);
  b.memory.contacts_on = world.contacts;
  b.memory.limits_on = world.limits;
  b.memory.contact_passes = world.contact.passes;
  b.memory.terrain = world.terrain.kind == Terrain::Kind::kPlane ? nullptr : &b.world.terrain;
  b.clear_of_ground = ClearOf(b.world.terrain, character);
  b.memory.origin = b.origin.data();
  b.point_slot.assign(character.contact_points.size(), 0);
  for (int k = 0; k < points; ++k) {
    b.point_slot[b.tree.points[k].index] = k;
    b.point_bodies.push_back(b.tree.points[k].body);
  }
  b.memory.contact_bodies = b.point_bodies.data();
  const State rest = RestState(character);
  b.passive = Passive(character);
  for (int lane = 0; lane < lanes; ++lane) {
    SetConditions(lane, DefaultConditions());
    SetState(lane, rest);
    SetActuation(lane, b.passive);
  }
}

Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;

int Batch::Lanes() const { return impl_->kernel->lanes; }
const char* Batch::InstructionSet() const { return impl_->kernel->instruction_set; }

std::vector<std::string> Batch::InstructionSets() {
  std::vector<std::string> names;
  for (const BatchKernel* kernel : RunnableKernels()) names.emplace_back(kernel->instruction_set);
  return names;
}

std::string Batch::ChosenInstructionSet() { return ChooseKernel("").instruction_set; }

LaneConditions Batch::DefaultConditions() const {
  const World& w = impl_->world;
  return {w.gravity, w.friction, w.contact, w.terrain.slope, w.terrain.slope_heading};
}

void Batch::SetConditions(int lane, const LaneConditions& conditions) {
  Impl& b = *impl_;
  const double values[kEnvironmentSlots] = {conditions.gravity, conditions.friction,
                                            conditions.contact.stiffness,
                                            conditions.contact.damping, conditions.contact.stick};
  for (int k = 0; k < kEnvironmentSlots; ++k) {
    b.At(b.memory.environment, k, lane) = static_cast<float>(values[k]);
  }
  const double s = std::sin(conditions.slope);
  b.plane_normal[3 * lane] = -s * std::cos(conditions.slope_heading);
  b.plane_normal[3 * lane + 1] = -s * std::sin(conditions.slope_heading);
  b.plane_normal[3 * lane + 2] = std::cos(conditions.slope);
  b.PlaceGround(lane);
}

void Batch::SetState(int lane, const State& state) {
  Impl& b = *impl_;
  const auto to = [&](float* array, int slot, double value) {
    b.At(array, slot, lane) = static_cast<float>(value);
  };
  double sum = 0;
  for (const double a : state.q) sum += std::fabs(a);
  for (const double a : state.v) sum += std::fabs(a);
  b.At(b.memory.failed, 0, lane) = std::isfinite(sum) ? 0.0f : 1.0f;
  if (!std::isfinite(sum)) return;
  const double* q = state.q.data();
  const double* v = state.v.data();
  if (b.tree.free_root) {
    b.PutRoot(lane, {q[0], q[1], q[2]});
    for (int k = 0; k < 3; ++k) to(b.memory.root, 3 + k, v[k]);
  } else {
    b.PutRoot(lane, b.world.actors[0].bodies[0].offset);
  }
  for (int i = 0; i < static_cast<int>(b.tree.bodies.size()); ++i) {
    const TreeBody<float>& body = b.tree.bodies[i];
    float* joint = b.Joint(i);
    if (HasOneAxis(body.kind)) {
      to(joint, 0, 1.0);
      to(joint, 4, v[body.v]);
      to(joint, 7, q[body.q]);
    } else {
      const int skip = body.kind == JointKind::kFree ? 3 : 0;
      for (int k = 0; k < 4; ++k) to(joint, k, q[body.q + skip + k]);
      for (int k = 0; k < 3; ++k) to(joint, 4 + k, v[body.v + skip + k]);
    }
  }
  b.motion_stale = true;
}

void Batch::GetState(int lane, State* state) const {
  const Impl& b = *impl_;
  state->q.resize(b.tree.nq);
  state->v.resize(b.tree.nv);
  double* q = state->q.data();
  double* v = state->v.data();
  if (b.tree.free_root) {
    const Vec3d root = b.Root(lane);
    q[0] = root.x, q[1] = root.y, q[2] = root.z;
    for (int k = 0; k < 3; ++k) v[k] = b.At(b.memory.root, 3 + k, lane);
  }
  for (int i = 0; i < static_cast<int>(b.tree.bodies.size()); ++i) {
    const TreeBody<float>& body = b.tree.bodies[i];
    float* joint = b.Joint(i);
    if (HasOneAxis(body.kind)) {
      v[body.v] = b.At(joint, 4, lane);
      q[body.q] = b.At(joint, 7, lane);
    } else {
      const int skip = body.kind == JointKind::kFree ? 3 : 0;
      for (int k = 0; k < 4; ++k) q[body.q + skip + k] = b.At(joint, k, lane);
      for (int k = 0; k < 3; ++k) v[body.v + skip + k] = b.At(joint, 4 + k, lane);
    }
  }
}

void Batch::SetActuation(int lane, const Actuation& actuation) {
  Impl& b = *impl_;
  for (int i = 0; i < static_cast<int>(b.tree.bodies.size()); ++i) {
    const TreeBody<float>& body = b.tree.bodies[i];
    if (body.kind == JointKind::kFree) continue;
    float* drive = b.Drive(i);
    const auto to = [&](int slot, double value) {
      b.At(drive, slot, lane) = static_cast<float>(value);
    };
    for (int k = 0; k < CoordinateCount(body.kind); ++k) to(k, actuation.target_q[body.q + k]);
    for (int k = 0; k < DofCount(body.kind); ++k) {
      to(4 + k, actuation.target_v[body.v + k]);
      to(7 + k, actuation.torque[body.v + k]);
    }
    to(10, actuation.kp[i]);
    to(11, actuation.kd[i]);
  }
}

void Batch::SetGains(int lane, int body, double kp, double kd) {
  Impl& b = *impl_;
  b.At(b.Drive(body), 10, lane) = static_cast<float>(kp);
  b.At(b.Drive(body), 11, lane) = static_cast<float>(kd);
}

int Batch::StoredSize() const {
  return kRootSlots + kJointSlots * static_cast<int>(impl_->tree.bodies.size());
}

void Batch::Store(int lane, float* state, bool keep_place) const {
  const Impl& b = *impl_;
  const int joints = StoredSize() - kRootSlots;
  for (int k = 0; k < kRootSlots; ++k) state[k] = b.At(b.memory.root, k, lane);
  for (int k = 0; k < joints; ++k) state[kRootSlots + k] = b.At(b.memory.joints, k, lane);
  if (keep_place) return;
  const auto ground = [&](int k) { return b.At(b.memory.ground, k, lane); };
  if (b.memory.terrain) {
    state[2] += static_cast<float>(b.origin[3 * lane + 2]);
  } else {
    state[2] -= (ground(3) - ground(0) * state[0] - ground(1) * state[1]) / ground(2);
  }
  state[0] = state[1] = 0;
}

void Batch::Load(int lane, const float* state) {
  Impl& b = *impl_;
  const int joints = StoredSize() - kRootSlots;
  b.At(b.memory.failed, 0, lane) = 0;
  b.MoveOrigin(lane, {});
  for (int k = 0; k < kRootSlots; ++k) b.At(b.memory.root, k, lane) = state[k];
  for (int k = 0; k < joints; ++k) b.At(b.memory.joints, k, lane) = state[kRootSlots + k];
  b.motion_stale = true;
}

void Batch::SetForce(int lane, const ExternalForce& force) {
  Impl& b = *impl_;
  STRIDE_CHECK(force.body >= 0 && force.body < static_cast<int>(b.tree.bodies.size()));
  float* slot = b.memory.forces + force.body * kForceSlots * b.kernel->lanes;
  const double values[kForceSlots] = {force.force.x,  force.force.y,  force.force.z,
                                      force.torque.x, force.torque.y, force.torque.z,
                                      force.point.x,  force.point.y,  force.point.z};
  for (int k = 0; k < kForceSlots; ++k) b.At(slot, k, lane) = static_cast<float>(values[k]);
  if (std::find(b.forced.begin(), b.forced.end(), force.body) == b.forced.end())
    b.forced.push_back(force.body);
}

void Batch::ClearForces() {
  Impl& b = *impl_;
  for (const int body : b.forced) {
    float* slot = b.memory.forces + body * kForceSlots * b.kernel->lanes;
    std::fill(slot, slot + kForceSlots * b.kernel->lanes, 0.0f);
  }
  b.forced.clear();
}

void Batch::Step(int steps) {
  Impl& b = *impl_;
  b.memory.forced_bodies = b.forced.data();
  b.memory.forced_count = static_cast<int>(b.forced.size());
  while (steps > 0) {
    // A new origin moves the root in its lane, which the bodies' motion does not hold.
    if (b.until_recentring == 0) {
      b.Recentre();
      b.until_recentring = kStepsBetweenRecentring;
    }
    if (b.motion_stale) b.kernel->update(b.tree, b.memory);
    b.motion_stale = false;
    const int now = std::min(steps, b.until_recentring);
    b.kernel->step(b.tree, b.memory, now);
    b.until_recentring -= now;
    steps -= now;
  }
}

const BatchMemory& Batch::Memory() const { return impl_->memory; }
const Tree<float>& Batch::GetTree() const { return impl_->tree; }
void Batch::Refresh() {
  impl_->kernel->update(impl_->tree, impl_->memory);
  impl_->motion_stale = false;
  // What follows must not depend on how many steps were made before.
  impl_->until_recentring = kStepsBetweenRecentring;
}

void Batch::BeginAnew() {
  Impl& b = *impl_;
  ClearForces();
  std::fill_n(b.memory.contacts, b.tree.points.size() * kContactSlots * b.lanes(), 0.0f);
  for (int lane = 0; lane < b.lanes(); ++lane) SetActuation(lane, b.passive);
  Refresh();
}

bool Batch::Failed(int lane) const { return impl_->At(impl_->memory.failed, 0, lane) != 0; }
void Batch::Freeze(int lane) { impl_->At(impl_->memory.failed, 0, lane) = 1; }

Batch::PointForce Batch::ContactForce(int lane, int contact_point) const {
  const Impl& b = *impl_;
  float* slot = b.memory.contacts + b.point_slot[contact_point] * kContactSlots * b.kernel->lanes;
  const auto at = [&](int k) { return static_cast<double>(b.At(slot, k, lane)); };
  return {{at(0), at(1), at(2)},
          {at(4), at(5), at(6)},
          b.WorldPosition(lane, at(7), at(8), at(9)),
          at(3)};
}

std::vector<double> Batch::SaveLane(int lane) const {
  const Impl& b = *impl_;
  const double* o = &b.origin[3 * lane];
  std::vector<double> memory = {o[0], o[1], o[2], b.At(b.memory.failed, 0, lane),
                                static_cast<double>(b.until_recentring)};
  for (int k = 0; k < kRootSlots; ++k) memory.push_back(b.At(b.memory.root, k, lane));
  const int joint_slots = static_cast<int>(b.tree.bodies.size()) * kJointSlots;
  for (int k = 0; k < joint_slots; ++k) memory.push_back(b.At(b.memory.joints, k, lane));
  return memory;
}

void Batch::RestoreLane(int lane, const std::vector<double>& memory) {
  Impl& b = *impl_;
  const int joint_slots = static_cast<int>(b.tree.bodies.size()) * kJointSlots;
  if (static_cast<int>(memory.size()) != 5 + kRootSlots + joint_slots) {
    throw InputError("the snapshot is of another character or engine");
  }
  std::copy_n(memory.begin(), 3, &b.origin[3 * lane]);
  b.PlaceGround(lane);
  b.At(b.memory.failed, 0, lane) = static_cast<float>(memory[3]);
  b.until_recentring = static_cast<int>(memory[4]);
  for (int k = 0; k < kRootSlots; ++k)
    b.At(b.memory.root, k, lane) = static_cast<float>(memory[5 + k]);
  for (int k = 0; k < joint_slots; ++k) {
    b.At(b.memory.joints, k, lane) = static_cast<float>(memory[5 + kRootSlots + k]);
  }
  b.motion_stale = true;
}

}  // namespace stride
