#pragma once

#include <vector>

#include "stride/dynamics/model.h"
#include "stride/dynamics/tree_dynamics.h"

// The functions of tree_dynamics.h on the state and in the memory of a Model. None allocates, but a
// matrix that has to grow.
namespace stride {

// Row-major.
template <class S>
struct DenseMatrix {
  int rows = 0, cols = 0;
  std::vector<S> data;
  DenseMatrix() = default;
  DenseMatrix(int r, int c) { Resize(r, c); }
  void Resize(int r, int c) {
    rows = r;
    cols = c;
    data.assign(static_cast<std::size_t>(r) * c, S(0));
  }
  S& operator()(int i, int j) { return data[static_cast<std::size_t>(i) * cols + j]; }
  const S& operator()(int i, int j) const { return data[static_cast<std::size_t>(i) * cols + j]; }
};

template <class S, class Real>
void InverseDynamics(Model<S, Real>* model, const S& gravity, const S* vdot,
                     const BodyForce<S>* forces, int force_count, S* tau) {
  Articulation<S> art = model->View();
  InverseDynamics(model->GetTree(), gravity, vdot, forces, force_count, &art, tau);
}

template <class S, class Real>
void ForwardDynamics(Model<S, Real>* model, const S& gravity, const S* tau,
                     const BodyForce<S>* forces, int force_count, S* vdot) {
  Articulation<S> art = model->View();
  ForwardDynamics(model->BareTree(), gravity, tau, forces, force_count, model->DriveScratch(), &art,
                  vdot);
}

template <class S, class Real>
void HybridDynamics(Model<S, Real>* model, const S& gravity, const BodyForce<S>* forces,
                    int force_count, S* vdot, S* tau) {
  Articulation<S> art = model->View();
  HybridDynamics(model->GetTree(), gravity, forces, force_count, &art, vdot, tau);
}

template <class S, class Real>
void MassMatrix(Model<S, Real>* model, DenseMatrix<S>* mass) {
  Articulation<S> art = model->View();
  mass->Resize(model->DofCount(), model->DofCount());
  MassMatrix(model->GetTree(), &art, mass->data.data());
}

template <class S, class Real>
void PointJacobian(const Model<S, Real>& model, int body, const Vec3<S>& point,
                   DenseMatrix<S>* jacobian) {
  jacobian->Resize(6, model.DofCount());
  PointJacobian(model.GetTree(), &model.Motion(0), body, point, jacobian->data.data());
}

template <class S, class Real>
void PointBias(Model<S, Real>* model, int body, const Vec3<S>& point, Vec3<S>* angular,
               Vec3<S>* linear) {
  Articulation<S> art = model->View();
  PointBias(model->GetTree(), body, point, &art, angular, linear);
}

template <class S, class Real>
Momentum<S> GetMomentum(Model<S, Real>* model) {
  return MeasureMomentum(model->GetTree(), model->View());
}

template <class S, class Real>
Vec3<S> CenterOfMass(Model<S, Real>* model) {
  return model->Root().position + GetMomentum(model).com;
}

template <class S, class Real>
void CentroidalMomentum(Model<S, Real>* model, DenseMatrix<S>* matrix, Vec3<S>* angular_bias,
                        Vec3<S>* linear_bias) {
  Articulation<S> art = model->View();
  matrix->Resize(6, model->DofCount());
  CentroidalMomentum(model->GetTree(), &art, matrix->data.data(), angular_bias, linear_bias);
}

// Kinetic and potential energy (height above z = 0), J.
template <class S, class Real>
S KineticEnergy(Model<S, Real>* model) {
  return KineticEnergy(model->GetTree(), model->View());
}
template <class S, class Real>
S PotentialEnergy(Model<S, Real>* model, const S& gravity) {
  return CenterOfMass(model).z * gravity * S(model->GetTree().mass);
}

}  // namespace stride
