#include "stride/draw/sheet.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/math/rotation.h"

namespace stride {
namespace {

constexpr Color kInk{0.20f, 0.23f, 0.28f};
constexpr Color kPale{0.78f, 0.80f, 0.83f};
constexpr Color kFrame{1.0f, 1.0f, 1.0f};
constexpr Color kLeftMark{0.05f, 0.58f, 0.30f};
constexpr Color kRightMark{0.40f, 0.78f, 0.20f};
constexpr Color kOtherMark{0.20f, 0.68f, 0.25f};
constexpr int kGap = 4, kTitleHeight = 30;

// Frames shown, evenly over the chosen time.
std::vector<int> ChooseFrames(const Motion& motion, const SheetOptions& options) {
  const int last = motion.FrameCount() - 1;
  const auto frame_at = [&](double t) {
    return static_cast<int>(std::clamp(std::round(t * motion.fps), 0.0, double(last)));
  };
  const int first = frame_at(options.begin);
  const int end = options.end < 0 ? last : std::max(first, frame_at(options.end));
  const int count = std::clamp(options.cells, 1, end - first + 1);
  std::vector<int> frames;
  for (int i = 0; i < count; ++i) {
    frames.push_back(
        first +
        (count > 1 ? static_cast<int>(std::lround(double(end - first) * i / (count - 1))) : 0));
  }
  return frames;
}

Vec3d RootOf(const Character& character, const std::vector<double>& q) {
  return RootFrameAt(character, q).offset;
}

// Direction of travel, or where the character faces if it hardly travels.
double HeadingOf(const Character& character, const Motion& motion) {
  const JointPlace first = RootFrameAt(character, motion.frames.front());
  const Vec3d way = RootOf(character, motion.frames.back()) - first.offset;
  const double facing = Heading(first.turn);
  if (std::hypot(way.x, way.y) < 1) return facing;
  // A character that walks backward or sideways is still seen from its right.
  const double along = way.x * std::cos(facing) + way.y * std::sin(facing);
  return along > 0.7 * std::hypot(way.x, way.y) ? std::atan2(way.y, way.x) : facing;
}

std::vector<Trail> RootTrail(const Character& character, const Motion& motion) {
  Trail trail;
  const int step = std::max(1, motion.FrameCount() / 200);
  for (int i = 0; i < motion.FrameCount(); i += step)
    trail.points.push_back(RootOf(character, motion.frames[i]));
  return {trail};
}

void DrawLabel(const Motion& motion, int frame, bool with_contacts, Image* cell) {
  const double size = std::max(8.0, 0.042 * cell->height);
  DrawText(fmt::format("{:.2f} s", frame / motion.fps), size, size, size, kInk, cell);
  if (!with_contacts) return;
  const std::uint8_t contacts = motion.contacts.empty() ? 0 : motion.contacts[frame];
  const int side = static_cast<int>(1.9 * size);
  int x = cell->width - side - 4;
  struct Mark {
    int flag;
    const char* text;
    Color color;
  };
  const Mark marks[] = {{kRightFootDown, "R", kRightMark},  {kLeftFootDown, "L", kLeftMark},
                        {kRightHandDown, "RH", kRightMark}, {kLeftHandDown, "LH", kLeftMark},
                        {kRightKneeDown, "RK", kRightMark}, {kLeftKneeDown, "LK", kLeftMark},
                        {kTrunkDown, "TR", kOtherMark},     {kHeadDown, "HE", kOtherMark}};
  for (const Mark& mark : marks) {
    const bool down = (contacts & mark.flag) != 0;
    const bool hand = mark.text[1] != '\0';
    if (hand && !down) continue;
    const int width = hand ? side * 3 / 2 : side;
    if (hand) x -= width - side;
    FillRectangle(x, 4, width, side, down ? mark.color : kPale, cell);
    DrawText(mark.text, x + 0.5 * (width - TextWidth(mark.text, size)), 4 + 0.5 * (side - size),
             size, kFrame, cell);
    x -= side + 4;
  }
}

void CheckInputs(const Character& character, const Motion& motion, const SheetOptions& options) {
  Validate(motion, character);
  if (options.cells < 1 || options.columns < 1 || options.cell_width < 16 ||
      options.cell_height < 16 || options.cells > 400 || options.cell_width > 4096 ||
      options.cell_height > 4096) {
    throw InputError(
        fmt::format("a contact sheet of {} cells in {} columns of {}x{} pixels; expected 1 to 400 "
                    "cells of 16 to "
                    "4096 pixels",
                    options.cells, options.columns, options.cell_width, options.cell_height));
  }
}

Image WithTitle(const Image& picture, const std::string& title) {
  if (title.empty()) return picture;
  Image image(picture.width, picture.height + kTitleHeight, kFrame);
  DrawText(title, 10, 9, 12, kInk, &image);
  Paste(picture, 0, kTitleHeight, &image);
  return image;
}

}  // namespace

Image ContactSheet(const Character& character, const Motion& motion, const SheetOptions& options) {
  CheckInputs(character, motion, options);
  const std::vector<int> chosen = ChooseFrames(motion, options);
  const int count = static_cast<int>(chosen.size());
  const int columns = std::min(options.columns, count), rows = (count + columns - 1) / columns;
  Image sheet(columns * (options.cell_width + kGap) - kGap,
              rows * (options.cell_height + kGap) - kGap, kFrame);
  const double size = FramedHeight(character), heading = HeadingOf(character, motion);
  // Steady framing: only as far up as the motion goes.
  double top = size;
  for (const auto& q : motion.frames) {
    top = std::max(top, RootOf(character, q).z + 0.5 * size);
  }
  Scene scene;
  if (options.root_trail) scene.trails = RootTrail(character, motion);
  for (int i = 0; i < count; ++i) {
    const std::vector<double>& q = motion.frames[chosen[i]];
    const Vec3d root = RootOf(character, q);
    scene.camera = LookAt(options.view, {root.x, root.y, 0.48 * top}, 1.3 * top, heading);
    scene.figures.clear();
    if (options.ghost && i > 0)
      scene.figures.push_back({&character, motion.frames[chosen[i - 1]], 0, 0.3f});
    scene.figures.push_back(
        {&character, q, motion.contacts.empty() ? std::uint8_t{0} : motion.contacts[chosen[i]], 1});
    Image cell = Render(scene, options.cell_width, options.cell_height);
    DrawLabel(motion, chosen[i], options.contacts, &cell);
    Paste(cell, i % columns * (options.cell_width + kGap),
          i / columns * (options.cell_height + kGap), &sheet);
  }
  return WithTitle(sheet, options.title);
}

Image Strip(const Character& character, const Motion& motion, const SheetOptions& options) {
  CheckInputs(character, motion, options);
  const std::vector<int> chosen = ChooseFrames(motion, options);
  const int count = static_cast<int>(chosen.size());
  const double size = FramedHeight(character), heading = HeadingOf(character, motion);
  const Vec3d along{std::cos(heading), std::sin(heading), 0};
  double top = size;
  for (const auto& q : motion.frames) {
    top = std::max(top, RootOf(character, q).z + 0.5 * size);
  }

  const Vec3d start = RootOf(character, motion.frames[chosen.front()]);
  const double way = Dot(RootOf(character, motion.frames[chosen.back()]) - start, along);
  // At least 0.45 of the height from one pose to the next; less and they hide each other.
  const double apart = 0.45 * size, needed = apart * (count - 1);
  // Only a free root can be drawn elsewhere than it is.
  const bool free = character.bodies[0].joint.kind == JointKind::kFree;
  const double stretch =
      free && std::fabs(way) < needed ? (needed - std::fabs(way)) / std::max(1, count - 1) : 0;
  const double sign = way < -0.1 ? -1 : 1;

  Scene scene;
  double low = 1e30, high = -1e30;
  for (int i = 0; i < count; ++i) {
    std::vector<double> q = motion.frames[chosen[i]];
    if (free) q[0] += sign * stretch * i * along.x, q[1] += sign * stretch * i * along.y;
    const double place = Dot(RootOf(character, q) - start, along);
    low = std::min(low, place);
    high = std::max(high, place);
    scene.figures.push_back({&character, std::move(q),
                             motion.contacts.empty() ? std::uint8_t{0} : motion.contacts[chosen[i]],
                             1});
  }
  if (options.root_trail && stretch == 0) scene.trails = RootTrail(character, motion);
  const double height = 1.3 * top, margin = 0.75 * size;
  const Vec3d target = start + along * (0.5 * (low + high));
  scene.camera = LookAt(View::kSide, {target.x, target.y, 0.48 * top}, height, heading);
  scene.camera.parallel_height = height;
  const int width = std::clamp(
      static_cast<int>((high - low + 2 * margin) / height * options.cell_height), 16, 16384);
  Image image = Render(scene, width, options.cell_height);
  const double pixels = options.cell_height / height;
  for (int i = 0; i < count; ++i) {
    const double place = Dot(RootOf(character, scene.figures[i].q) - target, along);
    const std::string label = fmt::format("{:.2f}", chosen[i] / motion.fps);
    DrawText(label, 0.5 * width + place * pixels - 0.5 * TextWidth(label, 8),
             options.cell_height - 14, 8, kInk, &image);
  }
  return WithTitle(image, options.title);
}

}  // namespace stride
