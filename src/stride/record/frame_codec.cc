#include "stride/record/frame_codec.h"

#include <algorithm>
#include <limits>

#include "stride/core/chunk.h"
#include "stride/core/error.h"

namespace stride {
namespace {

// Torques since version 2.
enum Flag : std::uint8_t { kHasTarget = 1, kHasReference = 2, kHasTorques = 4 };
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

bool TakeContacts(ByteReader* reader, std::vector<RecordedContact>* contacts) {
  std::uint16_t count = 0;
  if (!reader->Take(&count) || count > reader->Left() / kContactBytes) return false;
  contacts->resize(count);
  for (RecordedContact& c : *contacts) {
    if (!TakeIndices(reader, &c.actor, &c.body, &c.other_actor, &c.other_body) ||
        !reader->TakeAll(c.position.data(), 3) || !reader->TakeAll(c.force.data(), 3)) {
      return false;
    }
  }
  return true;
}

bool TakeForces(ByteReader* reader, std::vector<RecordedForce>* forces) {
  std::uint16_t count = 0;
  if (!reader->Take(&count) || count > reader->Left() / kForceBytes) return false;
  forces->resize(count);
  for (RecordedForce& force : *forces) {
    if (!TakeIndices(reader, &force.actor, &force.body) ||
        !reader->TakeAll(force.position.data(), 3) || !reader->TakeAll(force.force.data(), 3)) {
      return false;
    }
  }
  return true;
}

void PutControl(const RecordedControl& control, std::string* bytes) {
  PutNumber(static_cast<std::uint8_t>((control.target_q.empty() ? 0 : kHasTarget) |
                                      (control.reference.empty() ? 0 : kHasReference) |
                                      (control.torques.empty() ? 0 : kHasTorques)),
            bytes);
  PutNumbers(control.target_q.data(), control.target_q.size(), bytes);
  PutNumbers(control.reference.data(), control.reference.size(), bytes);
  PutNumbers(control.torques.data(), control.torques.size(), bytes);
  PutNumber(control.speed, bytes);
  PutNumber(control.heading, bytes);
  // Whatever number was commanded; there are not as many styles.
  PutIndex(std::clamp<int>(control.style, std::numeric_limits<std::int16_t>::min(),
                           std::numeric_limits<std::int16_t>::max()),
           bytes);
  PutNumbers(control.channels.data(), control.channels.size(), bytes);
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
  for (const RecordedControl& control : frame.controls) PutControl(control, bytes);
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
  EndChunk(bytes);
}

FrameShape::FrameShape(const RecordingHeader& header, int version) : version_(version) {
  for (const Character& actor : header.world.actors) AddActor(actor);
  for (const RecordedController& driver : header.controllers) {
    std::size_t values = 0;
    for (const RecordedChannel& channel : driver.channels) values += channel.values;
    channel_values_.push_back(values);
  }
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
  if (actors < channel_values_.size() || frame.controls.size() != channel_values_.size()) {
    return false;
  }
  for (std::size_t a = 0; a < frame.controls.size(); ++a) {
    const RecordedControl& control = frame.controls[a];
    const auto has = [](const auto& values, std::size_t count) {
      return values.empty() || values.size() == count;
    };
    if (!has(control.target_q, actors_[a].nq) || !has(control.reference, actors_[a].nq) ||
        !has(control.torques, actors_[a].nv) || control.channels.size() != channel_values_[a]) {
      return false;
    }
  }
  for (const RecordedContact& c : frame.contacts) {
    const bool ground = c.other_actor == -1 && c.other_body == -1;
    if (!HasBody(actors, c.actor, c.body)) return false;
    if (!ground && !HasBody(actors, c.other_actor, c.other_body)) return false;
  }
  for (const RecordedForce& force : frame.forces) {
    if (!HasBody(actors, force.actor, force.body)) return false;
  }
  return true;
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
  frame->controls.resize(channel_values_.size());
  if (actors < frame->controls.size()) return false;
  for (std::size_t a = 0; a < frame->controls.size(); ++a) {
    if (!TakeDrive(&reader, a, &frame->controls[a])) return false;
    if (version_ > 1 && !TakeCommand(&reader, a, &frame->controls[a])) return false;
  }
  if (!TakeContacts(&reader, &frame->contacts) || !TakeForces(&reader, &frame->forces)) {
    return false;
  }
  // The first actor's, the only one there was.
  if (version_ == 1 && !TakeCommand(&reader, 0, &frame->controls[0])) return false;
  return reader.Left() == 0 && Fits(*frame);
}

bool FrameShape::TakeDrive(ByteReader* reader, std::size_t actor, RecordedControl* control) const {
  const int known = kHasTarget | kHasReference | (version_ > 1 ? kHasTorques : 0);
  std::uint8_t flags = 0;
  if (!reader->Take(&flags) || (flags & ~known) != 0) return false;
  const auto [nq, nv, bodies] = actors_[actor];
  return reader->Take((flags & kHasTarget) != 0 ? nq : 0, &control->target_q) &&
         reader->Take((flags & kHasReference) != 0 ? nq : 0, &control->reference) &&
         reader->Take((flags & kHasTorques) != 0 ? nv : 0, &control->torques);
}

bool FrameShape::TakeCommand(ByteReader* reader, std::size_t actor,
                             RecordedControl* control) const {
  return reader->Take(&control->speed) && reader->Take(&control->heading) &&
         TakeIndices(reader, &control->style) &&
         reader->Take(channel_values_[actor], &control->channels);
}

}  // namespace stride
