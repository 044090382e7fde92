#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/app/catalog.h"
#include "verb.h"

namespace stride::cli {
namespace {

std::string Text(const std::vector<CatalogSection>& sections) {
  std::string text;
  for (const CatalogSection& section : sections) {
    if (!text.empty()) text += "\n";
    if (section.entries.empty()) {
      text += fmt::format("{}: none yet\n", section.kind);
      continue;
    }
    text += section.kind + ":\n";
    std::size_t width = 0;
    for (const CatalogEntry& entry : section.entries) width = std::max(width, entry.name.size());
    for (const CatalogEntry& entry : section.entries) {
      text += fmt::format("  {:<{}}  {}\n", entry.name, width, entry.description);
      for (const std::string& note : entry.notes)
        text += fmt::format("  {:<{}}  - {}\n", "", width, note);
    }
  }
  return text;
}

}  // namespace

Verb ListVerb() {
  return {"list",
          "What there is: controllers, characters, motions, skills, engines, experiments",
          {"stride list characters", "stride list --json"},
          [](CLI::App* app, const CommonOptions*) {
            auto kind = std::make_shared<std::string>();
            app->add_option("kind", *kind,
                            fmt::format("One of: {}; all of them if none is given",
                                        fmt::join(CatalogKinds(), ", ")));
            return [kind]() -> Output {
              const std::vector<CatalogSection> sections = ListCatalog(*kind);
              return {ToJson(sections), Text(sections), {}};
            };
          }};
}

}  // namespace stride::cli
