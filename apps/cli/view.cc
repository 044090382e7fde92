#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <spawn.h>

#include "access.h"
#include "server.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/log.h"
#include "stride/motion/import/motion_source.h"
#include "stride/run/crowd.h"
#include "verb.h"

extern char** environ;

namespace stride::cli {
namespace {

constexpr double kPlayedSeconds = 10;  // of a motion that loops

struct Arguments {
  const CLI::App* app = nullptr;  // which options are given
  std::string source, scenario, token_file, token_in_sight;
  RunSetup setup;
  ServerOptions server;
  double seconds = 0;
  std::optional<int> crowd;
  bool no_browser = false, no_files = false;
};

bool IsRecording(const std::string& path) {
  const std::string mark = RecordingPreamble().substr(0, 9);
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  std::string start(mark.size(), '\0');
  return file && std::fread(start.data(), 1, start.size(), file.get()) == start.size() &&
         start == mark;
}

// The bytes to show; and in `setup` the run they come from, for whoever goes on with it live.
Bytes Open(const std::string& source, const std::string& character, RunSetup* setup) {
  if (IsRecording(source)) {
    std::string bytes = ReadFile(source, kMaxRecordingFileBytes);
    const Recording recording = ParseRecording(bytes, source);
    if (!recording.complete) {
      spdlog::warn("{}: the recording was cut; showing the {} frames there are", source,
                   recording.frames.size());
    }
    if (!recording.header.setup.is_null()) {
      *setup = SetupOf(recording);
    }
    return std::make_shared<const std::string>(std::move(bytes));
  }
  const MotionSource motion = LoadAnyMotion(source, character);
  for (const std::string& warning : motion.warnings) spdlog::warn("{}", warning);
  return std::make_shared<const std::string>(
      EncodeRecording(RecordingFromMotion(motion.motion, motion.character, kPlayedSeconds)));
}

// A page that leads to the address, for this user's eyes only: what a program is started with, all
// users can read. Removed with this.
class PrivateDoor {
 public:
  explicit PrivateDoor(const std::string& address) {
    std::string folder = (std::filesystem::temp_directory_path() / "stride-open-XXXXXX").string();
    if (!mkdtemp(folder.data())) throw InputError("there is no folder for a private file");
    folder_ = folder;
    WriteFileWhole(
        Page(),
        fmt::format("<!doctype html><meta http-equiv=refresh content=\"0;url={}\">\n", address));
  }
  ~PrivateDoor() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  PrivateDoor(const PrivateDoor&) = delete;
  PrivateDoor& operator=(const PrivateDoor&) = delete;
  std::string Page() const { return folder_ + "/viewer.html"; }

 private:
  std::string folder_;
};

bool CanOpenBrowser() {
  const bool desktop = std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY");
  return desktop && isatty(STDOUT_FILENO);
}

void OpenBrowser(const std::string& address) {
  std::string program = "xdg-open", argument = address;
  char* const command[] = {program.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t silent;
  posix_spawn_file_actions_init(&silent);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&silent, output, "/dev/null", O_WRONLY, 0);
  }
  pid_t child = 0;  // not waited for; the address is printed in any case
  posix_spawnp(&child, program.c_str(), &silent, nullptr, command, environ);
  posix_spawn_file_actions_destroy(&silent);
}

// The first line of a file that nobody else can read.
std::string TokenOf(const std::string& file) {
  struct stat facts {};
  const std::string text = ReadFile(file);
  if (stat(file.c_str(), &facts) == 0 && (facts.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    throw InputError(fmt::format("--token-file {}: others can read it; chmod 600 it", file));
  }
  return text.substr(0, text.find_first_of("\r\n"));
}

void TakeToken(const Arguments& arguments, ServerOptions* server) {
  if (!arguments.token_in_sight.empty()) {
    throw InputError(
        "--token: other users can read what a program is started with; put the token into the "
        "environment variable STRIDE_TOKEN, or into a file for --token-file");
  }
  const bool from_file = !arguments.token_file.empty();
  if (!server->is_public && from_file) {
    throw InputError("--token-file is for --public; without it only this machine can connect");
  }
  if (!server->is_public) return;
  const char* variable = std::getenv("STRIDE_TOKEN");
  if (from_file && variable) {
    throw InputError("both --token-file and STRIDE_TOKEN are there; expected one of them");
  }
  server->token = from_file ? TokenOf(arguments.token_file) : variable ? variable : RandomToken();
  if (!IsGoodToken(server->token)) {
    throw InputError(fmt::format("{} needs 16 to 128 characters of a-z, A-Z, 0-9, - and _",
                                 from_file ? "--token-file" : "STRIDE_TOKEN"));
  }
}

// Shows one thing: what is given as the source, or what the options simulate.
void RefuseTwoThings(const Arguments& arguments) {
  if (arguments.source.empty()) return;
  for (const char* option : {"--skill", "--controller", "--motion", "--scenario", "--crowd"}) {
    if (arguments.app->count(option) == 0) continue;
    throw InputError(fmt::format("'{}' is shown; {} is for a simulation: leave one of them out",
                                 arguments.source, option));
  }
  if (arguments.app->count("--character") > 0 && IsRecording(arguments.source)) {
    throw InputError(fmt::format(
        "'{}' is a recording with its own character: leave --character out", arguments.source));
  }
}

Output View(Arguments arguments, const CommonOptions& common) {
  RefuseTwoThings(arguments);
  ServerOptions& server = arguments.server;
  TakeToken(arguments, &server);
  server.takes_files = !arguments.no_files;
  server.program = std::filesystem::read_symlink("/proc/self/exe").string();
  if (arguments.seconds > 0) server.seconds = arguments.seconds;
  RunSetup setup = arguments.setup;
  setup.seed = common.seed;
  if (!arguments.scenario.empty()) setup.scenario = ReadScenario(arguments.scenario);
  CharacterSetup& first = setup.characters[0];
  if (!first.skill.empty()) {
    if (!first.character.empty()) CheckBodyOfSkill(first.skill, first.character);
    first.controller = ControllerOfSkill(
        first.skill, arguments.app->count("--controller") > 0 ? first.controller : "");
  }
  if (first.character.empty()) first.character = kDefaultHuman;
  Bytes opened;
  if (!arguments.source.empty()) {
    opened = Open(arguments.source, arguments.setup.characters[0].character, &setup);
  }
  if (arguments.crowd) AddCrowd(*arguments.crowd, &setup);
  SeedControllers(&setup);
  LiveSession session(setup, opened);

  std::string address;
  std::optional<PrivateDoor> door;
  server.on_ready = [&](int port) {
    const std::string query = server.is_public ? "?token=" + server.token : "";
    address = fmt::format("http://127.0.0.1:{}/{}", port, query);
    std::FILE* out = common.json ? stderr : stdout;
    fmt::print(out, "viewer: {}\n", address);
    if (server.is_public) {
      char name[256] = "";
      gethostname(name, sizeof name - 1);
      fmt::print(out, "from elsewhere: http://{}:{}/{}\n", name, port, query);
    }
    std::fflush(out);
    if (arguments.no_browser || !CanOpenBrowser()) return;
    if (server.is_public) door.emplace(address);
    OpenBrowser(door ? door->Page() : address);
  };
  const auto begin = std::chrono::steady_clock::now();
  ServeViewer(&session, server);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return {{{"address", address}, {"served_seconds", seconds}}, "", {}};
}

}  // namespace

Verb ViewVerb() {
  return {"view",
          "The viewer in a browser: a live simulation, a recording, or a motion",
          {"stride view --character liu16 --engine native", "stride view run.stride",
           "stride view walk --no-browser --port 0"},
          [](CLI::App* app, const CommonOptions* common) {
            auto arguments = std::make_shared<Arguments>();
            Arguments& a = *arguments;
            CharacterSetup& first = a.setup.characters[0];
            first.character.clear();
            a.app = app;
            app->add_option("source", a.source,
                            "A recording, or a motion (built in or a file); none: simulate");
            app->add_option("--scenario", a.scenario, "JSON file: ground, pushes, commands");
            app->add_option("--character", first.character,
                            "Built-in name, or an MJCF or URDF file [default: liu16]");
            app->add_option("--engine", a.setup.engine, "See: stride list engines")
                ->capture_default_str();
            app->add_option("--controller", first.controller, "See: stride list controllers")
                ->capture_default_str();
            app->add_option("--skill", first.skill,
                            "Perform a learned skill, on its own character and with its own "
                            "controller: a built-in name or a file");
            app->add_option("--motion", first.motions, "A motion for the controller; repeatable")
                ->take_all()
                ->allow_extra_args(false);
            app->add_option("--crowd", a.crowd, "So many characters in all, on a circle")
                ->check(CLI::Range(2, 64));
            app->add_option("--port", a.server.port, "0: any that is free")
                ->check(CLI::Range(0, 65535))
                ->capture_default_str();
            app->add_flag("--no-browser", a.no_browser, "Print the address only");
            app->add_flag("--public", a.server.is_public,
                          "Serve other machines too, to those who have the token");
            app->add_option("--token-file", a.token_file,
                            "Of --public: a file that only you can read, with a token of 16 "
                            "characters or more; or the variable STRIDE_TOKEN; else a random one");
            app->add_option("--token", a.token_in_sight)->group("");  // no longer; says so
            app->add_flag("--no-files", a.no_files,
                          "Perform no files that are dropped onto the page");
            app->add_option("--seconds", a.seconds, "End after so long; otherwise at Ctrl-C")
                ->check(CLI::Range(0.01, 1e9));
            return [arguments, common]() -> Output { return View(*arguments, *common); };
          }};
}

}  // namespace stride::cli
