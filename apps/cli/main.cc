#include <cstdio>
#include <map>

#include <CLI/CLI.hpp>

#include "stride/core/error.h"
#include "stride/core/log.h"
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
    if (!PrintWhole(json ? output.json.dump(2, ' ', false, kReplace) + "\n" : output.text)) {
      throw InputError("cannot write to standard output");
    }
  });
}

int RefuseUsage(const std::string& why, const std::string& verb) {
  spdlog::error("{}", why);
  std::fprintf(stderr, "Try: stride %s--help\n", verb.empty() ? "" : (verb + " ").c_str());
  return kUsageError;
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
        ->check(CLI::NonNegativeNumber)  // a negative one would wrap around
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
    if (!chosen.empty()) return RefuseUsage(error.what(), chosen[0]->get_name());
    const std::string word = argc > 1 ? argv[1] : "";
    return RefuseUsage(
        word.empty() || word[0] == '-' ? error.what() : "there is no verb '" + word + "'", "");
  }
  SetUpLogging(verbosity);
  return Run(runs.at(app.get_subcommands().at(0)), common.json);
}

}  // namespace
}  // namespace stride::cli

int main(int argc, char** argv) { return stride::cli::Main(argc, argv); }
