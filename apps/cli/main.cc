#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/log.h"
#include "stride/core/nearest.h"
#include "stride/learn/mpi/mpi_ranks.h"
#include "stride/learn/ranks.h"
#include "verb.h"

// Parses arguments, runs one verb and prints its result. What verbs do stands in src/stride/app.
namespace stride::cli {
namespace {

constexpr int kUsageError = 2;  // options that do not exist or do not parse

std::vector<Verb> Verbs() {
  return {ListVerb(), ImportVerb(),  SimulateVerb(), LearnVerb(),     InfoVerb(),   CharacterVerb(),
          GaitVerb(), ConvertVerb(), BenchVerb(),    ReproduceVerb(), ReportVerb(), ViewVerb()};
}

std::string ExamplesText(const std::vector<std::string>& examples) {
  std::string text = "Example:";
  for (const std::string& example : examples) text += "\n  " + example;
  return text;
}

// Standard output may be a full disk or a closed pipe.
bool PrintWhole(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

// Exit code 1 if it fails.
int Run(const std::function<Output()>& verb, bool json) {
  return RunOnAllRanks([&] {
    UseMpiRanks();
    const Output output = verb();
    for (const std::string& warning : output.warnings) spdlog::warn("{}", warning);
    // A name from a foreign file may not be UTF-8.
    constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
    if (!PrintWhole(json ? output.json.dump(2, ' ', false, kReplace) + "\n"
                         : Printable(output.text))) {
      throw InputError("cannot write to standard output");
    }
    if (!output.failure.empty()) throw InputError(output.failure);
  });
}

int RefuseUsage(const std::string& why, const std::string& verb) {
  spdlog::error("{}", why);
  std::fprintf(stderr, "Try: stride %s--help\n", verb.empty() ? "" : (verb + " ").c_str());
  return kUsageError;
}

// Ends the program as the signal does by itself, but leaves a word and nothing half written.
// Verbs that can stop in good order (learn, view) hear the signals themselves.
void OnSignal(int number) {
  RemoveUnfinished();
  const char* text = number == SIGINT    ? "stride: error: stopped by Ctrl-C\n"
                     : number == SIGTERM ? "stride: error: stopped: told to end (SIGTERM)\n"
                                         : "stride: error: stopped: the terminal is gone\n";
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) _exit(1);
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void HearSignals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    // What a parent wants ignored (nohup) stays so.
    if (std::signal(number, OnSignal) == SIG_IGN) std::signal(number, SIG_IGN);
  }
  // A file at its size limit is an error of writing like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
}

std::vector<std::string> NamesOf(const std::vector<const CLI::App*>& subcommands) {
  std::vector<std::string> names;
  names.reserve(subcommands.size());
  for (const CLI::App* each : subcommands) names.push_back(each->get_name());
  return names;
}

std::vector<std::string> OptionsOf(const CLI::App* app) {
  std::vector<std::string> names;
  for (; app; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

// The word of the command line that should have been one of the subcommands' names.
std::string WordFor(const CLI::App* app, int argc, char** argv) {
  bool after = app->get_parent() == nullptr;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (after) return word.starts_with('-') ? "" : word;
    after = word == app->get_name();
  }
  return "";
}

// What is wrong, in words that help: CLI11 knows no nearest name, and turns the order of words
// round.
std::string Wrong(const CLI::ParseError& error, const CLI::App* app, int argc, char** argv) {
  const std::vector<const CLI::App*> below = app->get_subcommands({});
  const std::string word = WordFor(app, argc, argv);
  if (!below.empty() && app->get_subcommands().empty()) {
    const std::vector<std::string> names = NamesOf(below);
    const std::string what = app->get_parent() ? app->get_name() + " method" : "verb";
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && word.empty()) {
      return fmt::format("expected a {}, one of: {}", what, fmt::join(names, ", "));
    }
    if (!word.empty()) {
      return fmt::format("there is no {} '{}'{} (there are: {})", what, word,
                         DidYouMean(word, names), fmt::join(names, ", "));
    }
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return error.what();
  const CLI::App* all = app;
  while (all->get_parent()) all = all->get_parent();
  const std::vector<std::string> left = all->remaining(true);
  const auto option = std::find_if(left.begin(), left.end(),
                                   [](const std::string& each) { return each.starts_with('-'); });
  if (option == left.end()) return fmt::format("not expected: {}", fmt::join(left, " "));
  const std::string name = option->substr(0, option->find('='));
  return fmt::format("there is no option {}{}", name, DidYouMean(name, OptionsOf(app)));
}

// An empty value is a variable of a script that was not set: never the default.
std::string EmptyOption(const CLI::App* app) {
  for (const CLI::Option* option : app->get_options()) {
    const std::vector<std::string>& given = option->results();
    if (std::find(given.begin(), given.end(), "") != given.end()) return option->get_name();
  }
  for (const CLI::App* below : app->get_subcommands()) {
    std::string name = EmptyOption(below);
    if (!name.empty()) return name;
  }
  return "";
}

using Given = std::vector<std::pair<std::string, std::string>>;  // option, what was given

void Gather(const CLI::App* app, Given* given) {
  for (const CLI::Option* option : app->get_options()) {
    for (const std::string& value : option->results())
      given->emplace_back(option->get_name(), value);
  }
  for (const CLI::App* below : app->get_subcommands()) Gather(below, given);
}

// A file that would be written over another one that is given: "--svg is 'walk.stride', ...". What
// is learned may replace the skill that it was learned from.
std::string Overwritten(const CLI::App* verb) {
  namespace fs = std::filesystem;
  const std::set<std::string> outputs = {"--csv",    "--svg",     "--save-band", "--record",
                                         "--sheet",  "--preview", "--picture",   "--out",
                                         "--output", "out"};
  Given given;
  Gather(verb, &given);
  for (const auto& [option, path] : given) {
    if (!outputs.contains(option) || (option == "--out" && verb->get_name() == "learn")) continue;
    for (const auto& [other, value] : given) {
      std::error_code none;
      const bool same = outputs.contains(other) ? fs::path(path).lexically_normal() ==
                                                      fs::path(value).lexically_normal()
                                                : fs::equivalent(path, value, none);
      if (other == option || !same) continue;
      return fmt::format("{} is '{}', the same file as {}: it would be lost; give another name",
                         option, path, other);
    }
  }
  return "";
}

std::string SeedProblem(const std::string& text) {
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(),
                                                   [](char c) { return c >= '0' && c <= '9'; });
  constexpr std::size_t kDigits = 19;  // 64 bits hold them
  return digits && text.size() <= kDigits
             ? ""
             : fmt::format("is {}; expected a whole number of 0 or more, up to {} digits", text,
                           kDigits);
}

int Main(int argc, char** argv) {
  CLI::App app("Physics-based character control: characters, engines and what runs on them.",
               "stride");
  app.set_version_flag("--version", "stride " STRIDE_VERSION);
  app.require_subcommand(1);
  app.footer("stride VERB --help shows a verb's options and an example.");
  Verbosity verbosity = Verbosity::kNormal;

  CommonOptions common;
  std::map<const CLI::App*, std::function<Output()>> runs;
  for (const Verb& verb : Verbs()) {
    CLI::App* sub = app.add_subcommand(verb.name, verb.summary);
    runs[sub] = verb.add(sub, &common);
    sub->add_flag("--json", common.json, "One JSON object on standard output");
    sub->add_option("--seed", common.seed, "Seed of everything random")
        ->check(SeedProblem)  // a negative one would wrap around
        ->type_name("UINT")
        ->capture_default_str();
    sub->add_flag_callback(
        "--quiet", [&] { verbosity = Verbosity::kQuiet; }, "Errors only");
    sub->footer(ExamplesText(verb.examples));
  }
  SetUpLogging(verbosity);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    if (chosen.empty()) return RefuseUsage(Wrong(error, &app, argc, argv), "");
    const auto methods = chosen[0]->get_subcommands();
    if (methods.empty()) {
      return RefuseUsage(Wrong(error, chosen[0], argc, argv), chosen[0]->get_name());
    }
    return RefuseUsage(Wrong(error, methods[0], argc, argv),
                       chosen[0]->get_name() + " " + methods[0]->get_name());
  }
  const CLI::App* verb = app.get_subcommands().at(0);
  const std::string empty = EmptyOption(verb);
  if (!empty.empty()) return RefuseUsage(empty + " is empty; leave it out", verb->get_name());
  const std::string overwritten = Overwritten(verb);
  if (!overwritten.empty()) return RefuseUsage(overwritten, verb->get_name());
  SetUpLogging(verbosity);
  HearSignals();
  return Run(runs.at(verb), common.json);
}

}  // namespace
}  // namespace stride::cli

int main(int argc, char** argv) { return stride::cli::Main(argc, argv); }
