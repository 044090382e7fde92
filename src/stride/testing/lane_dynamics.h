#pragma once

#include <cstddef>

#include "stride/dynamics/tree.h"

// Between tree_dynamics_test.cc and its lanes: every quantity of tree_dynamics.h for one tree.
namespace stride {

// Arrays of [number][lane] floats, aligned to 64 bytes.
struct LaneDynamics {
  const Tree<float>* tree;
  const Tree<float>* bare;
  int body;  // of the point
  float gravity;
  float point[3];
  const float *q, *v, *tau, *vdot;
  float *inverse, *forward, *hybrid_tau, *hybrid_vdot;  // nv each
  float *mass, *jacobian, *centroidal;                  // nv x nv, 6 x nv, 6 x nv
  float* point_bias;                                    // 6: angular, linear
  float* centroidal_bias;                               // 6
  float* momentum;                                      // 6
  float* energy;                                        // 1
  void* memory;                                         // `bytes(bodies)`
};

struct LaneDynamicsKernel {
  int lanes;
  std::size_t (*bytes)(int bodies);
  void (*run)(const LaneDynamics& problem);
};
const LaneDynamicsKernel& LaneDynamicsSse2();
const LaneDynamicsKernel& LaneDynamicsAvx2();
const LaneDynamicsKernel& LaneDynamicsAvx512();

}  // namespace stride
