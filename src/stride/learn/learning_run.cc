#include "stride/learn/learning_run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/hash.h"
#include "stride/core/log.h"
#include "stride/core/progress.h"
#include "stride/learn/checkpoint.h"

namespace stride {

void LearningRequest::RefuseSettings(std::initializer_list<const char*> keys,
                                     const std::string& why) const {
  for (const std::string& setting : settings) {
    const std::string key = setting.substr(0, setting.find('='));
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) continue;
    throw InputError(fmt::format("'{}' has no effect: {}; leave it out", setting, why));
  }
}
namespace {

constexpr double kCheckpointSeconds = 1;            // at least, from one to the next
constexpr char kGiven[] = "GIVN", kJob[] = "LJOB";  // chunks of a checkpoint

// What a line of the history says, for the progress bar.
std::string StateText(const nlohmann::ordered_json& line, double rate) {
  std::string text = line.contains("stage") ? line.value("stage", "") + ": " : "";
  if (text.size() > 40) text = text.substr(0, 37) + "..: ";
  text += line.value("phase", "");
  if (line.contains("of")) {
    text += fmt::format(" {}: ", line.value("iteration", 0) + 1);
    // What only rises, where the method knows such a number: its trials grow harder.
    if (line.contains("survived")) {
      text += fmt::format("stands pushes of {:.0f} N", line.value("survived", 0.0));
    } else {
      const double seconds = line.value("seconds", 0.0);
      text += fmt::format("stands {:.1f} of {:g} s", line.value("best", seconds),
                          line.value("of", 0.0));
    }
  }
  if (line.contains("return")) text += fmt::format(", return {:.4g}", line.value("return", 0.0));
  if (line.contains("cost")) text += fmt::format(", cost {:.2f}", line.value("cost", 0.0));
  return text + fmt::format(", {:.2f} M steps/s", rate / 1e6);
}

// Of what was given there and here, or nothing.
std::string Shown(const nlohmann::ordered_json& given, const std::string& option) {
  return given.is_object() && given.contains(option) ? given[option].dump() : "not given";
}

void RestoreJob(const std::string& bytes, const std::string& file_name,
                const nlohmann::ordered_json& given, LearningJob* job) {
  const std::optional<Chunk> first = ChunkReader(bytes, 0).Next();
  if (!first || first->type != kGiven) {  // damaged, or of an older version: the job says so
    job->Restore(bytes, file_name);
    return;
  }
  CheckpointReader reader(bytes, file_name);
  const nlohmann::ordered_json there = reader.TakeJson(kGiven);
  const std::string job_bytes(reader.Take(kJob));
  reader.End();
  for (const nlohmann::ordered_json* each : {&given, &there}) {
    for (const auto& [option, value] : each->items()) {
      const std::string a = Shown(there, option), b = Shown(given, option);
      if (a == b) continue;
      reader.Refuse(
          fmt::format("the checkpoint is of another --{}: {} there, {} here", option, a, b));
    }
  }
  job->Restore(job_bytes, file_name);
}

void GoOnFromCheckpoint(const LearningRunOptions& options, bool leader, LearningJob* job) {
  const std::string checkpoint = options.out + ".checkpoint";
  if (options.check_existing && std::filesystem::exists(options.out)) {
    options.check_existing(options.out);
  }
  if (!options.resume) return;
  if (job->Checkpoint().empty()) {
    throw InputError("--resume: this is learned too quickly for checkpoints; leave it out");
  }
  if (std::filesystem::exists(checkpoint)) {
    RestoreJob(ReadFile(checkpoint), checkpoint, options.given, job);
  } else if (leader) {
    spdlog::warn("--resume: there is no {} yet: begins at the beginning", checkpoint);
  }
}

void WriteCheckpoint(const std::string& out, const nlohmann::ordered_json& given,
                     const LearningJob& job) {
  const std::string job_bytes = job.Checkpoint();
  if (job_bytes.empty()) return;
  std::string bytes;
  AppendChunk(
      kGiven, [&](std::string* to) { *to += given.dump(); }, &bytes);
  AppendChunk(
      kJob, [&](std::string* to) { *to += job_bytes; }, &bytes);
  WriteFileWhole(out + ".checkpoint", bytes);
  std::string lines;
  for (const auto& each : job.History()) lines += each.dump() + "\n";
  WriteFileWhole(out + ".history.jsonl", lines);
}

}  // namespace

LearningOutcome RunToEnd(const LearningRunOptions& options, const Workers& workers,
                         LearningJob* job) {
  if (options.out.empty()) throw InputError("-o: what is learned needs a file to be written to");
  if (!workers.AllSame(job->InstructionSet())) {
    throw InputError(fmt::format(
        "the ranks run lanes of different instruction sets ({}) and would come to different "
        "numbers; start them on like machines, or set STRIDE_INSTRUCTION_SET to one that all have",
        fmt::join(workers.OfAllRanks(job->InstructionSet()), ", ")));
  }
  std::optional<OutputLock> lock;
  if (workers.Leader()) {
    lock.emplace(options.out);
    CheckWritable(options.out);
    for (const std::string& other : options.others) CheckWritable(other);
    if (!job->Checkpoint().empty()) {
      for (const char* beside : {".checkpoint", ".history.jsonl"}) {
        CheckWritable(options.out + beside);
      }
    }
  }
  GoOnFromCheckpoint(options, workers.Leader(), job);

  using Clock = std::chrono::steady_clock;
  const auto since = [start = Clock::now()] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  constexpr int kParts = 1000;
  Progress progress(options.quiet || !workers.Leader());
  std::mutex showing;  // iterations are long: who asks whether to stop shows how far they are
  std::string text = "begins";
  const auto show = [&] {
    if (const std::unique_lock lock(showing, std::try_to_lock); lock) {
      progress.Show(static_cast<int>(kParts * job->Progress()), kParts, text);
    }
  };
  // Only the leader hears; the others are told.
  const std::function<bool()> stop = [&] {
    show();
    return workers.Leader() && options.stop && options.stop();
  };
  LearningOutcome outcome;
  double next_checkpoint = 0;
  show();
  while (!job->Done() && !outcome.stopped) {
    const nlohmann::ordered_json line = job->Advance(stop);
    outcome.stopped = workers.Agree(stop());
    if (line.is_null()) {
      outcome.stopped = true;
      break;
    }
    if (!workers.Leader()) continue;
    // Quick iterations would take as long to be written down.
    if (outcome.stopped || job->Done() || since() >= next_checkpoint) {
      WriteCheckpoint(options.out, options.given, *job);
      next_checkpoint = since() + kCheckpointSeconds;
    }
    text = StateText(line, static_cast<double>(job->LaneSteps()) / since());
    show();
  }
  outcome.wall_seconds = since();
  outcome.lane_steps_per_second =
      static_cast<double>(job->LaneSteps()) / std::max(1e-9, outcome.wall_seconds);
  outcome.leader = workers.Leader();
  outcome.iterations = static_cast<int>(job->History().size());
  outcome.threads = workers.Threads();
  outcome.ranks = workers.Ranks();
  if (outcome.stopped && !job->Done()) return outcome;
  outcome.stopped = false;
  outcome.result = job->Result();
  if (workers.Leader()) {
    for (const auto& [path, bytes] : outcome.result.files) WriteFileWhole(path, bytes);
  }
  return outcome;
}

nlohmann::ordered_json GivenOptions(const LearningMethod& method, const LearningRequest& request) {
  nlohmann::ordered_json given = nlohmann::ordered_json::object();
  for (const LearningOption& option : method.options) {
    using Kind = LearningOption::Kind;
    if (option.kind == Kind::kSetting || option.kind == Kind::kOutput) continue;
    if (!request.Has(option.name)) continue;
    nlohmann::ordered_json& values = given[option.name] = nlohmann::ordered_json::array();
    for (const std::string& value : request.options.at(option.name)) {
      values.push_back(value);
      if (std::filesystem::is_regular_file(value)) values.push_back(HashOf(ReadFile(value)));
    }
  }
  return given;
}

nlohmann::ordered_json ToJson(const LearningOutcome& o) {
  nlohmann::ordered_json json = {{"stopped", o.stopped},
                                 {"wall_seconds", o.wall_seconds},
                                 {"lane_steps_per_second", o.lane_steps_per_second},
                                 {"iterations", o.iterations},
                                 {"threads", o.threads},
                                 {"ranks", o.ranks}};
  json.update(o.result.json);
  return json;
}

}  // namespace stride
