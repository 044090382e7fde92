#include "stride/draw/render.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/draw/solids.h"
#include "stride/math/rotation.h"

namespace stride {
namespace {

constexpr Color kSky{0.965f, 0.972f, 0.980f};
constexpr Color kGroundLight{0.925f, 0.932f, 0.940f};
constexpr Color kGroundDark{0.880f, 0.890f, 0.902f};
constexpr Color kGroundLine{0.815f, 0.828f, 0.845f};
constexpr Color kShadow{0.33f, 0.36f, 0.42f};

double Square(double x) { return x * x; }

double SmoothStep(double low, double high, double x) {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

// The camera's axes, and the rays of a grid of samples. A ray's direction has length 1 along
// `forward`, so that its parameter is the depth.
struct Lens {
  Vec3d eye, right, up, forward;
  double scale = 1;  // metres (parallel) or tangents (perspective) a sample
  double middle_x = 0, middle_y = 0;
  bool parallel = false;

  Lens(const Camera& camera, int width, int height) {
    eye = camera.eye;
    forward = Normalized(camera.target - camera.eye);
    right = Normalized(Cross(forward, Vec3d{0, 0, 1}));
    up = Cross(right, forward);
    parallel = camera.parallel_height > 0;
    scale = (parallel ? camera.parallel_height
                      : 2 * std::tan(0.5 * camera.field_of_view_deg * std::numbers::pi / 180)) /
            height;
    middle_x = 0.5 * width;
    middle_y = 0.5 * height;
  }
  void Ray(double x, double y, Vec3d* origin, Vec3d* direction) const {
    const Vec3d aside = right * ((x - middle_x) * scale) - up * ((y - middle_y) * scale);
    *origin = parallel ? eye + aside : eye;
    *direction = parallel ? forward : forward + aside;
  }
};

struct Box2 {
  double left = 1e30, top = 1e30, right = -1e30, bottom = -1e30;

  void Add(const Lens& lens, const Vec3d& center, double radius) {
    const Vec3d d = center - lens.eye;
    const double depth = Dot(d, lens.forward);
    if (!lens.parallel && depth < 2 * radius + 0.01) {  // at the eye: no bound
      *this = {-1e30, -1e30, 1e30, 1e30};
      return;
    }
    // A sphere's outline in perspective is a little larger than its radius over its depth.
    const double unit = 1 / (lens.scale * (lens.parallel ? 1 : depth));
    const double x = lens.middle_x + Dot(d, lens.right) * unit;
    const double y = lens.middle_y - Dot(d, lens.up) * unit;
    const double margin = (lens.parallel ? 1 : depth / (depth - radius) * 1.2) * radius * unit + 1;
    left = std::min(left, x - margin);
    right = std::max(right, x + margin);
    top = std::min(top, y - margin);
    bottom = std::max(bottom, y + margin);
  }
};

Box2 BoundsOf(const Solid& solid, const Lens& lens) {
  Box2 box;
  if (solid.is_box) {
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3d p{corner & 1 ? solid.half.x : -solid.half.x,
                    corner & 2 ? solid.half.y : -solid.half.y,
                    corner & 4 ? solid.half.z : -solid.half.z};
      box.Add(lens, solid.center + solid.rotation * p, 0);
    }
  } else {
    box.Add(lens, solid.a, solid.radius);
    box.Add(lens, solid.b, solid.radius);
  }
  return box;
}

// Light from above, behind the camera and to its left. The shadow is cast by a steeper light, so
// that it stays near the feet.
Vec3d LightDirection(const Lens& lens, double slant) {
  const Vec3d ahead = Normalized(Cross(Vec3d{0, 0, 1}, lens.right));
  return Normalized(Vec3d{0, 0, 1} - ahead * slant - lens.right * (0.15 + 0.4 * slant));
}

Color Shade(const Color& base, const Vec3d& normal, const Vec3d& light, const Vec3d& towards_eye) {
  const double diffuse = std::max(0.0, Dot(normal, light));
  const double sky = 0.5 + 0.5 * normal.z;
  const double facing = std::max(0.0, Dot(normal, towards_eye));
  // Outlines darken so that limbs of one colour stand out from each other.
  const double edge = 0.62 + 0.38 * SmoothStep(0.0, 0.55, facing);
  const float k = static_cast<float>((0.40 + 0.18 * sky + 0.55 * diffuse) * edge);
  const Vec3d half = Normalized(light + towards_eye);
  const float shine = static_cast<float>(0.12 * std::pow(std::max(0.0, Dot(normal, half)), 24.0));
  return {base.r * k + shine, base.g * k + shine, base.b * k + shine};
}

// Soft shadow of solids on the ground: in the plane across the light a capsule is a segment, and
// its half-shadow widens with its height.
class Shadow {
 public:
  Shadow(const std::vector<Solid>& solids, const Vec3d& light) {
    across_ = Normalized(Cross(light, Vec3d{1, 0, 0}));
    other_ = Cross(light, across_);
    for (const Solid& solid : solids) {
      const Flat flat{Dot(solid.a, across_), Dot(solid.a, other_), solid.a.z,
                      Dot(solid.b, across_), Dot(solid.b, other_), solid.b.z,
                      solid.radius};
      flats_.push_back(flat);
      const double reach = solid.radius + Softness(std::max(flat.az, flat.bz));
      low_x_ = std::min({low_x_, flat.ax - reach, flat.bx - reach});
      high_x_ = std::max({high_x_, flat.ax + reach, flat.bx + reach});
      low_y_ = std::min({low_y_, flat.ay - reach, flat.by - reach});
      high_y_ = std::max({high_y_, flat.ay + reach, flat.by + reach});
    }
  }
  double At(const Vec3d& point) const {
    const double x = Dot(point, across_), y = Dot(point, other_);
    if (x < low_x_ || x > high_x_ || y < low_y_ || y > high_y_) return 0;
    double darkest = 0;
    for (const Flat& f : flats_) {
      const double dx = f.bx - f.ax, dy = f.by - f.ay, length2 = dx * dx + dy * dy;
      const double t =
          length2 > 0 ? std::clamp(((x - f.ax) * dx + (y - f.ay) * dy) / length2, 0.0, 1.0) : 0.5;
      const double distance = std::sqrt(Square(x - f.ax - t * dx) + Square(y - f.ay - t * dy));
      const double height = std::max(0.0, f.az + t * (f.bz - f.az));
      const double soft = Softness(height);
      const double dark = 1 - SmoothStep(f.radius - soft, f.radius + soft, distance);
      darkest = std::max(darkest, dark * (0.45 + 0.4 * std::exp(-4 * height)));
    }
    return darkest;
  }

 private:
  struct Flat {
    double ax, ay, az, bx, by, bz, radius;
  };
  static double Softness(double height) { return 0.012 + 0.05 * std::max(0.0, height); }
  Vec3d across_, other_;
  std::vector<Flat> flats_;
  double low_x_ = 1e30, high_x_ = -1e30, low_y_ = 1e30, high_y_ = -1e30;
};

// How much of a sample of the given width a line every `period` metres covers.
double LineCover(double x, double period, double line_width, double sample_width) {
  const double distance = std::fabs(x - period * std::round(x / period));
  return std::clamp((0.5 * (line_width + sample_width) - distance) / sample_width, 0.0, 1.0) *
         std::min(1.0, line_width / sample_width + 0.3);
}

// +1 and -1 in turn for 1 m each, smoothed over `width` metres.
double SquareWave(double x, double width) {
  const double part = x - 2 * std::floor(0.5 * x);  // 0 to 2
  const double edge = std::min({part, std::fabs(part - 1), 2 - part});
  return (part < 1 ? 1 : -1) * std::min(1.0, 2 * edge / width);
}

class Canvas {
 public:
  Canvas(const Scene& scene, int width, int height)
      : lens_(scene.camera, width, height),
        light_(LightDirection(lens_, 0.9)),
        width_(width),
        height_(height),
        colors_(std::size_t(width) * height, kSky) {}

  // Once a pixel, not once a sample: the pattern is smoothed by itself.
  void DrawGround(const Vec3d& center, const Shadow& shadow, int samples) {
    for (int y = 0; y < height_; y += samples) {
      for (int x = 0; x < width_; x += samples) {
        Vec3d origin, direction;
        lens_.Ray(x + 0.5 * samples, y + 0.5 * samples, &origin, &direction);
        if (direction.z > -1e-6 || origin.z <= 0) continue;
        const Color color = GroundColor(origin, direction, center, shadow, samples * lens_.scale);
        for (int i = 0; i < samples * samples; ++i) {
          colors_[Index(x + i % samples, y + i / samples)] = color;
        }
      }
    }
  }

  // Draws solids, sorted among themselves, over what is there.
  void DrawSolids(const std::vector<Solid>& solids, float opacity, bool shaded) {
    depths_.assign(colors_.size(), 1e30f);
    std::vector<Color> layer(colors_.size());
    for (const Solid& solid : solids) {
      const Box2 box = BoundsOf(solid, lens_);
      const int left = static_cast<int>(std::clamp(box.left, 0.0, double(width_)));
      const int right = static_cast<int>(std::clamp(box.right + 1, 0.0, double(width_)));
      const int top = static_cast<int>(std::clamp(box.top, 0.0, double(height_)));
      const int bottom = static_cast<int>(std::clamp(box.bottom + 1, 0.0, double(height_)));
      for (int y = top; y < bottom; ++y) {
        for (int x = left; x < right; ++x) {
          Vec3d origin, direction;
          lens_.Ray(x + 0.5, y + 0.5, &origin, &direction);
          RayHit hit;
          const std::size_t i = Index(x, y);
          if (!Intersect(solid, origin, direction, &hit) || hit.t >= depths_[i]) continue;
          depths_[i] = static_cast<float>(hit.t);
          layer[i] =
              shaded ? Shade(solid.color, hit.normal, light_, Normalized(-direction)) : solid.color;
        }
      }
    }
    for (std::size_t i = 0; i < colors_.size(); ++i) {
      if (depths_[i] < 1e30f) colors_[i] = Mix(colors_[i], layer[i], opacity);
    }
  }

  Image Shrink(int samples) const {
    Image image(width_ / samples, height_ / samples);
    const float share = 1.0f / static_cast<float>(samples * samples);
    for (int y = 0; y < image.height; ++y) {
      for (int x = 0; x < image.width; ++x) {
        Color sum;
        for (int i = 0; i < samples * samples; ++i) {
          const Color& c = colors_[Index(x * samples + i % samples, y * samples + i / samples)];
          sum = {sum.r + c.r, sum.g + c.g, sum.b + c.b};
        }
        image.Set(x, y, {sum.r * share, sum.g * share, sum.b * share});
      }
    }
    return image;
  }

  Vec3d shadow_light() const { return LightDirection(lens_, 0.3); }

 private:
  Color GroundColor(const Vec3d& origin, const Vec3d& direction, const Vec3d& center,
                    const Shadow& shadow, double scale) const {
    const double t = -origin.z / direction.z;
    const Vec3d p = origin + direction * t, from = p - center;
    const Vec3d ahead = Normalized(Cross(Vec3d{0, 0, 1}, lens_.right));
    // A parallel view is a wide strip: its ground fades into the distance only.
    const double far =
        lens_.parallel ? std::fabs(Dot(from, ahead)) : std::sqrt(from.x * from.x + from.y * from.y);
    const double fade = 1 - SmoothStep(2.5, 9.0, far);
    if (fade <= 0) return Mix(kSky, kGroundLight, 0.15f);
    const double across = scale * (lens_.parallel ? 1 : t);  // metres a pixel
    const double deep = across / std::max(0.02, -direction.z);
    const double wide_x = std::max(across, deep * std::fabs(ahead.x));
    const double wide_y = std::max(across, deep * std::fabs(ahead.y));
    const double dark = 0.5 - 0.5 * SquareWave(p.x, wide_x) * SquareWave(p.y, wide_y);
    const double line =
        std::max(LineCover(p.x, 0.25, 0.006, wide_x), LineCover(p.y, 0.25, 0.006, wide_y));
    Color color = Mix(kGroundLight, kGroundDark, static_cast<float>(dark));
    color = Mix(color, kGroundLine, static_cast<float>(line));
    color = Mix(color, kShadow, static_cast<float>(0.75 * shadow.At(p)));
    return Mix(kSky, color, static_cast<float>(0.15 + 0.85 * fade));
  }

  std::size_t Index(int x, int y) const { return std::size_t(y) * width_ + x; }
  Lens lens_;
  Vec3d light_;
  int width_, height_;
  std::vector<Color> colors_;
  std::vector<float> depths_;
};

std::vector<Solid> SolidsOf(const Trail& trail) {
  std::vector<Solid> solids;
  for (std::size_t i = 1; i < trail.points.size(); ++i) {
    Solid solid;
    solid.a = trail.points[i - 1];
    solid.b = trail.points[i];
    solid.radius = 0.007;
    solid.color = trail.color;
    solids.push_back(solid);
  }
  return solids;
}

}  // namespace

Image Render(const Scene& scene, int width, int height, int samples) {
  STRIDE_CHECK(width > 0 && height > 0 && samples > 0);
  std::vector<Solid> solid_figures;
  for (const Figure& figure : scene.figures) {
    if (figure.opacity >= 1) AddSolids(figure, &solid_figures);
  }
  Canvas canvas(scene, width * samples, height * samples);
  if (scene.ground) {
    canvas.DrawGround(scene.camera.target, Shadow(solid_figures, canvas.shadow_light()), samples);
  }
  for (const Trail& trail : scene.trails) canvas.DrawSolids(SolidsOf(trail), 0.8f, false);
  for (const Figure& figure : scene.figures) {
    if (figure.opacity >= 1) continue;
    std::vector<Solid> ghost;
    AddSolids(figure, &ghost);
    canvas.DrawSolids(ghost, figure.opacity, true);
  }
  canvas.DrawSolids(solid_figures, 1, true);
  return canvas.Shrink(samples);
}

double FramedHeight(const Character& character) {
  const Vec3d extent = Extent(character);
  return std::max(extent.z, 0.8 * std::max(extent.x, extent.y));
}

Image DrawCharacter(const Character& character, const std::vector<double>& q, View view, int width,
                    int height, std::uint8_t contacts) {
  Scene scene;
  const double size = FramedHeight(character);
  const JointPlace root = RootFrameAt(character, q);
  scene.camera =
      LookAt(view, {root.offset.x, root.offset.y, 0.5 * size}, 1.35 * size, Heading(root.turn));
  scene.figures.push_back({&character, q, contacts, 1});
  return Render(scene, width, height);
}

}  // namespace stride
