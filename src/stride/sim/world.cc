#include "stride/sim/world.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "stride/core/error.h"
#include "stride/sim/stand.h"

namespace stride {
namespace {

// Bounds that keep a mistyped number from becoming gigabytes of ground.
constexpr int kMaxSteps = 1000;
constexpr int kMaxFieldSide = 4096;

void Check(bool good, const std::string& what, const std::string& expected) {
  if (!good) throw InputError("terrain: " + what + "; expected " + expected);
}

void CheckFinite(double value, const char* name) {
  Check(std::isfinite(value), std::string(name) + " is " + std::to_string(value),
        "a finite number");
}

Surface HeightFieldAt(const Terrain& t, double x, double y) {
  // Beyond the border the coordinate stays on it, and the surface is level in that direction.
  // Written so that a NaN becomes 0: the cast below would be undefined.
  const auto clamp = [](double g, int n) { return g > 0 ? std::min(g, n - 1.0) : 0.0; };
  const double gx = (x - t.x0) / t.cell, gy = (y - t.y0) / t.cell;
  const double cx = clamp(gx, t.nx), cy = clamp(gy, t.ny);
  const int ix = std::min(static_cast<int>(cx), t.nx - 2),
            iy = std::min(static_cast<int>(cy), t.ny - 2);
  const double u = cx - ix, w = cy - iy;
  const double* row = t.heights.data() + static_cast<std::size_t>(iy) * t.nx + ix;
  const double h00 = row[0], h10 = row[1], h01 = row[t.nx], h11 = row[t.nx + 1];
  const double dx = gx == cx ? ((h10 - h00) * (1 - w) + (h11 - h01) * w) / t.cell : 0;
  const double dy = gy == cy ? ((h01 - h00) * (1 - u) + (h11 - h10) * u) / t.cell : 0;
  const double height = (h00 * (1 - u) + h10 * u) * (1 - w) + (h01 * (1 - u) + h11 * u) * w;
  return {height, Normalized(Vec3d{-dx, -dy, 1})};
}

Character MakeThing(const char* name, const Shape& shape, double mass, const Vec3d& moments,
                    double height) {
  Character thing;
  thing.name = name;
  thing.description = "a free " + thing.name;
  Body body;
  body.name = name;
  body.offset = {0, 0, height};
  body.joint.kind = JointKind::kFree;
  body.mass = mass;
  body.inertia = {moments.x, 0, 0, moments.y, 0, moments.z};
  body.shapes = {shape};
  thing.bodies = {body};
  thing.rest_q = {0, 0, height, 1, 0, 0, 0};
  AddContactPoints(&thing, 0, shape);
  Validate(thing);
  return thing;
}

}  // namespace

Surface SurfaceAt(const Terrain& terrain, double x, double y) {
  switch (terrain.kind) {
    case Terrain::Kind::kPlane: {
      const double c = std::cos(terrain.slope_heading), s = std::sin(terrain.slope_heading);
      return {
          std::tan(terrain.slope) * (c * x + s * y),
          {-std::sin(terrain.slope) * c, -std::sin(terrain.slope) * s, std::cos(terrain.slope)}};
    }
    case Terrain::Kind::kHeightField: return HeightFieldAt(terrain, x, y);
    case Terrain::Kind::kSteps: {
      const double edges = std::floor((x - terrain.step_start) / terrain.step_depth) + 1;
      return {terrain.step_rise * std::clamp(edges, 0.0, static_cast<double>(terrain.step_count)),
              {0, 0, 1}};
    }
  }
  return {0, {0, 0, 1}};
}

void Validate(const Terrain& t) {
  switch (t.kind) {
    case Terrain::Kind::kPlane:
      CheckFinite(t.slope_heading, "slope_heading");
      Check(std::fabs(t.slope) < 1.5707, "slope is " + std::to_string(t.slope) + " rad",
            "less than 90 degrees (1.5707 rad) either way");
      return;
    case Terrain::Kind::kHeightField: {
      CheckFinite(t.x0, "x0");
      CheckFinite(t.y0, "y0");
      Check(t.cell >= 1e-3 && t.cell <= 1e3, "cell is " + std::to_string(t.cell),
            "0.001 to 1000 m");
      const std::string size = std::to_string(t.nx) + " x " + std::to_string(t.ny);
      Check(t.nx >= 2 && t.ny >= 2 && t.nx <= kMaxFieldSide && t.ny <= kMaxFieldSide,
            "the height field has " + size + " points", "2 to 4096 points each way");
      Check(t.heights.size() == static_cast<std::size_t>(t.nx) * static_cast<std::size_t>(t.ny),
            "the height field of " + size + " points has " + std::to_string(t.heights.size()) +
                " heights",
            "nx * ny heights");
      for (const double height : t.heights) {
        Check(std::fabs(height) <= 1e4, "a height is " + std::to_string(height),
              "at most 10000 m either way");
      }
      return;
    }
    case Terrain::Kind::kSteps:
      CheckFinite(t.step_start, "step_start");
      Check(t.step_depth >= 1e-3 && t.step_depth <= 1e3,
            "step_depth is " + std::to_string(t.step_depth), "0.001 to 1000 m");
      Check(std::fabs(t.step_rise) <= 100, "step_rise is " + std::to_string(t.step_rise),
            "at most 100 m either way");
      Check(t.step_count >= 0 && t.step_count <= kMaxSteps,
            "step_count is " + std::to_string(t.step_count), "0 to 1000");
      return;
  }
}

Actuation Passive(const Character& character) {
  const Layout layout = LayoutOf(character);
  const std::size_t bodies = character.bodies.size();
  return {ZeroState(character).q, std::vector<double>(layout.nv), std::vector<double>(bodies),
          std::vector<double>(bodies), std::vector<double>(layout.nv)};
}

Actuation HoldPose(const Character& character, const std::vector<double>& q, double gravity) {
  Actuation actuation = Passive(character);
  if (q.size() != actuation.target_q.size()) {
    throw InputError("the pose has " + std::to_string(q.size()) + " coordinates; expected the " +
                     std::to_string(actuation.target_q.size()) + " of '" + character.name + "'");
  }
  actuation.target_q = q;
  actuation.torque = CarryingTorques(character, q, gravity);
  for (std::size_t i = 0; i < character.bodies.size(); ++i) {
    const Joint& joint = character.bodies[i].joint;
    if (joint.kind == JointKind::kFree) continue;
    actuation.kp[i] = joint.kp;
    actuation.kd[i] = joint.kd;
  }
  return actuation;
}

void AddLoad(Character* character, int body, double mass, const Vec3d& position, double radius) {
  if (body < 0 || body >= character->BodyCount()) {
    throw InputError("load on body " + std::to_string(body) + "; expected a body of '" +
                     character->name + "', 0 to " + std::to_string(character->BodyCount() - 1));
  }
  if (!(mass > 0) || !std::isfinite(mass) || !(radius >= 0) || !std::isfinite(radius)) {
    throw InputError("load of " + std::to_string(mass) + " kg and radius " +
                     std::to_string(radius) +
                     " m; expected a positive mass and a radius of 0 or more, both finite");
  }
  if (!std::isfinite(SquaredNorm(position))) throw InputError("load: expected a finite position");
  Body& b = character->bodies[body];
  const double total = b.mass + mass;
  const Vec3d com = (b.mass * b.com + mass * position) * (1 / total);
  b.inertia = b.inertia + PointInertia(b.com - com) * b.mass + PointInertia(position - com) * mass +
              Sym3d::Diagonal(0.4 * mass * radius * radius);
  b.com = com;
  b.mass = total;
}

Character MakeBall(double radius, double mass) {
  const double moment = 0.4 * mass * radius * radius;
  return MakeThing("ball", {.kind = ShapeKind::kSphere, .size = {radius, 0, 0}}, mass,
                   {moment, moment, moment}, radius);
}

Character MakeBox(const Vec3d& half_extents, double mass) {
  const double xx = half_extents.x * half_extents.x, yy = half_extents.y * half_extents.y,
               zz = half_extents.z * half_extents.z;
  return MakeThing("box", {.kind = ShapeKind::kBox, .size = half_extents}, mass,
                   Vec3d{yy + zz, xx + zz, xx + yy} * (mass / 3), half_extents.z);
}

}  // namespace stride
