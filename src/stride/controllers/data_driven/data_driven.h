#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "stride/control/controller.h"
#include "stride/controllers/data_driven/animation.h"
#include "stride/controllers/data_driven/balance.h"
#include "stride/dynamics/model.h"

// Data-driven biped control: Lee, Kim, Lee (2010), `lee10`. A stream of reference motion is tracked
// by a weak servo; balance comes from editing the reference, 30 times a second, and from beginning
// the next step when the foot has really landed.
namespace stride {

struct DataDrivenConfig {
  // How joints are made to follow, eq. 1.
  std::string tracking = "prescribed";
  double k_t = 40;       // 1/s^2; the authors' program: 20, for pushes 40. k_v = 2 sqrt(k_t)
  double landing = 0.7;  // share of a step before which a touch of the swing foot is no landing
  // How far the reference is turned to who was turned away, at each landing; the authors': 0.
  double realign = 0;
  // Each can be switched off: Section 5, "Effects of individual components".
  bool synchronisation = true, stance_hip = true, swing_hip = true, stance_ankle = true,
       swing_height = true;
  // Feet are laid on the ground as it is under them, and lifted over what rises; else it is level.
  bool knows_ground = true;
  // Of RowOfGains() that `gains` starts from; the paper's gains are those of single clips.
  std::string row = "tuned_any";
  FeedbackGains gains;
  AnimationConfig animation;
};
template <class Visitor>
void VisitConfig(DataDrivenConfig& c, Visitor& visit) {
  visit("tracking", c.tracking, {"prescribed", "inverse", "servo"},
        "prescribed: joints get the accelerations they should have whatever pushes (the authors'); "
        "inverse: torques from inverse dynamics with the contact forces of the last step, knowing "
        "nothing of pushes; servo: the body's own servos");
  visit("k_t", c.k_t, {1, 10000, "1/s^2"}, "stiffness of the tracking; damping is critical");
  visit("landing", c.landing, {0, 1}, "share of a step before which a touch is no landing");
  visit("realign", c.realign, {0, 1}, "how far the reference turns with who was turned away");
  visit("synchronisation", c.synchronisation, "next step when the foot lands, or by the clock");
  visit("stance_hip", c.stance_hip, "feedback on the stance hip (eq. 2)");
  visit("swing_hip", c.swing_hip, "feedback on the swing hip (eq. 3)");
  visit("stance_ankle", c.stance_ankle, "feedback on the stance ankle (eq. 4)");
  visit("swing_height", c.swing_height, "feedback on the height of the swing foot (eq. 5)");
  visit("knows_ground", c.knows_ground, "feet follow the ground under them; else it is level");
  visit("row", c.row, {},
        "gains to start from: a row of the paper's Figure 5 (normal), or one tuned here "
        "(tuned_normal; tuned_any for walks that have none); for several motions one each, with "
        "commas between");
  visit("gains", c.gains);
  visit("animation", c.animation);
}

class DataDrivenController final : public Controller {
 public:
  DataDrivenController(const World& world, std::shared_ptr<const Rig> rig,
                       std::shared_ptr<const Animation> animation, const DataDrivenConfig& config);

  std::unique_ptr<Controller> Clone() const override;
  State Start() const override { return start_; }
  void ChangeGround(const Terrain& terrain) override;
  void Step(const Observation& observation, const Command& command, Actuation* actuation) override;
  const State* Reference() const override { return &reference_; }
  std::optional<SpeedRange> Speeds() const override;
  std::vector<std::string> Styles() const override { return animation_->Styles(); }
  std::vector<DebugChannel> Channels() const override;
  void ReadChannels(std::span<float> values) const override;

 private:
  void BeginWalking();
  bool SwingFootTouches(const Observation& observation) const;
  bool HasLanded() const;
  Vec3d StepOf(const BodyFrames& frames) const;
  void CutFrame(double time);
  bool LandsNow(const Observation& observation);
  void Control(const Observation& observation, const Command& command);
  void BeginFragment();
  void KeepDirection(const Vec3d& root);
  void Plan(const Observation& observation, const Command& command);
  double BendAt(double phase) const;
  // The reference as it is, at a phase of the fragment, its root over x = y = 0.
  void Unwarped(double phase, EditedPose* pose) const;
  Vec3d ReferenceVelocity(double phase) const;
  void Warp(double phase, std::vector<double>* q) const;  // eq. 6
  void Prolong(double phase, EditedPose* pose);
  double Tempo() const;
  void ErrorAt(double phase, const State& state);
  void Edit(double phase, const State& state);
  void LearnFromStep();
  void FollowGround(EditedPose* pose) const;
  double PlaneHeight(int side) const;
  double SoleHeight(int side) const;
  Surface GroundUnder(int side) const;
  void Track(const Observation& observation, double time, Actuation* actuation);

  DataDrivenConfig config_;
  std::shared_ptr<const Rig> rig_;
  std::shared_ptr<const Animation> animation_;
  Terrain terrain_;
  double time_step_, gravity_;
  double ahead_;  // kAhead for these legs, s
  enum class Tracking { kPrescribed, kInverse, kServo } tracking_;
  State start_;

  // Memory of the run.
  bool begun_ = false;
  double frame_time_ = 0;  // since the last control, s
  AnimationState state_;
  PlannedFragment now_;
  double phase_ = 0;    // of the fragment; above 1: late
  double course_ = 0;   // heading that it keeps unless told another, rad
  double heading_ = 0;  // of the way where the fragment starts, rad
  double drift_ = 0;    // turn of the reference that keeps the way's direction, rad
  Vec3d step_start_, last_way_, last_intended_;
  bool way_known_ = false;
  Vec3d velocity_sum_;
  int velocity_count_ = 0;
  Vec3d velocity_;  // of the pelvis, mean since the last control
  BalanceError error_;
  Vec3d swing_feedback_, ankle_feedback_;
  double height_feedback_ = 0;
  double behind_at_landing_ = 0;  // m
  // Means over this step, and slow ones over the last steps: error of the velocity along the way,
  // of the position across it by which foot stood.
  double step_slow_ = 0, step_aside_ = 0;
  int step_frames_ = 0;
  double slow_ = 0;                                     // m/s; positive: too fast
  std::array<double, 2> aside_ = {0, 0};                // m
  Surface ground_;                                      // that this step stands on
  Vec3d ground_at_;                                     // where it does
  double foot_height_ = 0, reference_foot_height_ = 0;  // of the frame before
  bool heights_known_ = false;
  std::vector<double> displacement_;  // P (/) M'(0), layout of State::v
  std::vector<double> late_rate_;     // of Prolong()
  EditedPose target_, unwarped_, simulated_, scratch_;
  EditedPose landing_;  // the reference at the end of the fragment
  // Targets of the last controls and their rates: what is tracked is the quadratic spline with
  // these control points.
  std::vector<double> before_;  // target of the control before
  std::vector<double> rate_, rate_before_;
  State reference_;
  Model<double> model_;  // inverse dynamics
  std::vector<BodyForce<double>> forces_;
  std::vector<double> acceleration_, torque_;
};

}  // namespace stride
