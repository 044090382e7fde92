#pragma once

#include <string>
#include <vector>

#include "stride/app/experiments/graph_watch.h"
#include "stride/draw/image.h"
#include "stride/motion/motion.h"

// What was performed, as rows of poses in one picture.
namespace stride::experiments {

// Poses of the first character of a run.
class PoseLog {
 public:
  explicit PoseLog(const Run& run);
  void Look(const Run& run);  // after every step
  double Seconds() const { return begin_ + motion_.Duration(); }
  Image Row(const std::string& title, double begin, double end, int cells) const;

 private:
  Character character_;
  Motion motion_;  // of the run since it is looked at
  double begin_;
  int every_;  // steps for each frame
};
void WriteRows(const std::vector<Image>& rows, const std::string& path);  // a PNG file

// Every transition of a control graph, the first time each is performed.
class TransitionSheet {
 public:
  TransitionSheet(const Run& run, const GraphSkill& skill);
  void Look(const Run& run, const GraphWatch& watch);  // after every step
  // A PNG file; those that were not performed are left out.
  void Write(const std::string& path) const;

 private:
  struct Performed {
    std::string name;
    int from, to;
    double begin = -1, end = -1;  // s
  };
  PoseLog log_;
  std::vector<Performed> transitions_;
  int now_ = -1;  // transition that is performed
};

}  // namespace stride::experiments
