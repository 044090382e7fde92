#pragma once

#include <vector>

// Bounds of parameters as a folding of the whole line into the box. The search itself then knows no
// bounds.
//
// Of one parameter with a margin m at a finite lower bound (and alike at an upper one):
//
//   y >= lower + m                 x = y
//   lower - m <= y <= lower + m    x = lower + (y - (lower - m))^2 / (4 m)
//   y < lower - m                  mirrored at lower - m
//
// which is continuous with its slope. Why not a penalty on what lies outside: its weight must
// follow the returns, which here may be noisy, of any size, or not finite; ranks of folded
// candidates need none. Nothing is distorted away from the bounds; and a return that still rises at
// the bound, in whose corner a distribution would be cut off and collapse too early, becomes the
// top of a parabola, which the search finds as any other.
namespace stride {

class BoxFold {
 public:
  BoxFold() = default;
  // Finite where there is a bound; both empty: none at all. The margin is a twentieth of the box,
  // or `open_margin` where only one side is bounded.
  BoxFold(std::vector<double> lower, std::vector<double> upper, double open_margin);

  double ToBox(int parameter, double y) const;
  // A y of an x in the box.
  double FromBox(int parameter, double x) const;

 private:
  double Margin(int parameter) const;
  std::vector<double> lower_, upper_;
  double open_margin_ = 0;
};

}  // namespace stride
