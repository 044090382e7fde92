#include "stride/controllers/control_graph/graph_file.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/core/error.h"
#include "stride/core/json_node.h"

namespace stride {
namespace {

constexpr int kVersion = 1;
constexpr std::size_t kMostNodes = 200;

void CheckKeys(const JsonNode& node, const std::vector<std::string>& keys) {
  if (!node.value().is_object()) node.Fail("an object");
  for (const auto& [key, value] : node.value().items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    node.Fail(fmt::format("no key \"{}\"; there are {}", key, fmt::join(keys, ", ")));
  }
}

bool Has(const JsonNode& node, const char* key) { return node.value().contains(key); }

double NumberIn(const JsonNode& node, double low, double high) {
  const double value = node.Number();
  if (!(value >= low && value <= high)) node.Fail(fmt::format("{:g} to {:g}", low, high));
  return value;
}

}  // namespace

GraphFile ParseGraphFile(const std::string& text, const std::string& file_name,
                         const std::function<GraphMotionLoader(const std::string&)>& loader) {
  const nlohmann::ordered_json json = ParseBoundedJson(text, file_name);
  if (!json.is_object() || !json.contains("stride_control_graph")) {
    throw InputError(fmt::format(
        "{}: has no \"stride_control_graph\"; expected a control graph (docs/formats.md)",
        file_name));
  }
  const JsonNode root(json, file_name);
  root["stride_control_graph"].Int(kVersion, kVersion);
  CheckKeys(root, {"stride_control_graph", "name", "character", "nodes", "transitions"});
  GraphFile file;
  if (Has(root, "name")) file.name = root["name"].Text();
  if (Has(root, "character")) file.character = root["character"].Text();
  const GraphMotionLoader load = loader(file.character);
  const JsonNode nodes = root["nodes"], transitions = root["transitions"];
  if (nodes.Size() < 1 || nodes.Size() > kMostNodes) {
    nodes.Fail(fmt::format("1 to {} nodes", kMostNodes));
  }
  std::map<std::string, int> index;
  for (std::size_t k = 0; k < nodes.Size(); ++k) {
    const JsonNode node = nodes.At(k);
    CheckKeys(node, {"name", "motion", "range", "fps", "loop", "in_place", "symmetric", "rises"});
    GraphClip clip;
    clip.name = node["name"].Text();
    if (!index.emplace(clip.name, static_cast<int>(k)).second) {
      node.Fail(fmt::format("another name than \"{}\", which is taken", clip.name));
    }
    GraphNodeSource source;
    source.motion = node["motion"].Text();
    if (Has(node, "range")) {
      const JsonNode range = node["range"];
      if (range.Size() != 2) range.Fail("first and last frame");
      source.first_frame = range.At(0).Int(0, 1 << 30);
      source.last_frame = range.At(1).Int(source.first_frame + 1, 1 << 30);
    }
    if (Has(node, "fps")) source.fps = NumberIn(node["fps"], 1, 1000);
    if (Has(node, "loop")) source.loop = node["loop"].Bool();
    if (Has(node, "in_place")) source.in_place = InPlaceFromName(node["in_place"].Text());
    if (Has(node, "symmetric")) clip.symmetric = node["symmetric"].Bool();
    if (Has(node, "rises")) clip.rises = node["rises"].Bool();
    try {
      clip.motion = load(source);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: node \"{}\": {}", file_name, clip.name, error.what()));
    }
    file.plan.clips.push_back(std::move(clip));
  }
  const auto node_of = [&](const JsonNode& name) {
    const auto found = index.find(name.Text());
    if (found == index.end()) {
      name.Fail(fmt::format("a node, not \"{}\", which is none", name.Text()));
    }
    return found->second;
  };
  for (std::size_t k = 0; k < transitions.Size(); ++k) {
    const JsonNode node = transitions.At(k);
    GraphTransition t;
    if (node.value().is_array()) {
      if (node.Size() != 2) node.Fail("a pair of nodes, or an object");
      t.from = node_of(node.At(0));
      t.to = node_of(node.At(1));
    } else {
      CheckKeys(node, {"from", "to", "leave", "enter", "blend"});
      t.from = node_of(node["from"]);
      t.to = node_of(node["to"]);
      if (Has(node, "leave")) t.leave = NumberIn(node["leave"], 0, 1e4);
      if (Has(node, "enter")) t.enter = NumberIn(node["enter"], 0, 1e4);
      if (Has(node, "blend")) t.blend = NumberIn(node["blend"], 0.1, 10);
    }
    if (t.from == t.to) node.Fail("two different nodes; a loop follows itself anyway");
    file.plan.transitions.push_back(t);
  }
  return file;
}

}  // namespace stride
