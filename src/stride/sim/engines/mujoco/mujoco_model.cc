#include "stride/sim/engines/mujoco/mujoco_model.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "stride/character/mjcf.h"
#include "stride/core/error.h"
#include "stride/math/rotation.h"

namespace stride {
namespace {

// MuJoCo's ground has an end: this far beyond the last step, and beyond a height field's border.
constexpr double kStepReach = 100;  // m
constexpr double kFieldReach = 10;  // m
constexpr double kGroundDepth = 1;  // of solid ground below a height field, m

// MuJoCo's handlers are global. Without them an error ends the process and a warning writes a log
// file into the current folder. Warnings (a contact buffer that is full, a singular inertia) have
// no consequence that Failed() would not show.
void InstallHandlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    mju_user_error = [](const char* message) { throw std::runtime_error(message); };
    mju_user_warning = [](const char*) {};
  });
}

// What of the ground has to be written into the XML: assets and geoms.
struct Ground {
  std::string assets, geoms;
};

std::string PlaneGeom(const Terrain& terrain, double height) {
  const Quatd q = RotationBetween({0, 0, 1}, SurfaceAt(terrain, 0, 0).normal);
  return fmt::format(
      "<geom type='plane' size='50 50 1' pos='0 0 {:.17g}' quat='{:.17g} {:.17g} {:.17g} "
      "{:.17g}'/>\n",
      height, q.w, q.x, q.y, q.z);
}

// Each level is a column of its own, so that no inner faces stick out; the lowest is a plane.
Ground StepsGround(const Terrain& t) {
  const double lowest = std::min(0.0, t.step_rise * t.step_count);
  Ground ground;
  ground.geoms = fmt::format("<geom type='plane' size='50 50 1' pos='0 0 {:.17g}'/>\n", lowest);
  if (t.step_rise == 0) return ground;
  for (int level = 0; level <= t.step_count; ++level) {
    const double top = t.step_rise * level;
    if (top == lowest) continue;
    const double first = t.step_start + (level - 1) * t.step_depth;
    const double begin = level == 0 ? t.step_start - kStepReach : first;
    const double end = level == t.step_count ? first + kStepReach : first + t.step_depth;
    const double bottom = lowest - kGroundDepth;
    ground.geoms +=
        fmt::format("<geom type='box' pos='{:.17g} 0 {:.17g}' size='{:.17g} {:.17g} {:.17g}'/>\n",
                    0.5 * (begin + end), 0.5 * (top + bottom), 0.5 * (end - begin), kStepReach,
                    0.5 * (top - bottom));
  }
  return ground;
}

// A height field and what lies beyond its border (constant outwards): nine MuJoCo height fields, of
// which those at the sides are two points wide and those at the corners two by two.
struct FieldPatch {
  int ix, iy, nx, ny;     // points of the terrain it covers (one row or column: repeated)
  double x0, x1, y0, y1;  // m
  int columns() const { return std::max(nx, 2); }
  int rows() const { return std::max(ny, 2); }
};

std::vector<FieldPatch> FieldPatches(const Terrain& t) {
  struct Range {
    int first, count;
    double begin, end;
  };
  const auto ranges = [&t](double origin, int n) {
    const double end = origin + (n - 1) * t.cell;
    return std::vector<Range>{{0, n, origin, end},
                              {0, 1, origin - kFieldReach, origin},
                              {n - 1, 1, end, end + kFieldReach}};
  };
  std::vector<FieldPatch> patches;
  for (const Range& y : ranges(t.y0, t.ny)) {
    for (const Range& x : ranges(t.x0, t.nx)) {
      patches.push_back({x.first, y.first, x.count, y.count, x.begin, x.end, y.begin, y.end});
    }
  }
  return patches;
}

// MuJoCo wants a positive range of heights even when the ground is level.
struct HeightRange {
  double low, size;
};
HeightRange HeightsOf(const Terrain& t) {
  const auto [low, high] = std::minmax_element(t.heights.begin(), t.heights.end());
  return {*low, std::max(*high - *low, 1e-3)};
}

Ground FieldGround(const Terrain& t) {
  const HeightRange range = HeightsOf(t);
  Ground ground;
  int index = 0;
  for (const FieldPatch& p : FieldPatches(t)) {
    ground.assets += fmt::format(
        "<hfield name='field{}' nrow='{}' ncol='{}' size='{:.17g} {:.17g} {:.17g} {:.17g}'/>\n",
        index, p.rows(), p.columns(), 0.5 * (p.x1 - p.x0), 0.5 * (p.y1 - p.y0), range.size,
        kGroundDepth);
    ground.geoms +=
        fmt::format("<geom type='hfield' hfield='field{}' pos='{:.17g} {:.17g} {:.17g}'/>\n", index,
                    0.5 * (p.x0 + p.x1), 0.5 * (p.y0 + p.y1), range.low);
    ++index;
  }
  return ground;
}

void FillFields(const Terrain& t, mjModel* model) {
  const HeightRange range = HeightsOf(t);
  const std::vector<FieldPatch> patches = FieldPatches(t);
  for (int i = 0; i < model->nhfield; ++i) {
    const FieldPatch& p = patches[i];
    float* out = model->hfield_data + model->hfield_adr[i];
    for (int row = 0; row < p.rows(); ++row) {
      for (int column = 0; column < p.columns(); ++column) {
        const int iy = p.iy + std::min(row, p.ny - 1), ix = p.ix + std::min(column, p.nx - 1);
        const double height = t.heights[static_cast<std::size_t>(iy) * t.nx + ix];
        *out++ = static_cast<float>((height - range.low) / range.size);
      }
    }
  }
}

Ground GroundOf(const Terrain& terrain) {
  switch (terrain.kind) {
    case Terrain::Kind::kPlane: return {"", PlaneGeom(terrain, 0)};
    case Terrain::Kind::kHeightField: return FieldGround(terrain);
    case Terrain::Kind::kSteps: return StepsGround(terrain);
  }
  return {};
}

// Room for contacts: MuJoCo 2.2 allots it once, and its square for the constraint matrix. Contacts
// beyond it are dropped.
int ContactRoom(const World& world) {
  const bool plane = world.terrain.kind == Terrain::Kind::kPlane;
  int room = 32;
  for (const Character& actor : world.actors) {
    for (const Body& body : actor.bodies) {
      for (const Shape& shape : body.shapes) {
        if (!shape.collides) continue;
        const int on_plane = shape.kind == ShapeKind::kBox       ? 4
                             : shape.kind == ShapeKind::kCapsule ? 2
                                                                 : 1;
        room += (plane ? on_plane : 4 * on_plane) + (world.actors.size() > 1 ? 4 : 0);
      }
    }
  }
  return std::min(room, 4000);
}

// MuJoCo reads XML nested to less than 100 levels; <mujoco>, <worldbody> and a body's parts take 3.
void CheckDepth(const Character& character) {
  constexpr int kDeepest = 96;
  std::vector<int> depths;
  for (const Body& body : character.bodies) {
    // A link without mass is part of the body it carries.
    depths.push_back((body.parent < 0 ? 0 : depths[body.parent]) + (body.mass > 0 ? 1 : 0));
    if (depths.back() <= kDeepest) continue;
    throw InputError(
        fmt::format("'{}' has a chain of more than {} bodies, which the engine 'mujoco' cannot "
                    "read; use --engine native",
                    character.name, kDeepest));
  }
}

std::string WorldXml(const World& world) {
  const Ground ground = GroundOf(world.terrain);
  const int contacts = ContactRoom(world);
  int limits = 0;
  std::string bodies;
  for (std::size_t i = 0; i < world.actors.size(); ++i) {
    CheckDepth(world.actors[i]);
    bodies += MjcfBodies(world.actors[i], fmt::format("actor{}/", i));
    for (const Body& body : world.actors[i].bodies) limits += body.joint.limited ? 2 : 0;
  }
  return fmt::format(
      "<mujoco model='stride'>\n<compiler angle='radian' inertiafromgeom='false'/>\n"
      "<option timestep='{:.17g}' gravity='0 0 {:.17g}'/>\n<size nconmax='{}' njmax='{}'/>\n"
      "<asset>\n{}</asset>\n<worldbody>\n{}{}</worldbody>\n</mujoco>\n",
      world.time_step, -world.gravity, contacts, 3 * contacts + limits, ground.assets, ground.geoms,
      bodies);
}

mjModel* Load(const std::string& xml) {
  // The table of MuJoCo's virtual file system is 2 MB: not for the stack. The loader keeps a
  // global.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const auto vfs = std::make_unique<mjVFS>();
  mj_defaultVFS(vfs.get());
  constexpr const char* kName = "world.xml";
  mj_makeEmptyFileVFS(vfs.get(), kName, static_cast<int>(xml.size()));
  std::memcpy(vfs->filedata[0], xml.data(), xml.size());
  char error[1000] = "";
  mjModel* model = nullptr;
  std::string reason;
  try {
    model = mj_loadXML(kName, vfs.get(), error, sizeof(error));
    reason = error;
  } catch (const std::runtime_error& failure) {
    reason = failure.what();
  }
  mj_deleteVFS(vfs.get());
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  if (model == nullptr)
    throw InputError("the engine 'mujoco' does not accept this world: " + reason);
  return model;
}

// Contact the same for every pair of geoms, and no contact within an actor.
void SetContacts(const World& world, const std::vector<MujocoModel::Part>& parts, mjModel* m) {
  for (int g = 0; g < m->ngeom; ++g) {
    // Geoms collide if one's type shares a bit with the other's affinity. With type = code and
    // affinity = ~code that is: if their codes differ, for any number of actors. Ground: 0.
    const int code = parts[m->geom_bodyid[g]].actor + 1;
    if (m->geom_contype[g] != 0 || m->geom_conaffinity[g] != 0) {
      m->geom_contype[g] = code;
      m->geom_conaffinity[g] = ~code;
    }
    m->geom_condim[g] = 3;  // normal and two tangents: no torsional or rolling friction
    m->geom_friction[3 * g] = world.friction;
    m->geom_priority[g] = 0;
    m->geom_margin[g] = m->geom_gap[g] = 0;
  }
}

void SetOptions(const World& world, mjModel* m) {
  mjOption& option = m->opt;
  // Contacts keep MuJoCo's time constant of 20 ms: at steps of 5 ms half of it bounces.
  // Newton with the elliptic cone: a few iterations to full accuracy, and friction bounded by the
  // true circle, as in the other engines.
  option.solver = mjSOL_NEWTON;
  option.cone = mjCONE_ELLIPTIC;
  option.integrator = mjINT_EULER;
  option.iterations = 50;
  option.tolerance = 1e-8;
  // Friction ten times as stiff as the normal: a standing body creeps ten times less, and sliding
  // is no worse (100 chatters more).
  option.impratio = 10;
  if (!world.contacts) option.disableflags |= mjDSBL_CONTACT;
  if (!world.limits) option.disableflags |= mjDSBL_LIMIT;
}

}  // namespace

MujocoModel::MujocoModel(const World& world)
    : model(nullptr, mj_deleteModel), data(nullptr, mj_deleteData) {
  InstallHandlers();
  model.reset(Load(WorldXml(world)));
  mjModel* m = model.get();

  parts.resize(m->nbody);
  Actor next;
  for (const Character& character : world.actors) {
    const Layout layout = LayoutOf(character);
    Actor actor = next;
    actor.nq = layout.nq;
    actor.nv = layout.nv;
    next.q += actor.nq;
    next.v += actor.nv;
    next.joint += character.BodyCount();
    STRIDE_CHECK(next.q <= m->nq && next.v <= m->nv && next.joint <= m->njnt);
    for (int i = 0; i < character.BodyCount(); ++i) {
      const int joint = actor.joint + i;
      STRIDE_CHECK(m->jnt_qposadr[joint] == actor.q + layout.q[i] &&
                   m->jnt_dofadr[joint] == actor.v + layout.v[i]);
      const int body = m->jnt_bodyid[joint];
      actor.body.push_back(body);
      parts[body] = {static_cast<int>(actors.size()), i};  // the last joint's body carries the mass
    }
    actors.push_back(std::move(actor));
  }
  STRIDE_CHECK(next.q == m->nq && next.v == m->nv);

  SetOptions(world, m);
  SetContacts(world, parts, m);
  if (world.terrain.kind == Terrain::Kind::kHeightField) FillFields(world.terrain, m);
  std::fill_n(m->dof_damping, m->nv, 0.0);
  std::fill_n(m->jnt_stiffness, m->njnt, 0.0);

  try {
    data.reset(mj_makeData(m));
  } catch (const std::runtime_error& failure) {
    throw InputError(std::string("the engine 'mujoco' does not accept this world: ") +
                     failure.what());
  }
  for (std::size_t i = 0; i < actors.size(); ++i)
    SetState(static_cast<int>(i), RestState(world.actors[i]));
}

void MujocoModel::SetState(int actor, const State& state) {
  const Actor& a = actors[actor];
  STRIDE_CHECK(static_cast<int>(state.q.size()) == a.nq &&
               static_cast<int>(state.v.size()) == a.nv);
  std::copy(state.q.begin(), state.q.end(), data->qpos + a.q);
  std::copy(state.v.begin(), state.v.end(), data->qvel + a.v);
}

State MujocoModel::GetState(int actor) const {
  const Actor& a = actors[actor];
  return {{data->qpos + a.q, data->qpos + a.q + a.nq}, {data->qvel + a.v, data->qvel + a.v + a.nv}};
}

}  // namespace stride
