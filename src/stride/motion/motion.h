#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stride/character/character.h"

// A motion of one character, as a plain value: frames of State::q at a fixed rate, with contact
// labels.
namespace stride {

// Which parts carry weight in a frame. Of a pair, right is twice left.
enum ContactFlag : std::uint8_t {
  kLeftFootDown = 1,
  kRightFootDown = 2,
  kLeftHandDown = 4,
  kRightHandDown = 8,
  kTrunkDown = 16,  // back, belly, seat, shoulders, and what is neither of the others
  kHeadDown = 32,
  kLeftKneeDown = 64,
  kRightKneeDown = 128
};

struct Motion {
  std::string name;
  std::string character;  // name (LoadCharacter) of the character the coordinates belong to
  std::string source;     // where it came from: file and licence, or "built-in"
  double fps = 30;
  // A loop's last frame is its first one again, moved and turned about the vertical (the root's
  // difference between the two): playing on starts over from there.
  bool loops = false;
  std::vector<std::vector<double>>
      frames;  // layout of State::q, quaternions of neighbouring frames in the same half
  std::vector<std::uint8_t> contacts;  // per frame, ContactFlag bits

  int FrameCount() const { return static_cast<int>(frames.size()); }
  // Seconds from the first frame to the last.
  double Duration() const {
    return frames.size() < 2 ? 0 : (static_cast<double>(frames.size()) - 1) / fps;
  }
  friend bool operator==(const Motion&, const Motion&) = default;
};

// Coordinates at time t (s): linear between frames for positions and angles, along the great circle
// for quaternions. Beyond its ends a loop goes on, travelling; another motion stays in its first or
// last frame.
std::vector<double> SampleMotion(const Motion& motion, const Character& character, double t);

// Coordinates and velocities (central differences over one frame) at time t.
State SampleState(const Motion& motion, const Character& character, double t);

std::uint8_t SampleContacts(const Motion& motion, double t);

// Throws InputError naming the motion and frame: no frame, a wrong number of coordinates, a number
// that is not finite, a quaternion that is not unit, labels that do not match the frames.
void Validate(const Motion& motion, const Character& character);

// Rigid motion of a whole pose: turns its root about the vertical through the origin, then moves
// it.
void MovePose(const Character& character, double heading, const Vec3d& shift,
              std::vector<double>* q);

// q_b - q_a as a velocity: rotation vectors of the joints (layout of State::v) over dt.
std::vector<double> PoseDifference(const Character& character, const std::vector<double>& a,
                                   const std::vector<double>& b, double dt);
// Between two poses, 0 <= t <= 1.
std::vector<double> BlendPoses(const Character& character, const std::vector<double>& a,
                               const std::vector<double>& b, double t);

// stride's own file: JSON with a version, one line a frame (docs/formats.md). Round trips exactly.
Motion ReadMotion(const std::string& path);
Motion ParseMotion(const std::string& text, const std::string& file_name);
std::string MotionText(const Motion& motion);
void WriteMotion(const Motion& motion, const std::string& path);

}  // namespace stride
