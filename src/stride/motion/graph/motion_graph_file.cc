#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/json_text.h"
#include "stride/motion/edit/point_cloud.h"
#include "stride/motion/graph/motion_graph.h"
#include "stride/motion/library.h"

// The file of a motion graph, described in docs/formats.md.
namespace stride {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr std::size_t kMostNodes = 10000;
constexpr double kHalfWindow = 0.12;  // s, as GraphOptions

class GraphParser {
 public:
  GraphParser(const std::string& text, const std::string& file, const Character& character,
              const MotionLoader& load)
      : text_(text), file_(file), character_(character), load_(load) {}

  MotionGraph Parse() {
    const json root = ParseJson(text_, file_);
    if (!root.is_object() || !root.contains("stride_motion_graph")) {
      throw InputError(file_, 1, "has no \"stride_motion_graph\"; expected a motion graph (JSON)");
    }
    if (root["stride_motion_graph"] != kVersion) {
      Fail("stride_motion_graph", "is of another version; expected " + std::to_string(kVersion));
    }
    CheckKeys(root, "", {"stride_motion_graph", "nodes", "edges"});
    const json& nodes = List(root, "nodes");
    if (nodes.empty() || nodes.size() > kMostNodes) {
      Fail("nodes", fmt::format("has {} nodes; expected 1 to {}", nodes.size(), kMostNodes));
    }
    for (const json& node : nodes) ReadNode(node);
    for (std::size_t e = 0; e < List(root, "edges").size(); ++e) ReadEdge(root["edges"][e], e);
    Measure();
    return std::move(graph_);
  }

 private:
  // At the line where the text in quotes stands first; the parsed JSON has no lines.
  [[noreturn]] void Fail(const std::string& quoted, const std::string& what) const {
    const std::size_t at = text_.find(json(quoted).dump());
    throw InputError(file_, at == std::string::npos ? 0 : LineAt(text_, at),
                     "\"" + quoted.substr(0, 80) + "\" " + what);
  }

  void CheckKeys(const json& object, const std::string& of,
                 const std::vector<std::string>& keys) const {
    for (const auto& [key, value] : object.items()) {
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      Fail(key, fmt::format("is not a key of {}; expected {}",
                            of.empty() ? "a motion graph" : "node \"" + of + "\"",
                            fmt::join(keys, ", ")));
    }
  }

  const json& List(const json& root, const char* key) const {
    if (!root.contains(key))
      throw InputError(file_, 1, fmt::format("has no \"{}\"; expected a list", key));
    if (!root[key].is_array()) Fail(key, "is not a list");
    return root[key];
  }

  std::string Text(const json& node, const char* key, const std::string& of) const {
    if (!node.contains(key) || !node[key].is_string()) {
      Fail(of.empty() ? "nodes" : of,
           fmt::format("{} has no \"{}\" that is a text",
                       of.empty() ? fmt::format("node {}", graph_.nodes.size()) : "", key));
    }
    return node[key].get<std::string>();
  }

  int FrameOf(const json& node, const char* key, int otherwise, const std::string& name) const {
    if (!node.contains(key)) return otherwise;
    const json& value = node[key];
    if (!value.is_number_integer() || value.get<double>() < 0 || value.get<double>() > 1e9) {
      Fail(name,
           fmt::format("has a \"{}\" that is no frame; expected a whole number from 0 on", key));
    }
    return value.get<int>();
  }

  void ReadNode(const json& node) {
    if (!node.is_object()) {
      Fail("nodes",
           fmt::format("has something else than an object at node {}", graph_.nodes.size()));
    }
    const std::string name = Text(node, "name", "");
    CheckKeys(node, name, {"name", "motion", "first", "last"});
    if (!nodes_.emplace(name, static_cast<int>(graph_.nodes.size())).second) {
      Fail(name, "is the name of two nodes; expected different ones");
    }
    const int clip = ClipOf(Text(node, "motion", name), name);
    const int last_frame = graph_.clips[clip].FrameCount() - 1;
    const int first = FrameOf(node, "first", 0, name),
              last = FrameOf(node, "last", last_frame, name);
    if (last <= first || last > last_frame) {
      Fail(name, fmt::format("has the frames {} to {}; expected a range within 0 to {}", first,
                             last, last_frame));
    }
    graph_.nodes.push_back({name, clip, first, last});
  }

  int ClipOf(const std::string& motion, const std::string& node) {
    const auto found = clips_.find(motion);
    if (found != clips_.end()) return found->second;
    Motion clip;
    try {
      clip = load_(motion);
      Validate(clip, character_);
      if (clip.FrameCount() < 2) throw InputError("one frame; expected at least two");
    } catch (const InputError& error) {
      Fail(node, fmt::format("has the motion \"{}\": {}", motion, error.what()));
    }
    if (!graph_.clips.empty() && std::abs(clip.fps - graph_.clips[0].fps) > 1e-6 * clip.fps) {
      Fail(node,
           fmt::format(
               "has the motion \"{}\" with {} frames a second, the first {}; expected one rate",
               motion, clip.fps, graph_.clips[0].fps));
    }
    clip.name = motion;
    graph_.clips.push_back(std::move(clip));
    return clips_[motion] = static_cast<int>(graph_.clips.size()) - 1;
  }

  void ReadEdge(const json& edge, std::size_t number) {
    if (!edge.is_array() || edge.size() != 2 || !edge[0].is_string() || !edge[1].is_string()) {
      Fail("edges", fmt::format("has something else than a pair of names at edge {}", number));
    }
    std::array<int, 2> ends{};
    for (int k = 0; k < 2; ++k) {
      const std::string name = edge[k].get<std::string>();
      const auto found = nodes_.find(name);
      if (found == nodes_.end())
        Fail(name, fmt::format("is no node, but edge {} names it", number));
      ends[k] = found->second;
    }
    graph_.edges.push_back({ends[0], ends[1], 0});
  }

  void Measure() {
    std::vector<WindowClouds> clouds;
    for (const Motion& clip : graph_.clips) clouds.emplace_back(character_, clip, kHalfWindow);
    for (GraphEdge& edge : graph_.edges) {
      const GraphNode &a = graph_.nodes[edge.from], &b = graph_.nodes[edge.to];
      if (a.clip == b.clip && a.last == b.first) continue;
      edge.distance = clouds[a.clip].Distance(a.last, clouds[b.clip], b.first);
    }
  }

  const std::string& text_;
  const std::string& file_;
  const Character& character_;
  const MotionLoader& load_;
  MotionGraph graph_;
  std::map<std::string, int> nodes_, clips_;
};

}  // namespace

MotionGraph ParseMotionGraph(const std::string& text, const std::string& file_name,
                             const Character& character, const MotionLoader& load) {
  return GraphParser(text, file_name, character, load).Parse();
}

MotionGraph ReadMotionGraph(const std::string& path, const Character& character) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return ParseMotionGraph(ReadFile(path), path, character, [&](const std::string& motion) {
    const std::string beside = (folder / motion).string();
    return LoadMotion(FileExtension(motion).empty() ? motion : beside, character);
  });
}

std::string MotionGraphText(const MotionGraph& graph) {
  const auto quote = [](const std::string& text) { return json(ToUtf8(text)).dump(); };
  std::string nodes, edges;
  for (const GraphNode& node : graph.nodes) {
    nodes += fmt::format("{}\n    {{\"name\": {}, \"motion\": {}, \"first\": {}, \"last\": {}}}",
                         nodes.empty() ? "" : ",", quote(node.name),
                         quote(graph.clips[node.clip].name), node.first, node.last);
  }
  for (const GraphEdge& edge : graph.edges) {
    edges += fmt::format("{}\n    [{}, {}]", edges.empty() ? "" : ",",
                         quote(graph.nodes[edge.from].name), quote(graph.nodes[edge.to].name));
  }
  return fmt::format(
      "{{\n  \"stride_motion_graph\": {},\n  \"nodes\": [{}\n  ],\n  \"edges\": [{}\n  ]\n}}\n",
      kVersion, nodes, edges);
}

}  // namespace stride
