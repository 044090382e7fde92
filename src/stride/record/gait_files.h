#pragma once

#include <cstddef>

// The files of data/gait, part of the program: the build writes the table (cmake/embed_gait.cmake).
namespace stride {

struct GaitFile {
  const char* name;  // without ".csv"
  const char* text;
};
extern const GaitFile kGaitFiles[];
extern const std::size_t kGaitFileCount;

}  // namespace stride
