#include "stride/app/crowd_sheet.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stride/draw/render.h"

namespace stride {

CrowdSheet::CrowdSheet(const Run& run) : title_(run.Header().title) { Add(run); }

void CrowdSheet::Add(const Run& run) {
  actors_ = run.GetWorld().actors;  // a ball may have joined
  Moment moment{run.Time(), {}};
  for (std::size_t k = 0; k < actors_.size(); ++k) {
    moment.q.push_back(run.ActorState(static_cast<int>(k)).q);
  }
  moments_.push_back(std::move(moment));
}

void CrowdSheet::Write(View view, int cells, const std::string& path) const {
  constexpr int kColumns = 4, kWidth = 480, kHeight = 300, kGap = 4, kTitle = 30;
  constexpr Color kInk{0.20f, 0.23f, 0.28f};
  // What all characters' roots cover; balls wait far away.
  Vec3d low{HUGE_VAL, HUGE_VAL, 0}, high{-HUGE_VAL, -HUGE_VAL, 0};
  for (const Moment& moment : moments_) {
    for (std::size_t k = 0; k < moment.q.size(); ++k) {
      if (actors_[k].BodyCount() == 1 || moment.q[k].size() < 7) continue;
      low.x = std::min(low.x, moment.q[k][0]), high.x = std::max(high.x, moment.q[k][0]);
      low.y = std::min(low.y, moment.q[k][1]), high.y = std::max(high.y, moment.q[k][1]);
    }
  }
  const double wide = std::hypot(high.x - low.x, high.y - low.y);
  Scene scene;
  scene.camera = LookAt(view, {0.5 * (low.x + high.x), 0.5 * (low.y + high.y), 0.8},
                        std::max(2.4, 0.45 * wide + 1.2), 0);
  const int last = static_cast<int>(moments_.size()) - 1;
  const int count = std::min(cells, last + 1), columns = std::min(count, kColumns);
  const int rows = (count + columns - 1) / columns;
  Image sheet(columns * (kWidth + kGap) - kGap, kTitle + rows * (kHeight + kGap) - kGap);
  DrawText(title_, 10, 9, 12, kInk, &sheet);
  for (int i = 0; i < count; ++i) {
    const Moment& moment = moments_[count > 1 ? std::lround(double(last) * i / (count - 1)) : 0];
    scene.figures.clear();
    for (std::size_t k = 0; k < moment.q.size(); ++k) {
      scene.figures.push_back({&actors_[k], moment.q[k], 0, 1});
    }
    Image cell = Render(scene, kWidth, kHeight);
    DrawText(fmt::format("{:.2f} s", moment.time), 12, 12, 12, kInk, &cell);
    Paste(cell, i % columns * (kWidth + kGap), kTitle + i / columns * (kHeight + kGap), &sheet);
  }
  WritePng(sheet, path);
}

}  // namespace stride
