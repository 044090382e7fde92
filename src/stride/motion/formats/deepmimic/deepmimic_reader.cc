#include <algorithm>
#include <array>
#include <cmath>

#include "stride/core/error.h"
#include "stride/core/json_text.h"
#include "stride/math/rotation.h"
#include "stride/motion/formats/deepmimic/deepmimic.h"

namespace stride {
namespace {

constexpr int kRowSize = 44;

// Depth-first. `row` is where the joint's numbers start in a row: one for a hinge about z, else
// four.
struct JointRow {
  const char* name;
  int parent;
  int row;
  bool hinge;
  Vec3d offset;             // m, file's axes
  std::vector<Vec3d> ends;  // m, file's axes
};

// The ends are wrists, the top of the head (a ball of 0.1025 m around 0.175 m above the neck), toe
// and heel of the foot box at the sole.
const std::vector<JointRow>& JointRows() {
  static const Vec3d toe{0.1335, -0.05, 0}, heel{-0.0435, -0.05, 0}, wrist{0, -0.2589, 0};
  static const std::vector<JointRow> rows = {
      {"root", -1, 4, false, {0, 0, 0}, {}},
      {"chest", 0, 8, false, {0, 0.236, 0}, {}},
      {"neck", 1, 12, false, {0, 0.224, 0}, {{0, 0.2775, 0}}},
      {"right_shoulder", 1, 25, false, {-0.0241, 0.2435, 0.1831}, {}},
      {"right_elbow", 3, 29, true, {0, -0.2748, 0}, {wrist}},
      {"left_shoulder", 1, 39, false, {-0.0241, 0.2435, -0.1831}, {}},
      {"left_elbow", 5, 43, true, {0, -0.2748, 0}, {wrist}},
      {"right_hip", 0, 16, false, {0, 0, 0.0849}, {}},
      {"right_knee", 7, 20, true, {0, -0.4215, 0}, {}},
      {"right_ankle", 8, 21, false, {0, -0.4099, 0}, {toe, heel}},
      {"left_hip", 0, 30, false, {0, 0, -0.0849}, {}},
      {"left_knee", 10, 34, true, {0, -0.4215, 0}, {}},
      {"left_ankle", 11, 35, false, {0, -0.4099, 0}, {toe, heel}},
  };
  return rows;
}

// Right-handed, Y up, facing +X: a quarter turn about x.
Vec3d FromFile(const Vec3d& v) { return {v.x, -v.z, v.y}; }
Quatd FromFile(const Quatd& q) { return {q.w, q.x, -q.z, q.y}; }

using Row = std::array<double, kRowSize>;

Quatd QuatAt(const Row& row, int i) { return {row[i], row[i + 1], row[i + 2], row[i + 3]}; }

// The parsed JSON has no lines; the n-th bracket after "Frames" and its own opens row n.
int LineOfRow(std::string_view text, std::size_t row) {
  std::size_t at = text.find('[', text.find("\"Frames\""));
  for (std::size_t n = 0; n <= row && at != std::string_view::npos; ++n)
    at = text.find('[', at + 1);
  return at == std::string_view::npos ? 0 : LineAt(text, at);
}

Row ReadRow(const nlohmann::json& json, std::string_view text, const std::string& file,
            std::size_t index) {
  const auto fail = [&](const std::string& what) {
    throw InputError(file, LineOfRow(text, index),
                     "row " + std::to_string(index) + " of Frames " + what);
  };
  if (!json.is_array()) fail("is not a list; expected a list of 44 numbers");
  if (json.size() != kRowSize) fail("has " + std::to_string(json.size()) + " numbers; expected 44");
  Row row;
  for (int i = 0; i < kRowSize; ++i) {
    if (!json[i].is_number())
      fail("has something else than a number at place " + std::to_string(i));
    row[i] = json[i].get<double>();
    if (!(std::fabs(row[i]) <= 1e9)) fail("has a number larger than 1e9");
  }
  for (const JointRow& joint : JointRows()) {
    if (joint.hinge) continue;
    const Quatd q = QuatAt(row, joint.row);
    if (Dot(q, q) < 1e-6)
      fail(std::string("has no rotation for ") + joint.name + ": its quaternion is zero");
    const Quatd unit = Normalized(q);
    row[joint.row] = unit.w;
    row[joint.row + 1] = unit.x;
    row[joint.row + 2] = unit.y;
    row[joint.row + 3] = unit.z;
  }
  return row;
}

Row Between(const Row& a, const Row& b, double t) {
  Row row;
  for (int i = 0; i < kRowSize; ++i) row[i] = a[i] + t * (b[i] - a[i]);
  for (const JointRow& joint : JointRows()) {
    if (joint.hinge) continue;
    const Quatd q = Slerp(QuatAt(a, joint.row), QuatAt(b, joint.row), t);
    row[joint.row] = q.w;
    row[joint.row + 1] = q.x;
    row[joint.row + 2] = q.y;
    row[joint.row + 3] = q.z;
  }
  return row;
}

void AddFrame(const Row& row, SkeletonClip* clip) {
  clip->root_positions.push_back(FromFile(Vec3d{row[1], row[2], row[3]}));
  for (const JointRow& joint : JointRows()) {
    const Quatd q =
        joint.hinge ? AxisAngle(Vec3d{0, 0, 1}, row[joint.row]) : QuatAt(row, joint.row);
    clip->rotations.push_back(FromFile(q));
  }
}

// Rows last from their own duration; the last one's does not count.
void AddFrames(const std::vector<Row>& rows, const std::string& file, std::string_view text,
               SkeletonClip* clip) {
  double shortest = 1e9, longest = 0, total = 0;
  for (std::size_t r = 0; r + 1 < rows.size(); ++r) {
    const double duration = rows[r][0];
    if (!(duration >= 1e-4 && duration <= 100)) {
      throw InputError(file, LineOfRow(text, r),
                       "row " + std::to_string(r) + " of Frames lasts " + std::to_string(duration) +
                           " s; expected 0.0001 to 100");
    }
    shortest = std::min(shortest, duration);
    longest = std::max(longest, duration);
    total += duration;
  }
  if (rows.size() == 1) {
    clip->fps = 30;
    AddFrame(rows[0], clip);
    return;
  }
  clip->frame_time = shortest;
  clip->fps = FpsFromFrameTime(shortest, 2e-6);  // six decimals, cut off
  if (longest - shortest < 2e-6) {
    for (const Row& row : rows) AddFrame(row, clip);
    return;
  }
  const double frames = std::floor(total * clip->fps + 1e-6) + 1;
  // One short row among long ones must not blow the clip up.
  if (frames > 100.0 * static_cast<double>(rows.size())) {
    throw InputError(file, 0,
                     "rows last from " + std::to_string(shortest) + " to " +
                         std::to_string(longest) + " s, too different to resample to one rate");
  }
  clip->warnings.push_back("the rows differ in duration and were resampled to a constant rate");
  std::size_t r = 0;
  double begins = 0;  // time of row r
  for (int f = 0; f < static_cast<int>(frames); ++f) {
    const double time = f / clip->fps;
    while (r + 2 < rows.size() && time >= begins + rows[r][0]) begins += rows[r++][0];
    AddFrame(Between(rows[r], rows[r + 1], std::clamp((time - begins) / rows[r][0], 0.0, 1.0)),
             clip);
  }
}

}  // namespace

SkeletonClip ReadDeepMimic(std::string_view text, const std::string& file) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') {
    throw InputError(file, 1, "does not begin with {; expected the JSON of a DeepMimic motion");
  }
  const nlohmann::json json = ParseJson(text, file);
  if (!json.is_object() || !json.contains("Frames") || !json["Frames"].is_array()) {
    throw InputError(file, 1, "has no list \"Frames\"; expected a DeepMimic motion");
  }
  SkeletonClip clip;
  clip.format = "deepmimic";
  clip.source = file;
  clip.metres_per_unit = 1;
  const auto loop = json.find("Loop");
  if (loop != json.end()) {
    if (*loop != "wrap" && *loop != "none") {
      throw InputError(
          file, LineAt(text, text.find("\"Loop\"")),
          "\"Loop\" is " + loop->dump().substr(0, 40) + "; expected \"wrap\" or \"none\"");
    }
    clip.loop = *loop == "wrap";
  }
  for (const JointRow& row : JointRows()) {
    ClipJoint joint;
    joint.name = row.name;
    joint.parent = row.parent;
    joint.offset = FromFile(row.offset);
    for (const Vec3d& end : row.ends) joint.end_sites.push_back(FromFile(end));
    clip.joints.push_back(std::move(joint));
  }
  std::vector<Row> rows;
  for (const nlohmann::json& row : json["Frames"])
    rows.push_back(ReadRow(row, text, file, rows.size()));
  if (rows.empty())
    throw InputError(file, LineAt(text, text.find("\"Frames\"")), "\"Frames\" is empty");
  AddFrames(rows, file, text, &clip);
  MakeSignsContinuous(&clip);
  SetDefaultChannels(&clip);
  Validate(clip);
  return clip;
}

}  // namespace stride
