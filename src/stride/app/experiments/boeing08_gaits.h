#pragma once

#include <string>
#include <vector>

#include "stride/app/experiments/experiment.h"
#include "stride/app/experiments/wang09_walkers.h"
#include "stride/run/run_setup.h"

// Gaits of splines evolved for an experiment as `stride learn spline` would, and what they do.
namespace stride::experiments {

// What is evolved for a body, and what its gait must do in 20 s.
struct GaitPlan {
  std::string name, character;
  std::vector<std::string> settings;
  double distance = 5;  // m, at least
};
// The bodies of the paper, then ours.
const std::vector<GaitPlan>& MorphologyPlans();
const GaitPlan& PlanOf(const std::string& name);
// The paper's other gaits: the android jumps, the biped walks statically, the tripod gallops, the
// snake undulates.
GaitPlan JumpPlan();
GaitPlan StaticPlan();
GaitPlan GallopPlan();
GaitPlan UndulationPlan();

// Named NAME-SEED.
ObtainedWalker ObtainGait(const GaitPlan& plan, std::uint64_t seed,
                          const ExperimentContext& context,
                          const std::map<std::string, std::vector<std::string>>& options = {});

struct GaitRun {
  double seconds = 0;  // until it fell, or all that was asked for
  bool fell = false;
  double forwards = 0, sideways = 0;  // of the centre of mass, m
  double rest_speed = 0;              // most of the centre of mass in the last 2 s, m/s
  double flight = 0;                  // share of the moving time without any contact
  double rise = 0;                    // most that the centre of mass rose, m
  // Share of the moving time in which the centre of mass is over the hull of what touches, give or
  // take 2 cm.
  double over_feet = 0;
  double slip = 0;           // mean speed at which what carries it slides over the ground, m/s
  std::vector<double> wave;  // of a chain: delay of each joint about Z behind the first, in cycles
  double AsideDegrees() const;
};

inline constexpr double kGaitSeconds = 20, kGaitStop = 14, kGaitRest = 0.05, kGaitAside = 15;

// From rest; told to stop at `stop` (negative: never). `setup` may change what is asked for.
RunSetup GaitSetup(const std::string& skill, double seconds, double stop,
                   const std::string& engine = "native");
GaitRun PerformGait(const RunSetup& setup);

}  // namespace stride::experiments
