#include "stride/sim/engines/native/collision.h"

#include <algorithm>
#include <cmath>

namespace stride::native_engine {
namespace {

struct Segment {
  Vec3d a, b;
  double radius;
};

Segment AsSegment(const PlacedShape& shape) {
  const double half = shape.kind == ShapeKind::kCapsule ? shape.size.y : 0;
  const Vec3d along = shape.rotation.Col2() * half;
  return {shape.center - along, shape.center + along, shape.size.x};
}

double Clamp01(double t) { return std::clamp(t, 0.0, 1.0); }

// Nearest points of two segments (Ericson 2005, section 5.1.9).
void NearestPoints(const Segment& p, const Segment& q, Vec3d* on_p, Vec3d* on_q) {
  const Vec3d d1 = p.b - p.a, d2 = q.b - q.a, r = p.a - q.a;
  const double a = Dot(d1, d1), e = Dot(d2, d2), f = Dot(d2, r), c = Dot(d1, r), b = Dot(d1, d2);
  constexpr double kPoint = 1e-12;
  double s = 0, t = 0;
  if (a > kPoint && e > kPoint) {
    const double denominator = a * e - b * b;
    s = denominator > 1e-12 * a * e ? Clamp01((b * f - c * e) / denominator) : 0.5;
    t = (b * s + f) / e;
    if (t < 0 || t > 1) {
      t = Clamp01(t);
      s = Clamp01((b * t - c) / a);
    }
  } else if (a > kPoint) {
    s = Clamp01(-c / a);
  } else if (e > kPoint) {
    t = Clamp01(f / e);
  }
  *on_p = p.a + d1 * s;
  *on_q = q.a + d2 * t;
}

// A sphere against a box; `flip`: the sphere belongs to b.
void SphereAgainstBox(const Vec3d& center, double radius, const PlacedShape& box, bool flip,
                      std::vector<Touch>* touches) {
  const Vec3d local = TransposeMul(box.rotation, center - box.center);
  const Vec3d inside{std::clamp(local.x, -box.size.x, box.size.x),
                     std::clamp(local.y, -box.size.y, box.size.y),
                     std::clamp(local.z, -box.size.z, box.size.z)};
  const Vec3d out = local - inside;
  const double distance = Norm(out);
  Vec3d normal;
  double depth;
  if (distance > 1e-9) {
    depth = radius - distance;
    if (depth <= 0) return;
    normal = out * (1 / distance);
  } else {
    // The centre is inside: out through the nearest face.
    const double gaps[3] = {box.size.x - std::fabs(local.x), box.size.y - std::fabs(local.y),
                            box.size.z - std::fabs(local.z)};
    const int axis = static_cast<int>(std::min_element(gaps, gaps + 3) - gaps);
    depth = radius + gaps[axis];
    normal = axis == 0   ? Vec3d{local.x < 0 ? -1.0 : 1.0, 0, 0}
             : axis == 1 ? Vec3d{0, local.y < 0 ? -1.0 : 1.0, 0}
                         : Vec3d{0, 0, local.z < 0 ? -1.0 : 1.0};
  }
  const Vec3d world_normal = box.rotation * normal;
  const Vec3d point = center - world_normal * (radius - 0.5 * depth);
  touches->push_back({point, flip ? -world_normal : world_normal, depth});
}

void SegmentAgainstBox(const Segment& segment, const PlacedShape& box, bool flip,
                       std::vector<Touch>* touches) {
  if (SquaredNorm(segment.b - segment.a) < 1e-12) {
    SphereAgainstBox(segment.a, segment.radius, box, flip, touches);
    return;
  }
  // Both ends, and between them the point nearest to the box's centre.
  const Vec3d d = segment.b - segment.a;
  const double middle = Dot(box.center - segment.a, d) / Dot(d, d);
  SphereAgainstBox(segment.a, segment.radius, box, flip, touches);
  SphereAgainstBox(segment.b, segment.radius, box, flip, touches);
  if (middle > 0.05 && middle < 0.95) {
    SphereAgainstBox(segment.a + d * middle, segment.radius, box, flip, touches);
  }
}

Vec3d Corner(const PlacedShape& box, int k) {
  return box.center + box.rotation * Vec3d{k & 1 ? box.size.x : -box.size.x,
                                           k & 2 ? box.size.y : -box.size.y,
                                           k & 4 ? box.size.z : -box.size.z};
}

// Half of a box's extent along a unit direction.
double Extent(const PlacedShape& box, const Vec3d& direction) {
  const Vec3d local = TransposeMul(box.rotation, direction);
  return std::fabs(local.x) * box.size.x + std::fabs(local.y) * box.size.y +
         std::fabs(local.z) * box.size.z;
}

// Corners of `from` that are inside `box`, seen along `normal` (out of `box`). Sideways a
// millimetre is forgiven: boxes stacked edge on edge touch.
void CornersInside(const PlacedShape& from, const PlacedShape& box, const Vec3d& normal, bool flip,
                   std::vector<Touch>* touches) {
  constexpr double kSideways = 1e-3;
  const double face = Dot(box.center, normal) + Extent(box, normal);
  for (int k = 0; k < 8; ++k) {
    const Vec3d corner = Corner(from, k);
    const double depth = face - Dot(corner, normal);
    if (depth <= 0) continue;
    // Onto the face along the normal, so that depth itself does not count as sideways.
    const Vec3d local = TransposeMul(box.rotation, corner + normal * depth - box.center);
    if (std::fabs(local.x) > box.size.x + kSideways ||
        std::fabs(local.y) > box.size.y + kSideways ||
        std::fabs(local.z) > box.size.z + kSideways) {
      continue;
    }
    touches->push_back({corner + normal * (0.5 * depth), flip ? -normal : normal, depth});
  }
}

// The face normal along which the boxes overlap least decides the direction; their corners are the
// points.
void BoxAgainstBox(const PlacedShape& a, const PlacedShape& b, std::vector<Touch>* touches) {
  const Vec3d apart = a.center - b.center;
  double least = 1e300;
  Vec3d normal;
  for (const PlacedShape* box : {&a, &b}) {
    for (const Vec3d& axis : {box->rotation.Col0(), box->rotation.Col1(), box->rotation.Col2()}) {
      const double along = Dot(apart, axis);
      const double overlap = Extent(a, axis) + Extent(b, axis) - std::fabs(along);
      if (overlap <= 0) return;
      if (overlap < least) {
        least = overlap;
        normal = along < 0 ? -axis : axis;
      }
    }
  }
  CornersInside(a, b, normal, false, touches);
  CornersInside(b, a, -normal, true, touches);
}

}  // namespace

PlacedShape Place(const Shape& shape, const Mat3d& body_rotation, const Vec3d& body_position) {
  return {shape.kind, body_position + body_rotation * shape.center,
          body_rotation * ToMat3(shape.rotation), shape.size};
}

double BoundingRadius(const Shape& shape) {
  switch (shape.kind) {
    case ShapeKind::kSphere: return shape.size.x;
    case ShapeKind::kCapsule: return shape.size.x + shape.size.y;
    case ShapeKind::kBox: return Norm(shape.size);
  }
  return 0;
}

void FindTouches(const PlacedShape& a, const PlacedShape& b, std::vector<Touch>* touches) {
  const bool box_a = a.kind == ShapeKind::kBox, box_b = b.kind == ShapeKind::kBox;
  if (box_a && box_b) {
    BoxAgainstBox(a, b, touches);
  } else if (box_b) {
    SegmentAgainstBox(AsSegment(a), b, false, touches);
  } else if (box_a) {
    SegmentAgainstBox(AsSegment(b), a, true, touches);
  } else {
    const Segment p = AsSegment(a), q = AsSegment(b);
    Vec3d on_a, on_b;
    NearestPoints(p, q, &on_a, &on_b);
    const Vec3d apart = on_a - on_b;
    const double distance = Norm(apart);
    const double depth = p.radius + q.radius - distance;
    if (depth <= 0) return;
    const Vec3d normal = distance > 1e-9 ? apart * (1 / distance) : Vec3d{0, 0, 1};
    touches->push_back({on_b + normal * (q.radius - 0.5 * depth), normal, depth});
  }
}

}  // namespace stride::native_engine
