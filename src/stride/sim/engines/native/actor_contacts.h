#pragma once

#include <vector>

#include "stride/dynamics/step.h"
#include "stride/sim/engines/native/collision.h"
#include "stride/sim/world.h"

// Contact between actors, solved between the two halves of their steps: the same compliant law as
// against the ground, implicit in the relative velocity of the two bodies, by projected
// Gauss-Seidel over the touches. The response of a whole articulated body to a push comes from its
// last Solve, so servos and ground take part; both sides feel the same force, so momentum holds.
// What would pass through something thin within a step is stopped at its surface.
namespace stride::native_engine {

struct ActorParts {
  const Character* character;
  const Tree<double>* tree;
  Articulation<double> art;
  bool present;  // false once its state has failed: nothing touches it
};

class ActorContacts {
 public:
  explicit ActorContacts(const std::vector<Character>& actors);

  // Finds touches and adds their effect to the actors' accelerations. touched[k] is set where actor
  // k took part.
  void Solve(const World& world, std::vector<ActorParts>* actors, std::vector<bool>* touched,
             std::vector<Contact>* contacts);

 private:
  struct Pair {
    int actor[2], body[2];
    Vec3d arm[2];        // from the body's frame to the touch
    Vec3d axis[3];       // normal (from 1 to 0) and two tangents
    double mobility[3];  // acceleration along the axis by a unit force there
    double force[3];
    double depth;  // below 0: apart by so much, and it would be passed within this step
    Vec3d point;
  };

  // A colliding shape of an actor, and the sphere that holds it.
  struct Bound {
    int body, shape;
    double radius;
    Vec3d center;  // world
  };
  struct ActorBounds {
    double reach;  // radius about its root that holds it in any pose
    double thin;   // the smallest half width of its shapes
    std::vector<Bound> shapes;
    bool placed;       // in this step: centers and reach_now
    double reach_now;  // as it is posed
  };

  void PlaceBounds(const ActorParts& actor, ActorBounds* bounds) const;
  void FindPairs(const std::vector<ActorParts>& actors, double h);
  void FindPairs(const std::vector<ActorParts>& actors, int p, int q, double h);
  // The first touches on the way `way` of a, relative to b; returns the share of it.
  double FindFirstTouches(const PlacedShape& a, const PlacedShape& b, const Vec3d& way,
                          double thin);
  void Push(const Pair& pair, const Vec3d& force, double scale, std::vector<ActorParts>* actors);

  std::vector<ActorBounds> bounds_;  // per actor
  std::vector<Pair> pairs_;
  std::vector<Touch> touches_;
  std::vector<Vec3d> moment_, force_, alpha_, linear_;
};

}  // namespace stride::native_engine
