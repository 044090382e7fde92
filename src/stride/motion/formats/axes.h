#pragma once

#include "stride/math/vec.h"

// Files with Y up whose skeletons face +Z (BVH, ASF, glTF): x_stride = z, y_stride = x, z_stride =
// y. A cyclic permutation is a rotation, so a quaternion's vector part changes as a vector does.
namespace stride {

inline Vec3d FromYUp(const Vec3d& v) { return {v.z, v.x, v.y}; }
inline Vec3d ToYUp(const Vec3d& v) { return {v.y, v.z, v.x}; }
inline Quatd FromYUp(const Quatd& q) { return {q.w, q.z, q.x, q.y}; }
inline Quatd ToYUp(const Quatd& q) { return {q.w, q.y, q.z, q.x}; }

}  // namespace stride
