#include "stride/sim/engines/native/actor_contacts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stride::native_engine {
namespace {

// At least; more until no velocity changes by more than kStill in one, at most kMostSweeps. Of five
// boxes at 5 ms, light ones below, 20 alone let the stack slide apart.
constexpr int kSweeps = 20, kMostSweeps = 120;
constexpr double kStill = 1e-3;  // m/s

double ThinnestOf(const Shape& shape) {
  return shape.kind == ShapeKind::kBox ? std::min({shape.size.x, shape.size.y, shape.size.z})
                                       : shape.size.x;
}

double ReachOf(const Character& character) {
  std::vector<double> distance(character.bodies.size(), 0.0);
  double reach = 0;
  for (std::size_t i = 0; i < character.bodies.size(); ++i) {
    const Body& body = character.bodies[i];
    if (body.parent >= 0) distance[i] = distance[body.parent] + Norm(body.offset);
    for (const Shape& shape : body.shapes) {
      reach = std::max(reach, distance[i] + Norm(shape.center) + BoundingRadius(shape));
    }
  }
  return reach;
}

// Velocity of a point of a body at the end of the step, by the accelerations as they are now.
Vec3d EndVelocity(const Articulation<double>& art, int body, const Vec3d& arm, double h) {
  const BodyMotion<double>& m = art.motion[body];
  const ArticulatedBody<double>& ab = art.articulated[body];
  const Vec3d spin = Cross(m.w, arm);
  // A point of what turns far within a step (a ball that was hit) is elsewhere by then: of those
  // the place counts, not the point.
  constexpr double kFar = 0.5;  // rad
  const bool far = SquaredNorm(m.w) * h * h > kFar * kFar;
  const Vec3d inward = far ? Vec3d{} : Cross(m.w, spin);
  return m.v + spin + (ab.linear + Cross(ab.alpha, arm) + inward) * h;
}

}  // namespace

ActorContacts::ActorContacts(const std::vector<Character>& actors) {
  std::size_t bodies = 0;
  for (const Character& actor : actors) {
    ActorBounds bounds{ReachOf(actor), HUGE_VAL, {}, false, 0};
    for (std::size_t i = 0; i < actor.bodies.size(); ++i) {
      const std::vector<Shape>& shapes = actor.bodies[i].shapes;
      for (std::size_t k = 0; k < shapes.size(); ++k) {
        if (!shapes[k].collides) continue;
        bounds.thin = std::min(bounds.thin, ThinnestOf(shapes[k]));
        bounds.shapes.push_back(
            {static_cast<int>(i), static_cast<int>(k), BoundingRadius(shapes[k]), {}});
      }
    }
    bounds_.push_back(std::move(bounds));
    bodies = std::max(bodies, actor.bodies.size());
  }
  for (std::vector<Vec3d>* array : {&moment_, &force_, &alpha_, &linear_}) array->resize(bodies);
}

void ActorContacts::PlaceBounds(const ActorParts& actor, ActorBounds* bounds) const {
  if (bounds->placed) return;
  bounds->placed = true;
  bounds->reach_now = 0;
  const Vec3d& root = actor.art.root->position;
  for (Bound& bound : bounds->shapes) {
    const BodyMotion<double>& motion = actor.art.motion[bound.body];
    const Shape& shape = actor.character->bodies[bound.body].shapes[bound.shape];
    bound.center = root + motion.o + motion.r * shape.center;
    bounds->reach_now = std::max(bounds->reach_now, Norm(bound.center - root) + bound.radius);
  }
}

void ActorContacts::FindPairs(const std::vector<ActorParts>& actors, double h) {
  pairs_.clear();
  for (ActorBounds& bounds : bounds_) bounds.placed = false;
  const int count = static_cast<int>(actors.size());
  for (int p = 0; p < count; ++p) {
    for (int q = p + 1; q < count; ++q) {
      const ActorParts& a = actors[p];
      const ActorParts& b = actors[q];
      if (!a.present || !b.present) continue;
      const double distance = SquaredNorm(a.art.root->position - b.art.root->position);
      // Beyond a half width of the thinnest, a step could lead past it.
      const double way = Norm(a.art.motion[0].v - b.art.motion[0].v) * h;
      const double sweep = way > std::min(bounds_[p].thin, bounds_[q].thin) ? way : 0;
      const double reach = bounds_[p].reach + bounds_[q].reach + sweep;
      if (distance > reach * reach) continue;
      PlaceBounds(a, &bounds_[p]);
      PlaceBounds(b, &bounds_[q]);
      const double reach_now = bounds_[p].reach_now + bounds_[q].reach_now + sweep;
      if (distance <= reach_now * reach_now) FindPairs(actors, p, q, sweep > 0 ? h : 0);
    }
  }
}

double ActorContacts::FindFirstTouches(const PlacedShape& a, const PlacedShape& b, const Vec3d& way,
                                       double thin) {
  constexpr double kMostParts = 1000;
  const int parts =
      static_cast<int>(std::min(kMostParts, std::ceil(2 * Norm(way) / std::max(thin, 1e-3))));
  PlacedShape moved = a;
  for (int k = 1; k <= parts; ++k) {
    const double share = static_cast<double>(k) / parts;
    moved.center = a.center + way * share;
    FindTouches(moved, b, &touches_);
    if (!touches_.empty()) return share;
  }
  return 1;
}

// h: the step within which fast bodies are followed; 0: none is fast.
void ActorContacts::FindPairs(const std::vector<ActorParts>& actors, int p, int q, double h) {
  const ActorParts& a = actors[p];
  const ActorParts& b = actors[q];
  for (const Bound& on_a : bounds_[p].shapes) {
    // Against the whole of b first: most bodies of two actors side by side are out of reach.
    const double to_root = on_a.radius + bounds_[q].reach_now;
    if (h == 0 && SquaredNorm(on_a.center - b.art.root->position) > to_root * to_root) continue;
    for (const Bound& on_b : bounds_[q].shapes) {
      const BodyMotion<double>& motion_a = a.art.motion[on_a.body];
      const BodyMotion<double>& motion_b = b.art.motion[on_b.body];
      const Vec3d way = (motion_a.v - motion_b.v) * h;
      const double near = on_a.radius + on_b.radius + Norm(way);
      if (SquaredNorm(on_a.center - on_b.center) > near * near) continue;
      const Vec3d origin_a = a.art.root->position + motion_a.o;
      const Vec3d origin_b = b.art.root->position + motion_b.o;
      touches_.clear();
      const PlacedShape shape_a =
          Place(a.character->bodies[on_a.body].shapes[on_a.shape], motion_a.r, origin_a);
      const PlacedShape shape_b =
          Place(b.character->bodies[on_b.body].shapes[on_b.shape], motion_b.r, origin_b);
      FindTouches(shape_a, shape_b, &touches_);
      Vec3d moved;  // of a, to where they touch first
      if (touches_.empty() && h > 0) {
        const double thin = std::min(bounds_[p].thin, bounds_[q].thin);
        moved = way * FindFirstTouches(shape_a, shape_b, way, thin);
      }
      for (const Touch& touch : touches_) {
        Pair pair{};
        pair.actor[0] = p, pair.actor[1] = q;
        pair.body[0] = on_a.body, pair.body[1] = on_b.body;
        pair.arm[0] = touch.point - origin_a - moved;
        pair.arm[1] = touch.point - origin_b;
        pair.axis[0] = touch.normal;
        const Vec3d other = std::fabs(touch.normal.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
        pair.axis[1] = Normalized(Cross(touch.normal, other));
        pair.axis[2] = Cross(touch.normal, pair.axis[1]);
        pair.depth = touch.depth + Dot(moved, touch.normal);
        pair.point = touch.point;
        pairs_.push_back(pair);
      }
    }
  }
}

void ActorContacts::Push(const Pair& pair, const Vec3d& force, double scale,
                         std::vector<ActorParts>* actors) {
  for (int side = 0; side < 2; ++side) {
    ActorParts& actor = (*actors)[pair.actor[side]];
    AddForceResponse(*actor.tree, pair.body[side], pair.arm[side], side == 0 ? force : -force,
                     scale, moment_.data(), force_.data(), alpha_.data(), linear_.data(),
                     &actor.art);
  }
}

void ActorContacts::Solve(const World& world, std::vector<ActorParts>* actors,
                          std::vector<bool>* touched, std::vector<Contact>* contacts) {
  FindPairs(*actors, world.time_step);
  if (pairs_.empty()) return;
  const double h = world.time_step;
  const double gain = world.contact.damping + h * world.contact.stiffness;
  for (Pair& pair : pairs_) {
    for (int k = 0; k < 3; ++k) {
      pair.mobility[k] = 0;
      for (int side = 0; side < 2; ++side) {
        ActorParts& actor = (*actors)[pair.actor[side]];
        AddForceResponse(*actor.tree, pair.body[side], pair.arm[side], pair.axis[k], 0.0,
                         moment_.data(), force_.data(), alpha_.data(), linear_.data(), &actor.art);
        const int body = pair.body[side];
        pair.mobility[k] += Dot(pair.axis[k], linear_[body] + Cross(alpha_[body], pair.arm[side]));
        (*touched)[pair.actor[side]] = true;
      }
    }
  }
  double largest = HUGE_VAL;  // change of a velocity in the last sweep
  for (int sweep = 0; sweep < kSweeps || (largest > kStill && sweep < kMostSweeps); ++sweep) {
    largest = 0;
    for (Pair& pair : pairs_) {
      for (int k = 0; k < 3; ++k) {
        const Vec3d relative =
            EndVelocity((*actors)[pair.actor[0]].art, pair.body[0], pair.arm[0], h) -
            EndVelocity((*actors)[pair.actor[1]].art, pair.body[1], pair.arm[1], h);
        const double v = Dot(pair.axis[k], relative);
        const double mobility = h * pair.mobility[k];  // velocity by a unit force during the step
        double force;
        if (k == 0 && pair.depth < 0) {
          // It comes to the surface and no further.
          force = std::max(0.0, pair.force[0] - (v - pair.depth / h) / std::max(mobility, 1e-9));
        } else if (k == 0) {
          // force = stiffness depth - gain v_end, with v_end = v + mobility (force - old)
          force = std::max(
              0.0, (world.contact.stiffness * pair.depth - gain * (v - mobility * pair.force[0])) /
                       (1 + gain * mobility));
        } else {
          force = pair.force[k] - v / std::max(mobility, 1e-9);
          const double other = pair.force[3 - k];
          const double bound = world.friction * pair.force[0];
          const double left = std::sqrt(std::max(0.0, bound * bound - other * other));
          force = std::clamp(force, -left, left);
        }
        const double change = force - pair.force[k];
        if (change == 0) continue;
        largest = std::max(largest, std::fabs(change) * mobility);
        pair.force[k] = force;
        Push(pair, pair.axis[k] * change, 1.0, actors);
      }
    }
  }
  for (const Pair& pair : pairs_) {
    if (pair.force[0] <= 0) continue;
    const Vec3d force =
        pair.axis[0] * pair.force[0] + pair.axis[1] * pair.force[1] + pair.axis[2] * pair.force[2];
    contacts->push_back({pair.actor[0], pair.body[0], pair.actor[1], pair.body[1], pair.point,
                         pair.axis[0], force, std::max(0.0, pair.depth)});
  }
}

}  // namespace stride::native_engine
