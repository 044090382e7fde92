#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "stride/app/experiments/experiment.h"
#include "stride/app/experiments/graph_watch.h"
#include "stride/app/experiments/way_points.h"
#include "stride/core/error.h"
#include "stride/core/parallel.h"

// Section 7: a user steers the character over the graph. Here the user is a course of way points,
// who sees where the character is and points to the next one.
namespace stride::experiments::liu16_steering {
namespace {

constexpr const char* kWalk = "walk";  // node whose speed is asked for
constexpr double kReached = 0.6;       // m, of the root over ground
constexpr double kPointEvery = 0.1;    // s
constexpr double kPathEvery = 0.2;     // s between points of the plotted path

struct Config {
  int courses = 10, way_points = 10;
  double limit = 60;  // s for each way point; the farthest is 7 s away
};

struct Walked {
  int reached = 0;
  double seconds = 0;
  int falls = 0;
  Series path{.name = "walked"};
};

Walked Perform(const GraphSkill& skill, const std::vector<Vec3d>& course, double limit,
               std::uint64_t seed) {
  RunSetup setup = PerformGraph(skill, {}, limit * static_cast<double>(course.size()));
  setup.seed = seed;
  Run run(setup);
  GraphWatch watch(run, skill);
  const double speed = skill.SpeedOf(kWalk);
  const int point_every = static_cast<int>(std::lround(kPointEvery / run.GetWorld().time_step));
  const int path_every = static_cast<int>(std::lround(kPathEvery / run.GetWorld().time_step));
  Walked walked;
  double since = 0;
  while (!run.Finished() && run.Time() - since < limit) {
    const std::vector<double>& root = run.ActorState().q;
    const int step = static_cast<int>(run.StepCount());
    if (step % path_every == 0) {
      walked.path.x.push_back(root[0]);
      walked.path.y.push_back(root[1]);
    }
    if (std::hypot(course[walked.reached].x - root[0], course[walked.reached].y - root[1]) <
        kReached) {
      since = run.Time();
      if (++walked.reached == static_cast<int>(course.size())) break;
    }
    if (step % point_every == 0) {
      const Vec3d& next = course[walked.reached];
      run.Apply(
          {.kind = RunInput::Kind::kCommand,
           .command = {.speed = speed, .heading = std::atan2(next.y - root[1], next.x - root[0])}});
    }
    run.Step();
    run.TakeEvents();
    watch.Look(run);
  }
  walked.seconds = run.Time();
  walked.falls = static_cast<int>(watch.Falls().size());
  return walked;
}

}  // namespace

std::string Describe() {
  return "Section 7: the graph steered along ten courses of ten way points";
}

Findings Measure(const ExperimentContext& context) {
  const Config config =
      context.quick ? Config{.courses = 2, .way_points = 1, .limit = 5} : Config{};
  const std::string quick = context.quick ? "; quick" : "";
  constexpr std::size_t kPlotted = 4;
  Findings findings;
  try {
    const GraphSkill skill = FindGraphSkill(kLocomotion, context);
    constexpr std::uint64_t kSeedsApart = 1000;
    std::vector<std::vector<Vec3d>> courses;
    for (int k = 0; k < config.courses; ++k) {
      courses.push_back(WayPoints(config.way_points, context.seed * kSeedsApart + k));
    }
    std::vector<Walked> walks(courses.size());
    context.Tell(fmt::format("{} courses of {} way points", config.courses, config.way_points));
    ForEachInParallel(static_cast<int>(walks.size()), context.threads, [&](int k) {
      walks[k] = Perform(skill, courses[k], config.limit, context.seed * kSeedsApart + k);
    });
    int reached = 0, falls = 0;
    double seconds = 0, walked_length = 0, course_length = 0;
    std::string misses;
    for (std::size_t k = 0; k < walks.size(); ++k) {
      reached += walks[k].reached;
      falls += walks[k].falls;
      seconds += walks[k].seconds;
      if (walks[k].reached < config.way_points) {
        misses += fmt::format("; course {}: {}", k + 1, walks[k].reached);
      } else {
        walked_length += PathLength(walks[k].path.x, walks[k].path.y);
        course_length += CourseLength(courses[k]);
      }
      if (k >= kPlotted) continue;
      Series way{.name = "way points", .x = {0}, .y = {0}};
      for (const Vec3d& point : courses[k]) way.x.push_back(point.x), way.y.push_back(point.y);
      findings.plots.push_back({.title = fmt::format("Course {}", k + 1),
                                .x_label = "x, m",
                                .y_label = "y, m",
                                .series = {std::move(way), std::move(walks[k].path)}});
    }
    const int all = config.courses * config.way_points;
    Row row{.name = "way points reached",
            .paper_text = "follows the user",
            .ours = static_cast<double>(reached),
            .unit = fmt::format("of {}", all),
            .note = fmt::format("{} courses, {:g} to {:g} m apart, turns of up to {:g} degrees; "
                                "within {:g} m, at most {:g} s for each; the heading to the next "
                                "is told every {:g} s, and the speed of {}; asked: all{}{}",
                                config.courses, kNearest, kFarthest, kSharpest, kReached,
                                config.limit, kPointEvery, kWalk, misses, quick)};
    if (!context.quick) row.met = reached == all;
    findings.rows = {row,
                     {.name = "time for each way point",
                      .ours = seconds / std::max(1, reached),
                      .unit = "s",
                      .note = "mean" + quick},
                     {.name = "way walked",
                      .ours = walked_length / course_length,
                      .unit = "x",
                      .note = "of the way over the points, on courses walked to the end" + quick},
                     {.name = "falls on the way",
                      .ours = static_cast<double>(falls),
                      .unit = "falls",
                      .note = "risen from on the way" + quick}};
    findings.inputs = {{"skill " + skill.name, skill.hash}};
  } catch (const InputError& error) {
    findings.rows = {NotMeasured("way points reached", error.what())};
  }
  findings.config = {{"courses", config.courses}, {"way_points", config.way_points},
                     {"reached", kReached},       {"point_every", kPointEvery},
                     {"limit", config.limit},     {"node", kWalk}};
  return findings;
}

}  // namespace stride::experiments::liu16_steering
