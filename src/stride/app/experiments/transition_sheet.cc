#include "stride/app/experiments/transition_sheet.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stride/draw/sheet.h"

namespace stride::experiments {
namespace {

constexpr double kFps = 40;
constexpr double kAround = 0.4;  // s before and after, of the clips

}  // namespace

PoseLog::PoseLog(const Run& run)
    : character_(run.GetWorld().actors[0]),
      begin_(run.Time()),
      every_(std::max(1, static_cast<int>(std::lround(1 / (kFps * run.GetWorld().time_step))))) {
  motion_.fps = 1 / (every_ * run.GetWorld().time_step);
  motion_.character = character_.name;
  motion_.frames = {run.ActorState().q};
  motion_.contacts = {0};
}

void PoseLog::Look(const Run& run) {
  if (std::lround((run.Time() - begin_) / run.GetWorld().time_step) % every_ != 0) return;
  motion_.frames.push_back(run.ActorState().q);
  motion_.contacts.push_back(0);
}

Image PoseLog::Row(const std::string& title, double begin, double end, int cells) const {
  SheetOptions options;
  options.view = View::kThreeQuarter;
  options.cells = options.columns = cells;
  options.cell_width = options.cell_height = 130;
  options.root_trail = false;
  options.contacts = false;  // not labelled here
  options.begin = std::max(0.0, begin - begin_);
  options.end = std::min(end - begin_, motion_.Duration());
  options.title = title;
  return ContactSheet(character_, motion_, options);
}

void WriteRows(const std::vector<Image>& rows, const std::string& path) {
  int width = 1, height = 0;
  for (const Image& row : rows) {
    width = std::max(width, row.width);
    height += row.height;
  }
  Image sheet(width, std::max(1, height));
  int y = 0;
  for (const Image& row : rows) {
    Paste(row, 0, y, &sheet);
    y += row.height;
  }
  WritePng(sheet, path);
}

TransitionSheet::TransitionSheet(const Run& run, const GraphSkill& skill) : log_(run) {
  const GraphPlan& plan = skill.skill.plan;
  for (const GraphTransition& t : plan.transitions) {
    transitions_.push_back(
        {fmt::format("{} to {}", plan.clips[t.from].name, plan.clips[t.to].name), t.from, t.to});
  }
}

void TransitionSheet::Look(const Run& run, const GraphWatch& watch) {
  log_.Look(run);
  int here = -1;
  for (std::size_t k = 0; k < transitions_.size() && watch.InTransition() && !watch.IsDown(); ++k) {
    if (transitions_[k].from == watch.From() && transitions_[k].to == watch.Node()) {
      here = static_cast<int>(k);
    }
  }
  if (here == now_) return;
  if (now_ >= 0 && transitions_[now_].end < 0) transitions_[now_].end = run.Time();
  if (here >= 0 && transitions_[here].begin < 0) transitions_[here].begin = run.Time();
  now_ = here;
}

void TransitionSheet::Write(const std::string& path) const {
  std::vector<Image> rows;
  for (const Performed& t : transitions_) {
    if (t.end < 0) continue;
    rows.push_back(log_.Row(t.name, t.begin - kAround, t.end + kAround, 8));
  }
  WriteRows(rows, path);
}

}  // namespace stride::experiments
