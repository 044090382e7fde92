#include "stride/app/convert.h"

#include <memory>

#include <fmt/format.h>

#include "verb.h"

namespace stride::cli {

Verb ConvertVerb() {
  return {
      "convert",
      "From one format to another: a character to MJCF",
      {"stride convert liu16 liu16.xml"},
      [](CLI::App* app, const CommonOptions*) {
        auto paths = std::make_shared<std::pair<std::string, std::string>>();
        app->add_option("in", paths->first, "MJCF file, or the name of a built-in character")
            ->required();
        app->add_option("out", paths->second, "File to write; its ending says the format (.xml)")
            ->required();
        return [paths]() -> Output {
          const ConvertResult result = Convert(paths->first, paths->second);
          return {ToJson(result),
                  fmt::format("{}: wrote '{}' as {}\n", result.output, result.name, result.format),
                  result.warnings};
        };
      }};
}

}  // namespace stride::cli
