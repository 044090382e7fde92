#include "stride/controllers/pendulum/flight_physics.h"

#include <algorithm>
#include <cmath>

#include "stride/controllers/pendulum/pose_rates.h"
#include "stride/motion/motion.h"

namespace stride {
namespace {

constexpr double kGravity = 9.81;
constexpr Vec3d kUp{0, 0, 1};
constexpr double kFade = 0.3;  // s

struct Offset {  // of the whole body: its centre of mass, and a turn about it
  Vec3d shift, turn;
};

// Turns a pose about its centre of mass, then moves it.
void Displace(const Offset& by, const Vec3d& com, std::vector<double>* q) {
  const Quatd turn = Exp(by.turn);
  Put(com + by.shift + Rotate(turn, Vec3At(*q, 0) - com), 0, q);
  Put(Normalized(turn * QuatAt(*q, 3)), 3, q);
}

// Of value and slope 0 at 0 to `value` and `slope` at `window`.
double HermiteEnd(double value, double slope, double t, double window) {
  const double s = t / window;
  return value * s * s * (3 - 2 * s) + slope * window * s * s * (s - 1);
}
Vec3d HermiteEnd(const Vec3d& value, const Vec3d& slope, double t, double window) {
  return {HermiteEnd(value.x, slope.x, t, window), HermiteEnd(value.y, slope.y, t, window),
          HermiteEnd(value.z, slope.z, t, window)};
}

// The turning of a flight: the angular momentum that is constant and ends in the clip's pose, found
// by a few corrections; each step's turn makes the momentum between two frames what it should be.
void Fly(const Kinematics& kinematics, std::span<const BodyMass> masses, FlightPath* path,
         std::vector<std::vector<double>>* poses) {
  const int a = path->flight.last_before, b = path->flight.first_after, steps = b - a;
  const double dt = 1 / path->rate;
  std::vector<Vec3d> com(steps + 1);
  std::vector<std::vector<double>> flown(steps + 1);
  BodyFrames before, now;
  Vec3d constant;
  Sym3d inertia{};
  for (int k = a; k <= b; ++k) {
    kinematics.Frames((*poses)[k], &now);
    const WholeBody whole = MeasureWhole(masses, now);
    com[k - a] = whole.com;
    inertia += whole.inertia * (1.0 / (steps + 1));
    if (k > a) {
      constant +=
          whole.inertia * AlignmentBetween(masses, before, now).angular * (path->rate / steps);
    }
    before = now;
  }
  const auto fly = [&] {
    Vec3d turn;  // of the present frame against the clip's
    path->turned = 0;
    for (int k = a; k <= b; ++k) {
      std::vector<double>* q = &flown[k - a];
      const auto place = [&] {
        *q = (*poses)[k];
        Displace({path->At(k) - com[k - a], turn}, com[k - a], q);
        kinematics.Frames(*q, &now);
      };
      place();
      for (int pass = 0; pass < 3 && k > a; ++pass) {
        const WholeBody whole = MeasureWhole(masses, before);
        const Vec3d rest =
            Inverse(whole.inertia) * constant * dt - AlignmentBetween(masses, before, now).angular;
        turn = Log(Exp(rest) * Exp(turn));
        place();
      }
      before = now;
      path->turned = std::max(path->turned, Norm(turn));
    }
    return turn;
  };
  for (int iteration = 0; iteration < 25; ++iteration) {
    const Vec3d off = fly();
    if (Norm(off) < 1e-6) break;
    constant = constant - inertia * off * (0.5 / (steps * dt));
  }
  path->angular_momentum = constant;
  for (int k = a + 1; k < b; ++k) (*poses)[k] = flown[k - a];
}

}  // namespace

LimbSolver::LimbSolver(const Kinematics& kinematics) : limbs_(LimbsOf(kinematics.character())) {
  const Character& character = kinematics.character();
  for (const FootParts& foot : FeetOf(character)) legs_.emplace_back(kinematics, foot);
  for (int side = 0; side < 2; ++side) {
    const bool left = side == 0;
    const int upper = character.BodyOf(left ? Role::kLeftUpperArm : Role::kRightUpperArm),
              lower = character.BodyOf(left ? Role::kLeftForearm : Role::kRightForearm);
    if (upper < 0 || lower < 0) limbs_[2 + side].body = -1;
    if (limbs_[2 + side].body < 0) continue;
    arm_of_[side] = static_cast<int>(arms_.size());
    arms_.emplace_back(kinematics, character.BodyOf(Role::kTrunk), upper, lower, Vec3d{0, -1, 0});
    lower_[side] = lower;
  }
}

LimbSolver::Place LimbSolver::PlaceOf(int limb, const BodyFrames& frames) const {
  const LimbParts& part = limbs_[limb];
  return {frames.position[part.body] + Rotate(frames.rotation[part.body], part.point),
          frames.rotation[part.body]};
}

void LimbSolver::Solve(int limb, const BodyFrames& frames, const Place& place,
                       std::vector<double>* q) const {
  if (limb < 2) {
    legs_[limb].Solve(frames, place.position, place.rotation, legs_[limb].ToeAngle(frames), q);
    return;
  }
  const int side = limb - 2, lower = lower_[side];
  const Vec3d end = Rotate(Conjugate(frames.rotation[lower]),
                           PlaceOf(limb, frames).position - frames.position[lower]);
  arms_[arm_of_[side]].Solve(frames, end, place.position, 0, q);
}

void StandOn(const Kinematics& kinematics, std::span<const BodyMass> masses,
             const LimbSolver& limbs, const std::array<bool, kMostLimbs>& stands,
             const BodyFrames& placed, const Vec3d& com, std::vector<double>* q) {
  BodyFrames frames;
  for (int pass = 0; pass < 6; ++pass) {
    for (int limb = 0; limb < kMostLimbs; ++limb) {
      if (!limbs.Has(limb) || !stands[limb]) continue;
      kinematics.Frames(*q, &frames);
      limbs.Solve(limb, frames, limbs.PlaceOf(limb, placed), q);
    }
    kinematics.Frames(*q, &frames);
    const Vec3d off = com - MeasureWhole(masses, frames).com;
    if (Norm(off) < 1e-5) break;
    Put(Vec3At(*q, 0) + off, 0, q);
  }
}

std::vector<Flight> FlightsOf(const std::array<std::vector<char>, kMostLimbs>& stands) {
  std::vector<Flight> flights;
  const int count = static_cast<int>(stands[0].size());
  int last = -1;  // that stood
  for (int k = 0; k < count; ++k) {
    bool any = false;
    for (const std::vector<char>& limb : stands) any = any || (!limb.empty() && limb[k]);
    if (!any) continue;
    if (last >= 0 && k > last + 1) flights.push_back({last, k});
    last = k;
  }
  return flights;
}

void FadeIntoFlight(const Kinematics& kinematics, const Flight& flight, double rate,
                    const std::vector<std::vector<double>>& given,
                    std::vector<std::vector<double>>* poses) {
  const Character& character = kinematics.character();
  const int last = static_cast<int>(poses->size()) - 1;
  const int steps = flight.first_after - flight.last_before;
  const int reach = std::min(steps - 1, static_cast<int>(std::lround(kFade * rate)));
  const double length = reach / rate;
  for (const bool after : {false, true}) {
    const int at = after ? flight.first_after : flight.last_before, sign = after ? -1 : 1;
    const int beside = std::clamp(at - sign, 0, last);
    const auto change = [&](int k) { return PoseDifference(character, given[k], (*poses)[k], 1); };
    const std::vector<double> off = change(at), before = change(beside);
    std::vector<double> moved(off.size());
    for (int j = 1; j < reach; ++j) {
      for (std::size_t i = 0; i < off.size(); ++i) {
        // Of value and slope 0 at the far end; time runs from there.
        const double slope = (before[i] - off[i]) * rate;
        moved[i] = HermiteEnd(off[i], slope, (reach - j) / rate, length);
      }
      IntegratePose(kinematics, 1, moved, 1, &(*poses)[at + sign * j]);
    }
  }
}

std::vector<FlightPath> FitFlights(const Kinematics& kinematics, std::span<const BodyMass> masses,
                                   const std::vector<Flight>& flights, double rate,
                                   const std::vector<std::vector<double>>& poses) {
  std::vector<FlightPath> paths;
  const double dt = 1 / rate;
  BodyFrames frames;
  for (const Flight& flight : flights) {
    const int a = flight.last_before, b = flight.first_after, middle = (a + b) / 2;
    FlightPath path{.flight = flight, .rate = rate};
    // Least squares: begin and speed, under the Earth's pull.
    double n = 0, st = 0, stt = 0;
    Vec3d sy, sty, first, half, last;
    for (int k = a; k <= b; ++k) {
      kinematics.Frames(poses[k], &frames);
      const Vec3d com = MeasureWhole(masses, frames).com;
      if (k == a) first = com;
      if (k == middle) half = com;
      if (k == b) last = com;
      const double t = (k - a) * dt;
      const Vec3d y = com + kUp * (0.5 * kGravity * t * t);
      n += 1, st += t, stt += t * t, sy += y, sty += y * t;
    }
    const double det = n * stt - st * st;
    path.speed = (sty * n - sy * st) * (1 / det);
    path.begin = (sy - path.speed * st) * (1 / n);
    const double before = (middle - a) * dt, after = (b - middle) * dt;
    path.clip_gravity =
        -2 * ((last.z - half.z) / after - (half.z - first.z) / before) / (before + after);
    for (int k = a; k <= b; ++k) {
      kinematics.Frames(poses[k], &frames);
      path.moved = std::max(path.moved, Norm(path.At(k) - MeasureWhole(masses, frames).com));
    }
    paths.push_back(path);
  }
  return paths;
}

Vec3d FlightPath::At(int frame) const {
  const double t = (frame - flight.last_before) / rate;
  return begin + speed * t - kUp * (0.5 * kGravity * t * t);
}
Vec3d FlightPath::SpeedAt(int frame) const {
  return speed - kUp * (kGravity * (frame - flight.last_before) / rate);
}

void MakeFlightsPhysical(const Kinematics& kinematics, std::span<const BodyMass> masses,
                         const LimbSolver& limbs,
                         const std::array<std::vector<char>, kMostLimbs>& stands, double window,
                         std::vector<FlightPath>* paths, std::vector<std::vector<double>>* poses) {
  if (paths->empty()) return;
  const double rate = paths->front().rate, dt = 1 / rate;
  const int count = static_cast<int>(poses->size());
  std::vector<BodyFrames> frames(count);
  std::vector<Vec3d> com(count);
  for (int k = 0; k < count; ++k) {
    kinematics.Frames((*poses)[k], &frames[k]);
    com[k] = MeasureWhole(masses, frames[k]).com;
  }
  // The ground gives way on both sides, in place and in speed.
  std::vector<Offset> ground(count);
  std::vector<char> changed(count, 0);
  for (std::size_t i = 0; i < paths->size(); ++i) {
    const FlightPath& path = (*paths)[i];
    const int a = path.flight.last_before, b = path.flight.first_after;
    const int room_before = i == 0 ? a : (a - (*paths)[i - 1].flight.first_after) / 2;
    const int room_after =
        (i + 1 == paths->size() ? count - 1 : (b + (*paths)[i + 1].flight.last_before) / 2) - b;
    const int wide = static_cast<int>(std::lround(window * rate));
    for (const bool after : {false, true}) {
      const int at = after ? b : a, room = std::min(wide, after ? room_after : room_before);
      const int sign = after ? 1 : -1, beside = std::clamp(at + sign, 0, count - 1);
      const Vec3d clip_speed =
          beside == at ? path.SpeedAt(at) : (com[beside] - com[at]) * (sign * rate);
      const Vec3d step = path.SpeedAt(at) - clip_speed;
      ground[at].shift = path.At(at) - com[at];
      changed[at] = 1;
      for (int j = 1; j < room; ++j) {
        Offset* offset = &ground[at + sign * j];
        const double t = (room - j) * dt, length = room * dt;
        offset->shift += HermiteEnd(path.At(at) - com[at], step * -sign, t, length);
        changed[at + sign * j] = 1;
      }
    }
  }
  // Who stands stays where he stood.
  const std::vector<std::vector<double>> given = *poses;
  for (int k = 0; k < count; ++k) {
    if (!changed[k]) continue;
    Displace(ground[k], com[k], &(*poses)[k]);
    std::array<bool, kMostLimbs> held;
    for (int limb = 0; limb < kMostLimbs; ++limb) {
      held[limb] = !stands[limb].empty() && stands[limb][k];
    }
    StandOn(kinematics, masses, limbs, held, frames[k], com[k] + ground[k].shift, &(*poses)[k]);
  }
  for (FlightPath& path : *paths) {
    FadeIntoFlight(kinematics, path.flight, rate, given, poses);
    Fly(kinematics, masses, &path, poses);
  }
}

}  // namespace stride
