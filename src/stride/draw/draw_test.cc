#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/draw/sheet.h"
#include "stride/draw/solids.h"
#include "stride/math/rotation.h"

namespace stride {
namespace {

bool IsBlue(const Color& c) { return c.b > c.r + 0.12f && c.b > c.g + 0.05f; }
bool IsOrange(const Color& c) { return c.r > c.b + 0.15f && c.r > c.g + 0.08f; }
bool IsGreen(const Color& c) { return c.g > c.r + 0.10f && c.g > c.b + 0.10f; }

template <class Test>
int Count(const Image& image, Test test) {
  int count = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) count += test(image.At(x, y));
  }
  return count;
}

Motion Sliding(const Character& character, int frames) {
  Motion motion;
  motion.fps = 10;
  for (int i = 0; i < frames; ++i) {
    std::vector<double> q = RestState(character).q;
    q[0] += 0.1 * i;
    motion.frames.push_back(q);
    motion.contacts.push_back(i % 2 == 0 ? kLeftFootDown : kRightFootDown);
  }
  return motion;
}

TEST(Solids, RaysMeetSpheresCapsulesAndBoxesWhereTheyShould) {
  Solid sphere;
  sphere.a = sphere.b = {2, 0, 0};
  sphere.radius = 0.5;
  Solid capsule;
  capsule.a = {3, 0, -1};
  capsule.b = {3, 0, 1};
  capsule.radius = 0.25;
  Solid box;
  box.is_box = true;
  box.center = {4, 0, 0};
  box.half = {0.5, 0.1, 0.2};
  box.rotation = ToMat3(AxisAngle({0, 0, 1}, std::acos(0.0)));  // its long side across the ray
  RayHit hit;
  ASSERT_TRUE(Intersect(sphere, {0, 0, 0}, {1, 0, 0}, &hit));
  EXPECT_NEAR(hit.t, 1.5, 1e-12);
  ASSERT_TRUE(Intersect(capsule, {0, 0, 0.7}, {2, 0, 0}, &hit));
  EXPECT_NEAR(hit.t, 2.75 / 2, 1e-12);
  EXPECT_NEAR(hit.normal.x, -1, 1e-12);
  ASSERT_TRUE(Intersect(capsule, {3, 0, 5}, {0, 0, -1}, &hit));  // along its axis
  EXPECT_NEAR(hit.t, 3.75, 1e-12);
  ASSERT_TRUE(Intersect(capsule, {3.1, 0, 5}, {0, 0, -1}, &hit));
  EXPECT_NEAR(hit.t, 4 - std::sqrt(0.0625 - 0.01), 1e-9);
  ASSERT_TRUE(Intersect(box, {0, 0.4, 0.1}, {1, 0, 0}, &hit));
  EXPECT_NEAR(hit.t, 3.9, 1e-12);
  EXPECT_NEAR(hit.normal.x, -1, 1e-12);
  EXPECT_FALSE(Intersect(box, {0, 0.6, 0}, {1, 0, 0}, &hit));
  EXPECT_FALSE(Intersect(sphere, {0, 0, 0}, {-1, 0, 0}, &hit));
}

TEST(Render, TellsLeftFromRightAndMarksContacts) {
  const Character character = LoadCharacter("liu16");
  const std::vector<double> q = RestState(character).q;
  const Image front = DrawCharacter(character, q, View::kFront, 160, 200);
  // Seen from the front the left limbs are on the right side of the picture.
  int blue_right = 0, orange_left = 0;
  for (int y = 0; y < front.height; ++y) {
    for (int x = 0; x < front.width; ++x) {
      if (IsBlue(front.At(x, y))) blue_right += x >= 80 ? 1 : -1;
      if (IsOrange(front.At(x, y))) orange_left += x < 80 ? 1 : -1;
    }
  }
  EXPECT_GT(blue_right, 300);
  EXPECT_GT(orange_left, 300);
  EXPECT_EQ(Count(front, IsGreen), 0);
  const Image marked = DrawCharacter(character, q, View::kFront, 160, 200, kLeftFootDown);
  EXPECT_GT(Count(marked, IsGreen), 20);
  EXPECT_TRUE(DrawCharacter(character, q, View::kFront, 160, 200) == front);
}

TEST(Render, CharacterHasItsSize) {
  const Character character = LoadCharacter("human");
  Scene scene;
  scene.ground = false;
  scene.camera = LookAt(View::kSide, {0, 0, 1}, 2.5);
  scene.camera.parallel_height = 2.5;
  scene.figures.push_back({&character, RestState(character).q, 0, 1});
  const Image image = Render(scene, 200, 250);
  const Color sky = image.At(0, 0);
  int top = 250, bottom = 0;
  for (int y = 0; y < 250; ++y) {
    for (int x = 0; x < 200; ++x) {
      const Color c = image.At(x, y);
      if (std::fabs(c.r - sky.r) + std::fabs(c.g - sky.g) + std::fabs(c.b - sky.b) > 0.1f) {
        top = std::min(top, y);
        bottom = std::max(bottom, y);
      }
    }
  }
  // 100 pixels a metre, seen from slightly above.
  EXPECT_NEAR(bottom - top, 100 * StandingHeight(character), 6);
}

TEST(Render, NearEyeAndGhostsAreHarmless) {
  const Character character = LoadCharacter("lee10");
  Scene scene;
  scene.camera.eye = {0.05, 0, 1.1};  // inside the trunk
  scene.camera.target = {1, 0, 1};
  scene.figures.push_back({&character, RestState(character).q, 0, 1});
  EXPECT_EQ(Render(scene, 40, 30).rgb.size(), 40u * 30 * 3);
  Figure ghost{&character, RestState(character).q, 0, 0.3f};
  Scene pale;
  pale.figures = {ghost};
  Scene solid;
  solid.figures = {Figure{&character, RestState(character).q, 0, 1}};
  EXPECT_LT(Count(Render(pale, 80, 60), IsOrange), Count(Render(solid, 80, 60), IsOrange) / 2);
  EXPECT_GT(Count(Render(solid, 80, 60), IsOrange), 20);
}

TEST(Sheet, HasItsCellsAndMarks) {
  const Character character = LoadCharacter("liu16");
  SheetOptions options;
  options.cells = 6;
  options.columns = 3;
  options.cell_width = 120;
  options.cell_height = 90;
  options.title = "walk";
  const Image sheet = ContactSheet(character, Sliding(character, 11), options);
  EXPECT_EQ(sheet.width, 3 * 120 + 2 * 4);
  EXPECT_EQ(sheet.height, 2 * 90 + 4 + 30);
  EXPECT_GT(Count(sheet, IsGreen), 6 * 50);
  const Image strip = Strip(character, Sliding(character, 40), options);
  EXPECT_GT(strip.width, 2 * strip.height);
  EXPECT_GT(Count(strip, IsOrange), 500);
}

TEST(Sheet, RefusesImpossibleSizes) {
  const Character character = LoadCharacter("liu16");
  SheetOptions options;
  options.cells = 0;
  EXPECT_THROW(ContactSheet(character, Sliding(character, 3), options), InputError);
  options.cells = 4;
  options.cell_width = 1 << 20;
  EXPECT_THROW(Strip(character, Sliding(character, 3), options), InputError);
}

TEST(Png, WritesWholeFilesOrNone) {
  Image image(7, 5, {1, 0, 0});
  DrawText("8.", 1, 1, 3, {0, 0, 0}, &image);
  const std::string path = ::testing::TempDir() + "stride_draw_test.png";
  WritePng(image, path);
  const std::string bytes = ReadFile(path);
  EXPECT_THAT(bytes, ::testing::StartsWith("\x89PNG"));
  EXPECT_EQ(bytes, EncodePng(image));
  std::filesystem::remove(path);
  EXPECT_THROW(WritePng(image, ::testing::TempDir() + "no/such/folder/a.png"), InputError);
}

TEST(Text, EveryLetterLeavesInkInItsOwnBox) {
  for (const char letter : std::string("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ.:-+/%#")) {
    Image image(24, 24);
    const double width = DrawText(std::string(1, letter), 6, 6, 12, {0, 0, 0}, &image);
    EXPECT_NEAR(width, 8, 1e-9);
    int inside = 0, outside = 0;
    for (int y = 0; y < 24; ++y) {
      for (int x = 0; x < 24; ++x) {
        const bool ink = image.At(x, y).r < 0.5f;
        (x >= 4 && x < 17 && y >= 4 && y < 20 ? inside : outside) += ink;
      }
    }
    EXPECT_GT(inside, 0) << letter;
    EXPECT_EQ(outside, 0) << letter;
  }
}

}  // namespace
}  // namespace stride
