#pragma once

#include <cstddef>

// The files of data/motions, part of the program: the build writes the table
// (cmake/embed_motions.cmake).
namespace stride {

struct MotionFile {
  const char* name;  // without ".json"
  const char* text;
};
extern const MotionFile kMotionFiles[];
extern const std::size_t kMotionFileCount;

}  // namespace stride
