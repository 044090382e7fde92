#include "stride/controllers/pendulum/performance_reference.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stride/controllers/pendulum/ground_physics.h"
#include "stride/controllers/pendulum/plant_limbs.h"
#include "stride/controllers/pendulum/pose_rates.h"
#include "stride/core/error.h"
#include "stride/motion/edit/filter.h"

namespace stride {
namespace {

constexpr double kCutoff = 12;          // Hz, of joint angles
constexpr double kMomentumCutoff = 10;  // Hz
constexpr double kShortest = 0.05;      // s, of a contact or a gap that is believed
constexpr double kWindow = 0.3;         // s, of ground beside a flight that gives way to it
constexpr double kReady = 0.25;  // s before a landing in which a limb is brought to its place
constexpr double kLeave = 0.1;   // s after a lift-off
constexpr int kPasses = 6;       // flights and take-offs are made possible in turns
constexpr double kRest = 0.7, kSlowing = 0.12;  // s, after the clip
constexpr double kNearlyDown = 0.1;             // m
constexpr double kDown = 0.02;                  // m, height below which a limb is down
constexpr double kUpright = 0.5;  // cosine of the pelvis's tilt up to which it faces somewhere

double Turn(double from, double to) { return std::remainder(to - from, 2 * M_PI); }

}  // namespace

Vec3d LevelMove::Point(const Vec3d& p) const {
  const Level2 level = shift + Turned({p.x, p.y}, yaw);
  return {level.x, level.y, p.z};
}

PerformanceReference::PerformanceReference(const Character& character, const Motion& motion,
                                           bool told)
    : character_(std::make_shared<const Character>(character)),
      kinematics_(*character_),
      masses_(MassesOf(character)),
      limbs_(kinematics_) {
  if (motion.Duration() < 0.2) {
    throw InputError(fmt::format("the motion '{}' lasts {:.2f} s; expected at least 0.2 s",
                                 motion.name, motion.Duration()));
  }
  Resample(motion);
  Label(motion, told);
  PlantLimbs(kinematics_, limbs_, stands_, kPlanRate, &poses_);
  flights_ = FlightsOf(stands_);
  paths_ = FitFlights(kinematics_, masses_, flights_, kPlanRate, poses_);
  const std::vector<std::vector<double>> clip = poses_;
  for (int pass = 0; pass < kPasses; ++pass) {
    MakeFlightsPhysical(kinematics_, masses_, limbs_, stands_, kWindow, &paths_, &poses_);
    if (pass + 1 == kPasses) break;
    ground_turn_ =
        MakeGroundPhysical(kinematics_, masses_, limbs_, stands_, kPlanRate, paths_, clip, &poses_);
  }
  Measure();
  Face();
}

// Smooth poses at kPlanRate; what moves at the end comes to rest.
void PerformanceReference::Resample(const Motion& motion) {
  const int steps = static_cast<int>(std::lround(motion.Duration() * kPlanRate));
  for (int k = 0; k <= steps; ++k) {
    poses_.push_back(SampleMotion(motion, *character_, k * kPlanStep));
  }
  MakeSignsContinuous(kinematics_, &poses_);
  LowPass(kinematics_, kCutoff, kPlanRate, &poses_);
  // Comes to rest.
  const int n = static_cast<int>(poses_.size());
  const std::vector<double> speed =
      PoseDifference(*character_, poses_[n - 3], poses_[n - 1], 2 * kPlanStep);
  const std::vector<double> end = poses_.back();
  std::vector<double> moved(speed.size());
  for (int k = 1; k <= static_cast<int>(kRest * kPlanRate); ++k) {
    const double t = kSlowing * (1 - std::exp(-k * kPlanStep / kSlowing));
    for (std::size_t i = 0; i < speed.size(); ++i) moved[i] = speed[i];
    poses_.push_back(end);
    IntegratePose(kinematics_, 0, moved, t, &poses_.back());
  }
  count_ = static_cast<int>(poses_.size());
}

bool PerformanceReference::Stands(int limb, int at) const {
  return !stands_[limb].empty() && stands_[limb][Inside(at)];
}
bool PerformanceReference::Flies(int at) const {
  for (int limb = 0; limb < kMostLimbs; ++limb) {
    if (Stands(limb, at)) return false;
  }
  return true;
}
int PerformanceReference::NextLanding(int limb, int at) const {
  for (int k = std::max(at, 0) + 1; k < count_; ++k) {
    if (Stands(limb, k) && !Stands(limb, k - 1)) return k;
  }
  return -1;
}
int PerformanceReference::LastLift(int limb, int at) const {
  for (int k = Inside(at); k > 0; --k) {
    if (!Stands(limb, k) && Stands(limb, k - 1)) return k;
  }
  return 0;
}

// Which limb stands in which frame; flickering labels are not believed.
void PerformanceReference::Label(const Motion& motion, bool told) {
  const int shortest = static_cast<int>(kShortest * kPlanRate);
  bool any = false;
  for (int limb = 0; limb < kMostLimbs; ++limb) {
    if (!limbs_.Has(limb)) continue;
    std::vector<char>& stands = stands_[limb];
    for (int k = 0; k < count_; ++k) {
      const double t = std::min(k * kPlanStep, motion.Duration());
      stands.push_back((SampleContacts(motion, t) & limbs_.limbs()[limb].flag) != 0);
    }
    any = any || std::find(stands.begin(), stands.end(), 1) != stands.end();
    if (told) continue;
    // Short gaps close first, then short contacts go.
    for (const char value : {0, 1}) {
      for (int k = 1; k < count_; ++k) {
        if (stands[k] != value || stands[k - 1] == value) continue;
        int end = k;
        while (end < count_ && stands[end] == value) ++end;
        if (end < count_ && end - k < shortest) {
          std::fill(stands.begin() + k, stands.begin() + end, static_cast<char>(1 - value));
        }
      }
    }
  }
  if (any && !told) ExtendToHeights();
  // Who ends on a foot ends on both, if the other is nearly down.
  BodyFrames frames;
  kinematics_.Frames(poses_.back(), &frames);
  if (!told && (stands_[0].back() || stands_[1].back())) {
    const std::array<FootParts, 2> feet = FeetOf(*character_);
    for (int side = 0; side < 2; ++side) {
      double low = HUGE_VAL;
      for (const ContactPoint& point : feet[side].sole) {
        low = std::min(low, PointAt(frames, point).z);
      }
      const int rest = static_cast<int>(kRest * kPlanRate);
      if (low < kNearlyDown) std::fill(stands_[side].end() - rest, stands_[side].end(), 1);
    }
  }
  if (!any) {
    throw InputError(fmt::format(
        "the motion '{}' has no frame in which a foot or a hand stands; expected contact labels",
        motion.name));
  }
}

void PerformanceReference::LabelMotion(Motion* motion) const {
  for (int f = 0; f < motion->FrameCount(); ++f) {
    const int at = Inside(static_cast<int>(std::lround(f * kPlanRate / motion->fps)));
    for (int limb = 0; limb < kMostLimbs; ++limb) {
      if (!limbs_.Has(limb)) continue;
      const std::uint8_t flag = limbs_.limbs()[limb].flag;
      motion->contacts[f] &= static_cast<std::uint8_t>(~flag);
      if (Stands(limb, at)) motion->contacts[f] |= flag;
    }
  }
}

// Feet that slide or roll lose their labels early. A flight begins when the last limb has left the
// ground and ends when the first is down, whatever its speed.
void PerformanceReference::ExtendToHeights() {
  const std::vector<int> limb_of = LimbOfPoints(*character_);
  std::array<std::vector<char>, kMostLimbs> low;
  BodyFrames frames;
  for (int k = 0; k < count_; ++k) {
    kinematics_.Frames(poses_[k], &frames);
    double height[kMostLimbs] = {9, 9, 9, 9};
    for (std::size_t p = 0; p < limb_of.size(); ++p) {
      if (limb_of[p] < 0) continue;
      height[limb_of[p]] =
          std::min(height[limb_of[p]], PointAt(frames, character_->contact_points[p]).z);
    }
    for (int limb = 0; limb < kMostLimbs; ++limb) low[limb].push_back(height[limb] < kDown);
  }
  for (const Flight& flight : FlightsOf(stands_)) {
    const int a = flight.last_before, b = flight.first_after;
    for (int limb = 0; limb < kMostLimbs; ++limb) {
      if (stands_[limb].empty()) continue;
      for (int k = a; k < b - 1 && stands_[limb][k] && low[limb][k + 1]; ++k) {
        stands_[limb][k + 1] = 1;
      }
      for (int k = b; k > a + 1 && stands_[limb][k] && low[limb][k - 1]; --k) {
        stands_[limb][k - 1] = 1;
      }
    }
  }
}

void PerformanceReference::Measure() {
  double height = 0;
  Sym3d inertia{};
  frames_.resize(count_);
  const auto at = [&](int k) -> const std::vector<double>& { return poses_[Inside(k)]; };
  for (int k = 0; k < count_; ++k) {
    kinematics_.Frames(poses_[k], &frames_[k]);
    wholes_.push_back(MeasureWhole(masses_, frames_[k]));
    height += wholes_[k].com.z / count_;
    inertia += wholes_[k].inertia * (1.0 / count_);
  }
  pole_ = MakePivotedPole(wholes_[0].mass, height, 0.5 * (inertia.xx + inertia.yy));
  lump_ = MakeLumpedMass(wholes_[0].mass);
  const auto rate = [&](int k) {
    const int before = std::max(k - 1, 0), after = std::min(k + 1, count_ - 1);
    return PoseDifference(*character_, at(before), at(after), (after - before) * kPlanStep);
  };
  for (int k = 0; k < count_; ++k) {
    states_.push_back({at(k), rate(k)});
    const std::vector<double> before = rate(std::max(k - 1, 0)),
                              after = rate(std::min(k + 1, count_ - 1));
    std::vector<double> acceleration(before.size());
    for (std::size_t i = 0; i < acceleration.size(); ++i) {
      acceleration[i] = (after[i] - before[i]) * 0.5 * kPlanRate;
    }
    accelerations_.push_back(std::move(acceleration));
  }
  // Momentum between neighbouring frames, then smoothed within a stance or a flight: over a
  // take-off the rates jump.
  std::vector<Vec3d> turning(count_), moving(count_);
  for (int k = 0; k < count_; ++k) {
    const int a = std::min(k, count_ - 2);
    turning[k] = wholes_[k].inertia *
                 AlignmentBetween(masses_, frames_[a], frames_[a + 1]).angular * kPlanRate;
    moving[k] = (wholes_[a + 1].com - wholes_[a].com) * kPlanRate;
  }
  // The momentum from the last frame that stands to the next is the flight's.
  const auto flying = [&](int k) { return Flies(k) || Flies(std::min(k + 1, count_ - 1)); };
  std::vector<int> phase(count_, 0);
  for (int k = 1; k < count_; ++k) phase[k] = phase[k - 1] + (flying(k) != flying(k - 1) ? 1 : 0);
  const double sigma = kPlanRate * 0.1325 / kMomentumCutoff;
  const int reach = static_cast<int>(std::ceil(3 * sigma));
  // A line through the neighbours: its value and its slope.
  const auto fit = [&](const std::vector<Vec3d>& raw, std::vector<Vec3d>* values,
                       std::vector<Vec3d>* rates) {
    values->resize(count_), rates->resize(count_);
    for (int k = 0; k < count_; ++k) {
      double n = 0, st = 0, stt = 0;
      Vec3d sy, sty;
      for (int j = std::max(0, k - reach); j <= std::min(count_ - 2, k + reach); ++j) {
        if (phase[j] != phase[k]) continue;
        const double t = (j + 0.5 - k) * kPlanStep, x = t * kPlanRate / sigma,
                     w = std::exp(-0.5 * x * x);
        n += w, st += w * t, stt += w * t * t, sy += raw[j] * w, sty += raw[j] * (w * t);
      }
      const double det = n * stt - st * st;
      const bool flat = det < 1e-9 * n * n;
      (*rates)[k] = flat ? Vec3d{} : (sty * n - sy * st) * (1 / det);
      (*values)[k] = n > 0 ? (sy - (*rates)[k] * st) * (1 / n) : raw[std::min(k, count_ - 2)];
    }
  };
  fit(turning, &angular_, &angular_rate_);
  fit(moving, &velocity_, &rise_);

  // Weights of limbs.
  const int ready = static_cast<int>(kReady * kPlanRate),
            leave = static_cast<int>(kLeave * kPlanRate);
  for (int limb = 0; limb < kMostLimbs; ++limb) {
    weights_[limb].assign(count_, 0);
    if (!limbs_.Has(limb)) continue;
    for (int k = 0; k < count_; ++k) {
      if (!Stands(limb, k)) continue;
      for (int j = std::max(0, k - ready); j <= std::min(count_ - 1, k + leave); ++j) {
        const double w =
            j < k ? 1 - static_cast<double>(k - j) / ready : 1 - static_cast<double>(j - k) / leave;
        weights_[limb][j] = std::max(weights_[limb][j], w);
      }
    }
  }
  places_ = PlacesDown(kinematics_, limbs_, stands_, kPlanRate, frames_);
  // The pivot: the middle of what stands.
  pivots_.resize(count_);
  int last = -1;
  for (int k = 0; k < count_; ++k) {
    Level2 sum;
    double n = 0;
    for (int limb = 0; limb < kMostLimbs; ++limb) {
      if (!Stands(limb, k)) continue;
      const Vec3d& p = places_[limb][k].position;
      sum = sum + Level2{p.x, p.y}, n += 1;
    }
    if (n == 0) continue;
    pivots_[k] = sum * (1 / n);
    for (int j = last + 1; j < k; ++j) {
      const double t = last < 0 ? 1 : static_cast<double>(j - last) / (k - last);
      pivots_[j] = last < 0 ? pivots_[k] : pivots_[last] + (pivots_[k] - pivots_[last]) * t;
    }
    last = k;
  }
  for (int k = last + 1; k < count_; ++k) pivots_[k] = pivots_[std::max(last, 0)];
}

void PerformanceReference::Face() {
  headings_.assign(count_, 0);
  int last = -1;
  for (int k = 0; k < count_; ++k) {
    const Quatd root = QuatAt(poses_[k], 3);
    if (Rotate(root, Vec3d{0, 0, 1}).z < kUpright && k > 0 && k + 1 < count_) continue;
    const double raw = NearestHeading(root);
    headings_[k] = last < 0 ? raw : headings_[last] + Turn(headings_[last], raw);
    for (int j = last + 1; j < k && last >= 0; ++j) {
      headings_[j] = headings_[last] + (headings_[k] - headings_[last]) * (j - last) / (k - last);
    }
    last = k;
  }
}

}  // namespace stride
