#pragma once

#include <array>
#include <vector>

#include "stride/motion/feet.h"
#include "stride/motion/import/ground_contact.h"

// Steps 1 and 2 of ground_contact.h.
namespace stride {

// Over the frames of a motion: how low a group of contact points is, and how its lowest part moves.
struct HeightTrack {
  std::vector<double> height;   // m
  std::vector<Vec3d> velocity;  // m/s; points within about a centimetre of the lowest count
  std::vector<double> speed;    // its length
};

struct GroundTracks {
  std::array<HeightTrack, 2> feet, hands;  // left, right; hands are empty where there are none
  HeightTrack body;                        // all other points
  struct Part {
    std::uint8_t flag = 0;  // ContactFlag
    HeightTrack track;
  };
  std::vector<Part> parts;    // the same points part by part: trunk, head, knees
  std::vector<Vec3d> pelvis;  // m
};
GroundTracks TrackHeights(const Character& character, const Motion& motion);

// Height of the floor under the body in each frame, m.
std::vector<double> FindFloor(const GroundTracks& tracks, double leg_length, double fps);

// Takes the floor off the tracks and finds the ContactFlags.
std::vector<std::uint8_t> DetectContacts(const GroundTracks& tracks,
                                         const std::vector<double>& floor,
                                         const GroundOptions& options, double fps);

// Gaussian mean over time of what has weight, continued where nothing has. Empty weights: all the
// same.
std::vector<double> Smoothed(const std::vector<double>& values, const std::vector<double>& weights,
                             double sigma_frames);

}  // namespace stride
