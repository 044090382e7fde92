#pragma once

#include <string>
#include <vector>

#include "stride/draw/camera.h"
#include "stride/draw/image.h"
#include "stride/run/run.h"

// Many characters in one world.
namespace stride {

// Copies of the first character on a circle that goes through where it starts, all facing its
// middle, so that they meet there; places and headings are a little off by the seed, so that they
// meet in many ways. `count`: of all. Throws InputError.
void AddCrowd(int count, RunSetup* setup);

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
