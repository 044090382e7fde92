#include "stride/controllers/control_graph/planner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "stride/core/error.h"
#include "stride/learn/rollout_block.h"

namespace stride {
namespace {

constexpr float kLost = 1e6f;  // cost of a sample whose numbers failed
constexpr float kFallen =
    10.0f;                       // cost of being far off the reference, beside what it costs anyway
constexpr double kElites = 0.2;  // share of the samples that may have successors

World PlanningWorld(World world) {
  world.actors.resize(1);
  world.contact.passes = 2;  // as in learning: twice as fast, nearly the same
  if (world.terrain.kind != Terrain::Kind::kPlane) world.terrain = {};
  return world;
}

// How far the point over which the body would come to rest (Pratt 2006: centre of mass plus
// velocity over the pendulum's frequency) is from where the reference has it, seen from the feet
// that carry the reference, m. The paper's cost sees a fall to the side only when it is too late
// for the few fragments of a plan.
float BalanceError(const FragmentRunner& runner, int lane, const BorderReference& reference) {
  const float* r = reference.features;
  const auto off = [&](int k) { return runner.Feature(lane, k) - r[k]; };
  constexpr float kCarries = 0.03f;                                    // m above the lower foot
  constexpr float kFlight = 0.25f;                                     // m from the ground
  const float centre = r[feature::kHeight] + r[feature::kCentre + 2];  // above the ground
  const float left = centre + r[feature::kLeftFoot + 2],
              right = centre + r[feature::kRightFoot + 2];
  const float low = std::min(left, right);
  if (low > kFlight) return 0;
  const float l = left < low + kCarries ? 1.0f : 0.0f,
              both = l + (right < low + kCarries ? 1.0f : 0.0f);
  const float pendulum = std::sqrt(std::max(centre, 0.3f) / 9.81f);  // s
  const auto error = [&](int axis) {
    const float foot =
        (l * off(feature::kLeftFoot + axis) + (both - l) * off(feature::kRightFoot + axis)) / both;
    return off(feature::kVelocity + axis) * pendulum - foot;
  };
  return std::hypot(error(0), error(1));
}

}  // namespace

Planner::Planner(const World& world, std::shared_ptr<const ControlGraph> graph,
                 const PlannerOptions& options)
    : world_(PlanningWorld(world)),
      graph_(std::move(graph)),
      options_(options),
      runners_([&] {
        std::vector<std::unique_ptr<FragmentRunner>> runners;
        for (int k = 0; k < options.threads; ++k) {
          runners.push_back(
              std::make_unique<FragmentRunner>(world_, graph_->parts, options.instruction_set));
        }
        return runners;
      }()),
      lanes_(runners_[0]->Lanes()),
      most_(WholeBlocks(options.most_samples)),
      size_(runners_[0]->StateSize()),
      loader_(world_, options.instruction_set),
      first_(size_),
      states_(static_cast<std::size_t>(most_) * size_),
      starts_(states_.size()),
      samples_(static_cast<std::size_t>(most_) * options.horizon),
      order_(most_),
      next_parent_(most_),
      weights_(most_) {
  STRIDE_CHECK(options.horizon >= 1 && options.horizon <= Plan::kMostFragments);
  threads_.emplace_back([this] { Drive(); });
  for (int k = 1; k < options.threads; ++k) {
    threads_.emplace_back([this, k] { Help(k); });
  }
}

Planner::Planner(const Planner& other) : Planner(other.world_, other.graph_, other.options_) {
  plan_ = other.Finish();
  seconds_ = other.seconds_;
}

Planner::~Planner() {
  Finish();
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  driver_wakes_.notify_one();
  helpers_wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Planner::Begin(const State& state, const Task& task) {
  Finish();
  STRIDE_CHECK(task.samples <= most_ && task.horizon <= options_.horizon);
  // The threads are asleep: their memory is ours.
  task_ = task;
  loader_.SetState(0, state);
  loader_.Store(0, first_.data(), true);
  {
    const std::lock_guard lock(mutex_);
    busy_ = true;
  }
  driver_wakes_.notify_one();
}

const Plan& Planner::Finish() const {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return !busy_; });
  return plan_;
}

void Planner::Drive() {
  std::unique_lock lock(mutex_);
  while (true) {
    driver_wakes_.wait(lock, [&] { return busy_ || stop_; });
    if (stop_) return;
    lock.unlock();
    const auto begin = std::chrono::steady_clock::now();
    Improve();
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    lock.lock();
    busy_ = false;
    done_.notify_all();
  }
}

void Planner::Help(int helper) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    helpers_wake_.wait(lock, [&] { return round_ != seen || stop_; });
    if (stop_) return;
    seen = round_;
    lock.unlock();
    RunBlocks(runners_[helper].get());
    lock.lock();
    if (--helping_ == 0) helpers_done_.notify_one();
  }
}

void Planner::RunStage() {
  next_block_.store(0, std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    ++round_;
    helping_ = static_cast<int>(threads_.size()) - 1;
  }
  helpers_wake_.notify_all();
  RunBlocks(runners_[0].get());
  std::unique_lock lock(mutex_);
  helpers_done_.wait(lock, [&] { return helping_ == 0; });
}

void Planner::RunBlocks(FragmentRunner* runner) {
  const int blocks = count_ / lanes_;
  for (int b; (b = next_block_.fetch_add(1, std::memory_order_relaxed)) < blocks;) {
    RunBlock(b, runner);
  }
}

// Where the action that is being performed leads to.
void Planner::RunAhead() {
  FragmentRunner& runner = *runners_[0];
  for (int lane = 0; lane < lanes_; ++lane) {
    runner.Load(lane, first_.data());
    for (int k = 0; k < kActionCount; ++k) runner.Action(lane, k) = plan_.First()[k];
  }
  runner.Refresh();
  runner.Run(*graph_, task_.fragment_before);
  if (!runner.Failed(0)) runner.Store(0, first_.data());
  // What was performed is no longer planned: the paths move up; nothing is known yet of the new
  // last fragment.
  std::copy_n(plan_.First(), kActionCount, plan_.last_action);
  for (auto& path : plan_.actions) {
    std::copy(&path[1][0], &path[0][0] + sizeof(path) / sizeof(float), &path[0][0]);
  }
}

// liu16, Algorithm 1, from one state and a few fragments deep.
void Planner::Improve() {
  if (task_.ahead) RunAhead();
  count_ = WholeBlocks(task_.samples);
  fragment_ = task_.fragment;
  base_ = task_.base;
  for (stage_ = 0; stage_ < task_.horizon; ++stage_) {
    if (stage_ > 0) {
      Resample();
      const Fragment& done = graph_->fragments[fragment_];
      base_ += done.turn;
      fragment_ = done.next[0];
      states_.swap(starts_);
    }
    RunStage();
    Rank();
  }
  TakePaths();
}

// The first samples follow the paths of the plan as they are, the others depart from the best path.
void Planner::Draw(int j, Sample* sample) const {
  const bool follows = j < Plan::kPaths;
  std::copy_n(plan_.actions[follows ? j : 0][stage_], kActionCount, sample->action);
  sample->parent = stage_ == 0 ? 0 : follows ? j : next_parent_[j];
  if (follows) return;
  Random random(options_.seed, task_.id * Plan::kMostFragments + stage_,
                static_cast<std::uint32_t>(j));
  // Wide and narrow: a push needs the one, a steady gait the other.
  const double sigma = options_.sigma * (j % 3 == 0 ? 1.0 : j % 3 == 1 ? 0.5 : 0.2);
  for (float& a : sample->action) {
    a = std::clamp(a + static_cast<float>(sigma * random.Normal()), -kActionLimit, kActionLimit);
  }
}

void Planner::RunBlock(int block, FragmentRunner* runner) {
  const BorderReference& end = graph_->borders[graph_->fragments[fragment_].end_border];
  Sample* samples = Stage(stage_) + block * lanes_;
  for (int lane = 0; lane < lanes_; ++lane) {
    Draw(block * lanes_ + lane, &samples[lane]);
    runner->Load(lane, stage_ == 0 ? first_.data() : StateAt(starts_, samples[lane].parent));
    runner->SetBase(lane, base_);
    for (int k = 0; k < kActionCount; ++k) runner->Action(lane, k) = samples[lane].action[k];
  }
  runner->Refresh();
  runner->Run(*graph_, fragment_);
  runner->Judge(end, options_.weights, true);
  for (int lane = 0; lane < lanes_; ++lane) {
    Sample& s = samples[lane];
    const Sample* parent = stage_ == 0 ? nullptr : &Stage(stage_ - 1)[s.parent];
    const float* before = parent ? parent->action : plan_.last_action;
    float square = 0, jump = 0;
    for (int k = 0; k < kActionCount; ++k) {
      square += s.action[k] * s.action[k];
      jump += (s.action[k] - before[k]) * (s.action[k] - before[k]);
    }
    float cost = runner->Cost(lane) + options_.weights.action * std::sqrt(square) +
                 static_cast<float>(options_.smooth) * std::sqrt(jump);
    cost += static_cast<float>(options_.balance) * BalanceError(*runner, lane, end);
    if (runner->Fallen(lane, end)) cost += kFallen;
    if (runner->Failed(lane) || !(cost < kLost)) cost = kLost;
    s.score = cost + (parent ? static_cast<float>(options_.memory) * parent->score : 0);
    s.total = cost + (parent ? parent->total : 0);
    runner->Store(lane, StateAt(states_, block * lanes_ + lane));
  }
}

void Planner::Rank() {
  const Sample* samples = Stage(stage_);
  ranked_ = std::max(Plan::kPaths, static_cast<int>(kElites * count_));
  std::iota(order_.begin(), order_.begin() + count_, 0);
  std::partial_sort(order_.begin(), order_.begin() + ranked_, order_.begin() + count_,
                    [&](int a, int b) {
                      return std::pair(samples[a].score, a) < std::pair(samples[b].score, b);
                    });
}

// Systematic resampling of the best: the better have more successors.
void Planner::Resample() {
  const Sample* samples = Stage(stage_ - 1);
  const float best = samples[order_[0]].score, worst = samples[order_[ranked_ - 1]].score;
  double sum = 0;
  for (int e = 0; e < ranked_; ++e) {
    // The last of the chosen still gets a chance.
    weights_[e] = (worst - samples[order_[e]].score) / (worst - best + 1e-6f) + 0.05;
    sum += weights_[e];
  }
  double at = 0.5, reached = weights_[0] / sum * count_;
  for (int j = 0, e = 0; j < count_; ++j, at += 1) {
    while (at > reached && e + 1 < ranked_) reached += weights_[++e] / sum * count_;
    next_parent_[j] = order_[e];
  }
}

// The best paths, found from their ends.
void Planner::TakePaths() {
  const int last = task_.horizon - 1;
  Plan& out = improved_;
  out = plan_;
  for (int p = 0; p < Plan::kPaths; ++p) {
    int j = order_[p];
    // What lies beyond the horizon is that of the path it followed or departed from.
    const float* origin = plan_.actions[j < Plan::kPaths ? j : 0][0];
    std::copy(origin + task_.horizon * kActionCount, origin + Plan::kMostFragments * kActionCount,
              out.actions[p][0] + task_.horizon * kActionCount);
    if (p == 0) out.cost = Stage(last)[j].total / static_cast<float>(task_.horizon);
    for (int stage = last; stage >= 0; --stage) {
      const Sample& s = Stage(stage)[j];
      std::copy_n(s.action, kActionCount, out.actions[p][stage]);
      j = s.parent;
    }
  }
  std::swap(plan_, improved_);
}

}  // namespace stride
