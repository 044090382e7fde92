#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include <fmt/format.h>

#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/core/file.h"
#include "stride/core/progress.h"
#include "stride/learn/workers.h"

// What all that learns for long shares: a checkpoint and a history after every iteration, progress,
// and a clean stop.
namespace stride {

struct LearningRun {
  bool stopped = false;
  double wall_seconds = 0;  // of this run; a resumed one did not do all
  double lane_steps_per_second = 0;
};

// What a line of the history says, for the progress bar.
inline std::string StateText(const nlohmann::ordered_json& line, double rate) {
  std::string text = line.contains("stage") ? line.value("stage", "") + ": " : "";
  if (text.size() > 40) text = text.substr(0, 37) + "..: ";
  text += line.value("phase", "");
  if (line.contains("of")) {
    text += fmt::format(" {}: stands {:.1f} of {:g} s", line.value("iteration", 0) + 1,
                        line.value("seconds", 0.0), line.value("of", 0.0));
  }
  return text + fmt::format(", cost {:.2f}, {:.2f} M steps/s", line.value("cost", 0.0), rate / 1e6);
}

// Goes on from OUT.checkpoint if asked to and there is one. Else what OUT holds must be a skill:
// something else of that name is not overwritten. Throws InputError.
template <class Learner>
void GoOnFrom(const std::string& out, bool resume, Learner* learner) {
  const std::string checkpoint = out + ".checkpoint";
  if (resume && std::filesystem::exists(checkpoint)) {
    learner->Restore(ReadFile(checkpoint), checkpoint);
  } else if (!resume && std::filesystem::exists(out)) {
    ReadSkill(out);
  }
}

// `done` and `total` in any unit. Only the leader hears `asked`; the others are told.
template <class Learner>
LearningRun RunToEnd(const std::string& out, const Workers& workers, bool quiet,
                     const std::function<bool()>& asked,
                     const std::function<std::pair<int, int>()>& done,
                     const std::function<const nlohmann::ordered_json&()>& history,
                     Learner* learner) {
  using Clock = std::chrono::steady_clock;
  const auto since = [start = Clock::now()] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const std::function<bool()> stop = [&] { return workers.Leader() && asked && asked(); };
  Progress progress(quiet || !workers.Leader());
  progress.Show(done().first, done().second, "sampling");
  LearningRun run;
  while (!learner->Done() && !run.stopped) {
    const nlohmann::ordered_json line = learner->Advance(stop);
    run.stopped = workers.Agree(stop());
    if (line.is_null()) {
      run.stopped = true;
      break;
    }
    if (!workers.Leader()) continue;
    WriteFileWhole(out + ".checkpoint", learner->Checkpoint());
    std::string lines;
    for (const auto& each : history()) lines += each.dump() + "\n";
    WriteFileWhole(out + ".history.jsonl", lines);
    progress.Show(done().first, done().second,
                  StateText(line, static_cast<double>(learner->LaneSteps()) / since()));
  }
  run.wall_seconds = since();
  run.lane_steps_per_second =
      static_cast<double>(learner->LaneSteps()) / std::max(1e-9, run.wall_seconds);
  return run;
}

}  // namespace stride
