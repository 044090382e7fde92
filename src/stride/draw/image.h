#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Pictures in memory, letters on them, and PNG files.
namespace stride {

struct Color {
  float r = 0, g = 0, b = 0;  // 0 to 1, as shown (sRGB)
};
inline Color Mix(const Color& a, const Color& b, float t) {
  return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // rows from the top, three bytes a pixel

  Image() = default;
  Image(int width, int height, const Color& fill = {1, 1, 1});
  Color At(int x, int y) const;
  void Set(int x, int y, const Color& color);
  // Mixes the colour in; outside the picture nothing happens.
  void Blend(int x, int y, const Color& color, float opacity);
  friend bool operator==(const Image&, const Image&) = default;
};

// Copies `source` into `target` with its upper left corner at (x, y); what lies outside is cut off.
void Paste(const Image& source, int x, int y, Image* target);
void FillRectangle(int x, int y, int width, int height, const Color& color, Image* image);
// A straight anti-aliased line, in pixels.
void DrawLine(double x0, double y0, double x1, double y1, double thickness, const Color& color,
              Image* image);

// Capital letters of the given height in pixels, drawn from strokes, upper left corner at (x, y);
// small letters are drawn as capitals, and a character without a glyph as a box. Returns the width.
double DrawText(std::string_view text, double x, double y, double height, const Color& color,
                Image* image);
double TextWidth(std::string_view text, double height);

// The picture as the bytes of a PNG file.
std::string EncodePng(const Image& image);
// Throws InputError if the file cannot be written; it appears whole or not at all.
void WritePng(const Image& image, const std::string& path);

}  // namespace stride
