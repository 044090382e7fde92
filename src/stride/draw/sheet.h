#pragma once

#include <string>

#include "stride/draw/render.h"
#include "stride/motion/motion.h"

// A motion over time in one picture.
namespace stride {

struct SheetOptions {
  View view = View::kSide;
  int cells = 16;          // poses, evenly over the time from `begin` to `end`
  int columns = 4;         // of cells; a strip has one row
  int cell_width = 320;    // pixels
  int cell_height = 240;   // pixels; also the height of a strip
  double begin = 0;        // s
  double end = -1;         // s; below 0: to the end
  bool root_trail = true;  // the path of the root
  bool contacts = true;    // what carries weight
  bool ghost = false;      // the pose of the cell before, pale
  std::string title;       // empty: none
};

// Cells side by side, each with its time, the camera following the root, and what carries weight
// (L, R: feet; l, r in brackets: hands) below.
Image ContactSheet(const Character& character, const Motion& motion,
                   const SheetOptions& options = {});

// All poses where they happen, side by side along the path, in one wide picture. Poses of a motion
// that hardly travels are moved apart.
Image Strip(const Character& character, const Motion& motion, const SheetOptions& options = {});

}  // namespace stride
