#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "stride/controllers/registry.h"
#include "stride/core/error.h"
#include "stride/core/log.h"
#include "stride/learn/learning_run.h"
#include "verb.h"

// `stride learn METHOD`, for every method of the registry.
namespace stride::cli {
namespace {

std::atomic<bool> interrupted{false};

// mpirun ends all ranks with SIGTERM when one of them dies, and kills them a second later: they
// wait for the dead one's results, so this is the last word they can have. Ranks 0 and 1 speak,
// since one of them may be the dead one. The checkpoint of the last iteration is whole on disk.
char last_words[256] = "";
void OnTerminate(int) {
  interrupted = true;
  if (last_words[0] != '\0' && write(STDERR_FILENO, last_words, std::strlen(last_words)) < 0)
    return;
}

void HearSignals(bool has_checkpoint) {
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (has_checkpoint && rank && (std::strcmp(rank, "0") == 0 || std::strcmp(rank, "1") == 0)) {
    *fmt::format_to_n(
         last_words, sizeof last_words - 1,
         "stride: error: rank {} was told to end: another rank died, or the run was "
         "stopped; the checkpoint holds the last whole iteration, and the same command "
         "with --resume goes on\n",
         rank)
         .out = '\0';
  }
  std::signal(SIGINT, [](int) { interrupted = true; });
  std::signal(SIGTERM, OnTerminate);
}

// What the options of one method are parsed into.
struct Arguments {
  LearningRequest request;
  bool resume = false;
  bool accept_partial = false;
  int threads = 0;
  std::map<std::string, std::vector<std::string>> texts;  // options and settings by name
  std::map<std::string, bool> flags;
};

std::string Text(const LearningOutcome& o, const std::string& out) {
  std::string text;
  const auto line = [&](const std::string& name, const std::string& value) {
    text += fmt::format("{:<18}{}\n", name, value);
  };
  const auto& rows = o.result.lines;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    line(rows[k].first, rows[k].second);
    if (k > 0) continue;  // the first says what it is; then how it was learned
    line("learned in", fmt::format("{:.1f} s, {} iterations, {} threads x {} ranks", o.wall_seconds,
                                   o.iterations, o.threads, o.ranks));
    if (o.lane_steps_per_second > 0) {
      line("speed",
           fmt::format("{:.2f} million lane steps a second", o.lane_steps_per_second / 1e6));
    }
  }
  line("written", o.result.files.empty() ? "nothing" : out);
  return text;
}

void AddOptions(const LearningMethod& method, Arguments* a, CLI::App* app) {
  LearningRequest& r = a->request;
  if (!method.input.empty()) {
    app->add_option(method.input, r.input, method.input_help)->required();
  }
  app->add_option("-o,--out", r.out, method.makes_motion ? "Motion file to write" : "File to write")
      ->required();
  app->add_option(
      "--character", r.character,
      "Built-in name, or an MJCF or URDF file; what the input says if left out, else liu16 "
      "(liu16-strong has stronger gains for stunts: kicks, spins, flips)");
  app->add_option("--name", r.name, "Name of what is learned; that of the input if left out");
  app->add_flag("--resume", a->resume,
                "Go on from OUT.checkpoint, to the same result; or longer, where only the number "
                "of iterations "
                "is larger");
  app->add_flag("--accept-partial", a->accept_partial,
                "What falls short of what was asked for is a warning instead of a failure");
  app->add_option("--threads", a->threads, "0: all of this machine")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app->add_option(
         "--set", r.settings,
         "KEY=VALUE: a setting, for instance one of: " +
             [&] {
               std::string keys;
               const nlohmann::ordered_json schema =
                   method.schema ? method.schema() : nlohmann::ordered_json::object();
               for (const auto& [key, field] : schema.items()) {
                 keys += (keys.empty() ? "" : ", ") + key;
               }
               return keys + "; repeatable";
             }())
      ->take_all()
      ->allow_extra_args(false);
  for (const LearningOption& option : method.options) {
    using Kind = LearningOption::Kind;
    const std::string name = "--" + option.name;
    if (option.kind == Kind::kFlag) {
      app->add_flag(name, a->flags[option.name], option.help);
      continue;
    }
    std::string help = option.help;
    if (option.kind == Kind::kText && !option.value.empty()) help += " [" + option.value + "]";
    if (option.kind == Kind::kSetting && method.schema) {
      help += " [" + method.schema()[option.value]["default"].dump() + "]";
    }
    app->add_option(name, a->texts[option.name], help)->take_all()->allow_extra_args(false);
  }
}

LearningRequest RequestOf(const LearningMethod& method, const Arguments& a, std::uint64_t seed) {
  LearningRequest request = a.request;
  request.seed = seed;
  for (const LearningOption& option : method.options) {
    if (option.kind == LearningOption::Kind::kFlag) {
      if (a.flags.at(option.name)) request.options[option.name] = {};
      continue;
    }
    const std::vector<std::string>& given = a.texts.at(option.name);
    if (given.empty()) continue;
    if (option.kind == LearningOption::Kind::kSetting) {
      request.settings.push_back(option.value + "=" + given.back());
    } else {
      request.options[option.name] = given;
    }
  }
  return request;
}

Output Learn(const LearningMethod& method, const Arguments& a, std::uint64_t seed) {
  HearSignals(!method.makes_motion);
  const Workers workers(a.threads);
  std::vector<std::string> warnings;
  const LearningRequest request = RequestOf(method, a, seed);
  const std::unique_ptr<LearningJob> job = method.make(request, workers, &warnings);
  std::vector<std::string> others;
  for (const LearningOption& option : method.options) {
    if (option.kind != LearningOption::Kind::kOutput || !request.Has(option.name)) continue;
    others.push_back(request.Text(option.name));
  }
  const LearningOutcome outcome = RunToEnd({.out = request.out,
                                            .others = others,
                                            .resume = a.resume,
                                            .quiet = !spdlog::should_log(spdlog::level::info),
                                            .given = GivenOptions(method, request),
                                            .stop = [] { return interrupted.load(); },
                                            .check_existing =
                                                [&](const std::string& out) {
                                                  if (method.makes_motion) {
                                                    ReadMotion(out);
                                                  } else {
                                                    ReadSkill(out);
                                                  }
                                                }},
                                           workers, job.get());
  last_words[0] = '\0';               // the run is over
  if (!outcome.leader) std::exit(0);  // one of an MPI run speaks
  if (outcome.stopped) {
    throw InputError(
        method.makes_motion
            ? "stopped; nothing was written"
            : fmt::format("stopped after {} iterations; the same command with --resume goes on",
                          outcome.iterations));
  }
  nlohmann::ordered_json json = ToJson(outcome);
  json["warnings"] = warnings;
  Output output{json, Text(outcome, request.out), warnings};
  if (!outcome.result.shortfall.empty()) {
    output.json["shortfall"] = outcome.result.shortfall;
    if (a.accept_partial) {
      output.warnings.push_back(outcome.result.shortfall);
    } else {
      output.failure = fmt::format("{}; the best so far was written to {}",
                                   outcome.result.shortfall, request.out);
    }
  }
  return output;
}

}  // namespace

Verb LearnVerb() {
  std::vector<std::string> examples;
  for (const LearningMethod& method : LearningMethods()) {
    examples.insert(examples.end(), method.examples.begin(), method.examples.end());
  }
  return {"learn", "Learn a skill, or have a clip performed by a simulated body", examples,
          [](CLI::App* app, const CommonOptions* common) {
            app->require_subcommand(1);
            struct Choice {
              LearningMethod method;
              CLI::App* app;
              std::shared_ptr<Arguments> arguments;
            };
            std::vector<Choice> choices;
            for (const LearningMethod& method : LearningMethods()) {
              Choice choice{method, app->add_subcommand(method.name, method.summary),
                            std::make_shared<Arguments>()};
              choice.app->fallthrough();
              AddOptions(method, choice.arguments.get(), choice.app);
              choices.push_back(choice);
            }
            return [choices, common]() -> Output {
              for (const Choice& choice : choices) {
                if (choice.app->parsed()) {
                  return Learn(choice.method, *choice.arguments, common->seed);
                }
              }
              throw InputError("learn what? stride learn --help lists the methods");
            };
          }};
}

}  // namespace stride::cli
