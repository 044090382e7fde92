#include "stride/app/convert.h"

#include <memory>

#include <fmt/format.h>

#include "stride/motion/import/motion_source.h"
#include "verb.h"

namespace stride::cli {

Verb ConvertVerb() {
  return {
      "convert",
      "From one format to another: a character to MJCF, a motion or a recording to BVH, GLB, "
      "CSV, a motion file or a recording",
      {"stride convert walk walk.bvh --character kwon17", "stride convert capture.bvh capture.glb",
       "stride convert liu16 liu16.xml", "stride convert run.stride run.glb"},
      [](CLI::App* app, const CommonOptions*) {
        auto options = std::make_shared<ConvertOptions>();
        app->add_option("in", options->input,
                        "A built-in character or motion, an MJCF or URDF file, a motion file, key "
                        "poses, motion capture, or a recording")
            ->required();
        app->add_option("out", options->output,
                        "File to write; its ending says the format: " + ConvertEndings())
            ->required();
        app->add_option(
            "--character", options->character,
            fmt::format("Who moves, for a motion: a name, or an MJCF or URDF file; else the motion "
                        "file's own, or {}",
                        kDefaultHuman));
        return [options]() -> Output {
          const ConvertResult result = Convert(*options);
          const std::string what = result.character.empty()
                                       ? fmt::format("'{}'", result.name)
                                       : fmt::format("{} frames of '{}' on {}", result.frames,
                                                     result.name, result.character);
          return {ToJson(result),
                  fmt::format("{}: wrote {} as {}\n", result.output, what, result.format),
                  result.warnings};
        };
      }};
}

}  // namespace stride::cli
