#pragma once

#include <vector>

namespace stride {

// A path over ground smoothed by the mean over a window around each of its points; near the ends
// the window narrows, so that the smoothed path begins and ends where the path does and a straight
// one stays as long as it is. Points come at even times; each is smoothed once the half window
// after it is known.
class PathSmoother {
 public:
  explicit PathSmoother(int window);  // points from one end of it to the other

  struct Point {
    bool valid = false;
    double x = 0, y = 0;          // smoothed
    double raw_x = 0, raw_y = 0;  // as it was given
    double dx = 0, dy = 0;        // from the smoothed point before
    double moved = 0;             // length of that
  };
  // The point that can now be smoothed, if there is one.
  Point Add(double x, double y);

  // Length of what is not smoothed yet, as if the path ended with the last point and then went
  // straight to (x, y).
  double Tail(double x, double y) const;

 private:
  struct Place {
    double x = 0, y = 0;
  };
  const Place& At(long index) const { return ring_[index % static_cast<long>(ring_.size())]; }
  Place MeanAround(long center, long half) const;

  long half_;
  std::vector<Place> ring_;  // the last 2 half + 1 points
  Place sum_;                // of the window
  Place last_;               // smoothed
  long count_ = 0;           // points so far
};

}  // namespace stride
