#include "stride/controllers/pendulum/plant_limbs.h"

#include <algorithm>
#include <cmath>

namespace stride {
namespace {

constexpr double kSameHeight = 0.005;  // m, of the contact points that stand
constexpr double kFlat = 0.15;         // rad, tilt of a sole up to which it is flat
constexpr double kReady = 0.25;        // s beside a support in which a limb comes to its place
constexpr double kRolls = 0.1;         // s beside a landing or a lift-off in which a sole may roll
constexpr double kWindow = 0.25;       // s beside a support in which a limb slows down for it

// Of value 0 and slope `slope` at 0 that fades out within `window`.
double Fade(double slope, double t, double window) {
  const double s = t / window;
  return s >= 1 ? 0 : slope * t * (1 - s) * (1 - s);
}

}  // namespace

std::array<std::vector<LimbSolver::Place>, kMostLimbs> PlacesDown(
    const Kinematics& kinematics, const LimbSolver& limbs,
    const std::array<std::vector<char>, kMostLimbs>& stands, double rate,
    const std::vector<BodyFrames>& frames) {
  const Character& character = kinematics.character();
  const std::vector<int> limb_of = LimbOfPoints(character);
  const int count = static_cast<int>(frames.size());
  const int ready = static_cast<int>(kReady * rate), rolls = static_cast<int>(kRolls * rate);
  std::array<std::vector<LimbSolver::Place>, kMostLimbs> places;
  for (int limb = 0; limb < kMostLimbs; ++limb) {
    if (!limbs.Has(limb) || stands[limb].empty()) continue;
    for (int k = 0; k < count; ++k) places[limb].push_back(limbs.PlaceOf(limb, frames[k]));
    std::vector<double> down(count, 0.0);
    std::vector<Vec3d> turn(count);
    // Frames since the last landing and until the next lift-off; many where there is none.
    std::vector<int> since(count, count), until(count, count);
    for (int k = 1; k < count; ++k) {
      if (stands[limb][k]) since[k] = stands[limb][k - 1] ? std::min(since[k - 1] + 1, count) : 0;
    }
    for (int k = count - 2; k >= 0; --k) {
      if (stands[limb][k]) until[k] = stands[limb][k + 1] ? std::min(until[k + 1] + 1, count) : 0;
    }
    for (int k = 0; k < count; ++k) {
      if (!stands[limb][k]) continue;
      const LimbSolver::Place& place = places[limb][k];
      if (limb < 2) {
        const Vec3d level =
            Log(RotationBetween(Rotate(place.rotation, Vec3d{0, 0, 1}), Vec3d{0, 0, 1}));
        const double t = std::clamp((Norm(level) - kFlat) / kFlat, 0.0, 1.0);
        double share = 1 - t * t * (3 - 2 * t);
        // Of the clip's first and last stands.
        if (since[k] >= count || until[k] >= count) {
          const int rolling = std::min(since[k], until[k]);
          const double s = std::clamp(static_cast<double>(rolling - rolls) / rolls, 0.0, 1.0);
          share = std::max(share, s * s * (3 - 2 * s));
        }
        turn[k] = level * share;
      }
      const Quatd by = Exp(turn[k]);
      down[k] = HUGE_VAL;
      for (std::size_t p = 0; p < limb_of.size(); ++p) {
        if (limb_of[p] != limb) continue;
        const ContactPoint& point = character.contact_points[p];
        const Vec3d ball =
            frames[k].position[point.body] + Rotate(frames[k].rotation[point.body], point.position);
        const Vec3d moved = place.position + Rotate(by, ball - place.position);
        down[k] = std::min(down[k], moved.z - point.radius);
      }
    }
    for (int k = 0; k < count; ++k) {
      double lower = down[k];
      Vec3d level = turn[k];
      // Fades beside the nearest support.
      for (int j = 1; j < ready && !stands[limb][k]; ++j) {
        const double w = 1 - static_cast<double>(j) / ready;
        int beside = -1;
        if (k >= j && stands[limb][k - j]) beside = k - j;
        if (k + j < count && stands[limb][k + j]) beside = k + j;
        if (beside < 0) continue;
        lower = w * down[beside], level = turn[beside] * w;
        break;
      }
      LimbSolver::Place* place = &places[limb][k];
      place->position.z -= lower;
      place->rotation = Normalized(Exp(level) * place->rotation);
    }
  }
  return places;
}

void PlantLimbs(const Kinematics& kinematics, const LimbSolver& limbs,
                const std::array<std::vector<char>, kMostLimbs>& stands, double rate,
                std::vector<std::vector<double>>* poses) {
  const Character& character = kinematics.character();
  const std::vector<int> limb_of = LimbOfPoints(character);
  const int count = static_cast<int>(poses->size());
  std::vector<BodyFrames> frames(count);
  for (int k = 0; k < count; ++k) kinematics.Frames((*poses)[k], &frames[k]);
  const auto solve = [&](int limb, int k, const LimbSolver::Place& place) {
    kinematics.Frames((*poses)[k], &frames[k]);
    limbs.Solve(limb, frames[k], place, &(*poses)[k]);
  };
  const auto places = PlacesDown(kinematics, limbs, stands, rate, frames);
  for (int k = 0; k < count; ++k) {
    for (int limb = 0; limb < kMostLimbs; ++limb) {
      if (!places[limb].empty()) solve(limb, k, places[limb][k]);
    }
    kinematics.Frames((*poses)[k], &frames[k]);
  }
  std::array<std::vector<Vec3d>, kMostLimbs> moves;
  for (int limb = 0; limb < kMostLimbs; ++limb) {
    if (!limbs.Has(limb) || stands[limb].empty()) continue;
    // How far the lowest points slide from one frame to the next.
    const auto slip = [&](int k) {
      double lowest = HUGE_VAL;
      const auto height = [&](const ContactPoint& p) {
        return PointAt(frames[k], p).z + PointAt(frames[k + 1], p).z;
      };
      for (std::size_t p = 0; p < limb_of.size(); ++p) {
        if (limb_of[p] == limb) lowest = std::min(lowest, height(character.contact_points[p]));
      }
      Vec3d sum;
      int n = 0;
      for (std::size_t p = 0; p < limb_of.size(); ++p) {
        const ContactPoint& point = character.contact_points[p];
        if (limb_of[p] != limb || height(point) > lowest + 2 * kSameHeight) continue;
        sum += PointAt(frames[k + 1], point) - PointAt(frames[k], point), ++n;
      }
      return Vec3d{sum.x / n, sum.y / n, 0};
    };
    std::vector<Vec3d>& move = moves[limb];
    move.assign(count, Vec3d{});
    struct Planted {
      int first, last;
      Vec3d lands, lifts;  // speed aside that is taken away there, m/s
    };
    std::vector<Planted> supports;
    for (int k = 0; k < count; ++k) {
      if (!stands[limb][k]) continue;
      int last = k;
      Vec3d slid;
      for (; last + 1 < count && stands[limb][last + 1]; ++last) {
        slid += slip(last);
        move[last + 1] = -slid;
      }
      // Where it is in the middle of its time.
      std::vector<double> x, y;
      for (int j = k; j <= last; ++j) x.push_back(move[j].x), y.push_back(move[j].y);
      std::nth_element(x.begin(), x.begin() + x.size() / 2, x.end());
      std::nth_element(y.begin(), y.begin() + y.size() / 2, y.end());
      const Vec3d middle{x[x.size() / 2], y[y.size() / 2], 0};
      for (int j = k; j <= last; ++j) move[j] -= middle;
      Planted planted{k, last, {}, {}};
      if (last > k) planted.lands = slip(k) * -rate, planted.lifts = slip(last - 1) * -rate;
      supports.push_back(planted);
      k = last;
    }
    if (supports.empty()) continue;
    for (std::size_t i = 0; i <= supports.size(); ++i) {
      const int a = i == 0 ? -1 : supports[i - 1].last,
                b = i == supports.size() ? count : supports[i].first;
      const double window = std::min(kWindow, 0.5 * (b - a) / rate);
      for (int k = a + 1; k < b; ++k) {
        const double t = a < 0 ? 1 : b >= count ? 0 : static_cast<double>(k - a) / (b - a);
        const double smooth = t * t * (3 - 2 * t);
        const Vec3d from = a < 0 ? Vec3d{} : move[a], to = b >= count ? Vec3d{} : move[b];
        Vec3d by = from * (1 - smooth) + to * smooth;
        if (a >= 0) by += supports[i - 1].lifts * Fade(1, (k - a) / rate, window);
        if (b < count) by -= supports[i].lands * Fade(1, (b - k) / rate, window);
        move[k] = by;
      }
    }
  }
  for (int k = 0; k < count; ++k) {
    for (int limb = 0; limb < kMostLimbs; ++limb) {
      if (moves[limb].empty() || Norm(moves[limb][k]) < 1e-9) continue;
      LimbSolver::Place place = limbs.PlaceOf(limb, frames[k]);
      place.position += moves[limb][k];
      solve(limb, k, place);
    }
  }
}

}  // namespace stride
