#include "stride/app/report/report.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/core/file.h"
#include "verb.h"

namespace stride::cli {
namespace {

std::string Text(const Report& report, const std::string& path) {
  std::size_t width = 6;
  for (const ReportSection& section : report.sections) {
    width = std::max(width, section.title.size());
  }
  std::string text = fmt::format("  {:<{}}  {:<13}  {}\n", "result", width, "verdict", "what else");
  for (const ReportSection& section : report.sections) {
    const std::string verdict =
        section.total == 0 ? "none" : fmt::format("{} of {} met", section.met, section.total);
    text += fmt::format("  {:<{}}  {:<13}  {}\n", section.title, width, verdict,
                        fmt::join(section.facts, "; "));
  }
  return text + fmt::format("report: {}\n", path);
}

}  // namespace

Verb ReportVerb() {
  return {"report",
          "Result folders as one HTML file with tables and plots",
          {"stride report results/liu16-speed -o report.html", "stride report results -o all.html"},
          [](CLI::App* app, const CommonOptions*) {
            auto folders = std::make_shared<std::vector<std::string>>();
            auto out = std::make_shared<std::string>();
            app->add_option("folders", *folders, "Folders with results, searched with those below")
                ->required();
            app->add_option("-o,--output", *out, "HTML file to write")->required();
            return [folders, out]() -> Output {
              const Report report = MakeReport(*folders);
              WriteFileWhole(*out, report.html);
              nlohmann::ordered_json json = {{"report", *out}, {"bytes", report.html.size()}};
              json.update(ToJson(report));
              return {json, Text(report, *out), {}};
            };
          }};
}

}  // namespace stride::cli
