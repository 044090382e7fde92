#include "stride/record/gait.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/scenario/metrics.h"

namespace stride {
namespace {

constexpr double kShortest = 0.05;         // s; shorter contacts and gaps are noise
constexpr double kLargestTurn = 20;        // deg, of the pelvis in a cycle
constexpr double kLargestSwing = 60;       // deg, of the pelvis from the cycle's beginning
constexpr double kSettled = 0.3;           // part of a contact after which the foot is flat
constexpr double kTimeTolerance = 0.25;    // of the median cycle time
constexpr double kLengthTolerance = 0.35;  // of the median stride
constexpr double kOnTheSpot = 0.1;         // m; a shorter stride has no direction
constexpr double kDegrees = 180 / std::numbers::pi;
constexpr const char* kSideNames[] = {"left", "right"};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Frames at which a foot becomes a support, and at which it stops to be one.
struct Steps {
  std::vector<int> strikes, toe_offs;
};

// Sets every stretch of `value` shorter than kShortest to the opposite; those at the ends stay, as
// nobody knows how long they are.
void DropShort(const std::vector<GaitFrame>& frames, bool value, std::vector<char>* down) {
  const std::size_t count = down->size();
  for (std::size_t begin = 0; begin < count;) {
    std::size_t end = begin + 1;
    while (end < count && (*down)[end] == (*down)[begin]) ++end;
    if ((*down)[begin] == value && begin > 0 && end < count &&
        frames[end].time - frames[begin].time < kShortest - 1e-9) {
      std::fill(down->begin() + begin, down->begin() + end, !value);
    }
    begin = end;
  }
}

std::vector<char> Supports(const std::vector<GaitFrame>& frames, int side) {
  std::vector<char> down;
  down.reserve(frames.size());
  for (const GaitFrame& frame : frames) down.push_back(frame.sides[side].down);
  DropShort(frames, false, &down);
  DropShort(frames, true, &down);
  return down;
}

Steps StepsOf(const std::vector<char>& down) {
  Steps steps;
  for (std::size_t f = 1; f < down.size(); ++f) {
    if (down[f] && !down[f - 1]) steps.strikes.push_back(static_cast<int>(f));
    if (!down[f] && down[f - 1]) steps.toe_offs.push_back(static_cast<int>(f));
  }
  return steps;
}

struct Cycle {
  int side = 0;
  int first = 0, last = 0;         // frames of the two strikes
  int middle = 0;                  // of the other foot's strike between them
  std::array<Vec3d, 3> footholds;  // of the three strikes, m
  double time = 0, travel = 0;
  Vec3d forward;    // unit, horizontal: the sagittal plane's
  Vec3d direction;  // unit, horizontal: of travel
};

Vec3d Level(const Vec3d& v) { return {v.x, v.y, 0}; }
Vec3d UnitOr(const Vec3d& v, const Vec3d& otherwise) {
  return Norm(v) > 1e-9 ? Normalized(v) : otherwise;
}

// Directions of a cycle whose frames are known.
void SetDirections(const std::vector<GaitFrame>& frames, Cycle* cycle) {
  Vec3d facing;
  for (int f = cycle->first; f < cycle->last; ++f) {
    facing += UnitOr(Level(Rotate(frames[f].pelvis_turn, Vec3d{1, 0, 0})), {});
  }
  facing = UnitOr(facing, {1, 0, 0});
  const Vec3d stride = Level(cycle->footholds[2] - cycle->footholds[0]);
  cycle->direction = Norm(stride) > kOnTheSpot ? Normalized(stride) : facing;
  // Who goes backwards still bends his knees forwards; who goes sideways bends them where he faces.
  const double along = Dot(cycle->direction, facing);
  cycle->forward = along > 0.7 ? cycle->direction : along < -0.7 ? -cycle->direction : facing;
}

// Whole turns and somersaults show only on the way.
bool Turns(const std::vector<GaitFrame>& frames, int first, int last) {
  double turn = 0, largest = 0;
  for (int f = first; f < last; ++f) {
    const double change = Heading(frames[f + 1].pelvis_turn) - Heading(frames[f].pelvis_turn);
    turn += std::remainder(change, 2 * std::numbers::pi) * kDegrees;
    largest = std::max(largest, std::fabs(turn));
  }
  return std::fabs(turn) > kLargestTurn || largest > kLargestSwing;
}

// Where a foot stands after its strike at frame `strike`: a bit into its contact, as it may still
// move at the strike itself.
Vec3d Foothold(const std::vector<GaitFrame>& frames, const std::vector<char>& down, int side,
               int strike) {
  int end = strike;
  while (end < static_cast<int>(frames.size()) && down[end]) ++end;
  return frames[strike + static_cast<int>(kSettled * (end - 1 - strike))].sides[side].ankle;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

// All cycles but those that turn or in which the other foot does not strike once.
std::vector<Cycle> FindCycles(const std::vector<GaitFrame>& frames,
                              const std::array<std::vector<char>, 2>& down,
                              const std::array<Steps, 2>& steps, GaitAnalysis* analysis) {
  std::vector<Cycle> cycles;
  for (int side = 0; side < 2; ++side) {
    const std::vector<int>&own = steps[side].strikes, &other = steps[1 - side].strikes;
    for (std::size_t k = 1; k < own.size(); ++k) {
      Cycle cycle{.side = side, .first = own[k - 1], .last = own[k]};
      const GaitFrame &begin = frames[cycle.first], &end = frames[cycle.last];
      // Both feet at once: a jump, which is no step either.
      const auto strike = std::upper_bound(other.begin(), other.end(), cycle.first);
      const auto after = std::lower_bound(other.begin(), other.end(), cycle.last);
      if (Turns(frames, cycle.first, cycle.last)) {
        ++analysis->turning;
      } else if (after - strike != 1) {
        ++analysis->uneven;
      } else {
        cycle.middle = *strike;
        cycle.time = end.time - begin.time;
        cycle.travel = Norm(Level(end.pelvis - begin.pelvis));
        cycle.footholds = {Foothold(frames, down[side], side, cycle.first),
                           Foothold(frames, down[1 - side], 1 - side, cycle.middle),
                           Foothold(frames, down[side], side, cycle.last)};
        SetDirections(frames, &cycle);
        cycles.push_back(cycle);
      }
    }
  }
  return cycles;
}

// Length of the step that a foot makes in the cycle, m.
double StepOf(const Cycle& cycle, int foot) {
  const auto& [first, middle, last] = cycle.footholds;
  return Dot(foot == cycle.side ? last - middle : middle - first, cycle.direction);
}

void DropIrregular(std::vector<Cycle>* cycles, GaitAnalysis* analysis) {
  if (cycles->empty()) return;
  std::vector<double> times, travels;
  std::array<std::vector<double>, 2> steps;  // of each foot: a limp is regular
  for (const Cycle& cycle : *cycles) {
    times.push_back(cycle.time);
    travels.push_back(cycle.travel);
    for (int side = 0; side < 2; ++side) steps[side].push_back(StepOf(cycle, side));
  }
  const double time = Median(times), travel = Median(travels);
  const std::array<double, 2> step = {Median(steps[0]), Median(steps[1])};
  const double far = kLengthTolerance * std::max(travel, kOnTheSpot);
  analysis->irregular = static_cast<int>(std::erase_if(*cycles, [&](const Cycle& cycle) {
    return std::fabs(cycle.time - time) > kTimeTolerance * time ||
           std::fabs(cycle.travel - travel) > far ||
           std::fabs(StepOf(cycle, 0) - step[0]) > far / 2 ||
           std::fabs(StepOf(cycle, 1) - step[1]) > far / 2;
  }));
}

struct Moments {
  double mean = kNan, deviation = 0;
};
Moments MomentsOf(const std::vector<double>& values) {
  Moments moments;
  if (values.empty()) return moments;
  const double n = static_cast<double>(values.size());
  moments.mean = 0;
  for (const double v : values) moments.mean += v / n;
  if (values.size() < 2) return moments;
  double sum = 0;
  for (const double v : values) sum += (v - moments.mean) * (v - moments.mean);
  moments.deviation = std::sqrt(sum / (n - 1));
  return moments;
}

// Values of one measure, by foot.
struct Values {
  std::array<std::vector<double>, 2> side;
  void Add(int which, double value) { side[which].push_back(value); }
  GaitMeasure Result() const {
    std::vector<double> all = side[0];
    all.insert(all.end(), side[1].begin(), side[1].end());
    const Moments moments = MomentsOf(all);
    return {moments.mean, moments.deviation, {MomentsOf(side[0]).mean, MomentsOf(side[1]).mean}};
  }
};

// Share of the cycle's time in which `is(frame)` holds, each frame lasting until the next.
template <class Is>
double Share(const std::vector<GaitFrame>& frames, const Cycle& cycle, Is is) {
  double time = 0;
  for (int f = cycle.first; f < cycle.last; ++f) {
    if (is(f)) time += frames[f + 1].time - frames[f].time;
  }
  return time / cycle.time;
}

void MeasureSteps(const std::vector<GaitFrame>& frames,
                  const std::array<std::vector<char>, 2>& down, const std::vector<Cycle>& cycles,
                  GaitAnalysis* analysis) {
  Values cycle_time, step_time, step_length, step_width, duty, both, none, speed;
  for (const Cycle& cycle : cycles) {
    const int side = cycle.side, other = 1 - side;
    const auto& [first, middle, last] = cycle.footholds;
    const Vec3d left = Cross(Vec3d{0, 0, 1}, cycle.forward);
    cycle_time.Add(side, cycle.time);
    speed.Add(side, cycle.travel / cycle.time);
    step_time.Add(other, frames[cycle.middle].time - frames[cycle.first].time);
    step_time.Add(side, frames[cycle.last].time - frames[cycle.middle].time);
    step_length.Add(other, StepOf(cycle, other));
    step_length.Add(side, StepOf(cycle, side));
    // The line goes through the middle of its ends.
    const double width = Dot(middle - 0.5 * (first + last), left);
    step_width.Add(side, side == 0 ? -width : width);
    duty.Add(side, Share(frames, cycle, [&](int f) { return down[side][f] != 0; }));
    both.Add(side, Share(frames, cycle, [&](int f) { return down[0][f] && down[1][f]; }));
    none.Add(side, Share(frames, cycle, [&](int f) { return !down[0][f] && !down[1][f]; }));
  }
  analysis->cycle_time = cycle_time.Result();
  analysis->step_time = step_time.Result();
  analysis->step_length = step_length.Result();
  analysis->step_width = step_width.Result();
  analysis->duty_factor = duty.Result();
  analysis->double_support = both.Result();
  analysis->flight = none.Result();
  analysis->speed = speed.Result();
  analysis->cadence = 2 * 60 / analysis->cycle_time.mean;
  analysis->asymmetry =
      (std::fabs(analysis->step_time.Asymmetry()) + std::fabs(analysis->step_length.Asymmetry()) +
       std::fabs(analysis->duty_factor.Asymmetry())) /
      3;
}

// One quantity over the cycle.
struct Channel {
  const char *name, *unit;
  double (*value)(const GaitSource& source, const GaitFrame& frame, const Cycle& cycle);
  bool forces = false, arms = false;  // what the source must have
};

constexpr Vec3d kForward{1, 0, 0}, kUp{0, 0, 1}, kDown{0, 0, -1};

const GaitFrame::Side& Own(const GaitFrame& frame, const Cycle& cycle) {
  return frame.sides[cycle.side];
}
double AngleDeg(double sine, double cosine) { return std::atan2(sine, cosine) * kDegrees; }

constexpr Channel kChannels[] = {
    {"thigh", "deg",
     [](const GaitSource&, const GaitFrame& frame, const Cycle& cycle) {
       const Vec3d bone = Rotate(Own(frame, cycle).thigh, kDown);
       return AngleDeg(Dot(bone, cycle.forward), -bone.z);
     }},
    {"knee", "deg",
     [](const GaitSource&, const GaitFrame& frame, const Cycle& cycle) {
       const GaitFrame::Side& leg = Own(frame, cycle);
       const Vec3d shank = Rotate(Conjugate(leg.thigh) * leg.shank, kDown);
       return AngleDeg(-shank.x, -shank.z);
     }},
    {"foot", "deg",
     [](const GaitSource&, const GaitFrame& frame, const Cycle& cycle) {
       const Vec3d toes = Rotate(Own(frame, cycle).foot, kForward);
       return AngleDeg(toes.z, Dot(toes, cycle.forward));
     }},
    {"hip", "deg",
     [](const GaitSource&, const GaitFrame& frame, const Cycle& cycle) {
       const Vec3d thigh = Rotate(Conjugate(frame.pelvis_turn) * Own(frame, cycle).thigh, kDown);
       return AngleDeg(thigh.x, -thigh.z);
     }},
    {"ankle", "deg",
     [](const GaitSource&, const GaitFrame& frame, const Cycle& cycle) {
       const GaitFrame::Side& leg = Own(frame, cycle);
       const Vec3d toes = Rotate(Conjugate(leg.shank) * leg.foot, kForward);
       return AngleDeg(toes.z, toes.x);
     }},
    {"trunk", "deg",
     [](const GaitSource&, const GaitFrame& frame, const Cycle& cycle) {
       const Vec3d spine = Rotate(frame.trunk, kUp);
       return AngleDeg(Dot(spine, cycle.forward), spine.z);
     }},
    {"arm", "deg",
     [](const GaitSource&, const GaitFrame& frame, const Cycle& cycle) {
       const Vec3d& arm = Own(frame, cycle).upper_arm;
       return AngleDeg(arm.x, -arm.z);
     },
     false, true},
    {"force_vertical", "BW",
     [](const GaitSource& source, const GaitFrame& frame, const Cycle& cycle) {
       return Own(frame, cycle).force.z / (source.mass * source.gravity);
     },
     true},
    {"force_forward", "BW",
     [](const GaitSource& source, const GaitFrame& frame, const Cycle& cycle) {
       return Dot(Own(frame, cycle).force, cycle.forward) / (source.mass * source.gravity);
     },
     true},
};

// kGaitSamples values at even times over the cycle, linear between frames.
std::vector<double> CurveOf(const GaitSource& source, const Cycle& cycle, const Channel& channel) {
  const std::vector<GaitFrame>& frames = source.frames;
  std::vector<double> values;
  for (int f = cycle.first; f <= cycle.last; ++f) {
    double value = channel.value(source, frames[f], cycle);
    // Angles go on beyond 180 deg.
    if (!channel.forces && !values.empty()) {
      value = values.back() + std::remainder(value - values.back(), 360);
    }
    values.push_back(value);
  }
  std::vector<double> curve;
  int before = cycle.first;
  for (int k = 0; k < kGaitSamples; ++k) {
    const double t = frames[cycle.first].time + cycle.time * k / (kGaitSamples - 1);
    while (before + 2 <= cycle.last && frames[before + 1].time <= t) ++before;
    const double span = frames[before + 1].time - frames[before].time;
    const double part = std::clamp((t - frames[before].time) / span, 0.0, 1.0);
    const double a = values[before - cycle.first], b = values[before - cycle.first + 1];
    curve.push_back(a + part * (b - a));
  }
  return curve;
}

std::vector<double> MeanOf(const std::vector<std::vector<double>>& curves,
                           std::vector<double>* deviation) {
  std::vector<double> mean;
  for (int k = 0; !curves.empty() && k < kGaitSamples; ++k) {
    std::vector<double> values;
    values.reserve(curves.size());
    for (const std::vector<double>& curve : curves) values.push_back(curve[k]);
    const Moments moments = MomentsOf(values);
    mean.push_back(moments.mean);
    if (deviation) deviation->push_back(moments.deviation);
  }
  return mean;
}

std::vector<GaitCurve> CurvesOf(const GaitSource& source, const std::vector<Cycle>& cycles) {
  std::vector<GaitCurve> result;
  for (const Channel& channel : kChannels) {
    if ((channel.forces && !source.forces) || (channel.arms && !source.arms)) continue;
    std::vector<std::vector<double>> all;
    std::array<std::vector<std::vector<double>>, 2> sides;
    for (const Cycle& cycle : cycles) {
      all.push_back(CurveOf(source, cycle, channel));
      sides[cycle.side].push_back(all.back());
    }
    GaitCurve curve{.name = channel.name, .unit = channel.unit};
    curve.mean = MeanOf(all, &curve.deviation);
    for (int side = 0; side < 2; ++side) curve.side_mean[side] = MeanOf(sides[side], nullptr);
    result.push_back(std::move(curve));
  }
  return result;
}

std::optional<GaitEffort> EffortOf(const GaitSource& source, const std::vector<Cycle>& cycles,
                                   double speed) {
  GaitEffort effort;
  double known = 0;
  for (const Cycle& cycle : cycles) {
    for (int f = cycle.first; f < cycle.last; ++f) {
      if (!source.frames[f].drive) continue;
      const GaitDrive& drive = *source.frames[f].drive;
      const double time = source.frames[f + 1].time - source.frames[f].time;
      known += time;
      for (int group = 0; group < kGaitJointsCount; ++group) {
        effort.power[group] += drive.power[group] * time;
        effort.squared_torque[group] += drive.squared_torque[group] * time;
      }
    }
  }
  if (known == 0) return std::nullopt;
  double power = 0, legs = 0;
  for (int group = 0; group < kGaitJointsCount; ++group) {
    power += effort.power[group] /= known;
    effort.squared_torque[group] /= known;
    if (group < kOtherJoints) legs += effort.squared_torque[group];
  }
  for (int group = 0; group < kOtherJoints && legs > 0; ++group) {
    effort.ratio[group] = effort.squared_torque[group] / legs;
  }
  effort.cost_of_transport = CostOfTransport(power, source.mass, source.gravity, speed);
  return effort;
}

std::string StrikesText(int count, int side) {
  return fmt::format("{} heel strike{} of the {} foot", count, count == 1 ? "" : "s",
                     kSideNames[side]);
}
std::string LeftOutText(const GaitAnalysis& analysis) {
  std::string text;
  const auto add = [&](int count, const char* why) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, why);
  };
  add(analysis.turning, "turning");
  add(analysis.uneven, "without one strike of the other foot");
  add(analysis.irregular, "of another time or length");
  return text;
}

}  // namespace

double GaitMeasure::Asymmetry() const {
  const double both = 0.5 * (side[0] + side[1]);
  return both == 0 ? kNan : (side[0] - side[1]) / std::fabs(both);
}

GaitAnalysis AnalyzeGait(const GaitSource& source) {
  const std::vector<GaitFrame>& frames = source.frames;
  STRIDE_CHECK(!frames.empty());
  GaitAnalysis analysis;
  analysis.name = source.name;
  analysis.character = source.character;
  analysis.from = frames.front().time;
  analysis.to = frames.back().time;
  analysis.notes = source.notes;
  std::array<std::vector<char>, 2> down;
  std::array<Steps, 2> steps;
  for (int side = 0; side < 2; ++side) {
    down[side] = Supports(frames, side);
    steps[side] = StepsOf(down[side]);
    analysis.strikes[side] = static_cast<int>(steps[side].strikes.size());
    analysis.toe_offs[side] = static_cast<int>(steps[side].toe_offs.size());
  }
  if (std::max(analysis.strikes[0], analysis.strikes[1]) < 2) {
    throw InputError(fmt::format("{}: {} and {} in {:.1f} s; a gait needs two of the same foot",
                                 source.name, StrikesText(analysis.strikes[0], 0),
                                 StrikesText(analysis.strikes[1], 1), analysis.to - analysis.from));
  }
  std::vector<Cycle> cycles = FindCycles(frames, down, steps, &analysis);
  DropIrregular(&cycles, &analysis);
  const std::string left_out = LeftOutText(analysis);
  if (cycles.empty()) {
    throw InputError(
        fmt::format("{}: no regular cycle in {:.1f} s ({}); expected two steps straight on",
                    source.name, analysis.to - analysis.from, left_out));
  }
  if (!left_out.empty()) {
    const int count = analysis.turning + analysis.uneven + analysis.irregular;
    analysis.notes.push_back(fmt::format("{} of {} cycles were left out: {}", count,
                                         count + static_cast<int>(cycles.size()), left_out));
  }
  for (const Cycle& cycle : cycles) ++analysis.cycles[cycle.side];
  MeasureSteps(frames, down, cycles, &analysis);
  analysis.curves = CurvesOf(source, cycles);
  analysis.effort = EffortOf(source, cycles, analysis.speed.mean);
  return analysis;
}

GaitAnalysis AnalyzeGait(const Recording& recording, const GaitOptions& options) {
  return AnalyzeGait(GaitSourceOf(recording, options));
}
GaitAnalysis AnalyzeGait(const Motion& motion, const Character& character,
                         const GaitOptions& options) {
  return AnalyzeGait(GaitSourceOf(motion, character, options));
}

const GaitCurve* FindCurve(const std::vector<GaitCurve>& curves, const std::string& name) {
  const auto curve = std::find_if(curves.begin(), curves.end(),
                                  [&](const GaitCurve& c) { return c.name == name; });
  return curve == curves.end() ? nullptr : &*curve;
}

}  // namespace stride
