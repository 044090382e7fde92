#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "stride/controllers/pendulum/momentum_map.h"
#include "stride/motion/feet.h"
#include "stride/motion/kinematics.h"
#include "stride/motion/motion.h"

// What is known of a clip before it is performed: kwon17, Section 4. The pole on the cart that goes
// as the clip's centre of mass does, the speeds it has to want for that, and where the feet are
// relative to it.
namespace stride {

inline constexpr double kPlanRate = 120;  // Hz; the paper: 120
inline constexpr double kPlanStep = 1 / kPlanRate;

// A frame on the pole's way for the placement of a foot: level, its vertical sheared along the
// pole, so that heights do not change with lean (the paper's Figure 7c).
struct ShearedFrame {
  Level2 base;     // m
  double yaw = 0;  // rad
  Level2 shear;    // m aside for each metre up
  friend bool operator==(const ShearedFrame&, const ShearedFrame&) = default;
};
ShearedFrame ShearOf(const CartPoleState& pole, double heading);
ShearedFrame Between(const ShearedFrame& a, const ShearedFrame& b, double t);
Vec3d ToWorld(const ShearedFrame& frame, const Vec3d& local);
Vec3d ToLocal(const ShearedFrame& frame, const Vec3d& world);

// A limb's end as the planner places it: ankle and foot.
struct LimbPlace {
  Vec3d position;
  Quatd rotation = Quatd::Identity();
};

// Frames `first` to `last` in which a foot stands, as the clip goes on; of a loop the first ones
// may be negative.
struct Support {
  int first = 0, last = 0;
  double Middle() const { return 0.5 * (first + last); }
};

// A clip's frames at kPlanRate. `at` may lie outside of 0 .. Count() - 1: a loop goes on,
// travelling; another clip stays at its end.
class PendulumReference {
 public:
  // Throws InputError: a clip without a standing foot, labels that contradict the motion.
  PendulumReference(const Character& character, const Motion& motion);

  const Character& character() const { return *character_; }
  const Kinematics& kinematics() const { return kinematics_; }
  const CartPole& pole() const { return pole_; }
  std::span<const BodyMass> masses() const { return masses_; }
  const std::array<FootParts, 2>& feet() const { return feet_; }
  int Count() const { return count_; }
  bool Flies() const { return flies_; }  // at times no foot stands
  bool Loops() const { return loops_; }
  double Speed() const { return speed_; }  // of the clip over ground, m/s
  // In which it goes, relative to its heading; unit.
  const Level2& Direction() const { return direction_; }

  // Frame inside the clip.
  int Wrapped(int at) const;
  // Poses and velocities in the clip's own world.
  const State& StateAt(int wrapped) const { return states_[wrapped]; }
  const std::vector<double>& Acceleration(int wrapped) const { return accelerations_[wrapped]; }
  const BodyFrames& Frames(int wrapped) const { return frames_[wrapped]; }
  const WholeBody& Whole(int wrapped) const { return wholes_[wrapped]; }
  const CartPoleState& PoleState(int wrapped) const { return poles_[wrapped]; }
  double HeadingAt(int wrapped) const { return headings_[wrapped]; }
  const Vec3d& AngularMomentum(int wrapped) const { return angular_[wrapped]; }
  const Vec3d& LinearMomentum(int wrapped) const { return linear_[wrapped]; }
  const Vec3d& AngularRate(int wrapped) const { return angular_rate_[wrapped]; }
  const Vec3d& LinearRate(int wrapped) const { return linear_rate_[wrapped]; }
  const CartPoleRates& PoleRates(int wrapped) const { return pole_rates_[wrapped]; }
  // What the pole wants: speed relative to its heading, and rate of turning.
  const Level2& Wanted(int wrapped) const { return wanted_[wrapped]; }
  double TurnRate(int wrapped) const { return turn_rate_[wrapped]; }
  // Of limb k: standing; place relative to its sheared frame (eq. 7).
  bool Stands(int limb, int at) const { return stands_[limb][Wrapped(at)]; }
  const LimbPlace& Local(int limb, int wrapped) const { return local_[limb][wrapped]; }
  // Between two frames: the pose with its root relative to the pole's frame, a limb's place.
  void PoseAt(double at, std::vector<double>* q) const;
  LimbPlace LocalAt(int limb, double at) const;
  // How far the cart goes from one frame to another, m.
  double WayOf(int from, int to) const;
  // The support that frame `at` is in or, in a swing, those before and after it. A clip that begins
  // or ends in a swing has one of a single frame there.
  Support SupportBefore(int limb, int at) const;  // begins at or before
  Support SupportAfter(int limb, int at) const;   // ends after; the same while standing
  // The sheared frame of a support of the clip, in its own world.
  ShearedFrame FrameOf(const Support& support) const;
  double FitError() const { return fit_error_; }  // of the pole's centre, m, root mean square

 private:
  void Resample(const Motion& motion);
  void Label(const Motion& motion);
  void FindFlights();
  void Face();
  void FitPole();
  void Encode();
  CartPoleState MovedPole(int at, double* heading) const;
  ShearedFrame FrameOfLimb(int limb, int at) const;
  struct Move {
    double turn = 0;
    Level2 shift;
  };
  Move MoveOfRound(int round) const;

  std::shared_ptr<const Character> character_;
  Kinematics kinematics_;
  std::vector<BodyMass> masses_;
  std::array<FootParts, 2> feet_;
  bool loops_;
  int count_ = 0;
  double speed_ = 0, fit_error_ = 0;
  Level2 direction_{1, 0};
  bool flies_ = false;
  Move round_;  // of one round of a loop
  std::vector<State> states_;
  std::vector<std::vector<double>> accelerations_;
  std::vector<BodyFrames> frames_;
  std::vector<WholeBody> wholes_;
  std::array<std::vector<char>, 2> stands_;
  std::array<std::vector<Support>, 2> supports_;
  std::vector<double> headings_, turn_rate_;
  std::vector<Level2> wanted_;
  CartPole pole_;
  std::vector<CartPoleState> poles_;
  std::vector<CartPoleRates> pole_rates_;
  std::vector<Vec3d> angular_, linear_, angular_rate_, linear_rate_;
  std::array<std::vector<LimbPlace>, 2> local_;
  std::vector<std::vector<double>> poses_;  // roots relative to the pole's frame
};

}  // namespace stride
