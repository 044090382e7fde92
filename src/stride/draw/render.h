#pragma once

#include <cstdint>
#include <vector>

#include "stride/character/character.h"
#include "stride/draw/camera.h"
#include "stride/draw/image.h"

// A software renderer for characters on a ground plane: no window, no browser, no graphics card.
//
// Capsules, spheres and boxes are intersected exactly with the ray of every sample within their
// outline, so that they are round at any size; a depth buffer sorts them out.
namespace stride {

// One character in one pose. Left limbs are blue, right ones orange, the rest grey; feet and hands
// that carry weight are green (left darker).
struct Figure {
  const Character* character = nullptr;
  std::vector<double> q;
  std::uint8_t contacts = 0;  // ContactFlag bits
  float opacity = 1;          // below 1 a ghost: pale, without shadow, behind the solid figures
};

// A line in space, drawn over the ground and under the figures.
struct Trail {
  std::vector<Vec3d> points;
  Color color{0.75f, 0.25f, 0.45f};
};

struct Scene {
  Camera camera;
  std::vector<Figure> figures;
  std::vector<Trail> trails;
  bool ground = true;  // z = 0, with lines every 0.25 m and fields of 1 m
};

// `samples` by `samples` rays a pixel.
Image Render(const Scene& scene, int width, int height, int samples = 2);

// What a camera should take in of the character, m: as high as it is, or as wide.
double FramedHeight(const Character& character);

// One character, followed by a camera of the given view.
Image DrawCharacter(const Character& character, const std::vector<double>& q, View view, int width,
                    int height, std::uint8_t contacts = 0);

}  // namespace stride
