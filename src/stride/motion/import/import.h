#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/motion/edit/segment.h"
#include "stride/motion/import/cycle.h"
#include "stride/motion/import/flight.h"
#include "stride/motion/import/ground_contact.h"
#include "stride/motion/import/in_place.h"
#include "stride/motion/motion.h"
#include "stride/motion/travel.h"

// From a motion-capture file to a clean motion on a character. What the measures mean:
// docs/import.md.
namespace stride {

enum class Closing {
  kNo,        // the frames as they are, one round
  kIfStated,  // a loop if the file says that it wraps and is taken whole
  kYes  // a loop: of the range; else of a whole file that says it wraps; else of the best cycle
};

struct ImportOptions {
  std::string file;
  std::string output;               // motion file to write; empty: none
  std::string character = "liu16";  // name or MJCF file of a human
  std::string map;                  // JSON file with a skeleton map; empty: recognised by names
  double fps = 0;                   // true rate of the capture, frames/s; 0: what the file says
  double rate = 0;                  // rate of the motion written, frames/s; 0: the capture's
  int first_frame = -1, last_frame = -1;  // of the file; -1: from its start, to its end
  double cutoff = 10;                     // low-pass filter, Hz; 0: none
  bool clean_up = true;                   // GroundOptions: bend legs to keep the feet on the ground
  Closing closing = Closing::kNo;
  InPlace in_place = InPlace::kAuto;
  double loop_warp = 0.25;  // time on each side of a loop's seam that is changed, s
};

// How a motion became a loop.
struct LoopReport {
  bool closed = false;
  std::string chosen;       // what said which frames: "range", "file" or "cycle"
  int first = 0, last = 0;  // of the file; the last became the first of the next round
  double distance = 0;      // between the two before they were joined, m (point_cloud.h)
  double turn_deg = 0;      // of a round, left positive
  Vec3d travel;  // of a round, m; the loop starts at the origin and faces or goes along +X
};

struct ImportResult {
  Motion motion;
  std::string file, output;
  std::string format, skeleton;
  std::vector<std::string> mapped, unmapped;  // joints of the file
  double scale = 0;                           // metres on the character per unit of the file
  Travel travel;
  InPlaceReport in_place;
  double body_height = 0;  // of the file's skeleton on that scale, m
  double bone_direction_error_deg = 0;
  GroundReport ground;
  FlightCheck flight;
  std::vector<GaitSegment> segments;
  Cycle cycle;  // in frames of the motion; of a loop the whole round
  LoopReport loop;
  std::vector<std::string> warnings;
};

// Throws InputError.
ImportResult Import(const ImportOptions& options);

nlohmann::ordered_json ToJson(const ImportResult& result);
// [{"part": "left_foot", "first": frame, "last": frame}, ...]
nlohmann::ordered_json ContactsToJson(const Motion& motion);

// "12:340" as first and last frame; either may be left out. Throws InputError.
void ParseFrameRange(const std::string& text, int* first, int* last);

}  // namespace stride
