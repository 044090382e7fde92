#include "stride/controllers/pendulum/annotation.h"

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/core/json_node.h"
#include "stride/motion/feet.h"

namespace stride {
namespace {

const std::vector<std::string> kKinds = {"cart", "pivoted"};
constexpr std::uint8_t kFlags[kMostLimbs] = {kLeftFootDown, kRightFootDown, kLeftHandDown,
                                             kRightHandDown};
const std::vector<std::string> kLimbs = {"left_foot", "right_foot", "left_hand", "right_hand"};

}  // namespace

const char* NameOf(PendulumKind kind) { return kKinds[static_cast<int>(kind)].c_str(); }

Annotation AnnotationOf(const Motion& motion) {
  Annotation annotation{.pendulum = motion.loops ? PendulumKind::kCart : PendulumKind::kPivoted};
  for (int limb = 0; limb < kMostLimbs; ++limb) {
    for (const ContactSpan& span : ContactSpans(motion, kFlags[limb])) {
      annotation.supports[limb].push_back({span.first, span.last});
    }
  }
  return annotation;
}

void Apply(const Annotation& annotation, Motion* motion) {
  for (std::uint8_t& label : motion->contacts) {
    for (const std::uint8_t flag : kFlags) label &= static_cast<std::uint8_t>(~flag);
  }
  for (int limb = 0; limb < kMostLimbs; ++limb) {
    for (const AnnotatedSpan& span : annotation.supports[limb]) {
      for (int f = span.first; f <= span.last; ++f) motion->contacts[f] |= kFlags[limb];
    }
  }
}

std::string AnnotationText(const Annotation& annotation, const Motion& motion,
                           const Character& character) {
  const std::array<LimbParts, kMostLimbs> limbs = LimbsOf(character);
  nlohmann::ordered_json supports = nlohmann::ordered_json::object();
  for (int limb = 0; limb < kMostLimbs; ++limb) {
    if (limbs[limb].body < 0) continue;
    nlohmann::ordered_json spans = nlohmann::ordered_json::array();
    for (const AnnotatedSpan& span : annotation.supports[limb]) {
      spans.push_back({span.first, span.last});
    }
    supports[kLimbs[limb]] = spans;
  }
  const nlohmann::ordered_json json = {
      {"stride", "annotation"}, {"version", 1},
      {"motion", motion.name},  {"frames", motion.FrameCount()},
      {"fps", motion.fps},      {"pendulum", NameOf(annotation.pendulum)},
      {"supports", supports}};
  return json.dump(2) + "\n";
}

Annotation ParseAnnotation(const std::string& text, const std::string& file_name,
                           const Motion& motion, const Character& character) {
  const nlohmann::ordered_json json = ParseBoundedJson(text, file_name);
  const JsonNode root(json, file_name);
  if (root["stride"].Text() != "annotation") root["stride"].Fail("\"annotation\"");
  if (root["version"].Int(1, 1000) != 1) root["version"].Fail("1");
  const int frames = motion.FrameCount();
  if (root["frames"].Int(1, 100000000) != frames) {
    root["frames"].Fail(fmt::format("{}, as the motion '{}' has", frames, motion.name));
  }
  Annotation annotation;
  annotation.pendulum = static_cast<PendulumKind>(root["pendulum"].Choice(kKinds));
  if (annotation.pendulum == PendulumKind::kPivoted && motion.loops) {
    root["pendulum"].Fail("\"cart\": the motion is a loop; take it with --once for a pivoted one");
  }
  const std::array<LimbParts, kMostLimbs> limbs = LimbsOf(character);
  const JsonNode supports = root["supports"];
  if (!supports.value().is_object()) supports.Fail("an object of limbs");
  bool any = false;
  for (const auto& [name, value] : supports.value().items()) {
    int limb = -1;
    for (int k = 0; k < kMostLimbs; ++k) {
      if (kLimbs[k] == name) limb = k;
    }
    const JsonNode spans = supports[name.c_str()];
    if (limb < 0) supports.Fail("the limbs left_foot, right_foot, left_hand and right_hand only");
    if (limbs[limb].body < 0) {
      spans.Fail(
          fmt::format("nothing: the character '{}' has no contact points there", character.name));
    }
    int last = -1;
    for (std::size_t k = 0; k < spans.Size(); ++k) {
      const JsonNode span = spans.At(k);
      if (span.Size() != 2) span.Fail("two frames, the first and the last");
      const AnnotatedSpan read{span.At(0).Int(0, frames - 1), span.At(1).Int(0, frames - 1)};
      if (read.last < read.first) span.Fail("a first frame before the last");
      if (read.first <= last) {
        span.Fail(fmt::format("a first frame after {}, where the support before it ends", last));
      }
      last = read.last;
      any = true;
      annotation.supports[limb].push_back(read);
    }
  }
  if (!any) supports.Fail("at least one support");
  return annotation;
}

}  // namespace stride
