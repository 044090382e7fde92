#pragma once

namespace stride {

// Trials are cut into blocks of this many, whatever the lanes of the machine: what a block shares
// (a course, a start) and which random numbers it meets are then the same everywhere. A batch of
// fewer lanes runs a block in parts.
inline constexpr int kTrialBlock = 16;

// `count` trials and as many more as make whole blocks of them.
inline constexpr int WholeBlocks(int count) {
  return (count + kTrialBlock - 1) / kTrialBlock * kTrialBlock;
}

}  // namespace stride
