#pragma once

#include <string>
#include <vector>

#include "stride/draw/camera.h"
#include "stride/draw/image.h"
#include "stride/run/run.h"

namespace stride {

// Everybody over time in one picture: the camera stands still and sees all places.
class CrowdSheet {
 public:
  explicit CrowdSheet(const Run& run);
  void Add(const Run& run);
  // Throws InputError if the file cannot be written.
  void Write(View view, int cells, const std::string& path) const;

 private:
  struct Moment {
    double time;
    std::vector<std::vector<double>> q;  // by actor
  };
  std::string title_;
  std::vector<Character> actors_;
  std::vector<Moment> moments_;
};

}  // namespace stride
