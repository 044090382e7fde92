#include "stride/draw/image.h"

#include <algorithm>
#include <cmath>

#include <png.h>

#include "stride/core/error.h"
#include "stride/core/file.h"

namespace stride {
namespace {

std::uint8_t ToByte(float value) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0f, 1.0f)));
}

}  // namespace

Image::Image(int width, int height, const Color& fill) : width(width), height(height) {
  STRIDE_CHECK(width > 0 && height > 0);
  rgb.resize(std::size_t(width) * height * 3);
  for (std::size_t i = 0; i < rgb.size(); i += 3) {
    rgb[i] = ToByte(fill.r);
    rgb[i + 1] = ToByte(fill.g);
    rgb[i + 2] = ToByte(fill.b);
  }
}

Color Image::At(int x, int y) const {
  const std::uint8_t* p = &rgb[(std::size_t(y) * width + x) * 3];
  return {p[0] / 255.0f, p[1] / 255.0f, p[2] / 255.0f};
}

void Image::Set(int x, int y, const Color& color) {
  std::uint8_t* p = &rgb[(std::size_t(y) * width + x) * 3];
  p[0] = ToByte(color.r);
  p[1] = ToByte(color.g);
  p[2] = ToByte(color.b);
}

void Image::Blend(int x, int y, const Color& color, float opacity) {
  if (x < 0 || y < 0 || x >= width || y >= height || opacity <= 0) return;
  Set(x, y, Mix(At(x, y), color, std::min(opacity, 1.0f)));
}

void Paste(const Image& source, int x, int y, Image* target) {
  const int first = std::max(0, -x), last = std::min(source.width, target->width - x);
  if (last <= first) return;
  for (int row = std::max(0, -y); row < std::min(source.height, target->height - y); ++row) {
    const auto from = source.rgb.begin() + (std::ptrdiff_t(row) * source.width + first) * 3;
    std::copy(from, from + std::ptrdiff_t(last - first) * 3,
              target->rgb.begin() + (std::ptrdiff_t(row + y) * target->width + x + first) * 3);
  }
}

void FillRectangle(int x, int y, int width, int height, const Color& color, Image* image) {
  for (int row = std::max(0, y); row < std::min(image->height, y + height); ++row) {
    for (int column = std::max(0, x); column < std::min(image->width, x + width); ++column) {
      image->Set(column, row, color);
    }
  }
}

void DrawLine(double x0, double y0, double x1, double y1, double thickness, const Color& color,
              Image* image) {
  const double dx = x1 - x0, dy = y1 - y0, length2 = dx * dx + dy * dy;
  const double margin = 0.5 * thickness + 1;
  const int left = static_cast<int>(std::floor(std::max(0.0, std::min(x0, x1) - margin)));
  const int top = static_cast<int>(std::floor(std::max(0.0, std::min(y0, y1) - margin)));
  const double right = std::min<double>(image->width - 1, std::max(x0, x1) + margin);
  const double bottom = std::min<double>(image->height - 1, std::max(y0, y1) + margin);
  for (int y = top; y <= bottom; ++y) {
    for (int x = left; x <= right; ++x) {
      const double px = x + 0.5 - x0, py = y + 0.5 - y0;
      const double t = length2 > 0 ? std::clamp((px * dx + py * dy) / length2, 0.0, 1.0) : 0.0;
      const double distance = std::hypot(px - t * dx, py - t * dy);
      image->Blend(x, y, color, static_cast<float>(0.5 * thickness + 0.5 - distance));
    }
  }
}

std::string EncodePng(const Image& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::string bytes(size, '\0');
  if (!png_image_write_to_memory(&header, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr)) {
    throw InputError(std::string("the picture cannot be encoded as PNG: ") + header.message);
  }
  bytes.resize(size);
  return bytes;
}

void WritePng(const Image& image, const std::string& path) {
  WriteFileWhole(path, EncodePng(image));
}

}  // namespace stride
