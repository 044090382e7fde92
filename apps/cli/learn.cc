#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "learn_capture.h"
#include "learn_graph.h"
#include "learn_openloop.h"
#include "stride/app/option_text.h"
#include "stride/controllers/control_graph/learn_retarget.h"
#include "stride/controllers/control_graph/learn_skill.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/core/log.h"
#include "verb.h"

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
bool Interrupted() { return interrupted; }

struct Arguments {
  LearnSkillRequest request;
  std::function<CaptureOptions()> capture;
  std::string symmetry = "auto";
  std::vector<std::string> settings;
};

Symmetry ParseSymmetry(const std::string& text) {
  if (text == "auto") return Symmetry::kAuto;
  if (text == "yes") return Symmetry::kYes;
  if (text == "no") return Symmetry::kNo;
  throw InputError("--symmetric is '" + text + "'; expected auto, yes or no");
}

std::string Text(const LearnSkillResult& r) {
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("{:<18}{}\n", name, value);
  };
  line("skill", fmt::format("{} on {}{}", r.clip, r.character, r.symmetric ? ", symmetric" : ""));
  line("learned in", fmt::format("{:.1f} s, {} iterations, {} threads x {} ranks", r.wall_seconds,
                                 r.iterations, r.threads, r.ranks));
  line("speed", fmt::format("{:.2f} million lane steps a second", r.lane_steps_per_second / 1e6));
  line("alone", fmt::format("{:.1f} of 100 s", r.metrics["seconds_of_100"].get<double>()));
  line("pushed", fmt::format("{:.1f} of 60 s, 0.2 s every 4 s up to 60 N, varied ground",
                             r.metrics["seconds_of_60_pushed_60N"].get<double>()));
  line("written", r.out);
  return text;
}

Output OutputOf(const LearnSkillResult& result) {
  if (!result.leader) std::exit(0);  // one of an MPI run speaks
  if (result.stopped) {
    throw InputError(fmt::format(
        "stopped after {} iterations; the same command with --resume goes on", result.iterations));
  }
  return {ToJson(result), Text(result), result.warnings};
}

std::function<Output()> AddRetarget(CLI::App* app, const CommonOptions* common) {
  struct RetargetArguments {
    LearnRetargetRequest request;
    std::vector<std::string> changes, settings;
  };
  auto arguments = std::make_shared<RetargetArguments>();
  LearnRetargetRequest& r = arguments->request;
  app->add_option("skill", r.skill, "Skill of one clip: a built-in name or a file")->required();
  app->add_option("-o,--out", r.out, "File to write")->required();
  app->add_option("--character", r.character,
                  "The other body, with the same joints; that of the skill if left out");
  app->add_option("--change", arguments->changes,
                  "BODY,LENGTH[,MASS]: factors for a body, a role, legs, arms or all; repeatable")
      ->take_all()
      ->allow_extra_args(false);
  app->add_option("--name", r.name, "Name of the new skill; that of the other if left out");
  app->add_flag("--resume", r.resume, "Go on from OUT.checkpoint, to the same result");
  app->add_option("--threads", r.threads, "0: all of this machine")->capture_default_str();
  app->add_option("--set", arguments->settings, "KEY=VALUE: as of learn skill; repeatable")
      ->take_all()
      ->allow_extra_args(false);
  return [arguments, common]() -> Output {
    LearnRetargetRequest request = arguments->request;
    request.seed = common->seed;
    request.quiet = !spdlog::should_log(spdlog::level::info);
    request.stop = Interrupted;
    for (const std::string& text : arguments->changes) {
      request.changes.push_back(ParseChange(text));
    }
    for (const std::string& text : arguments->settings) SetConfigValue(text, &request.options);
    return OutputOf(LearnRetarget(request));
  };
}

void AddCommon(CLI::App* app, const std::shared_ptr<Arguments>& arguments) {
  LearnSkillRequest& r = arguments->request;
  app->add_option("clip", r.clip, "Built-in motion, motion file, or motion capture")->required();
  arguments->capture = AddCaptureOptions(app);
  app->add_option("-o,--out", r.out, "File to write")->required();
  app->add_option("--character", r.character,
                  "Built-in name, or an MJCF file; liu16-strong has the paper's stronger gains for "
                  "stunts: kicks, spins, flips")
      ->capture_default_str();
  app->add_option("--name", r.name, "Name of the skill; that of the clip if left out");
  app->add_flag("--resume", r.resume, "Go on from OUT.checkpoint, to the same result");
  app->add_option("--threads", r.threads, "0: all of this machine")->capture_default_str();
  app->add_option("--symmetric", arguments->symmetry,
                  "auto, yes, no: half a cycle and its mirror image make the clip")
      ->capture_default_str();
  app->add_option("--set", arguments->settings,
                  "KEY=VALUE: a setting such as evolve_iterations=50; docs/learning.md lists them; "
                  "repeatable")
      ->take_all()
      ->allow_extra_args(false);
}

}  // namespace

Verb LearnVerb() {
  return {"learn",
          "Learn a skill from a clip, or have the clip performed by a simulated body",
          {"stride learn skill walk -o walk.skill",
           "stride learn skill run --character liu16-strong -o mine.skill --seed 3",
           "stride learn skill kick.bvh --range 28:130 --loop --character liu16-strong -o k.skill",
           "mpirun -n 4 stride learn skill run -o run.skill --resume",
           "stride learn openloop backflip -o performed.motion --sheet performed.png",
           "stride learn graph data/graphs/locomotion.json -o mine.skill --picture graph.svg",
           "stride learn retarget run --change legs,1.2 --change arms,1.3 -o tall.skill"},
          [](CLI::App* app, const CommonOptions* common) {
            auto arguments = std::make_shared<Arguments>();
            CLI::App* skill = app->add_subcommand("skill", "A robust skill from a clip that loops");
            app->require_subcommand(1);
            skill->fallthrough();
            AddCommon(skill, arguments);
            CLI::App* openloop =
                app->add_subcommand("openloop", "A clip performed once, by sampling control alone");
            openloop->fallthrough();
            const auto run_openloop = AddOpenLoop(openloop, common, Interrupted);
            CLI::App* graph = app->add_subcommand(
                "graph", "One skill from a graph of clips and transitions between them");
            graph->fallthrough();
            const auto run_graph = AddGraph(graph, common, Interrupted);
            CLI::App* retarget = app->add_subcommand(
                "retarget", "A skill learned again on another body, from what it knows");
            retarget->fallthrough();
            const auto run_retarget = AddRetarget(retarget, common);
            return [arguments, common, openloop, run_openloop, graph, run_graph, retarget,
                    run_retarget]() -> Output {
              HearSignals(!openloop->parsed());
              if (openloop->parsed()) return run_openloop();
              if (graph->parsed()) return run_graph();
              if (retarget->parsed()) return run_retarget();
              LearnSkillRequest request = arguments->request;
              request.capture = arguments->capture();
              request.seed = common->seed;
              request.quiet = !spdlog::should_log(spdlog::level::info);
              request.symmetry = ParseSymmetry(arguments->symmetry);
              for (const std::string& text : arguments->settings) {
                SetConfigValue(text, &request.options);
              }
              request.stop = Interrupted;
              return OutputOf(LearnSkill(request));
            };
          }};
}

}  // namespace stride::cli
