#include "stride/record/frame_codec.h"

#include <algorithm>
#include <limits>

#include "stride/core/chunk.h"
#include "stride/core/error.h"

namespace stride {
namespace {

enum Flag : std::uint8_t { kHasTarget = 1, kHasReference = 2 };
// Of one contact and one force in the file.
constexpr std::size_t kContactBytes = 4 * 2 + 6 * 4, kForceBytes = 2 * 2 + 6 * 4;

void PutIndex(int value, std::string* bytes) {
  STRIDE_CHECK(value >= std::numeric_limits<std::int16_t>::min() &&
               value <= std::numeric_limits<std::int16_t>::max());
  PutNumber(static_cast<std::int16_t>(value), bytes);
}
void PutCount(std::size_t count, std::string* bytes) {
  STRIDE_CHECK(count <= std::numeric_limits<std::uint16_t>::max());
  PutNumber(static_cast<std::uint16_t>(count), bytes);
}
template <class... Ints>
bool TakeIndices(ByteReader* reader, Ints*... values) {
  const auto take = [&](int* value) {
    std::int16_t index = 0;
    if (!reader->Take(&index)) return false;
    *value = index;
    return true;
  };
  return (take(values) && ...);
}

}  // namespace

void EncodeFrame(const RecordedFrame& frame, std::string* bytes) {
  BeginChunk("FRAM", bytes);
  PutNumber(frame.step, bytes);
  PutNumber(frame.time, bytes);
  PutCount(frame.actors.size(), bytes);
  for (const State& actor : frame.actors) {
    PutNumbers(actor.q.data(), actor.q.size(), bytes);
    PutNumbers(actor.v.data(), actor.v.size(), bytes);
  }
  PutNumber(static_cast<std::uint8_t>((frame.target_q.empty() ? 0 : kHasTarget) |
                                      (frame.reference.empty() ? 0 : kHasReference)),
            bytes);
  PutNumbers(frame.target_q.data(), frame.target_q.size(), bytes);
  PutNumbers(frame.reference.data(), frame.reference.size(), bytes);
  PutCount(frame.contacts.size(), bytes);
  for (const RecordedContact& contact : frame.contacts) {
    for (const int index : {contact.actor, contact.body, contact.other_actor, contact.other_body}) {
      PutIndex(index, bytes);
    }
    PutNumbers(contact.position.data(), 3, bytes);
    PutNumbers(contact.force.data(), 3, bytes);
  }
  PutCount(frame.forces.size(), bytes);
  for (const RecordedForce& force : frame.forces) {
    PutIndex(force.actor, bytes);
    PutIndex(force.body, bytes);
    PutNumbers(force.position.data(), 3, bytes);
    PutNumbers(force.force.data(), 3, bytes);
  }
  PutNumber(frame.speed, bytes);
  PutNumber(frame.heading, bytes);
  // Whatever number was commanded; there are not as many styles.
  PutIndex(std::clamp<int>(frame.style, std::numeric_limits<std::int16_t>::min(),
                           std::numeric_limits<std::int16_t>::max()),
           bytes);
  PutNumbers(frame.channels.data(), frame.channels.size(), bytes);
  EndChunk(bytes);
}

FrameShape::FrameShape(const RecordingHeader& header) {
  for (const Character& actor : header.world.actors) AddActor(actor);
  for (const RecordedChannel& channel : header.channels) channel_values_ += channel.values;
}

void FrameShape::AddActor(const Character& character) {
  const Layout layout = LayoutOf(character);
  actors_.push_back({static_cast<std::size_t>(layout.nq), static_cast<std::size_t>(layout.nv),
                     character.BodyCount()});
}

bool FrameShape::HasBody(std::size_t actors, int actor, int body) const {
  return actor >= 0 && static_cast<std::size_t>(actor) < actors && body >= 0 &&
         body < actors_[actor].bodies;
}

bool FrameShape::Fits(const RecordedFrame& frame) const {
  const std::size_t actors = frame.actors.size();
  if (actors < 1 || actors > actors_.size()) return false;
  for (std::size_t a = 0; a < actors; ++a) {
    if (frame.actors[a].q.size() != actors_[a].nq || frame.actors[a].v.size() != actors_[a].nv) {
      return false;
    }
  }
  const auto is_pose = [&](const std::vector<double>& q) {
    return q.empty() || q.size() == actors_[0].nq;
  };
  if (!is_pose(frame.target_q) || !is_pose(frame.reference)) return false;
  for (const RecordedContact& c : frame.contacts) {
    const bool ground = c.other_actor == -1 && c.other_body == -1;
    if (!HasBody(actors, c.actor, c.body)) return false;
    if (!ground && !HasBody(actors, c.other_actor, c.other_body)) return false;
  }
  for (const RecordedForce& force : frame.forces) {
    if (!HasBody(actors, force.actor, force.body)) return false;
  }
  return frame.channels.size() == channel_values_;
}

bool FrameShape::Decode(std::string_view payload, RecordedFrame* frame) const {
  ByteReader reader(payload);
  std::uint16_t actors = 0;
  if (!reader.Take(&frame->step) || !reader.Take(&frame->time) || !reader.Take(&actors)) {
    return false;
  }
  if (actors > actors_.size()) return false;
  frame->actors.resize(actors);
  for (std::size_t a = 0; a < actors; ++a) {
    State& actor = frame->actors[a];
    if (!reader.Take(actors_[a].nq, &actor.q) || !reader.Take(actors_[a].nv, &actor.v)) {
      return false;
    }
  }
  std::uint8_t flags = 0;
  if (!reader.Take(&flags) || (flags & ~(kHasTarget | kHasReference)) != 0) return false;
  if (!reader.Take((flags & kHasTarget) != 0 ? actors_[0].nq : 0, &frame->target_q) ||
      !reader.Take((flags & kHasReference) != 0 ? actors_[0].nq : 0, &frame->reference)) {
    return false;
  }
  std::uint16_t count = 0;
  if (!reader.Take(&count) || count > reader.Left() / kContactBytes) return false;
  frame->contacts.resize(count);
  for (RecordedContact& c : frame->contacts) {
    if (!TakeIndices(&reader, &c.actor, &c.body, &c.other_actor, &c.other_body) ||
        !reader.TakeAll(c.position.data(), 3) || !reader.TakeAll(c.force.data(), 3)) {
      return false;
    }
  }
  if (!reader.Take(&count) || count > reader.Left() / kForceBytes) return false;
  frame->forces.resize(count);
  for (RecordedForce& force : frame->forces) {
    if (!TakeIndices(&reader, &force.actor, &force.body) ||
        !reader.TakeAll(force.position.data(), 3) || !reader.TakeAll(force.force.data(), 3)) {
      return false;
    }
  }
  if (!reader.Take(&frame->speed) || !reader.Take(&frame->heading) ||
      !TakeIndices(&reader, &frame->style) || !reader.Take(channel_values_, &frame->channels)) {
    return false;
  }
  return reader.Left() == 0 && Fits(*frame);
}

}  // namespace stride
