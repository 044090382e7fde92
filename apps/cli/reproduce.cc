#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "stride/app/experiments/experiment.h"
#include "stride/core/log.h"
#include "verb.h"

namespace stride::cli {
namespace {

std::string PaperText(const Row& row) {
  if (row.paper) return NumberText(*row.paper);
  return row.paper_text.empty() ? "-" : row.paper_text;
}

std::string Text(const ExperimentResult& result) {
  const auto width = [&](std::size_t least, const auto& text_of) {
    for (const Row& row : result.findings.rows) least = std::max(least, text_of(row).size());
    return least + 2;
  };
  const std::size_t name = width(6, [](const Row& row) { return row.name; });
  const std::size_t paper = width(5, PaperText);
  const std::size_t ours = width(4, [](const Row& row) { return NumberText(row.ours); });
  const std::size_t unit = width(4, [](const Row& row) { return row.unit; });
  std::string text = fmt::format("{}: {}\n", result.experiment, result.description);
  text += fmt::format("  {:<{}}{:>{}}{:>{}}  {:<{}}{:<9}{}\n", "figure", name, "paper", paper,
                      "ours", ours, "unit", unit, "verdict", "note");
  for (const Row& row : result.findings.rows) {
    text += fmt::format("  {:<{}}{:>{}}{:>{}}  {:<{}}{:<9}{}\n", row.name, name, PaperText(row),
                        paper, NumberText(row.ours), ours, row.unit, unit,
                        row.met ? *row.met ? "met" : "NOT MET" : "", row.note);
  }
  const std::string verdict = result.Total() == 0
                                  ? "no verdicts"
                                  : fmt::format("{} of {} met", result.Met(), result.Total());
  text +=
      fmt::format("  {}{}, seed {}, {:.1f} s; result: {}\n", verdict,
                  result.quick ? " (quick)" : "", result.seed, result.wall_seconds, result.folder);
  return text;
}

}  // namespace

Verb ReproduceVerb() {
  return {"reproduce",
          "A paper's experiments: its figures beside ours",
          {"stride reproduce liu16/speed",
           "stride reproduce liu16/table2 --mocap clips --only catwalk,kick",
           "stride reproduce stride/standing --out standing --json", "stride list experiments"},
          [](CLI::App* app, const CommonOptions* common) {
            auto options = std::make_shared<ReproduceOptions>();
            app->add_option("experiment", options->experiment,
                            "PAPER/EXPERIMENT, or PAPER for all of its experiments")
                ->required();
            app->add_option(
                "--out", options->out,
                "Folder of the result; of a whole paper, the folder of its results' folders. "
                "Default: results/PAPER-EXPERIMENT");
            app->add_option("--threads", options->threads, "0: all cores")
                ->check(CLI::Range(0, 1024))
                ->capture_default_str();
            app->add_flag("--quick", options->quick, "Shorter runs, to try it; the rows say so");
            const auto taken_by = [](const char* what, bool TakenOptions::*option) {
              return fmt::format("{} (taken by {})", what, ExperimentsTaking(option));
            };
            app->add_option("--mocap", options->mocap,
                            taken_by("Folder of motion capture; default: the environment's "
                                     "STRIDE_MOCAP_DIR, but for --quick none",
                                     &TakenOptions::mocap))
                ->type_name("DIR");
            app->add_option("--only", options->only,
                            taken_by("Only these of its skills, NAME[,NAME]", &TakenOptions::only))
                ->delimiter(',')
                ->allow_extra_args(false)
                ->take_all()
                ->type_name("NAMES");
            app->add_option("--skills", options->skills,
                            taken_by("Folder with skills learned before, such as an earlier "
                                     "result's: NAME.skill is taken from it, not learned again",
                                     &TakenOptions::skills))
                ->type_name("DIR");
            return [options, common]() -> Output {
              options->seed = common->seed;
              options->progress = [](const std::string& what) { spdlog::info("{}", what); };
              const std::vector<ExperimentResult> results = Reproduce(*options);
              Output output;
              for (const ExperimentResult& result : results) {
                output.text += (output.text.empty() ? "" : "\n") + Text(result);
              }
              output.json = results.size() == 1 && results[0].experiment == options->experiment
                                ? ToJson(results[0], false)
                                : ToJson(options->experiment, results);
              return output;
            };
          }};
}

}  // namespace stride::cli
