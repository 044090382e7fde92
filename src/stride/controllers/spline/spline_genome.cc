#include "stride/controllers/spline/spline_genome.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "stride/character/rest_pose.h"
#include "stride/core/error.h"

namespace stride {
namespace {

constexpr int kPointBits = 8, kServoBits = 16;  // paper
// How much longer or shorter times may be than those of a gait to stay near of. Who blends in for
// long stands meanwhile, which is worth something and ends a search.
constexpr double kNearCycle = 1.3, kNearBlendIn = 1.5, kNearBlendOut = 3;

// Where in the parameters the points of an actuator lie.
struct Places {
  std::vector<int> in, out;
  std::vector<std::vector<int>> cycle;  // [layer][point]
};
std::vector<Places> PlacesOf(const SplineGait& gait) {
  std::vector<Places> all;
  int next =
      SplineProgram::kGains + SplineProgram::kGainCount * static_cast<int>(gait.gains.size());
  for (const SplineGait::Curve& curve : gait.curves) {
    Places places;
    for (std::size_t k = 0; k < curve.in.times.size(); ++k) places.in.push_back(next++);
    places.cycle.resize(gait.Layers());
    for (std::vector<int>& layer : places.cycle) {
      for (std::size_t k = 0; k < curve.cycle.times.size(); ++k) layer.push_back(next++);
    }
    for (std::size_t k = 0; k < curve.out.times.size(); ++k) places.out.push_back(next++);
    all.push_back(std::move(places));
  }
  return all;
}

double CycleAt(const SplineGait::Curve& curve, int layer, double phase) {
  double weights[kMostCurvePoints];
  const int count = static_cast<int>(curve.cycle.times.size());
  CycleWeights(curve.cycle.times.data(), count, phase - std::floor(phase), weights);
  double value = 0;
  for (int k = 0; k < count; ++k) value += weights[k] * curve.cycle.values[layer * count + k];
  return value;
}

// A pendulum of half the body's size swings once in this time. Of a snake it is half its length.
double NaturalSeconds(const Character& character) {
  const std::vector<Vec3d> at = FramesAt(character, ZeroState(character).q).position;
  double front = 0, back = 0;
  for (const Vec3d& p : at) front = std::max(front, p.x), back = std::min(back, p.x);
  const double size = std::max({StandingHeight(character), 0.5 * (front - back), 0.1});
  return 2 * std::numbers::pi * std::sqrt(0.5 * size / 9.81);
}

}  // namespace

SplineGenome::SplineGenome(const Character& character, const SplineBody& body,
                           const SplineGait& gait, const GenomeParts& parts, double reach,
                           double shortest) {
  const auto add = [&](double low, double high, int bits, std::vector<Target> targets) {
    genes_.push_back({low, high, bits});
    targets_.push_back(std::move(targets));
  };
  if (parts.seconds && parts.around) {
    const auto near = [&](double own, double factor, int parameter) {
      add(own / factor, own * factor, kPointBits, {{parameter, 1, 0}});
    };
    near(gait.cycle_seconds, kNearCycle, SplineProgram::kCycleSeconds);
    near(gait.in_seconds, kNearBlendIn, SplineProgram::kInSeconds);
    near(gait.out_seconds, kNearBlendOut, SplineProgram::kOutSeconds);
  } else if (parts.seconds) {
    const double natural = NaturalSeconds(character);
    add(shortest * natural, 1.3 * natural, kPointBits, {{SplineProgram::kCycleSeconds, 1, 0}});
    add(0.2 * natural, 1.2 * natural, kPointBits, {{SplineProgram::kInSeconds, 1, 0}});
    add(0.2 * natural, 2 * natural, kPointBits, {{SplineProgram::kOutSeconds, 1, 0}});
  }
  if (parts.servos) {
    for (int s = 0; s < static_cast<int>(body.servos.size()); ++s) {
      const int mirror = gait.symmetry == "none" ? -1 : body.servos[s].mirror;
      if (mirror >= 0 && mirror < s) continue;
      constexpr double kHigh[] = {3, 3, 5};
      constexpr double kLow[] = {0.3, 0.3, 0};
      for (int k = 0; k < SplineProgram::kGainCount; ++k) {
        const auto place = [&](int servo) {
          return SplineProgram::kGains + SplineProgram::kGainCount * servo + k;
        };
        std::vector<Target> targets = {{place(s), 1, 0}};
        if (mirror > s) targets.push_back({place(mirror), 1, 0});
        add(kLow[k], kHigh[k], kServoBits, std::move(targets));
      }
    }
  }
  const std::vector<Places> places = PlacesOf(gait);
  const std::vector<double> own = SplineParameters(gait);
  const auto range = [&](const SplineBody::Actuator& a, int place) {
    const double middle = parts.around ? std::clamp(own[place], a.low, a.high) : a.rest;
    return std::pair(std::max(a.low, middle - reach), std::min(a.high, middle + reach));
  };
  if (parts.cycle) {
    const SplineSensor sensor = SplineSensorOf(character, gait.sensor);
    std::vector<char> seen(own.size(), 0);
    const int layers = gait.Layers();
    for (std::size_t a = 0; a < body.actuators.size(); ++a) {
      const SplineBody::Actuator& actuator = body.actuators[a];
      const int count = static_cast<int>(gait.curves[a].cycle.times.size());
      for (int layer = 0; layer < layers; ++layer) {
        for (int k = 0; k < count; ++k) {
          if (seen[places[a].cycle[layer][k]]) continue;
          // All that this point fixes: along the mirror images until one is known already.
          std::vector<Target> targets;
          bool contradicts = false;
          int at = static_cast<int>(a), point = k, in_layer = layer;
          double sign = 1;
          for (;;) {
            const int place = places[at].cycle[in_layer][point];
            if (seen[place]) {
              contradicts = sign < 0;  // it is its own negative
              break;
            }
            seen[place] = 1;
            targets.push_back({place, sign, body.actuators[at].rest - sign * actuator.rest});
            const SplineBody::Actuator& now = body.actuators[at];
            if (gait.symmetry == "none" || now.mirror < 0) break;
            sign *= now.sign;
            at = now.mirror;
            if (gait.symmetry == "alternate") point = (point + count / 2) % count;
            if (sensor.odd) in_layer = layers - 1 - in_layer;
          }
          const auto [low, high] = range(actuator, targets[0].parameter);
          if (contradicts || low == high) {
            for (const Target& t : targets) {
              fixed_.emplace_back(t.parameter, t.scale * actuator.rest + t.shift);
            }
          } else {
            add(low, high, kPointBits, std::move(targets));
          }
        }
      }
    }
  }
  if (parts.blends) {
    for (std::size_t a = 0; a < body.actuators.size(); ++a) {
      for (const std::vector<int>* part : {&places[a].in, &places[a].out}) {
        for (const int place : *part) {
          const auto [low, high] = range(body.actuators[a], place);
          if (low < high) add(low, high, kPointBits, {{place, 1, 0}});
        }
      }
    }
  }
  if (parts.cycle) AddFurther(character, body, gait, reach);
  if (genes_.empty()) throw InputError("nothing of the gait is left to evolve");
}

// What further sensors add is as much to one side of what they tell as to the other: a gene for a
// pair of layers, a half of the genome.
void SplineGenome::AddFurther(const Character& character, const SplineBody& body,
                              const SplineGait& gait, double reach) {
  int next = static_cast<int>(SplineParameters(gait).size());
  for (const SplineGait::Further& more : gait.further) {
    for (const CurvePoints& cycle : more.cycles) next -= static_cast<int>(cycle.values.size());
  }
  for (const SplineGait::Further& more : gait.further) {
    const bool odd = SplineSensorOf(character, more.sensor).odd;
    const int layers = static_cast<int>(more.layers.size());
    std::vector<int> first;
    for (const CurvePoints& cycle : more.cycles) {
      first.push_back(next);
      next += static_cast<int>(cycle.values.size());
    }
    std::vector<char> seen(next, 0);
    for (int a = 0; a < static_cast<int>(body.actuators.size()); ++a) {
      const int count = static_cast<int>(more.cycles[a].times.size());
      for (int layer = 0; layer < layers / 2; ++layer) {
        for (int k = 0; k < count; ++k) {
          if (seen[first[a] + layer * count + k]) continue;
          std::vector<Target> targets;
          bool contradicts = false;
          int at = a, point = k;
          double sign = 1;
          for (;;) {
            const int place = first[at] + layer * count + point;
            if (seen[place]) {
              contradicts = sign < 0;
              break;
            }
            seen[place] = 1;
            const SplineBody::Actuator& now = body.actuators[at];
            const double most = now.high - now.low;
            targets.push_back({place, sign, 0, most});
            targets.push_back({first[at] + (layers - 1 - layer) * count + point, -sign, 0, most});
            if (gait.symmetry == "none" || now.mirror < 0) break;
            // The other side of an odd sensor is the negative.
            sign *= odd ? -now.sign : now.sign;
            at = now.mirror;
            if (gait.symmetry == "alternate") point = (point + count / 2) % count;
          }
          if (contradicts) {
            for (const Target& t : targets) fixed_.emplace_back(t.parameter, 0);
          } else {
            genes_.push_back({-reach, reach, kPointBits});
            targets_.push_back(std::move(targets));
          }
        }
      }
    }
  }
}

std::vector<double> SplineGenome::GenesOf(std::span<const double> parameters) const {
  std::vector<double> genes;
  for (std::size_t k = 0; k < genes_.size(); ++k) {
    genes.push_back(
        std::clamp(parameters[targets_[k][0].parameter], genes_[k].low, genes_[k].high));
  }
  return genes;
}

std::vector<double> SplineGenome::Complete(std::span<const double> parameters,
                                           std::span<const double> genes) const {
  if (genes.size() != genes_.size()) {
    throw InputError(fmt::format("genome of {} genes; expected {}", genes.size(), genes_.size()));
  }
  std::vector<double> complete(parameters.begin(), parameters.end());
  for (const auto& [parameter, value] : fixed_) complete[parameter] = value;
  for (std::size_t k = 0; k < genes_.size(); ++k) {
    for (const Target& t : targets_[k]) {
      const double value = t.scale * genes[k] + t.shift;
      complete[t.parameter] = t.most > 0 ? std::clamp(value, -t.most, t.most) : value;
    }
  }
  return complete;
}

void BlendWithTheCycle(const SplineBody& body, SplineGait* gait) {
  const int layer = gait->Layers() / 2;
  for (std::size_t a = 0; a < body.actuators.size(); ++a) {
    const SplineBody::Actuator& actuator = body.actuators[a];
    SplineGait::Curve& curve = gait->curves[a];
    const auto follow = [&](CurvePoints* part, double seconds, bool in) {
      for (std::size_t k = 0; k < part->times.size(); ++k) {
        const double t = part->times[k], phase = (in ? t - 1 : t) * seconds / gait->cycle_seconds;
        const double value =
            actuator.rest + (in ? t : 1 - t) * (CycleAt(curve, layer, phase) - actuator.rest);
        part->values[k] = std::clamp(value, actuator.low, actuator.high);
      }
    };
    follow(&curve.in, gait->in_seconds, true);
    follow(&curve.out, gait->out_seconds, false);
  }
}

}  // namespace stride
