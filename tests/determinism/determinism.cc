// Every built-in skill for 10 s, in the native engine and in lanes: the bits of all states, as a
// hash, against tables. Same compiler, same bits.
//
//   determinism FOLDER [--write]            lanes of each instruction set that this processor has,
//                                           SET.txt, and the native engine, native.txt
//   determinism FOLDER --no-fma [--write]   the native engine alone, native-no-fma.txt
//
// Compares, and exits with 1 where a hash differs or is missing; or writes. The C library's sine
// and cosine have variants for processors with and without fused multiply-add, and with them the
// native engine. Those without are had everywhere by
// GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F determinism FOLDER --no-fma
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "stride/controllers/skill_library.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/hash.h"
#include "stride/run/run.h"
#include "stride/sim/batch.h"

namespace stride {
namespace {

constexpr double kSeconds = 10;
constexpr const char* kCompiler = "compiler " __VERSION__;

using Table = std::map<std::string, std::string>;  // of each skill

std::string BitsOf(const std::string& skill, const std::string& engine) {
  RunSetup setup;
  setup.engine = engine;
  setup.characters[0].skill = skill;
  setup.characters[0].controller = ControllerOfSkill(skill);
  setup.scenario.seconds = kSeconds;
  Run run(setup);
  std::string bits;
  while (!run.Finished()) {
    run.Step();
    for (const std::vector<double>* numbers : {&run.ActorState().q, &run.ActorState().v}) {
      bits.append(reinterpret_cast<const char*>(numbers->data()), numbers->size() * sizeof(double));
    }
  }
  return HashOf(bits);
}

Table TableOf(const std::string& engine) {
  Table table;
  for (const SkillInfo& skill : BuiltInSkills()) table[skill.name] = BitsOf(skill.name, engine);
  return table;
}

Table Read(const std::string& path) {
  Table table;
  std::istringstream lines(ReadFile(path));
  std::string line;
  std::getline(lines, line);
  if (line != kCompiler) {
    throw InputError(
        path, 1,
        fmt::format("the table is of '{}', this program of '{}': other compilers round "
                    "otherwise",
                    line, kCompiler));
  }
  std::string skill, hash;
  while (lines >> skill >> hash) table[skill] = hash;
  return table;
}

// Number of hashes that are not as they were.
int Compare(const Table& now, const std::string& path) {
  const Table before = Read(path);
  int wrong = 0;
  for (const auto& [skill, hash] : now) {
    const auto found = before.find(skill);
    if (found != before.end() && found->second == hash) continue;
    ++wrong;
    fmt::print(stderr, "{}: {} is {}, expected {}\n", path, skill, hash,
               found == before.end() ? "nothing: it is not in the table" : found->second);
  }
  fmt::print("{}: {} of {} the same\n", path, now.size() - wrong, now.size());
  return wrong;
}

void Write(const Table& now, const std::string& path) {
  std::string text = std::string(kCompiler) + "\n";
  for (const auto& [skill, hash] : now) text += fmt::format("{} {}\n", skill, hash);
  WriteFileWhole(path, text);
}

int Main(const std::string& folder, bool no_fma, bool write) {
  int wrong = 0;
  const auto take = [&](const std::string& name, const std::string& engine) {
    const std::string path = folder + "/" + name + ".txt";
    const Table now = TableOf(engine);
    if (write) {
      Write(now, path);
    } else {
      wrong += Compare(now, path);
    }
  };
  const bool has_fma = __builtin_cpu_supports("fma") > 0;
  take(no_fma || !has_fma ? "native-no-fma" : "native", "native");
  if (!no_fma) {
    for (const std::string& set : Batch::InstructionSets()) {
      setenv("STRIDE_INSTRUCTION_SET", set.c_str(), 1);
      take(set, "batch");
    }
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace stride

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  bool no_fma = false, write = false, known = !words.empty();
  for (std::size_t k = 1; k < words.size(); ++k) {
    if (words[k] == "--no-fma") {
      no_fma = true;
    } else if (words[k] == "--write") {
      write = true;
    } else {
      known = false;
    }
  }
  if (!known) {
    std::fprintf(stderr, "usage: determinism FOLDER [--no-fma] [--write]\n");
    return 2;
  }
  try {
    return stride::Main(words[0], no_fma, write);
  } catch (const stride::InputError& error) {
    std::fprintf(stderr, "determinism: %s\n", error.what());
    return 1;
  }
}
