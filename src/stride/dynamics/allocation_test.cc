#include <cstdlib>
#include <functional>
#include <new>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/dynamics/rigid_body.h"

// A controller's step may not allocate: every call of new in this program is counted.
namespace {
thread_local long allocations = 0;

void* Allocate(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, size > 0 ? size : 1) != 0) throw std::bad_alloc();
  return memory;
}
}  // namespace

void* operator new(std::size_t size) { return Allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace stride {
namespace {

template <class Work>
long AllocationsOf(const Work& work) {
  const long before = allocations;
  work();
  return allocations - before;
}

TEST(Allocations, AreCounted) {
  std::vector<double> numbers;
  EXPECT_EQ(AllocationsOf([&] { numbers.resize(100); }), 1);
}

TEST(Allocations, AModelMakesNoneAfterItsConstruction) {
  for (const CharacterInfo& info : BuiltInCharacters()) {
    SCOPED_TRACE(info.name);
    const Character character = LoadCharacter(info.name);
    const State state = RestState(character);
    Model<double> model(character);
    const int nv = model.DofCount(), last = character.BodyCount() - 1;
    std::vector<double> q = state.q, v = state.v, in(nv, 1.0), out(nv);
    DenseMatrix<double> mass(nv, nv), six(6, nv);
    Vec3d a, b;
    double sum = 0;
    const BodyForce<double> forces[] = {{last, {1, 2, 3}, {4, 5, 6}, {0.1, 0, 0}},
                                        {0, {1, 2, 3}, {4, 5, 6}, {0.1, 0, 0}}};
    const std::pair<const char*, std::function<void()>> calls[] = {
        {"SetState", [&] { model.SetState(state); }},
        {"GetState", [&] { model.GetState(q.data(), v.data()); }},
        {"Position", [&] { a = model.Position(last); }},
        {"PointPosition", [&] { a = model.PointPosition(last, b); }},
        {"PointVelocity", [&] { a = model.PointVelocity(last, b); }},
        {"Motion", [&] { a = model.Motion(last).w + model.GetJoint(last).w; }},
        {"InverseDynamics",
         [&] { InverseDynamics<double>(&model, 9.81, in.data(), forces, 2, out.data()); }},
        {"ForwardDynamics",
         [&] { ForwardDynamics<double>(&model, 9.81, in.data(), forces, 2, out.data()); }},
        {"HybridDynamics",
         [&] { HybridDynamics<double>(&model, 9.81, forces, 2, in.data(), out.data()); }},
        {"MassMatrix", [&] { MassMatrix(&model, &mass); }},
        {"PointJacobian", [&] { PointJacobian(model, last, b, &six); }},
        {"PointBias", [&] { PointBias(&model, last, b, &a, &b); }},
        {"GetMomentum", [&] { a = GetMomentum(&model).angular; }},
        {"CenterOfMass", [&] { a = CenterOfMass(&model); }},
        {"CentroidalMomentum", [&] { CentroidalMomentum(&model, &six, &a, &b); }},
        {"KineticEnergy", [&] { sum += KineticEnergy(&model); }},
        {"PotentialEnergy", [&] { sum += PotentialEnergy(&model, 9.81); }},
    };
    for (const auto& [name, call] : calls) EXPECT_EQ(AllocationsOf(call), 0) << name;
  }
}

}  // namespace
}  // namespace stride
