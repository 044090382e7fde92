#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "stride/app/bench/bench.h"
#include "stride/app/bench/bench_jobs.h"
#include "stride/controllers/control_graph/learn_skill.h"
#include "stride/core/config.h"
#include "stride/core/error.h"

// Speed of learning: the built-in walk, sampled and in trials, in the lanes of one core; and whole
// learning runs over threads and ranks.
namespace stride::benches::liu16_learning {
namespace {

struct BenchLearning {
  // Measured in turns with the raw lanes (the stand of bench_jobs.h) on one core.
  double raw_steps_per_second = 0;  // lane steps
  struct Work {
    double samples_per_second = 0;  // control fragments of one lane
    double steps_per_second = 0;    // lane steps
    double physics_share = 0;       // of the time, spent in Batch::Step
  };
  Work sampling, episodes;

  // The same small learning run, by wall time without the start of the program. `ranks` above 1 are
  // processes of mpirun, absent where there is no mpirun.
  struct Scaling {
    int threads = 1, ranks = 1;
    double wall_seconds = 0;
    double speedup = 0;  // over one thread
  };
  std::vector<Scaling> scaling;
  std::string missing;  // why there are no ranks; empty: there are
};

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The walk as learning meets it in its guided and evolving phases.
class WalkWork {
 public:
  explicit WalkWork(std::uint64_t seed)
      : skill_(LoadClipSkill("walk")),
        graph_(GraphOf(skill_)),
        runner_(WorldOf(skill_), graph_.parts),
        stream_(seed) {}

  // Each returns the control fragments simulated, and adds to the lane steps.
  long Sample() {
    SamplingOptions options;
    options.vary_world = true;
    options.action_noise = 3 * 3.14159265358979 / 180;
    Random random(++stream_);
    const std::vector<int> course = RandomCourse(graph_, 0, graph_.Fragments(), &random);
    const long samples =
        SampleCourse(graph_, course, skill_.policies, options, stream_, &runner_).samples;
    steps_ += samples * graph_.fragments.back().end / graph_.Fragments();
    return samples;
  }
  long Try() {
    constexpr int kRounds = 8;  // the skill stands much longer
    EpisodeOptions options;
    options.pushes.force = 20;
    std::array<Episode, kTrialBlock> episodes;
    std::array<EpisodeResult, kTrialBlock> results;
    for (Episode& episode : episodes) episode = {&skill_.policies, ++stream_};
    Random random(stream_);
    const std::vector<int> course = RandomCourse(graph_, 0, kRounds * graph_.Fragments(), &random);
    RunEpisodes(graph_, course, options, episodes.data(), &runner_, results.data());
    // All lanes go on until the last one has fallen.
    float longest = 0;
    for (const EpisodeResult& result : results) longest = std::max(longest, result.seconds);
    const long fragments =
        std::lround(longest / graph_.Seconds() * graph_.Fragments()) * kTrialBlock;
    steps_ += std::lround(longest / graph_.time_step) * kTrialBlock;
    return fragments;
  }
  long steps() const { return steps_; }
  FragmentRunner& runner() { return runner_; }

 private:
  static World WorldOf(const ClipSkill& skill) {
    World world;
    world.actors = {skill.character};
    world.contact.passes = 2;  // as in learning
    world.time_step = skill.time_step;
    return world;
  }

  ClipSkill skill_;
  ControlGraph graph_;
  FragmentRunner runner_;
  std::uint64_t stream_;
  long steps_ = 0;
};

// In turns with the raw lanes, so that what else the machine does meets all.
void MeasureWork(bool quick, std::uint64_t seed, BenchLearning* result) {
  WalkWork walk(seed);
  StandJob stand;
  stand.world.actors = {LoadClipSkill("walk").character};
  stand.world.contact.passes = 2;
  stand.disturbance.seed = seed;
  const auto raw = MakeBatchRunner(stand);
  raw->RunInterval();
  walk.Try();
  const double seconds = quick ? 0.1 : 0.3;
  std::vector<double> raw_rates;
  struct Rates {
    std::vector<double> samples, steps, share;
  } sampling, episodes;
  const auto measure = [&](long (WalkWork::*work)(), Rates* rates) {
    double physics = 0, elapsed = 0;
    long samples = 0;
    walk.runner().TimePhysics(&physics);
    const long steps = walk.steps();
    const double start = Now();
    do {
      samples += (walk.*work)();
      elapsed = Now() - start;
    } while (elapsed < seconds);
    rates->samples.push_back(static_cast<double>(samples) / elapsed);
    rates->steps.push_back(static_cast<double>(walk.steps() - steps) / elapsed);
    rates->share.push_back(physics / elapsed);
    walk.runner().TimePhysics(nullptr);
  };
  for (int round = 0; round < (quick ? 3 : 9); ++round) {
    const double start = Now();
    long steps = 0;
    do steps += raw->RunInterval();
    while (Now() - start < seconds);
    raw_rates.push_back(static_cast<double>(steps) / (Now() - start));
    measure(&WalkWork::Sample, &sampling);
    measure(&WalkWork::Try, &episodes);
  }
  const auto put = [](const Rates& rates, BenchLearning::Work* work) {
    *work = {Median(rates.samples), Median(rates.steps), Median(rates.share)};
  };
  result->raw_steps_per_second = Median(raw_rates);
  put(sampling, &result->sampling);
  put(episodes, &result->episodes);
}

// A folder that goes with its contents.
struct TemporaryFolder {
  std::string path = (std::filesystem::temp_directory_path() / "stride_bench_XXXXXX").string();
  TemporaryFolder() {
    if (!mkdtemp(path.data())) {
      throw InputError(path, 0, "cannot be made; expected a writable folder for temporary files");
    }
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

// A learning run through all phases, with the sizes of a real one but fewer rounds.
using Settings = std::vector<std::pair<std::string, int>>;
Settings RunSettings(bool quick) {
  return {{"chains", 4},
          {"first_samples", quick ? 40 : 200},
          {"first_cycles", 2},
          {"guided_iterations", 1},
          {"guided_samples", quick ? 40 : 200},
          {"guided_pairs", quick ? 20 : 60},
          {"evolve_iterations", 2},
          {"evolve_pairs", quick ? 32 : 256}};
}

double LearnOnThreads(const Settings& settings, const std::string& out, int threads) {
  LearnSkillRequest request;
  request.clip = "walk";
  request.out = out;
  for (const auto& [key, value] : settings) {
    SetConfigValue(fmt::format("{}={}", key, value), &request.options);
  }
  return LearnSkill(request, {.out = out, .quiet = true}, threads).wall_seconds;
}

// What a command prints; empty where it fails.
std::string OutputOf(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return text;
  std::array<char, 4096> block;
  while (const std::size_t count = fread(block.data(), 1, block.size(), pipe)) {
    text.append(block.data(), count);
  }
  return pclose(pipe) == 0 ? text : "";
}

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

// 0 where mpirun does not run.
double LearnOnRanks(const Settings& settings, const std::string& out, const std::string& program,
                    int ranks) {
  std::string command = fmt::format(
      "mpirun {} --oversubscribe -n {} {} learn skill walk --threads 1 --quiet --json "
      "--accept-partial -o {}",
      geteuid() == 0 ? "--allow-run-as-root" : "", ranks, Quoted(program), Quoted(out));
  for (const auto& [key, value] : settings) command += fmt::format(" --set {}={}", key, value);
  const auto json = nlohmann::json::parse(OutputOf(command + " 2>/dev/null"), nullptr, false);
  return json.is_object() ? json.value("wall_seconds", 0.0) : 0;
}

void MeasureScaling(bool quick, const std::string& program, BenchLearning* result) {
  const TemporaryFolder folder;
  const Settings settings = RunSettings(quick);
  const int most = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<BenchLearning::Scaling>& rows = result->scaling;
  for (int threads = 1; threads < most; threads *= 2) rows.push_back({.threads = threads});
  if (most > 1) rows.push_back({.threads = most});
  if (rows.empty()) rows.push_back({});
  const std::size_t with_threads = rows.size();
  if (program.empty() || std::getenv("OMPI_COMM_WORLD_SIZE")) {
    result->missing = "started in a way that leaves no room for mpirun";
  } else if (OutputOf("command -v mpirun").empty()) {
    result->missing = "there is no mpirun";
  } else {
    rows.push_back({.ranks = 2});
  }
  // The fastest of a few rounds in turns: all do the same work, and what disturbs only slows down.
  for (int round = 0; round < (quick ? 1 : 3); ++round) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::string out = fmt::format("{}/{}_{}.skill", folder.path, round, k);
      const double wall = k < with_threads ? LearnOnThreads(settings, out, rows[k].threads)
                                           : LearnOnRanks(settings, out, program, rows[k].ranks);
      if (round == 0 || wall < rows[k].wall_seconds) rows[k].wall_seconds = wall;
    }
  }
  if (rows.back().ranks > 1 && rows.back().wall_seconds <= 0) {
    result->missing = "mpirun failed";
    rows.pop_back();
  }
  for (BenchLearning::Scaling& row : rows) row.speedup = rows[0].wall_seconds / row.wall_seconds;
}

std::string TextOf(const BenchLearning& l) {
  std::string text =
      fmt::format("\nLearning a walk, one core, wall time\n  {:<10}{:>41.0f} lane steps/s\n",
                  "raw lanes", l.raw_steps_per_second);
  const auto work = [&](const char* name, const BenchLearning::Work& w) {
    text += fmt::format(
        "  {:<10}{:>12.0f} fragments/s{:>17.0f} lane steps/s, {:.2f} of raw, {:.0f} % in physics\n",
        name, w.samples_per_second, w.steps_per_second, w.steps_per_second / l.raw_steps_per_second,
        100 * w.physics_share);
  };
  work("sampling", l.sampling);
  work("trials", l.episodes);
  text += "\nGrowth of a whole learning run (wall time)\n";
  for (const BenchLearning::Scaling& s : l.scaling) {
    text += fmt::format("  {} thread{} x {} rank{} {:>8.2f} s, {:.2f} times as fast\n", s.threads,
                        s.threads == 1 ? " " : "s", s.ranks, s.ranks == 1 ? " " : "s",
                        s.wall_seconds, s.speedup);
  }
  if (!l.missing.empty()) text += fmt::format("  no ranks: {}\n", l.missing);
  return text;
}

nlohmann::ordered_json JsonOf(const BenchLearning& l) {
  using Json = nlohmann::ordered_json;
  const auto work = [&](const BenchLearning::Work& w) {
    return Json{{"samples_per_second", w.samples_per_second},
                {"steps_per_second", w.steps_per_second},
                {"to_raw_lanes", w.steps_per_second / l.raw_steps_per_second},
                {"physics_share", w.physics_share}};
  };
  Json json = {{"raw_steps_per_second", l.raw_steps_per_second},
               {"sampling", work(l.sampling)},
               {"episodes", work(l.episodes)},
               {"scaling", Json::array()},
               {"ranks_missing", l.missing}};
  for (const BenchLearning::Scaling& s : l.scaling) {
    json["scaling"].push_back({{"threads", s.threads},
                               {"ranks", s.ranks},
                               {"wall_seconds", s.wall_seconds},
                               {"speedup", s.speedup}});
  }
  return json;
}

}  // namespace

MethodSpeed Measure(const BenchOptions& options) {
  BenchLearning learning;
  MeasureWork(options.quick, options.seed, &learning);
  MeasureScaling(options.quick, options.program, &learning);
  return {"learning", JsonOf(learning), TextOf(learning)};
}

}  // namespace stride::benches::liu16_learning
