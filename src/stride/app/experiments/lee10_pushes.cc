#include <fmt/format.h>

#include "stride/app/experiments/bisect.h"
#include "stride/app/experiments/lee10_walks.h"

// Section 5, "Robustness to pushes": 0.4 s every 4 s for 40 s at the torso.
namespace stride::experiments::lee10_pushes {
namespace {

struct Side {
  const char* name;
  double paper, strict;  // N; of the paper, of the authors' program
};
constexpr Side kSides[] = {
    {"front", 160, 145}, {"rear", 130, 120}, {"right", 80, 80}, {"left", 105, 105}};
constexpr double kPaperMass = 88.6;  // kg, SIMBICON's

struct Body {
  const char* character;
  double mass;
};
constexpr Body kBodies[] = {{"lee10-heavy", 88.57}, {"lee10-round", 47}};

}  // namespace

std::string Describe() {
  return "largest pushes of 0.4 s every 4 s tolerated for 40 s from four sides, with the push "
         "known "
         "to the controller and unknown";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  const Lee10Clip clip = Lee10Walks(context)[0];
  for (const Body& body : kBodies) {
    const std::string motion = Lee10Motion(clip, true, body.character, context, &findings);
    for (const char* tracking : {"prescribed", "inverse"}) {
      for (const Side& side : kSides) {
        const bool heavy = body.mass > 50;
        const std::string gains = GainsFor(heavy ? "pushes" : clip.name);
        const auto survives = [&](double force, int) {
          RunSetup setup = Lee10Setup(clip, motion, body.character, gains, 40);
          setup.characters[0].controller_config["tracking"] = tracking;
          setup.scenario.world.friction = 1.5;  // the authors' program
          ApplyPushProtocol(fmt::format("lee10-{}:{:.3f}", side.name, force), &setup.scenario);
          if (context.quick) setup.scenario.seconds = 2;
          return !Follow(setup).fell;
        };
        const double paper = side.paper * body.mass / kPaperMass;
        const bool holds = survives(paper, 0);
        const Limit limit = FindLimit({.easy = 0,
                                       .hard = 500,
                                       .tolerance = context.quick ? 250.0 : 5.0,
                                       .samples = 1,
                                       .share = 1,
                                       .threads = context.threads},
                                      survives);
        const bool known = std::string(tracking) == "prescribed";
        findings.rows.push_back(
            {.name = fmt::format("{}, from the {}, {}", body.character, side.name,
                                 known ? "push known" : "push unknown"),
             .paper = paper,
             .ours = limit.holds.value_or(0),
             .unit = "N",
             .met = context.quick || !known ? std::nullopt : std::optional<bool>(holds),
             .note = fmt::format(
                 "at {:.0f} N it {}; body of {:.1f} kg{}; the authors' program {:.0f} N; gains {}",
                 paper, holds ? "stands" : "falls", body.mass,
                 heavy ? "" : ", the paper's force by its mass",
                 side.strict * body.mass / kPaperMass, gains)});
        context.Tell(
            fmt::format("{}: {:.0f} N", findings.rows.back().name, limit.holds.value_or(0)));
      }
    }
  }
  return findings;
}

}  // namespace stride::experiments::lee10_pushes
