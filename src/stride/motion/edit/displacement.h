#pragma once

#include <vector>

#include "stride/motion/motion.h"

// Algebra of poses and displacements, and motion warping with its transition functions: Lee, Kim
// and Lee (2010), "Data-driven biped control" (`lee10`), Appendix A, Appendix B and Equation 6.
//
// A pose P = (v0, q1, ..., qn) is the root's position, its orientation and the joints'
// orientations: State::q. A hinge, which the paper does not have, is a rotation about a fixed axis,
// so its angles add. The character's root must be free.
namespace stride {

// D = (u0, u1, ..., un): linear displacement of the root and rotation vectors, in the layout of
// State::v. Here u0 is along the axes of the pose that is displaced, not the world's.
struct Displacement {
  std::vector<double> u;

  friend Displacement operator+(const Displacement& a, const Displacement& b);
  friend Displacement operator-(const Displacement& a, const Displacement& b);
  friend Displacement operator*(double alpha, const Displacement& d);
  friend bool operator==(const Displacement&, const Displacement&) = default;
};

// P1 (x) P2 = (q11 v20 q11^-1 + v10, q11 q21, ..., q1n q2n): displaces P1 by P2.
std::vector<double> Compose(const Character& character, const std::vector<double>& p1,
                            const std::vector<double>& p2);

// P1 (/) P2 = (q21^-1 (v10 - v20) q21, q21^-1 q11, ..., q2n^-1 q1n): what displaces P2 to P1, so
// that P2 (x) (P1 (/) P2) = P1.
std::vector<double> Quotient(const Character& character, const std::vector<double>& p1,
                             const std::vector<double>& p2);

// exp~(D) and log~(P).
std::vector<double> ExpPose(const Character& character, const Displacement& d);
Displacement LogPose(const Character& character, const std::vector<double>& p);

// P^alpha = exp~(alpha log~(P)).
std::vector<double> Power(const Character& character, const std::vector<double>& p, double alpha);

// s(x) of Appendix B: 0 up to a, 1 from b on, between them the cubic with s' = 0 at both; a < b.
double ForwardTransition(double x, double a, double b);
// r(x) = 1 - s(x).
double BackwardTransition(double x, double a, double b);

// Equation 6: M(t) <- M(t) (x) (P (/) M(0))^r(t). The motion starts in `pose` and goes over to
// itself.
struct WarpOptions {
  // When r reaches 0, as a share of the motion's duration; the paper: 1.
  double share = 1;
  // Bodies whose joints are to be done sooner; the paper: the stance ankle at 1/5.
  struct Exception {
    int body = 0;
    double share = 0.2;
  };
  std::vector<Exception> exceptions;
};
void WarpStart(const Character& character, const std::vector<double>& pose,
               const WarpOptions& options, Motion* motion);

// The inverse of PoseDifference: q moved for a time dt at the velocities v.
std::vector<double> PoseSum(const Character& character, const std::vector<double>& q,
                            const std::vector<double>& v, double dt);

}  // namespace stride
