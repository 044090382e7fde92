#pragma once

#include <utility>
#include <vector>

#include "stride/control/lane_program.h"

// What a gait was like, for the fitness functions: measured in lanes, step by step.
namespace stride {

struct SplineMeter {
  int trunk = 0;
  double decay_seconds = 5;                  // of the decaying fitness
  double still_from = 1e9;                   // s: from there on it should stand still
  double goal_speed = 1;                     // of the desired path, m/s
  double goal_ramp = 1, goal_seconds = 1e9;  // it speeds up and slows down so long; until then, s
  double most_backwards = 0.3;               // m; who goes further back is not looked at any more
  bool support = false;                      // what touches is looked at (kUnsupported and on)

  // What is read in the end. Lengths in m, times in s.
  enum Value {
    kSeconds,       // looked at
    kForwards,      // of the centre of mass
    kSideways,      // to the left
    kDrop,          // integral of how far it is below where it began
    kWander,        // integral of how far it is from the straight line
    kDecayed,       // integral of (forward speed - drop) e^(-t / decay)
    kTrunkTouch,    // seconds that the trunk touches the ground
    kActive,        // share of the actuators whose targets move
    kOscillating,   // share of the actuators whose joints move
    kFlight,        // seconds without any contact
    kRise,          // most that the centre of mass rose
    kTurned,        // to the left, rad
    kPathError,     // integral of the squared distance to the desired path
    kUnrest,        // largest speed of the centre of mass since still_from
    kHeadingError,  // integral of the squared sine of the heading
    kBackwards,     // 1: went too far back
    kUnsupported,   // seconds that the centre of mass is not over what touches
    kOffSupport,    // integral of how far it is from there beyond kOverSupport, at most kFarOff
    kSlip,          // path that what touches slides, by the load on it
    kWave,          // how much each joint of `pairs` is behind the one before it, all the same way
    kValues
  };

  // A square root of the mean square above this moves, rad.
  static constexpr double kMoves = 0.05;

  // Who is not over the support is further than this from it; who flies is this far, m.
  static constexpr double kOverSupport = 0.02, kFarOff = 0.2;

  // Sums of the values, then what else is kept, then sums and squares of targets and angles.
  enum Slot { kStartX = kValues, kStartY, kStartZ, kAheadX, kAheadY, kTargets };
  std::vector<int> bodies;  // of each actuator, and which of its numbers
  std::vector<int> axes;
  std::vector<std::pair<int, int>> pairs;  // bodies: hinges of a chain that bend the same way
  int PairSlots() const { return kTargets + 4 * static_cast<int>(bodies.size()); }
  int Slots() const { return PairSlots() + 2 * static_cast<int>(pairs.size()); }

  template <class S, class Real>
  STRIDE_INLINE void Begin(const LaneView<S, Real>& view, S* slots) const {
    for (int k = 0; k < Slots(); ++k) slots[k] = S(0);
    const Vec3<S> com =
        view.origin + view.Root().position + MeasureMomentum(view.tree, view.art).com;
    slots[kStartX] = com.x, slots[kStartY] = com.y;
    slots[kStartZ] = com.z - view.ground_height;
    HeadingOf(view, &slots[kAheadX], &slots[kAheadY]);
  }

  // `targets`: of each actuator, every second number.
  template <class S, class Real>
  STRIDE_INLINE void Add(const LaneView<S, Real>& view, const S* targets, int count,
                         S* slots) const {
    const S looked = S(1) - slots[kBackwards];
    const S h = view.time_step * looked;
    const S t = slots[kSeconds];
    const Momentum<S> momentum = MeasureMomentum(view.tree, view.art);
    const Vec3<S> com = view.origin + view.Root().position + momentum.com;
    const Vec3<S> velocity = momentum.linear * S(1 / view.tree.mass);
    const S x = com.x - slots[kStartX], y = com.y - slots[kStartY];
    const S rise = com.z - view.ground_height - slots[kStartZ];
    const S drop = Max(-rise, S(0));
    slots[kForwards] = Select(looked > S(0.5), x, slots[kForwards]);
    slots[kSideways] = Select(looked > S(0.5), y, slots[kSideways]);
    slots[kDrop] += drop * h;
    slots[kWander] += Abs(y) * h;
    slots[kRise] = Max(slots[kRise], rise * looked);
    // e^(-t / T) as 1 / (1 + s + s^2 / 2 + s^3 / 6) of s = t / T: the weight falls the same way.
    const S s = t * S(1 / decay_seconds);
    slots[kDecayed] +=
        (velocity.x - drop) * h / (S(1) + s * (S(1) + s * (S(0.5) + s * S(1.0 / 6))));
    slots[kTrunkTouch] += Select(view.ContactForce(trunk).z > S(0), h, S(0));
    S load(0);
    for (int k = 0; k < view.contact_count; ++k) load += view.contacts[kContactSlots * k + 2];
    slots[kFlight] += Select(load > S(0), S(0), h);
    if (support) {
      const S off = OffSupport(view, view.Root().position + momentum.com);
      slots[kUnsupported] += Select(off > S(kOverSupport), h, S(0));
      slots[kOffSupport] += Max(off - S(kOverSupport), S(0)) * h;
      slots[kSlip] += SlipSpeed(view) * h;
    }

    S ahead_x, ahead_y;
    HeadingOf(view, &ahead_x, &ahead_y);
    slots[kTurned] += (slots[kAheadX] * ahead_y - slots[kAheadY] * ahead_x) * looked;
    slots[kAheadX] = ahead_x, slots[kAheadY] = ahead_y;
    slots[kHeadingError] += ahead_y * ahead_y * h;

    // Speeds up evenly, goes, slows down evenly: a trapezium of speed.
    const S up = Min(t, S(goal_ramp)), level = Max(Min(t, S(goal_seconds)) - S(goal_ramp), S(0));
    const S down = Min(Max(t - S(goal_seconds), S(0)), S(goal_ramp));
    const S wanted = S(goal_speed) * (up * up * S(0.5 / goal_ramp) + level + down -
                                      down * down * S(0.5 / goal_ramp));
    slots[kPathError] += ((x - wanted) * (x - wanted) + y * y) * h;

    const S speed = Sqrt(SquaredNorm(velocity) + S(1e-12));
    slots[kUnrest] = Max(slots[kUnrest], Select(t > S(still_from), speed * looked, S(0)));
    for (int a = 0; a < count; ++a) {
      const JointState<S>& joint = view.Joint(bodies[a]);
      S* sums = slots + kTargets + 4 * a;
      const S target = targets[2 * a];
      const S at = axes[a] < 0    ? joint.angle
                   : axes[a] == 0 ? joint.rot.x + joint.rot.x
                   : axes[a] == 1 ? joint.rot.y + joint.rot.y
                                  : joint.rot.z + joint.rot.z;
      sums[0] += target * h, sums[1] += target * target * h;
      sums[2] += at * h, sums[3] += at * at * h;
    }
    // The area that two angles sweep around each other: of a wave that travels it grows, of one
    // that stands it does not.
    S* swept = slots + PairSlots();
    for (const auto& [first, second] : pairs) {
      const S one = view.Joint(first).angle * view.Joint(second).w.x;
      const S other = view.Joint(second).angle * view.Joint(first).w.x;
      swept[0] += (one - other) * h;
      swept[1] += (Abs(one) + Abs(other)) * h;
      swept += 2;
    }
    slots[kSeconds] += h;
    slots[kBackwards] = Select(x < S(-most_backwards), S(1), slots[kBackwards]);
  }

  template <class S>
  STRIDE_INLINE void Read(int count, const S* slots, S* values) const {
    for (int k = 0; k < kValues; ++k) values[k] = slots[k];
    const S each(1.0 / (count > 0 ? count : 1)), by = S(1) / Max(slots[kSeconds], S(1e-3));
    S active(0), oscillating(0);
    for (int a = 0; a < count; ++a) {
      const S* sums = slots + kTargets + 4 * a;
      const auto moves = [&](const S& sum, const S& square) {
        const S mean = sum * by;
        return Select(square * by - mean * mean > S(kMoves * kMoves), each, S(0));
      };
      active += moves(sums[0], sums[1]);
      oscillating += moves(sums[2], sums[3]);
    }
    // The least of all pairs, whichever way the wave goes.
    S up(1), down(1);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const S* swept = slots + PairSlots() + 2 * k;
      const S share = swept[0] / Max(swept[1], S(1e-6));
      up = Min(up, share), down = Min(down, -share);
    }
    values[kWave] = pairs.empty() ? S(0) : Max(up, down);
    values[kActive] = active;
    values[kOscillating] = oscillating;
  }

 private:
  // How far the centre of mass is outside of what touches, m: outside of the sixteen-sided polygon
  // around it, which is nearly its convex hull and costs no sorting.
  template <class S, class Real>
  STRIDE_INLINE S OffSupport(const LaneView<S, Real>& view, const Vec3<S>& com) const {
    constexpr int kAxes = 8;
    constexpr double kCosine[kAxes] = {
        1, 0.92387953251128674,  0.70710678118654752,  0.38268343236508977,
        0, -0.38268343236508977, -0.70710678118654752, -0.92387953251128674};
    S most[kAxes], least[kAxes];
    for (int a = 0; a < kAxes; ++a) most[a] = S(-kFarOff), least[a] = S(kFarOff);
    for (int k = 0; k < view.contact_count; ++k) {
      const S* contact = view.contacts + kContactSlots * k;
      const Mask<S> touches = contact[2] > S(0);
      const S x = contact[7] - com.x, y = contact[8] - com.y;
      for (int a = 0; a < kAxes; ++a) {
        // The sine is the cosine of a quarter turn less.
        const S along = x * S(kCosine[a]) + y * S(a < 4 ? -kCosine[a + 4] : kCosine[a - 4]);
        most[a] = Select(touches, Max(most[a], along), most[a]);
        least[a] = Select(touches, Min(least[a], along), least[a]);
      }
    }
    S off(0);
    for (int a = 0; a < kAxes; ++a) off = Max(off, Max(-most[a], least[a]));
    return off;
  }

  // Mean speed along the ground of the points that touch, by their loads.
  template <class S, class Real>
  STRIDE_INLINE S SlipSpeed(const LaneView<S, Real>& view) const {
    S slip(0), load(1e-6);
    for (int k = 0; k < view.contact_count; ++k) {
      const S* contact = view.contacts + kContactSlots * k;
      const BodyMotion<S>& body = view.Motion(view.contact_bodies[k]);
      const Vec3<S> arm =
          Vec3<S>{contact[7], contact[8], contact[9]} - view.Root().position - body.o;
      const Vec3<S> velocity = body.v + Cross(body.w, arm);
      const S speed = Sqrt(velocity.x * velocity.x + velocity.y * velocity.y + S(1e-12));
      const S carries = Max(contact[2], S(0));
      slip += speed * carries;
      load += carries;
    }
    return slip / load;
  }

  template <class S, class Real>
  STRIDE_INLINE void HeadingOf(const LaneView<S, Real>& view, S* x, S* y) const {
    const auto& r = view.Motion(trunk).r;
    const S across = S(1) / Sqrt(Max(r.xx * r.xx + r.yx * r.yx, S(1e-6)));
    *x = r.xx * across, *y = r.yx * across;
  }
};

}  // namespace stride
