#pragma once

#include <vector>

#include "stride/character/character.h"

// The immutable, flat form of a character that the dynamics runs on. Real is float for lanes and
// double for the reference; the numbers are the same for all lanes.
namespace stride {

// Which coordinate axis a hinge turns about, or a slide leads along: a rotation about one of them
// costs a third of a general one.
enum class HingeAxis { kX, kY, kZ, kGeneral };

template <class Real>
struct TreeBody {
  int parent;
  JointKind kind;
  HingeAxis hinge;  // with the sign of `axis`
  bool massless;    // a link inside a chain of hinges and slides: no inertia of its own
  bool limited;
  bool has_passive;         // damping or stiffness
  int q, v;                 // where its numbers start in State::q and State::v
  int first_point, points;  // its contact points
  Real axis[3];
  Real offset[3];
  Real mass;
  Real mass_com[3];  // mass times centre of mass
  Real inertia[6];   // about the body frame's origin: xx xy xz yy yz zz
  Real armature, damping, stiffness, spring_angle;
  Real lower, upper;
  Real max_torque;
};

template <class Real>
struct TreePoint {
  int body;
  Real position[3];
  Real radius;
  int index;  // in Character::contact_points
};

template <class Real>
struct Tree {
  std::vector<TreeBody<Real>> bodies;
  std::vector<TreePoint<Real>> points;  // sorted by body
  int nq = 0, nv = 0;
  bool free_root = false;
  Real mass = 0;
};

template <class Real>
Tree<Real> BuildTree(const Character& character);

extern template Tree<double> BuildTree<double>(const Character&);
extern template Tree<float> BuildTree<float>(const Character&);

// The tree as the equations of motion see it: passive parts and torque bounds belong to the servo.
template <class Real>
Tree<Real> WithoutServos(Tree<Real> tree) {
  for (TreeBody<Real>& body : tree.bodies) {
    body.has_passive = false;
    body.max_torque = 0;
  }
  return tree;
}

}  // namespace stride
