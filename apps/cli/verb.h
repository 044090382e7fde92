#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

// A verb of the command line: one file with a function Verb NAMEVerb(), and one line in main.cc.
namespace stride::cli {

// What a verb leaves behind; main prints one of the two on standard output.
struct Output {
  nlohmann::ordered_json json;        // an object
  std::string text;                   // for people
  std::vector<std::string> warnings;  // logged on standard error
  // Why this is not what was asked for: said after the result, and the program exits with 1.
  std::string failure = {};
};

// Options that every verb has.
struct CommonOptions {
  bool json = false;
  std::uint64_t seed = 0;
};

struct Verb {
  std::string name;
  std::string summary;
  std::vector<std::string> examples;
  // Adds the verb's options and returns what runs once they are parsed.
  std::function<std::function<Output()>(CLI::App* app, const CommonOptions* common)> add;
};

Verb ListVerb();
Verb SimulateVerb();
Verb InfoVerb();
Verb CharacterVerb();
Verb GaitVerb();
Verb ConvertVerb();
Verb ImportVerb();
Verb BenchVerb();
Verb LearnVerb();
Verb ViewVerb();
Verb ReproduceVerb();
Verb ReportVerb();

}  // namespace stride::cli
