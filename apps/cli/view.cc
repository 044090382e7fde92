#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
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
  std::string source, scenario;
  RunSetup setup;
  ServerOptions server;
  double seconds = 0;
  std::optional<int> crowd;
  bool no_browser = false;
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
    std::string bytes = ReadFile(source);
    const Recording recording = ParseRecording(bytes, source);
    if (!recording.complete) {
      spdlog::warn("{}: the recording was cut; showing the {} frames there are", source,
                   recording.frames.size());
    }
    if (!recording.header.setup.is_null()) {
      *setup = RunSetupFromJson(recording.header.setup, source);
    }
    return std::make_shared<const std::string>(std::move(bytes));
  }
  const MotionSource motion = LoadAnyMotion(source, character);
  for (const std::string& warning : motion.warnings) spdlog::warn("{}", warning);
  return std::make_shared<const std::string>(
      EncodeRecording(RecordingFromMotion(motion.motion, motion.character, kPlayedSeconds)));
}

void OpenBrowser(const std::string& address) {
  const bool desktop = std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY");
  if (!desktop || !isatty(STDOUT_FILENO)) return;
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

void CheckToken(ServerOptions* server) {
  if (!server->is_public && !server->token.empty()) {
    throw InputError("--token is for --public; without it only this machine can connect");
  }
  if (!server->is_public) return;
  if (server->token.empty()) server->token = RandomToken();
  if (!IsGoodToken(server->token)) {
    throw InputError("--token needs 16 to 128 characters of a-z, A-Z, 0-9, - and _");
  }
}

Output View(Arguments arguments, const CommonOptions& common) {
  ServerOptions& server = arguments.server;
  CheckToken(&server);
  if (arguments.seconds > 0) server.seconds = arguments.seconds;
  RunSetup setup = arguments.setup;
  setup.seed = common.seed;
  if (!arguments.scenario.empty()) setup.scenario = ReadScenario(arguments.scenario);
  CharacterSetup& first = setup.characters[0];
  if (!first.skill.empty()) {
    if (!first.character.empty()) CheckBodyOfSkill(first.skill, first.character);
    first.controller = ControllerOfSkill(first.skill);
  }
  if (first.character.empty()) first.character = kDefaultHuman;
  Bytes opened;
  if (!arguments.source.empty()) {
    opened = Open(arguments.source, arguments.setup.characters[0].character, &setup);
  }
  if (arguments.crowd) AddCrowd(*arguments.crowd, &setup);
  LiveSession session(setup, opened);

  std::string address;
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
    if (!arguments.no_browser) OpenBrowser(address);
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
            app->add_option("--token", a.server.token,
                            "Of --public: 16 characters or more; random if there is none");
            app->add_option("--seconds", a.seconds, "End after so long; otherwise at Ctrl-C")
                ->check(CLI::PositiveNumber);
            return [arguments, common]() -> Output { return View(*arguments, *common); };
          }};
}

}  // namespace stride::cli
