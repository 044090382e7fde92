#pragma once

#include <string_view>
#include <vector>

#include "stride/core/chunk.h"
#include "stride/record/recording.h"

namespace stride {

// What a frame may hold: from the header, and from the actors that joined since.
class FrameShape {
 public:
  // `version`: of the file that frames are read from.
  explicit FrameShape(const RecordingHeader& header, int version = kRecordingVersion);
  void AddActor(const Character& character);

  std::size_t ActorCount() const { return actors_.size(); }
  // Whether all sizes and indices are those of the header's world.
  bool Fits(const RecordedFrame& frame) const;
  // The payload of a FRAM chunk. False for one that does not fit.
  bool Decode(std::string_view payload, RecordedFrame* frame) const;

 private:
  struct Actor {
    std::size_t nq, nv;
    int bodies;
  };
  bool HasBody(std::size_t actors, int actor, int body) const;
  // Parts of a frame; false where the bytes do not suffice or do not fit.
  bool TakeDrive(ByteReader* reader, std::size_t actor, RecordedControl* control) const;
  bool TakeCommand(ByteReader* reader, std::size_t actor, RecordedControl* control) const;

  int version_;
  std::vector<Actor> actors_;
  std::vector<std::size_t> channel_values_;  // of each controller
};

}  // namespace stride
