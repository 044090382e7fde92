#include "stride/app/report/report.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "stride/app/report/report_page.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/json_text.h"
#include "stride/draw/sheet.h"

namespace stride {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Contents {
  std::optional<fs::path> result, simulate;
  std::vector<fs::path> histories, recordings;
};

void AddFile(const fs::path& file, std::map<fs::path, Contents>* folders) {
  const std::string name = file.filename().string(), ending = file.extension().string();
  const fs::path folder = file.parent_path();
  if (name == "result.json") {
    (*folders)[folder].result = file;
  } else if (name == "simulate.json") {
    (*folders)[folder].simulate = file;
  } else if (ending == ".jsonl") {
    (*folders)[folder].histories.push_back(file);
  } else if (ending == ".stride") {
    (*folders)[folder].recordings.push_back(file);
  }
}

// Everything at or below the folder, in the order of names.
std::map<fs::path, Contents> Gather(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw InputError(folder, 0, "is no folder; expected one with results of stride");
  }
  std::map<fs::path, Contents> folders;
  auto entry = fs::recursive_directory_iterator(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->is_regular_file(error)) AddFile(entry->path(), &folders);
  }
  if (error) throw InputError(folder, 0, "cannot be read: " + error.message());
  if (folders.empty()) {
    throw InputError(folder, 0,
                     "nothing to report; expected result.json, simulate.json, histories (*.jsonl) "
                     "or recordings (*.stride)");
  }
  for (auto& [path, contents] : folders) {
    std::sort(contents.histories.begin(), contents.histories.end());
    std::sort(contents.recordings.begin(), contents.recordings.end());
  }
  return folders;
}

Json ReadJsonObject(const fs::path& path) {
  Json json = ParseBoundedJson(ReadFile(path.string()), path.string());
  if (json.is_object()) return json;
  throw InputError(path.string(), 0, "is no JSON object");
}

std::string Base64(const std::string& bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      word = word << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += i + k <= bytes.size() ? kDigits[word >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

// A value of a file as a person reads it, escaped.
std::string ValueHtml(const Json& value) {
  if (value.is_number()) return EscapeMarkup(NumberText(value.get<double>()));
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return EscapeMarkup(value.get<std::string>());
  return "–";
}
std::string TextOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string Chip(const char* style, const std::string& text) {
  return fmt::format("<span class=\"chip {}\">{}</span>", style, EscapeMarkup(text));
}
std::string VerdictChip(const Json& row) {
  const auto met = row.find("met");
  if (met == row.end() || !met->is_boolean()) return Chip("", "reported");
  return met->get<bool>() ? Chip("good", "met") : Chip("bad", "not met");
}

std::string PlotsHtml(const std::vector<Plot>& plots) {
  if (plots.empty()) return {};
  std::string html = "<div class=\"plots\">\n";
  for (const Plot& plot : plots) {
    html += fmt::format("<figure{}>\n<figcaption>{}</figcaption>\n{}</figure>\n",
                        plot.kind == Plot::Kind::kPolar ? " class=\"polar\"" : "",
                        EscapeMarkup(plot.title), PlotSvg(plot));
  }
  return html + "</div>\n";
}

// Units of what runs measure (docs/cli.md); counts and ratios have none.
const char* UnitOf(const std::string& key) {
  static const std::map<std::string, const char*> units = {{"seconds", "s"},
                                                           {"fell_at", "s"},
                                                           {"simulated_seconds", "s"},
                                                           {"wall_seconds", "s"},
                                                           {"step_seconds", "s"},
                                                           {"distance", "m"},
                                                           {"path", "m"},
                                                           {"step_length", "m"},
                                                           {"com_height", "m"},
                                                           {"com_bounce", "m"},
                                                           {"com_sway", "m"},
                                                           {"max_penetration", "m"},
                                                           {"speed", "m/s"},
                                                           {"foot_slip", "m/s"},
                                                           {"head_motion", "m/s²"},
                                                           {"joint_power", "W"},
                                                           {"tracking_error_deg", "°"},
                                                           {"mass", "kg"},
                                                           {"realtime_factor", "×"}};
  const auto found = units.find(key);
  return found == units.end() ? "" : found->second;
}

// The numbers and short texts of a run's result, a short list of numbers as well.
std::string MetricsHtml(const Json& json) {
  std::string html;
  for (const auto& [key, value] : json.items()) {
    std::string text;
    if (value.is_array() && value.size() <= 4) {
      for (const Json& each : value) text += (text.empty() ? "" : ", ") + ValueHtml(each);
    } else if (value.is_primitive() && !value.is_null()) {
      text = ValueHtml(value);
    }
    // Names of files are those of the run, which may have been moved since.
    if (text.empty() || key == "recording" || key == "sheet") continue;
    if (const char* unit = UnitOf(key); value.is_number() && *unit != 0) {
      text += std::string(" ") + unit;
    }
    std::string name = key.ends_with("_deg") ? key.substr(0, key.size() - 4) : key;
    std::replace(name.begin(), name.end(), '_', ' ');
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", EscapeMarkup(name), text);
  }
  return html.empty() ? "" : "<dl>\n" + html + "</dl>\n";
}

std::string FellFact(const Json& json) {
  const auto fell = json.find("fell"), seconds = json.find("seconds");
  if (fell == json.end() || !fell->is_boolean()) return "no result";
  const std::string time = seconds != json.end() && seconds->is_number()
                               ? " after " + NumberText(seconds->get<double>()) + " s"
                               : "";
  return fell->get<bool>() ? "fell" + time : "did not fall";
}

std::string RowsHtml(const Json& rows) {
  std::string html =
      "<div class=\"table\"><table>\n<thead><tr><th>figure</th><th class=\"number\">paper</th><th "
      "class=\"number\">ours</th><th>unit</th><th>verdict</th><th>note</th></tr></"
      "thead>\n<tbody>\n";
  for (const Json& row : rows) {
    const auto cell = [&](const char* key) {
      const auto found = row.find(key);
      return found == row.end() ? std::string("–") : ValueHtml(*found);
    };
    html += fmt::format(
        "<tr><td>{}</td><td class=\"number paper\">{}</td><td class=\"number\">{}</td><td "
        "class=\"unit\">{}</td>"
        "<td>{}</td><td class=\"note\">{}</td></tr>\n",
        cell("name"), cell("paper"), cell("ours"), cell("unit"), VerdictChip(row), cell("note"));
  }
  return html + "</tbody></table></div>\n";
}

// "rollouts in lanes: 9,662 x real time"
std::string RowFact(const Json& row) {
  const auto ours = row.find("ours");
  const bool known = ours != row.end() && ours->is_number();
  return fmt::format("{}: {} {}", TextOf(row, "name"),
                     known ? NumberText(ours->get<double>()) : "–", TextOf(row, "unit"));
}

void AddResult(const fs::path& path, ReportSection* section) {
  const Json json = ReadJsonObject(path);
  const auto rows = json.find("rows");
  const auto is_row = [](const Json& row) { return row.is_object(); };
  if (rows == json.end() || !rows->is_array() || !std::all_of(rows->begin(), rows->end(), is_row)) {
    throw InputError(path.string(), 0, "has no list 'rows'; expected what `reproduce` writes");
  }
  if (const std::string name = TextOf(json, "experiment"); !name.empty()) section->title = name;
  if (!rows->empty()) section->facts.push_back(RowFact(rows->front()));
  for (const Json& row : *rows) {
    const auto met = row.find("met");
    if (met == row.end() || !met->is_boolean()) continue;
    ++section->total;
    section->met += met->get<bool>();
  }
  section->html +=
      fmt::format("<p>{}</p>\n<p class=\"faint\"><code>{}</code>",
                  EscapeMarkup(TextOf(json, "description")), EscapeMarkup(TextOf(json, "command")));
  if (const auto seed = json.find("seed"); seed != json.end()) {
    section->html += " · seed " + ValueHtml(*seed);
  }
  section->html += fmt::format(" · stride {} · {}</p>\n", EscapeMarkup(TextOf(json, "version")),
                               EscapeMarkup(TextOf(json, "date")));
  if (const auto quick = json.find("quick"); quick != json.end() && *quick == true) {
    section->html +=
        "<p>" + Chip("bad", "quick run: shortened, not the experiment itself") + "</p>\n";
    section->facts.push_back("quick run");
  }
  section->html += RowsHtml(*rows);
  std::vector<Plot> plots;
  if (const auto list = json.find("plots"); list != json.end() && list->is_array()) {
    for (const Json& plot : *list) {
      plots.push_back(
          PlotFromJson(plot, fmt::format("{}: plots[{}]", path.string(), plots.size())));
    }
  }
  section->html += PlotsHtml(plots);
  if (const auto config = json.find("config"); config != json.end()) {
    constexpr auto kReplace = Json::error_handler_t::replace;
    section->html += fmt::format("<details><summary>config</summary><pre>{}</pre></details>\n",
                                 EscapeMarkup(config->dump(2, ' ', false, kReplace)));
  }
}

void AddRecording(const fs::path& path, ReportSection* section) {
  const Recording recording = ReadRecording(path.string());
  const RecordingHeader& header = recording.header;
  section->html += fmt::format("<h3>{}</h3>\n<p class=\"faint\">{}",
                               EscapeMarkup(path.filename().string()), EscapeMarkup(header.title));
  const auto add = [&](const std::string& text) {
    if (!text.empty()) section->html += " · " + EscapeMarkup(text);
  };
  for (const RecordedController& driver : header.controllers) {
    for (const std::string& text : {driver.controller, driver.motion, driver.skill}) add(text);
  }
  add(header.engine);
  section->html += fmt::format(" · seed {} · {} frames, {} s{}</p>\n", header.seed,
                               recording.frames.size(), NumberText(recording.Duration()),
                               recording.complete ? "" : " · cut off: the run did not end");
  if (recording.summary.is_object()) {
    section->html += MetricsHtml(recording.summary);
    section->facts.push_back(path.filename().string() + ": " + FellFact(recording.summary));
  } else {
    section->facts.push_back(path.filename().string());
  }
  if (!recording.frames.empty() && !header.world.actors.empty()) {
    const Image sheet = ContactSheet(header.world.actors[0], MotionFromRecording(recording),
                                     {.view = View::kThreeQuarter,
                                      .cells = 12,
                                      .columns = 6,
                                      .cell_width = 220,
                                      .cell_height = 200});
    section->html += fmt::format(
        "<img class=\"sheet\" width=\"{}\" height=\"{}\" alt=\"Poses of {} over time\" "
        "src=\"data:image/png;base64,{}\"/>\n",
        sheet.width, sheet.height, EscapeMarkup(path.filename().string()),
        Base64(EncodePng(sheet)));
  }
  section->html += PlotsHtml(RecordingPlots(recording));
}

ReportSection MakeSection(const fs::path& folder, const Contents& contents) {
  ReportSection section{.folder = folder.string(), .title = folder.filename().string()};
  if (section.title.empty() || section.title == "." || section.title == "..") {
    std::error_code ignored;
    section.title = fs::weakly_canonical(folder, ignored).filename().string();
  }
  if (contents.result) AddResult(*contents.result, &section);
  if (contents.simulate) {
    const Json json = ReadJsonObject(*contents.simulate);
    section.html += "<h3>simulate.json</h3>\n" + MetricsHtml(json);
    section.facts.push_back("simulate: " + FellFact(json));
  }
  for (const fs::path& path : contents.histories) {
    const std::vector<Plot> plots = HistoryPlots(ReadFile(path.string()), path.string());
    section.html += fmt::format("<h3>Learning: {}</h3>\n{}", EscapeMarkup(path.filename().string()),
                                PlotsHtml(plots));
    if (plots.empty()) section.html += "<p class=\"faint\">nothing learned yet</p>\n";
    section.facts.push_back(path.filename().string());
  }
  for (const fs::path& path : contents.recordings) AddRecording(path, &section);
  return section;
}

std::string SectionChip(const ReportSection& section) {
  if (section.total == 0) return Chip("", "no verdict");
  return Chip(section.met == section.total ? "good" : "bad",
              fmt::format("{} of {} met", section.met, section.total));
}

std::string ReportBody(const std::vector<ReportSection>& sections) {
  int met = 0, total = 0;
  for (const ReportSection& section : sections) {
    met += section.met;
    total += section.total;
  }
  std::string body = fmt::format(
      "<h1>stride report</h1>\n<p class=\"faint\">{} result{}, {} of {} figures met · written by "
      "stride {}</p>\n",
      sections.size(), sections.size() == 1 ? "" : "s", met, total, STRIDE_VERSION);
  body +=
      "<section>\n<h2>Summary</h2>\n<div class=\"table\"><table>\n<thead><tr><th>result</th>"
      "<th>verdict</th><th>what else</th><th>folder</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < sections.size(); ++i) {
    std::string facts;
    for (const std::string& fact : sections[i].facts) {
      facts += (facts.empty() ? "" : " · ") + EscapeMarkup(fact);
    }
    body += fmt::format(
        "<tr><td><a href=\"#s{}\">{}</a></td><td>{}</td><td class=\"note\">{}</td><td "
        "class=\"note\">{}</td></tr>\n",
        i, EscapeMarkup(sections[i].title), SectionChip(sections[i]), facts,
        EscapeMarkup(sections[i].folder));
  }
  body += "</tbody></table></div>\n</section>\n";
  for (std::size_t i = 0; i < sections.size(); ++i) {
    body +=
        fmt::format("<section id=\"s{}\">\n<div class=\"head\"><h2>{}</h2>{}</div>\n{}</section>\n",
                    i, EscapeMarkup(sections[i].title), SectionChip(sections[i]), sections[i].html);
  }
  return body;
}

}  // namespace

Report MakeReport(const std::vector<std::string>& folders) {
  Report report;
  for (const std::string& folder : folders) {
    for (const auto& [path, contents] : Gather(folder)) {
      report.sections.push_back(MakeSection(path, contents));
    }
  }
  report.html = ReportPage("stride report", ReportBody(report.sections));
  return report;
}

nlohmann::ordered_json ToJson(const Report& report) {
  Json sections = Json::array();
  int met = 0, total = 0;
  for (const ReportSection& section : report.sections) {
    sections.push_back({{"folder", section.folder},
                        {"title", section.title},
                        {"met", section.met},
                        {"total", section.total},
                        {"facts", section.facts}});
    met += section.met;
    total += section.total;
  }
  return {{"met", met}, {"total", total}, {"sections", sections}};
}

}  // namespace stride
