#include "learn_capture.h"

#include <memory>
#include <string>

#include "stride/motion/import/import.h"

namespace stride::cli {

std::function<CaptureOptions()> AddCaptureOptions(CLI::App* app) {
  auto capture = std::make_shared<CaptureOptions>();
  auto range = std::make_shared<std::string>();
  app->add_option("--range", *range, "Frames of a motion-capture file to take, first:last, from 0");
  app->add_option("--fps", capture->fps,
                  "True rate of a capture, frames/s, where the file is wrong");
  app->add_flag("--loop", capture->loop,
                "Close a capture to a loop: the range; else the whole file, if it says that it "
                "wraps; else the best cycle found");
  return [capture, range] {
    CaptureOptions read = *capture;
    if (!range->empty()) ParseFrameRange(*range, &read.first_frame, &read.last_frame);
    return read;
  };
}

}  // namespace stride::cli
