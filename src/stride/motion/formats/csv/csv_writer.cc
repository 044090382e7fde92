#include <iterator>

#include <fmt/format.h>

#include "stride/motion/formats/csv/csv.h"

namespace stride {
namespace {

// Joint names may hold commas and quotes.
std::string Field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted += '"';
}

}  // namespace

std::string WriteCsv(const SkeletonClip& clip) {
  Validate(clip);
  const bool metres = clip.metres_per_unit > 0;
  const double scale = metres ? clip.metres_per_unit : 1;
  const std::string unit = metres ? "_m" : "_units";
  std::string out = "frame,time_s";
  const auto header = [&](const std::string& name) { out += ',' + Field(name); };
  const auto position_header = [&](const std::string& name) {
    for (const char* axis : {".x", ".y", ".z"}) header(name + axis + unit);
  };
  for (const ClipJoint& joint : clip.joints) {
    position_header(joint.name);
    for (const char* part : {".qw", ".qx", ".qy", ".qz"}) header(joint.name + part);
    for (std::size_t e = 0; e < joint.end_sites.size(); ++e) {
      position_header(joint.name + ".end" + std::to_string(e + 1));
    }
  }
  out += '\n';
  const auto position = [&](const Vec3d& p) {
    fmt::format_to(std::back_inserter(out), ",{:.9g},{:.9g},{:.9g}", p.x * scale, p.y * scale,
                   p.z * scale);
  };
  for (int f = 0; f < clip.FrameCount(); ++f) {
    const ClipPose pose = Positions(clip, f);
    fmt::format_to(std::back_inserter(out), "{},{:.9g}", f, f / clip.fps);
    for (int j = 0; j < clip.JointCount(); ++j) {
      const Quatd& q = pose.rotations[j];
      position(pose.positions[j]);
      fmt::format_to(std::back_inserter(out), ",{:.9g},{:.9g},{:.9g},{:.9g}", q.w, q.x, q.y, q.z);
      for (const Vec3d& end : clip.joints[j].end_sites)
        position(pose.positions[j] + Rotate(q, end));
    }
    out += '\n';
  }
  return out;
}

}  // namespace stride
