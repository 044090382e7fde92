#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stride/control/control_curve.h"
#include "stride/sim/world.h"

// The Controller contract: from what it sees, what it is told and its own memory to an Actuation.
// One folder a method in controllers/, one line in controllers.def.
namespace stride {

// What the user wants. An absent value leaves it to the controller (a clip's own speed, say).
struct Command {
  std::optional<double> speed;    // over ground along the heading, m/s
  std::optional<double> heading;  // rad from +X towards +Y, world
  int style = 0;                  // index into Controller::Styles(); others mean 0
  // Where to go. Whoever passes it on makes a heading of it, and a speed of 0 when it is there
  // (RunCharacter), so that every controller obeys.
  std::optional<GroundPoint> point;
  friend bool operator==(const Command&, const Command&) = default;
};

struct Observation {
  double time = 0;  // since the run began, s
  const State& state;
  std::span<const Contact> contacts;  // of this character, during the last step
};

// What a controller thinks, for plots and drawings. The values of a channel are 1 number (scalar),
// 3 (point in the world, m) or 6 (segment: from, to); NaN where there is none at the moment.
struct DebugChannel {
  enum class Kind { kScalar, kPoint, kSegment };
  std::string name;  // "phase", "planned left footstep", "feedback"
  std::string unit;
  Kind kind = Kind::kScalar;
  friend bool operator==(const DebugChannel&, const DebugChannel&) = default;
};
// Unit of what is measured by the clock on the wall: the same run again gives other values.
inline constexpr const char* kWallClock = "wall clock";
// Unit of an index into the nodes of Controller::Graph(): drawn in the graph, not plotted.
inline constexpr const char* kNodeUnit = "node";
inline int ValueCount(DebugChannel::Kind kind) {
  return kind == DebugChannel::Kind::kScalar ? 1 : kind == DebugChannel::Kind::kPoint ? 3 : 6;
}

// What a controller can do and what may follow what, for pictures: Controller::Graph().
struct BehaviourGraph {
  struct Node {
    std::string name;
    int style = 0;           // of Controller::Styles() that asks for it; 0: none does
    double robustness = -1;  // 0 to 1, as it was found when it was learned; negative: not known
    friend bool operator==(const Node&, const Node&) = default;
  };
  struct Link {
    int from = 0, to = 0;
    double robustness = -1;
    friend bool operator==(const Link&, const Link&) = default;
  };
  std::vector<Node> nodes;
  std::vector<Link> links;
  // Scalar channels that say where in it the character is; empty: none does.
  std::string node_channel;  // the node it is in or on its way to, an index
  std::string down_channel;  // above 0 while it lies and performs nothing, s
  friend bool operator==(const BehaviourGraph&, const BehaviourGraph&) = default;
};

// Speeds that a controller can be told to go at, m/s.
struct SpeedRange {
  double least = 0, most = 0;
  bool stops = false;  // for a speed of 0
};

// Drives one character. All memory lies in the object: a clone goes on exactly as the original
// would.
class Controller {
 public:
  virtual ~Controller() = default;
  virtual std::unique_ptr<Controller> Clone() const = 0;

  // Where a run of it begins, on the ground of the world it was made for.
  virtual State Start() const = 0;

  // Called before every step of the engine. `actuation` keeps its sizes (those of Passive()) and
  // what the controller wrote before. No allocation.
  virtual void Step(const Observation& observation, const Command& command,
                    Actuation* actuation) = 0;

  // The ground becomes another: in the viewer, or before a trial begins, where Start() is on it
  // too. For who knows the ground.
  virtual void ChangeGround(const Terrain& terrain) { (void)terrain; }

  // The state it tries to be in since the last Step(), at its own place in the world; null where it
  // follows none. Drawn as a ghost, and compared for the tracking error.
  virtual const State* Reference() const { return nullptr; }

  // What Command::speed may ask for; none: not known, or it takes no speeds.
  virtual std::optional<SpeedRange> Speeds() const { return {}; }
  // Names of what Command::style may ask for; 0 is what it does unless asked.
  virtual std::vector<std::string> Styles() const { return {}; }
  // Constant. Without nodes: it has none.
  virtual BehaviourGraph Graph() const { return {}; }
  // Curves that may be edited while it runs; none: it has none. Edit takes the new points at once
  // and goes on where it is in its cycle; throws InputError, and changes nothing, for what cannot
  // be.
  virtual std::vector<ControlCurve> Curves() const { return {}; }
  virtual void Edit(const CurveEdit& edit);
  // Whether a commanded heading is taken up, and a commanded speed.
  virtual bool Turns() const { return true; }
  virtual bool TakesSpeed() const { return true; }
  virtual std::vector<DebugChannel> Channels() const { return {}; }
  // `values`: the channels' values one after the other, filled with NaN before.
  virtual void ReadChannels(std::span<float> values) const { (void)values; }
};

}  // namespace stride
