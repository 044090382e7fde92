#include <memory>

#include <fmt/format.h>

#include "stride/app/character_roles.h"
#include "verb.h"

namespace stride::cli {
namespace {

std::string Text(const RolesResult& r) {
  std::string text =
      fmt::format("{}: {} bodies\n\n{:<16}{}\n", r.source, r.character.BodyCount(), "role", "body");
  for (int i = 0; i < static_cast<int>(Role::kCount); ++i) {
    const int body = r.character.roles[i];
    text += fmt::format("{:<16}{}\n", RoleName(static_cast<Role>(i)),
                        body < 0 ? "-" : r.character.bodies[body].name);
  }
  text += r.why_not_human.empty()
              ? "\nIt is a human: motions can be made for it and brought to it.\n"
              : fmt::format("\nIt is no human: {}.\n", r.why_not_human);
  text += "\nTo correct it: --role ROLE=BODY. In an MJCF file these roles stand as\n\n" + r.custom;
  if (!r.output.empty()) text += fmt::format("\n{}: wrote the character with them\n", r.output);
  return text;
}

}  // namespace

Verb CharacterVerb() {
  return {"character",
          "Which body of a character plays which part (left_foot, trunk, ...), guessed where its "
          "file does not say; with -o a file that says so",
          {"stride character robot.urdf --roles",
           "stride character body.xml --roles --role left_foot=l5 --role right_foot=r5 -o man.xml"},
          [](CLI::App* app, const CommonOptions*) {
            auto options = std::make_shared<RolesOptions>();
            app->add_option("file", options->source, "A built-in character, an MJCF or URDF file")
                ->required();
            app->add_flag("--roles")->description("Show the roles (what this verb does)");
            app->add_option("--role", options->roles, "ROLE=BODY: give a role; repeatable")
                ->allow_extra_args(false);
            app->add_option("-o,--output", options->output, "MJCF file to write (.xml, .mjcf)");
            return [options]() -> Output {
              const RolesResult result = AssignRoles(*options);
              return {ToJson(result), Text(result), result.warnings};
            };
          }};
}

}  // namespace stride::cli
