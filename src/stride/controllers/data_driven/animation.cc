#include "stride/controllers/data_driven/animation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/motion/edit/edit.h"
#include "stride/motion/edit/leg_ik.h"
#include "stride/motion/edit/seam.h"
#include "stride/motion/import/cycle.h"
#include "stride/motion/kinematics.h"

namespace stride {
namespace {

double Radians(double degrees) { return degrees * M_PI / 180; }
double Wrapped(double angle) { return std::remainder(angle, 2 * M_PI); }

// From here on a loop is one that turns, a step.
constexpr double kTurns = 8;  // degrees

// Mean length of both legs of a body, and that of lee10's, m.
double LegLength(const Character& character) {
  const Kinematics kinematics(character);
  double sum = 0;
  for (const FootParts& foot : FeetOf(character)) sum += LegIk(kinematics, foot).Reach();
  return 0.5 * sum;
}
constexpr double kUsualLegs = 0.77883;

AnimationClip MakeClip(const Character& character, const Motion& motion,
                       const FeedbackGains& gains) {
  AnimationClip clip;
  clip.name = motion.name;
  clip.gains = gains;
  clip.loops = motion.loops;
  clip.fragments = CutAtContacts(character, motion);
  EvenLegs(character, &clip.fragments);
  // Who has longer legs than the clip takes longer for its longer steps, as a pendulum does.
  const double slower = std::sqrt(FitWayToLegs(character, &clip.fragments));
  for (StepFragment& fragment : clip.fragments) {
    fragment.seconds *= slower;
    fragment.speed /= slower;
  }
  double way = 0, seconds = 0;
  for (const StepFragment& fragment : clip.fragments) {
    way += fragment.frames.back()[0] - fragment.frames.front()[0];
    seconds += fragment.seconds;
    clip.turn += fragment.turn / static_cast<double>(clip.fragments.size());
    clip.whole_turn += TurnOfPelvis(fragment);
  }
  clip.speed = way / seconds;
  return clip;
}

// The steps of a clip that starts and ends standing: without the stops, and without the first and
// last step, in which it speeds up and slows down, if enough are left.
void KeepSteps(AnimationClip* clip) {
  std::vector<StepFragment>& all = clip->fragments;
  const auto swings = [](const StepFragment& f) { return f.Swing() >= 0; };
  const auto first = std::find_if(all.begin(), all.end(), swings);
  const auto last = std::find_if(all.rbegin(), all.rend(), swings).base();
  const bool from_stop = first != all.begin(), to_stop = last != all.end();
  std::vector<StepFragment> kept(first, last);
  constexpr std::size_t kEnough = 3;
  if (from_stop && kept.size() > kEnough) kept.erase(kept.begin());
  if (to_stop && kept.size() > kEnough) kept.pop_back();
  all = std::move(kept);
}

// Both feet on the ground, for half a second at a time.
StepFragment QuietStand(const Character& character) {
  std::vector<double> rest = character.rest_q;
  rest[0] = rest[1] = 0;
  return {.phase = GaitPhase::kStop, .seconds = 0.5, .frames = {rest, rest}};
}

// One stride of a walk that is no loop, as a loop.
Motion BestCycle(const Character& character, const Motion& motion) {
  const Cycle cycle = FindCycle(character, motion);
  if (!cycle.found) {
    throw InputError(fmt::format(
        "motion '{}' is no loop, and no stride of it comes back to where it began, so it cannot be "
        "walked on and on; import a range of it with --loop, or give a walk that loops before it",
        motion.name));
  }
  return MakeLoop(character, motion, cycle.first, cycle.last);
}

// Mean difference of the joints' rotations, the root's among them, rad.
double PoseDistance(const Character& character, const std::vector<double>& a,
                    const std::vector<double>& b) {
  double sum = 0;
  std::size_t at = 0;
  for (const Body& body : character.bodies) {
    if (body.joint.kind == JointKind::kHinge) {
      sum += std::fabs(a[at] - b[at]);
      ++at;
      continue;
    }
    if (body.joint.kind == JointKind::kFree) at += 3;
    sum += Norm(Log(Conjugate(QuatAt(a, at)) * QuatAt(b, at)));
    at += 4;
  }
  return sum / character.BodyCount();
}

std::string Group(const std::string& name, const std::string& rule) {
  if (rule == "all") return "";
  return rule == "auto" ? name.substr(0, name.find('_')) : name;
}

void Add(const StepFragment& fragment, const FeedbackGains& gains, double weight,
         PlannedFragment* next) {
  if (weight <= 0 || next->part_count == PlannedFragment::kMostParts) return;
  next->parts[next->part_count++] = {&fragment, weight};
  next->phase = fragment.phase;
  next->seconds += weight * fragment.seconds;
  next->both += weight * fragment.both;
  next->turn += weight * fragment.turn;
  next->speed += weight * fragment.speed;
  AddShare(gains, weight, &next->gains);
}
void Clear(PlannedFragment* next) {
  *next = {};
  next->gains = NoGains();
}

}  // namespace

Animation::Animation(const Character& character, const std::vector<Clip>& clips,
                     const AnimationConfig& config)
    : config_(config), legs_(LegLength(character) / kUsualLegs) {
  std::map<std::string, int> groups;
  std::vector<int> acts;
  if (clips.empty()) throw InputError("data-driven control needs a motion to follow");
  const bool walks =
      std::any_of(clips.begin(), clips.end(), [](const Clip& clip) { return clip.motion.loops; });
  for (std::size_t k = 0; k < clips.size(); ++k) {
    // Something has to be walked on and on.
    const Motion motion =
        !walks && k == 0 ? BestCycle(character, clips[k].motion) : clips[k].motion;
    AnimationClip clip = MakeClip(character, motion, ForLegs(clips[k].gains, legs_));
    if (!clip.loops) {
      KeepSteps(&clip);
      acts.push_back(static_cast<int>(clips_.size()));
      clips_.push_back(std::move(clip));
      continue;
    }
    const int index = static_cast<int>(clips_.size());
    const bool turns = std::fabs(clip.turn) > Radians(kTurns);
    const double turn = clip.turn;
    const std::string group = Group(clip.name, config.group);
    clips_.push_back(std::move(clip));
    if (turns && !styles_.empty()) {
      (turn > 0 ? turn_left_ : turn_right_) = index;
      continue;
    }
    const auto [at, is_new] = groups.try_emplace(group, static_cast<int>(styles_.size()));
    if (is_new) {
      styles_.emplace_back();
      style_names_.push_back(clips_[index].name);
      style_clip_.push_back(-1);
    }
    styles_[at->second].clips.push_back(index);
  }
  for (const int act : acts) {
    style_names_.push_back(clips_[act].name);
    style_clip_.push_back(act);
  }
  for (const int act : acts) FitToWalk(character, &clips_[act]);
  for (Style& style : styles_) AddStandIn(character, &style);
  stand_ = QuietStand(character);
  stand_gains_ = clips_[styles_[0].clips[styles_[0].own]].gains;
}

// Of a turn those steps are kept that lead best out of the walk and back into it: most captured
// ones begin and end standing. What it turns counts more than how well it fits. Of an act that does
// not turn all steps are kept.
void Animation::FitToWalk(const Character& character, AnimationClip* act) const {
  constexpr double kLeastTurn = 20;                      // degrees
  constexpr double kTurnCounts = 2, kSpeedCounts = 0.5;  // against the pose, of rad and of m/s
  const std::vector<StepFragment>& all = act->fragments;
  const AnimationClip& walk = clips_[styles_[0].clips[0]];
  if (std::fabs(act->whole_turn) < Radians(kLeastTurn)) return;
  // Between a frame of the act and the start of the step of the walk in which `swing` swings.
  const auto misfit = [&](const std::vector<double>& q, double speed, int swing) {
    for (const StepFragment& step : walk.fragments) {
      if (step.Swing() == swing) {
        return PoseDistance(character, q, step.frames.front()) +
               kSpeedCounts * std::fabs(speed - walk.speed);
      }
    }
    return HUGE_VAL;
  };
  double best = HUGE_VAL;
  std::size_t from = 0, to = all.size();
  for (std::size_t a = 0; a < all.size(); ++a) {
    if (all[a].Swing() < 0) continue;
    double turn = 0;
    for (std::size_t b = a; b < all.size(); ++b) {
      turn += all[b].turn;
      if (all[b].Swing() < 0) continue;
      const double cost = kTurnCounts * std::fabs(turn - act->whole_turn) +
                          misfit(all[a].frames.front(), all[a].speed, all[a].Swing()) +
                          misfit(all[b].frames.back(), all[b].speed, 1 - all[b].Swing());
      if (cost < best) best = cost, from = a, to = b + 1;
    }
  }
  act->fragments = {all.begin() + from, all.begin() + to};
}

// Steps on the spot and longer ones, so that every style has speeds from standing on.
void Animation::AddStandIn(const Character& character, Style* style) {
  const int own = style->clips[0];
  const auto by_speed = [&](int a, int b) { return clips_[a].speed < clips_[b].speed; };
  std::sort(style->clips.begin(), style->clips.end(), by_speed);
  const auto derive = [&](int from, double share, const char* how) {
    AnimationClip clip = clips_[from];
    clip.name += how;
    clip.speed *= share;
    for (StepFragment& fragment : clip.fragments) fragment = WithStride(character, fragment, share);
    // What drives it on grows with the stride.
    for (double FeedbackGains::*drive :
         {&FeedbackGains::lean, &FeedbackGains::push_off, &FeedbackGains::extend}) {
      clip.gains.*drive *= share;
    }
    clips_.push_back(std::move(clip));
    style->clips.push_back(static_cast<int>(clips_.size()) - 1);
  };
  const bool forward = clips_[own].speed > 0;
  int slowest = own, fastest = own;
  for (const int clip : style->clips) {
    if (std::fabs(clips_[clip].speed) < std::fabs(clips_[slowest].speed)) slowest = clip;
    if (forward ? by_speed(fastest, clip) : by_speed(clip, fastest)) fastest = clip;
  }
  derive(slowest, 0, " on the spot");
  if (config_.most_stride > 1) derive(fastest, config_.most_stride, ", longer");
  std::sort(style->clips.begin(), style->clips.end(), by_speed);
  style->own = static_cast<int>(std::find(style->clips.begin(), style->clips.end(), own) -
                                style->clips.begin());
}

Animation::Animation(const Character& character, const MotionGraph& graph,
                     const std::vector<FeedbackGains>& gains, const AnimationConfig& config)
    : config_(config), legs_(LegLength(character) / kUsualLegs), is_graph_(true) {
  for (std::size_t k = 0; k < graph.nodes.size(); ++k) {
    const GraphNode& node = graph.nodes[k];
    const Motion& whole = graph.clips[node.clip];
    const bool all = node.first == 0 && node.last == whole.FrameCount() - 1;
    AnimationClip clip = MakeClip(character, all ? whole : Cut(whole, node.first, node.last),
                                  ForLegs(gains[k], legs_));
    clip.name = node.name;
    if (!clip.loops) KeepSteps(&clip);
    for (const GraphEdge& edge : graph.edges) {
      if (edge.from == static_cast<int>(k)) clip.next.push_back(edge.to);
    }
    if (clip.next.empty()) {
      throw InputError(fmt::format(
          "node '{}' of the motion graph is a dead end: no edge leaves it; add one, from '{}' to "
          "another node or to itself",
          node.name, node.name));
    }
    clips_.push_back(std::move(clip));
    style_names_.push_back(node.name);
    style_clip_.push_back(static_cast<int>(k));
  }
  if (clips_.empty()) throw InputError("the motion graph has no node");
  stand_ = QuietStand(character);
  stand_gains_ = clips_[0].gains;
}

SpeedRange Animation::Speeds() const {
  if (is_graph_) return {};
  double most = 0;
  for (const Style& style : styles_) {
    for (const int clip : style.clips) most = std::max(most, std::fabs(clips_[clip].speed));
  }
  return {.least = 0, .most = most, .stops = true};
}

const StepFragment& Animation::FragmentOf(int clip, int swing, const AnimationState& state) const {
  const std::vector<StepFragment>& all = clips_[clip].fragments;
  int count = 0;
  for (const StepFragment& fragment : all) count += fragment.Swing() == swing ? 1 : 0;
  int skip = state.round[swing] % std::max(count, 1);
  for (const StepFragment& fragment : all) {
    if (fragment.Swing() == swing && skip-- == 0) return fragment;
  }
  return all[0];
}

// A style at the state's speed: a blend of the two of its loops whose speeds are on either side.
void Animation::AddStyle(const Style& style, int swing, double weight, const AnimationState& state,
                         PlannedFragment* next) const {
  int above = 1;
  while (above + 1 < static_cast<int>(style.clips.size()) &&
         clips_[style.clips[above]].speed < state.speed) {
    ++above;
  }
  const int b = style.clips[above], a = style.clips[above - 1];
  const double share =
      std::clamp((state.speed - clips_[a].speed) / (clips_[b].speed - clips_[a].speed), 0.0, 1.0);
  Add(FragmentOf(a, swing, state), clips_[a].gains, weight * (1 - share), next);
  Add(FragmentOf(b, swing, state), clips_[b].gains, weight * share, next);
}

void Animation::PlanGait(int swing, double heading, const Command& command, AnimationState* state,
                         PlannedFragment* next) const {
  // One style goes over into the other by and by.
  state->mix = std::min(1.0, state->mix + 1 / config_.style_steps);
  if (state->mix == 1) state->before = state->style;
  const Style &style = styles_[state->style], &before = styles_[state->before];
  const auto own_of = [&](const Style& s) { return clips_[s.clips[s.own]].speed; };
  const double own = own_of(style);
  double wanted = own;
  if (command.speed) wanted = own < 0 ? -std::fabs(*command.speed) : *command.speed;
  // Who turns for more than a step slows down for it, and until then turns as much less sharply.
  const double asked = command.heading ? Wrapped(*command.heading - heading) : 0;
  const double first =
      (state->style == 0 ? state->mix : 0) + (state->before == 0 ? 1 - state->mix : 0);
  const double gentle = first + (1 - first) * config_.style_turn;
  double most = gentle * Radians(config_.turn_per_step);
  if (std::fabs(asked) > most) {
    const double slow =
        gentle * config_.turn_speed * std::min(std::fabs(own), std::fabs(own_of(before)));
    wanted = std::clamp(wanted, -slow, slow);
    if (std::fabs(state->speed) > slow) most *= slow / std::fabs(state->speed);
  }
  if (state->speed_known) {
    wanted = std::clamp(wanted, state->speed - config_.speed_per_step,
                        state->speed + config_.speed_per_step);
  }
  state->speed =
      std::clamp(wanted, clips_[style.clips.front()].speed, clips_[style.clips.back()].speed);
  state->speed_known = true;

  double straight = 1;
  const int turner = asked > 0 ? turn_left_ : turn_right_;
  if (turner >= 0 && std::fabs(asked) > 0) {
    straight = 1 - std::clamp(asked / clips_[turner].turn, 0.0, 1.0) *
                       std::min(1.0, std::fabs(state->speed / clips_[turner].speed));
    Add(FragmentOf(turner, swing, *state), clips_[turner].gains, 1 - straight, next);
  }
  AddStyle(before, swing, straight * (1 - state->mix), *state, next);
  AddStyle(style, swing, straight * state->mix, *state, next);
  // What a clip turns by itself is not wanted.
  next->bend = std::clamp(asked, -most, most) - next->turn;
  ++state->round[swing];
}

void Animation::PlanClip(AnimationState* state, PlannedFragment* next) const {
  const AnimationClip& clip = clips_[state->clip];
  Add(clip.fragments[state->position++], clip.gains, 1, next);
  next->leads = true;
}

void Animation::Stand(AnimationState* state, PlannedFragment* next) const {
  Clear(next);
  state->speed = 0;
  state->speed_known = true;
  Add(stand_, stand_gains_, 1, next);
}

void Animation::StepInPlace(int swing, AnimationState* state, PlannedFragment* next) const {
  Clear(next);
  state->speed = 0;
  state->speed_known = true;
  PlanGait(swing, 0, {.speed = 0}, state, next);
  next->bend = 0;
}

void Animation::Next(int swung, double heading, const Command& command, AnimationState* state,
                     PlannedFragment* next) const {
  Clear(next);
  const int styles = static_cast<int>(style_clip_.size());
  const int asked = command.style >= 0 && command.style < styles ? command.style : 0;
  if (is_graph_) {
    // Along the edges: the node that is asked for where one leads there, else the node itself.
    if (state->clip < 0) state->clip = 0, state->position = 0;
    if (state->position == static_cast<int>(clips_[state->clip].fragments.size())) {
      const std::vector<int>& next_clips = clips_[state->clip].next;
      int chosen = next_clips[0];
      for (const int k : next_clips) {
        const bool alternates = swung < 0 || clips_[k].fragments[0].Swing() != swung;
        if (k == style_clip_[asked] && alternates) chosen = k;
      }
      state->clip = chosen, state->position = 0;
    }
    PlanClip(state, next);
    return;
  }
  if (state->clip >= 0 &&
      state->position < static_cast<int>(clips_[state->clip].fragments.size())) {
    PlanClip(state, next);
    return;
  }
  const int swing =
      swung < 0 ? clips_[styles_[0].clips[styles_[0].own]].fragments[0].Swing() : 1 - swung;
  const int act = style_clip_[asked];
  // An act is performed once each time it is asked for, from a step of its first foot on.
  if (act >= 0 && state->clip != act && clips_[act].fragments[0].Swing() == swing && swung >= 0) {
    state->clip = act, state->position = 0;
    state->speed_known = false;
    PlanClip(state, next);
    return;
  }
  if (act < 0) {
    state->clip = -1;
    if (state->style != asked) {
      // The gait that it has outweighs one that it was still leaving.
      if (state->mix >= 0.5) state->before = state->style;
      state->style = asked;
      state->mix = 0;
    }
  }
  PlanGait(swing, heading, command, state, next);
}

}  // namespace stride
