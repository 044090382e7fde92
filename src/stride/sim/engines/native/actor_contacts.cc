#include "stride/sim/engines/native/actor_contacts.h"

#include <algorithm>
#include <cmath>

namespace stride::native_engine {
namespace {

constexpr int kSweeps = 20;

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
  return m.v + spin + (ab.linear + Cross(ab.alpha, arm) + Cross(m.w, spin)) * h;
}

}  // namespace

ActorContacts::ActorContacts(const std::vector<Character>& actors) {
  std::size_t bodies = 0;
  for (const Character& actor : actors) {
    reach_.push_back(ReachOf(actor));
    bodies = std::max(bodies, actor.bodies.size());
  }
  for (std::vector<Vec3d>* array : {&moment_, &force_, &alpha_, &linear_}) array->resize(bodies);
}

void ActorContacts::FindPairs(const std::vector<ActorParts>& actors) {
  pairs_.clear();
  for (std::size_t p = 0; p < actors.size(); ++p) {
    for (std::size_t q = p + 1; q < actors.size(); ++q) {
      const ActorParts& a = actors[p];
      const ActorParts& b = actors[q];
      if (!a.present || !b.present) continue;
      const Vec3d apart = a.art.root->position - b.art.root->position;
      const double reach = reach_[p] + reach_[q];
      if (SquaredNorm(apart) > reach * reach) continue;
      for (std::size_t i = 0; i < a.character->bodies.size(); ++i) {
        for (const Shape& shape_a : a.character->bodies[i].shapes) {
          if (!shape_a.collides) continue;
          const Vec3d origin_a = a.art.root->position + a.art.motion[i].o;
          const Vec3d center_a = origin_a + a.art.motion[i].r * shape_a.center;
          const double radius_a = BoundingRadius(shape_a);
          // Against the whole of b first: most bodies of two actors side by side are out of reach.
          const double to_root = radius_a + reach_[q];
          if (SquaredNorm(center_a - b.art.root->position) > to_root * to_root) continue;
          for (std::size_t j = 0; j < b.character->bodies.size(); ++j) {
            for (const Shape& shape_b : b.character->bodies[j].shapes) {
              if (!shape_b.collides) continue;
              const Vec3d origin_b = b.art.root->position + b.art.motion[j].o;
              const Vec3d center_b = origin_b + b.art.motion[j].r * shape_b.center;
              const double near = radius_a + BoundingRadius(shape_b);
              if (SquaredNorm(center_a - center_b) > near * near) continue;
              touches_.clear();
              FindTouches(Place(shape_a, a.art.motion[i].r, origin_a),
                          Place(shape_b, b.art.motion[j].r, origin_b), &touches_);
              for (const Touch& touch : touches_) {
                Pair pair{};
                pair.actor[0] = static_cast<int>(p), pair.actor[1] = static_cast<int>(q);
                pair.body[0] = static_cast<int>(i), pair.body[1] = static_cast<int>(j);
                pair.arm[0] = touch.point - origin_a;
                pair.arm[1] = touch.point - origin_b;
                pair.axis[0] = touch.normal;
                const Vec3d other =
                    std::fabs(touch.normal.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
                pair.axis[1] = Normalized(Cross(touch.normal, other));
                pair.axis[2] = Cross(touch.normal, pair.axis[1]);
                pair.depth = touch.depth;
                pair.point = touch.point;
                pairs_.push_back(pair);
              }
            }
          }
        }
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
  FindPairs(*actors);
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
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (Pair& pair : pairs_) {
      for (int k = 0; k < 3; ++k) {
        const Vec3d relative =
            EndVelocity((*actors)[pair.actor[0]].art, pair.body[0], pair.arm[0], h) -
            EndVelocity((*actors)[pair.actor[1]].art, pair.body[1], pair.arm[1], h);
        const double v = Dot(pair.axis[k], relative);
        const double mobility = h * pair.mobility[k];  // velocity by a unit force during the step
        double force;
        if (k == 0) {
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
                         pair.axis[0], force, pair.depth});
  }
}

}  // namespace stride::native_engine
