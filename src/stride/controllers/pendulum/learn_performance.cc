#include "stride/controllers/pendulum/learn_performance.h"

#include <cmath>

#include <fmt/format.h>

#include "stride/controllers/pendulum/improve_performance.h"
#include "stride/controllers/pendulum/performance.h"
#include "stride/controllers/pendulum/pose_rates.h"
#include "stride/core/hash.h"
#include "stride/sim/engine.h"

namespace stride::pendulum_controller {
namespace {

constexpr double kGravity = 9.81;
constexpr double kWishedStep = 1.0 / 960;
constexpr double kAfter = 2;          // s that it has to stand after its end
constexpr double kPushSeconds = 0.2;  // the paper's
// Standing: the centre of mass as high as at the clip's end, slower than this, and for this long
// the limbs that the clip ends on carry the body, and nothing else does.
constexpr double kStandingHeight = 0.85, kStandingSpeed = 0.3, kCarries = 0.5;  // share, m/s, s
constexpr double kCarriedWeight = 0.5, kCarriedElsewhere = 0.05;  // shares of the body's weight

// Follows a performance.
class Meter {
 public:
  explicit Meter(const PerformanceReference& reference) : reference_(reference) {}

  // A push on a limb, or at -1 on another part of the body, in the last step. `left`: s to the end.
  void Carry(int limb, const Vec3d& force, double left) {
    if (left > kCarries) return;
    const bool stands = limb >= 0 && reference_.Stands(limb, reference_.Count() - 1);
    (stands ? carried_ : elsewhere_) += force.z;
  }
  void See(const State& state, double frame) {
    const int at = static_cast<int>(std::lround(frame));
    reference_.kinematics().Frames(state.q, &frames_);
    const Vec3d com = MeasureWhole(reference_.masses(), frames_).com;
    speed_ = seen_ > 0 ? Norm(com - com_) : 0;
    com_ = com;
    ++seen_;
    if (at >= reference_.Count() - 1) return;
    performed_.height = std::max(performed_.height, com.z);
    const std::vector<double> off =
        PoseDifference(reference_.character(), state.q, reference_.StateAt(at).q, 1);
    for (std::size_t k = 6; k < off.size(); ++k) squares_ += off[k] * off[k], ++count_;
  }
  Performed Result(double step) const {
    Performed performed = performed_;
    performed.joint_error = std::sqrt(squares_ / std::max(count_, 1L)) * 180 / M_PI;
    const double end = reference_.Whole(reference_.Count() - 1).com.z;
    const double weight = reference_.Whole(0).mass * kGravity * kCarries / step;
    performed.stands = com_.z > kStandingHeight * end && speed_ / step < kStandingSpeed &&
                       carried_ > kCarriedWeight * weight &&
                       elsewhere_ < kCarriedElsewhere * weight;
    return performed;
  }

 private:
  const PerformanceReference& reference_;
  BodyFrames frames_;
  Vec3d com_;
  double speed_ = 0, squares_ = 0;
  double carried_ = 0, elsewhere_ = 0;  // N, summed over steps
  long count_ = 0, seen_ = 0;
  Performed performed_;
};

bool Pushed(double time, double at) { return time >= at && time < at + kPushSeconds; }

}  // namespace

double HighestOf(const PerformanceReference& reference) {
  double highest = 0;
  for (int k = 0; k < reference.Count(); ++k) {
    highest = std::max(highest, reference.Whole(k).com.z);
  }
  return highest;
}

State DisturbedStart(const std::shared_ptr<const PerformanceReference>& reference, Random* random,
                     double degrees, double speed) {
  State start = PerformancePlanner(reference, Terrain{}, {}).Start();
  std::vector<double> moved(start.v.size(), 0.0);
  for (std::size_t k = 6; k < moved.size(); ++k) {
    moved[k] = degrees * M_PI / 180 * random->Normal();
  }
  IntegratePose(reference->kinematics(), 1, moved, 1, &start.q);
  for (int k = 0; k < 3; ++k) start.v[k] += speed * random->Normal();
  // On the ground again.
  const double lowest = LowestContactAt(reference->character(), start.q);
  start.q[2] -= lowest;
  return start;
}

Performed PerformByProgram(const std::shared_ptr<const PerformanceReference>& reference,
                           const PerformanceConfig& config, const State& start,
                           std::span<const ExternalForce> push, double push_at) {
  PerformanceSimulation simulation(reference, Terrain{}, 1, config);
  simulation.SetState(start);
  Meter meter(*reference);
  const std::vector<int> limb_of_point = LimbOfPoints(reference->character());
  const double seconds = (reference->Count() - 1) * kPlanStep + kAfter;
  while (simulation.Time() < seconds) {
    const bool pushed = Pushed(simulation.Time(), push_at);
    simulation.Step(pushed ? push : std::span<const ExternalForce>());
    const WholeBodyQp& program = simulation.Program();
    for (std::size_t k = 0; k < program.Contacts().size(); ++k) {
      meter.Carry(limb_of_point[program.Contacts()[k].index], program.Forces()[k],
                  seconds - simulation.Time());
    }
    meter.See(simulation.GetState(), simulation.GetPlanner().Frame());
  }
  return meter.Result(kPlanStep);
}

Performed PerformInEngine(const std::shared_ptr<const PerformanceReference>& reference,
                          const PendulumConfig& config, const State& start,
                          std::span<const ExternalForce> push, double push_at) {
  World world;
  world.actors = {reference->character()};
  world.time_step = kWishedStep;
  world.friction = 1;
  PerformanceController controller(world, reference, config);
  const std::unique_ptr<Engine> engine = MakeEngine("native", world);
  engine->SetState(0, start);
  Actuation actuation = Passive(world.actors[0]);
  Meter meter(*reference);
  const std::vector<int> limb_of_body = LimbOfBodies(reference->character());
  const double seconds = (reference->Count() - 1) * kPlanStep + kAfter;
  for (double time = 0; time < seconds && !engine->Failed(0); time += world.time_step) {
    controller.Step({time, engine->GetState(0), engine->Contacts()}, {}, &actuation);
    const bool pushed = Pushed(time, push_at);
    engine->Step({&actuation, 1}, pushed ? push : std::span<const ExternalForce>());
    for (const Contact& contact : engine->Contacts()) {
      meter.Carry(limb_of_body[contact.body], contact.force, seconds - time);
    }
    meter.See(engine->GetState(0), controller.Frame());
  }
  return meter.Result(world.time_step);
}

namespace {

class PerformanceJob final : public LearningJob {
 public:
  PerformanceJob(const LearningRequest& request, MotionSource source, PerformancePlan plan,
                 const Workers& workers)
      : request_(request),
        source_(std::move(source)),
        reference_(std::move(plan.reference)),
        config_(plan.engine),
        by_program_(plan.program),
        told_(plan.told),
        seconds_(plan.seconds) {
    if (plan.improve) {
      search_ = std::make_unique<PerformanceImprovement>(
          reference_, plan.improve->engine ? config_ : by_program_, *plan.improve, request.seed,
          workers);
    }
  }

  bool Done() const override { return done_; }
  nlohmann::ordered_json Advance(const std::function<bool()>& stop) override {
    if (stop()) return nullptr;
    if (search_ && !search_->Done()) {
      history_.push_back({{"iteration", search_->Iteration()}, {"return", search_->Advance()}});
      return history_.back();
    }
    if (search_) {
      improved_ = search_->Result();
      config_ = by_program_ = improved_->config;
    }
    if (!told_) reference_->LabelMotion(&source_.motion);
    const State start = PerformancePlanner(reference_, Terrain{}, config_.once).Start();
    program_ = PerformByProgram(reference_, by_program_.once, start);
    engine_ = PerformInEngine(reference_, config_, start);
    done_ = true;
    history_.push_back({{"program", program_.stands}, {"engine", engine_.stands}});
    return history_.back();
  }
  double Progress() const override {
    if (done_) return 1;
    return search_ ? search_->Share() : 0;
  }
  const nlohmann::ordered_json& History() const override { return history_; }
  std::string Checkpoint() const override { return ""; }
  void Restore(const std::string&, const std::string&) override {}
  std::string InstructionSet() const override { return ""; }
  long LaneSteps() const override { return 0; }

  LearningResult Result() override {
    const auto line = [](const Performed& performed) {
      return fmt::format("{}, joints {:.1f} degrees off, {:.2f} m high",
                         performed.stands ? "ends standing" : "falls", performed.joint_error,
                         performed.height);
    };
    Skill skill{.name = request_.name.empty() ? source_.motion.name : request_.name,
                .controller = "pendulum",
                .description = fmt::format("{} by a pivoted pendulum", source_.motion.name),
                .character = source_.character,
                .wishes = {.time_step = kWishedStep},
                .provenance = {{"method", "pendulum"},
                               {"clip", source_.motion.name},
                               {"clip_hash", HashOf(MotionText(source_.motion))},
                               {"source", source_.motion.source},
                               {"version", STRIDE_VERSION}},
                .metrics = {{"stands", engine_.stands ? 1 : 0},
                            {"stands_by_the_program", program_.stands ? 1 : 0},
                            {"joint_error", engine_.joint_error}},
                .payload = PayloadOf({source_.motion, config_, PendulumKind::kPivoted, true})};
    if (improved_) {
      skill.provenance["seed"] = request_.seed;
      skill.metrics["checks"] = improved_->checks;
      skill.metrics["stood_before"] = improved_->stood_before;
      skill.metrics["stood"] = improved_->stood;
    }
    LearningResult result;
    result.lines = {{"clip", fmt::format("{} on {}, performed once", source_.motion.name,
                                         source_.character.name)},
                    {"pendulum", fmt::format("pivoted, {:.3f} m long", reference_->pole().length)}};
    for (const FlightPath& path : reference_->Paths()) {
      result.lines.emplace_back(
          "flight",
          fmt::format("{:.2f} to {:.2f} s; the clip falls by {:.1f} m/s2, its centre of "
                      "mass was moved by {:.0f} mm at most",
                      path.flight.last_before * kPlanStep, path.flight.first_after * kPlanStep,
                      path.clip_gravity, 1000 * path.moved));
    }
    result.lines.emplace_back("analysis", fmt::format("{:.2f} s", seconds_));
    if (improved_) {
      result.lines.emplace_back(
          "improved", fmt::format("{} of {} starts that the search did not see end standing, worth "
                                  "{:.3f}; before {}, {:.3f}",
                                  improved_->stood, improved_->checks, improved_->value,
                                  improved_->stood_before, improved_->value_before));
    }
    result.lines.emplace_back("clip's height", fmt::format("{:.2f} m", HighestOf(*reference_)));
    result.lines.emplace_back("paper's mode", line(program_));
    result.lines.emplace_back("in native", line(engine_));
    if (!engine_.stands) {
      result.shortfall = program_.stands
                             ? "it falls in the engine; in the paper's mode it ends standing"
                             : "it falls";
    }
    result.json = {{"clip", source_.motion.name},
                   {"character", source_.character.name},
                   {"skill", request_.out},
                   {"metrics", skill.metrics},
                   {"analysis_seconds", seconds_}};
    result.files = {{request_.out, SkillText(skill)}};
    if (request_.Has("annotate")) {
      result.files.emplace_back(
          request_.Text("annotate"),
          AnnotationText(AnnotationOf(source_.motion), source_.motion, source_.character));
    }
    return result;
  }

 private:
  LearningRequest request_;
  MotionSource source_;
  std::shared_ptr<const PerformanceReference> reference_;
  PendulumConfig config_, by_program_;  // the first is written
  bool told_, done_ = false;
  double seconds_;
  std::unique_ptr<PerformanceImprovement> search_;
  std::optional<ImprovedPerformance> improved_;
  Performed program_, engine_;
  nlohmann::ordered_json history_ = nlohmann::ordered_json::array();
};

}  // namespace

std::unique_ptr<LearningJob> MakePerformanceJob(const LearningRequest& request, MotionSource source,
                                                PerformancePlan plan, const Workers& workers) {
  return std::make_unique<PerformanceJob>(request, std::move(source), std::move(plan), workers);
}

}  // namespace stride::pendulum_controller
