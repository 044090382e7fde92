#include "stride/controllers/control_graph/learn_openloop.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "stride/controllers/control_graph/learn_skill.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/draw/sheet.h"
#include "stride/motion/edit/edit.h"
#include "stride/motion/import/contact_detection.h"

namespace stride {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kDegree = 3.14159265358979 / 180;
constexpr double kFps = 60;  // of the file, nearly: a whole number of frames

ControlGraph GraphOf(const Motion& clip, const Character& character,
                     const OpenLoopOptions& options) {
  const Motion scaled =
      options.time_scale == 1 ? clip : TimeScaled(clip, character, options.time_scale);
  ClipOptions cut;
  cut.fragment = options.fragment;
  cut.lead = options.lead;
  return MakeControlGraph(scaled, character, cut, World().time_step);
}

std::vector<int> CourseOf(const ControlGraph& graph, const OpenLoopOptions& options) {
  Random random(0);
  return RandomCourse(graph, 0, graph.Fragments() * options.cycles, &random);
}

// The chosen actions once more from the chosen states: the same steps, now with every frame kept.
void Replay(const ControlGraph& graph, const std::vector<int>& course, const SamplingPath& path,
            const CostWeights& weights, FragmentRunner* runner, OpenLoopPerformance* out) {
  if (path.fragments == 0) return;
  const int size = runner->StateSize();
  const State& start = graph.border_states[graph.fragments[course[0]].border];
  Motion& motion = out->motion;
  motion.frames.push_back(start.q);
  Random none(0);
  for (int lane = 0; lane < runner->Lanes(); ++lane) {
    runner->SetConditions(lane, kSameWorld, &none);
    runner->SetPush(lane, 0, 0);
  }
  for (int f = 0; f < path.fragments; ++f) {
    const Fragment& fragment = graph.fragments[course[f]];
    float action[kActionCount];
    SeenAction(fragment.mirrored, path.pairs[f].action, action);
    for (int lane = 0; lane < runner->Lanes(); ++lane) {
      if (f == 0) {
        runner->Load(lane, start);
      } else {
        runner->Load(lane, &path.states[static_cast<std::size_t>(f - 1) * size]);
      }
      runner->SetBase(lane, f == 0 ? 0 : path.bases[f - 1]);
      for (int k = 0; k < kActionCount; ++k) runner->Action(lane, k) = action[k];
    }
    runner->Refresh();
    // A stored state stands over the origin.
    const double x = motion.frames.back()[0], y = motion.frames.back()[1];
    for (int step = fragment.begin; step < fragment.end; ++step) {
      runner->RunSteps(graph, step, step + 1);
      motion.frames.push_back(runner->Read(0).q);
      motion.frames.back()[0] += x;
      motion.frames.back()[1] += y;
    }
    runner->Judge(graph.borders[fragment.end_border], weights, true);
    float square = 0;
    for (const float a : action) square += a * a;
    out->costs.push_back(runner->Cost(0) + weights.action * std::sqrt(square));
  }
  motion.fps = 1 / graph.time_step;
  motion.contacts.assign(motion.frames.size(), 0);
}

bool Better(const OpenLoopPerformance& a, const OpenLoopPerformance& b) {
  return std::tuple(!a.complete, -a.fragments, a.mean_cost, a.path, a.pass) <
         std::tuple(!b.complete, -b.fragments, b.mean_cost, b.path, b.pass);
}

// For other ranks.
std::string ToBlob(const OpenLoopPerformance& p) {
  return Json{{"complete", p.complete}, {"fragments", p.fragments},
              {"retries", p.retries},   {"path", p.path},
              {"pass", p.pass},         {"mean_cost", p.mean_cost},
              {"costs", p.costs},       {"frames", p.motion.frames},
              {"fps", p.motion.fps}}
      .dump();
}
OpenLoopPerformance FromBlob(const std::string& blob) {
  const Json json = Json::parse(blob);
  OpenLoopPerformance p;
  json.at("complete").get_to(p.complete);
  json.at("fragments").get_to(p.fragments);
  json.at("retries").get_to(p.retries);
  json.at("path").get_to(p.path);
  json.at("pass").get_to(p.pass);
  json.at("mean_cost").get_to(p.mean_cost);
  json.at("costs").get_to(p.costs);
  json.at("frames").get_to(p.motion.frames);
  json.at("fps").get_to(p.motion.fps);
  p.motion.contacts.assign(p.motion.frames.size(), 0);
  return p;
}

OpenLoopPerformance PerformPath(const ControlGraph& graph, const std::vector<int>& course,
                                const OpenLoopOptions& options, std::uint64_t seed, int path,
                                const std::function<bool()>& tick) {
  World world;
  world.actors = {graph.character};
  world.contact.passes = 2;  // as in learning
  world.time_step = graph.time_step;
  FragmentRunner runner(world, graph.parts);
  SamplingOptions sampling;
  sampling.samples = options.samples;
  // Gaits follow the clip closer with a narrow exploration, stunts are lost without a wide one.
  sampling.first_sigma = (path % 2 == 0 ? 1 : 2) * options.sigma_deg * kDegree;
  sampling.adapt = 0.5;
  Policies policies = NoFeedback(graph, sampling.first_sigma);
  OpenLoopPerformance best;
  SamplingPath chosen;
  for (int pass = 0; pass < options.passes; ++pass) {
    const auto key =
        Philox({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                static_cast<std::uint32_t>(path), static_cast<std::uint32_t>(pass)},
               {0x0937, 0x5eed});
    SamplingPath sampled = SampleCourse(graph, course, policies, sampling,
                                        (std::uint64_t{key[0]} << 32) | key[1], &runner, tick);
    policies = sampled.adapted;
    OpenLoopPerformance now;
    now.complete = sampled.complete;
    now.fragments = sampled.fragments;
    now.retries = sampled.retries;
    now.path = path;
    now.pass = pass;
    now.mean_cost = sampled.mean_cost;
    if (pass > 0 && !Better(now, best)) continue;
    best = now;
    chosen = std::move(sampled);
  }
  Replay(graph, course, chosen, sampling.weights, &runner, &best);
  return best;
}

// At the rate of the file, with contacts labelled.
Motion FileMotion(const Motion& every_step, const Motion& clip, const Character& character) {
  Motion motion;
  motion.name = clip.name + " performed";
  motion.character = clip.character;
  motion.source = fmt::format("stride learn openloop, from '{}' ({})", clip.name, clip.source);
  const int count = std::max(1, static_cast<int>(std::lround(every_step.Duration() * kFps)));
  motion.fps = count / every_step.Duration();
  for (int k = 0; k <= count; ++k) {
    motion.frames.push_back(SampleMotion(every_step, character, k / motion.fps));
  }
  motion.contacts.assign(motion.frames.size(), 0);
  const std::vector<double> level(motion.frames.size(), 0.0);
  motion.contacts = DetectContacts(TrackHeights(character, motion), level, {}, motion.fps);
  return motion;
}

}  // namespace

OpenLoopPerformance PerformOpenLoop(const Motion& clip, const Character& character,
                                    const OpenLoopOptions& options, std::uint64_t seed,
                                    const Workers& workers, const std::function<bool()>& tick) {
  const ControlGraph graph = GraphOf(clip, character, options);
  const std::vector<int> course = CourseOf(graph, options);
  std::vector<std::string> blobs;
  workers.MapBlobs(
      options.paths,
      [&](int path) { return ToBlob(PerformPath(graph, course, options, seed, path, tick)); },
      &blobs);
  OpenLoopPerformance best = FromBlob(blobs[0]);
  for (int k = 1; k < options.paths; ++k) {
    OpenLoopPerformance other = FromBlob(blobs[k]);
    if (Better(other, best)) best = std::move(other);
  }
  return best;
}

namespace {

class OpenLoopJob final : public LearningJob {
 public:
  OpenLoopJob(const LearnOpenLoopRequest& request, MotionSource source, const Workers& workers)
      : request_(request), source_(std::move(source)), workers_(workers) {
    wanted_ = static_cast<int>(
        CourseOf(GraphOf(source_.motion, source_.character, request.options), request.options)
            .size());
  }

  bool Done() const override { return !history_.empty(); }
  Json Advance(const std::function<bool()>& stop) override {
    performance_ =
        PerformOpenLoop(source_.motion, source_.character, request_.options, request_.seed,
                        workers_, [&] { return ++sampled_, stop && stop(); });
    if (stop && workers_.Agree(stop())) return nullptr;
    history_.push_back({{"phase", "sampled"}, {"cost", performance_.mean_cost}});
    return history_.back();
  }
  double Progress() const override {
    const long share = (request_.options.paths + workers_.Ranks() - 1) / workers_.Ranks();
    const double total = static_cast<double>(share) * request_.options.passes * wanted_;
    return std::min(1.0, static_cast<double>(sampled_) / total);  // roll-backs add to the work
  }
  const Json& History() const override { return history_; }
  std::string Checkpoint() const override { return ""; }
  void Restore(const std::string&, const std::string&) override {}
  std::string InstructionSet() const override { return Batch::ChosenInstructionSet(); }
  long LaneSteps() const override { return 0; }  // not counted

  LearningResult Result() override {
    const OpenLoopPerformance& p = performance_;
    LearningResult result;
    result.lines = {
        {"clip", fmt::format("{} on {}", source_.motion.name, source_.character.name)},
        {"performed", fmt::format("{} of {} fragments, {:.2f} s{}", p.fragments, wanted_,
                                  p.motion.Duration(), p.complete ? "" : "; then it was lost")},
        {"rolled back", fmt::format("{} times", p.retries)},
        {"cost", fmt::format("{:.2f} (path {}, pass {})", p.mean_cost, p.path + 1, p.pass + 1)}};
    if (p.fragments > 0) {
      const Motion motion = FileMotion(p.motion, source_.motion, source_.character);
      result.files.emplace_back(request_.out, MotionText(motion));
      if (!request_.sheet.empty()) {
        SheetOptions sheet;
        sheet.title = motion.name;
        result.files.emplace_back(request_.sheet,
                                  EncodePng(ContactSheet(source_.character, motion, sheet)));
        result.lines.emplace_back("sheet", request_.sheet);
      }
    }
    result.json = {{"clip", source_.motion.name},
                   {"character", source_.character.name},
                   {"motion", p.fragments > 0 ? request_.out : ""},
                   {"sheet", p.fragments > 0 ? request_.sheet : ""},
                   {"complete", p.complete},
                   {"fragments", p.fragments},
                   {"fragments_wanted", wanted_},
                   {"retries", p.retries},
                   {"seconds", p.motion.Duration()},
                   {"mean_cost", p.mean_cost},
                   {"costs", p.costs},
                   {"path", p.path},
                   {"pass", p.pass},
                   {"seed", request_.seed},
                   {"settings", ConfigToJson(request_.options)}};
    return result;
  }

 private:
  LearnOpenLoopRequest request_;
  MotionSource source_;
  const Workers& workers_;
  int wanted_ = 0;
  std::atomic<long> sampled_{0};
  OpenLoopPerformance performance_;
  Json history_ = Json::array();
};

}  // namespace

std::unique_ptr<LearningJob> MakeOpenLoopJob(const LearnOpenLoopRequest& request,
                                             const Workers& workers,
                                             std::vector<std::string>* warnings) {
  MotionSource source = LoadAnyMotion(request.clip, request.character, request.capture);
  warnings->insert(warnings->end(), source.warnings.begin(), source.warnings.end());
  return std::make_unique<OpenLoopJob>(request, std::move(source), workers);
}

LearningMethod OpenLoopMethod() {
  using Kind = LearningOption::Kind;
  LearningMethod method{
      .name = "openloop",
      .summary = "A clip performed once, by sampling control alone",
      .input = "clip",
      .input_help = "Built-in motion, motion file, or motion capture",
      .makes_motion = true,
      .examples = {"stride learn openloop backflip -o performed.motion --sheet performed.png"},
      .options = CaptureOptionList(),
      .schema = ConfigSchema<OpenLoopOptions>,
      .make = [](const LearningRequest& r, const Workers& workers,
                 std::vector<std::string>* warnings) {
        LearnOpenLoopRequest request{.clip = r.input,
                                     .capture = CaptureOf(r),
                                     .sheet = r.Text("sheet"),
                                     .seed = r.seed,
                                     .out = r.out};
        if (!r.character.empty()) request.character = r.character;
        for (const std::string& text : r.settings) SetConfigValue(text, &request.options);
        return MakeOpenLoopJob(request, workers, warnings);
      }};
  for (const LearningOption& option : std::vector<LearningOption>{
           {"samples", "A fragment", Kind::kSetting, "samples"},
           {"paths", "Independent ones, of which the best is kept", Kind::kSetting, "paths"},
           {"passes", "Over the clip; the sampling moves to what was good", Kind::kSetting,
            "passes"},
           {"cycles", "Rounds of a clip that loops", Kind::kSetting, "cycles"},
           {"sigma", "Exploration at first, degrees; every other path twice that", Kind::kSetting,
            "sigma_deg"},
           {"time-scale", "The clip takes so many times as long", Kind::kSetting, "time_scale"},
           {"sheet", "PNG file: the performed motion over time", Kind::kOutput}}) {
    method.options.push_back(option);
  }
  return method;
}

}  // namespace stride
