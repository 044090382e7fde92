#pragma once

#include <span>

namespace stride {

// How much the ranks of a noisy return change between two evaluations (larger is better) of the
// first candidates of a set, less what the threshold allows: above 0, noise dominates. `second` may
// be shorter than `first`. Section III of Hansen, Niederberger, Guzzella and Koumoutsakos (2009).
double RankChange(std::span<const double> first, std::span<const double> second, double threshold);

}  // namespace stride
