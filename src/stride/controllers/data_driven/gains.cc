#include "stride/controllers/data_driven/gains.h"

#include <cmath>

#include <fmt/format.h>

#include "stride/core/error.h"

namespace stride {
namespace {

// c1 sagittal, c1 coronal, c2 sagittal (+), c2 sagittal (-), c2 coronal, c3; and the foot lift that
// the authors' program has for the motion.
FeedbackGains Row(double c1_sagittal, double c1_coronal, double c2_behind, double c2_ahead,
                  double c2_coronal, double c3, double lift) {
  FeedbackGains gains;
  gains.c1_sagittal_behind = gains.c1_sagittal_ahead = c1_sagittal;
  gains.c1_coronal = c1_coronal;
  gains.c2_sagittal_behind = c2_behind;
  gains.c2_sagittal_ahead = c2_ahead;
  gains.c2_coronal = c2_coronal;
  gains.c3_sagittal = gains.c3_coronal = c3;
  gains.lift = lift;
  return gains;
}

}  // namespace

FeedbackGains ForLegs(const FeedbackGains& gains, double ratio) {
  FeedbackGains g = gains;
  using Gains = FeedbackGains;
  const auto scale = [&](std::initializer_list<double Gains::*> members, double factor) {
    for (double Gains::*member : members) g.*member *= factor;
  };
  // rad s/m
  scale({&Gains::c1_sagittal_behind, &Gains::c1_sagittal_ahead, &Gains::c1_coronal,
         &Gains::c3_sagittal, &Gains::c3_coronal, &Gains::slow_lean, &Gains::slow_swing,
         &Gains::slow_push_off, &Gains::slow_ankle},
        1 / std::sqrt(ratio));
  // 1/m
  scale({&Gains::c2_sagittal_behind, &Gains::c2_sagittal_ahead, &Gains::c2_coronal,
         &Gains::c4_sagittal, &Gains::c4_coronal, &Gains::push_off_behind, &Gains::haste,
         &Gains::slow_coronal},
        1 / ratio);
  scale({&Gains::c6}, std::sqrt(ratio));                         // s
  scale({&Gains::lift, &Gains::extend, &Gains::crouch}, ratio);  // m
  return g;
}

const std::vector<GainRow>& PublishedGains() {
  static const std::vector<GainRow> table = {
      {"normal", Row(0.05, 0.2, 0.2, 0.05, 0.2, 0.1, 0)},
      {"slow", Row(0.05, 0.25, 0.5, 0.05, 0.2, 0.1, 0)},
      {"fast", Row(0.05, 0.3, 0.5, 0.05, 0.2, 0.1, 0)},
      {"gentle", Row(0, 0.3, 1.2, 0.05, 0.2, 0.1, 0)},
      {"wide_swing", Row(0.05, 0.2, 0.3, 0.05, 0.2, 0.1, 0)},
      {"brisk", Row(0, 0.3, 0.2, 0, 0.2, 0.1, 0)},
      {"march", Row(0, 0.3, 0.2, 0.05, 0.2, 0.1, 0)},
      {"backward", Row(0.1, 0.3, 1, 0, 0.3, 0.3, 0)},
      {"left_45", Row(0.1, 0.4, 0.7, 0.05, 0.2, 0.1, 0.04)},
      {"left_90", Row(0, 0.3, 0, 0, 0.2, 0.1, 0.01)},
      {"u_turn", Row(0.05, 0.3, 1.2, 0.05, 0.2, 0.1, 0.05)},
      {"spin", Row(0.2, 0.2, 0.7, 0.05, 0.2, 0.1, 0.04)},
      {"pushes", Row(0.05, 0.25, 1.7, 0.1, 0.3, 0.1, 0.04)},
      {"stop_to_walk", Row(0.1, 0.25, 1, 0.05, 0.3, 0.1, 0.07)},
      {"walk", Row(0, 0.3, 1.8, 0, 0.2, 0.1, 0.07)},
      {"turn_90", Row(0.1, 0.3, 1.5, 0.05, 0.4, 0.1, 0.07)},
      {"turn_135", Row(0, 0.3, 2, 0.05, 0.4, 0.1, 0.07)},
      {"turn_180", Row(0.1, 0.3, 2, 0.05, 0.3, 0.1, 0.07)},
      {"fast_walk", Row(0, 0.25, 1, 0, 0.3, 0.1, 0.07)},
      {"style_1", Row(0.1, 0.4, 0.5, 0.05, 0.4, 0.1, 0.07)},
      {"style_2", Row(0.1, 0.3, 0.5, 0.1, 0.3, 0.1, 0.07)},
  };
  return table;
}

const FeedbackGains& RowOfGains(const std::string& name) {
  std::string names;
  for (const std::vector<GainRow>* table : {&PublishedGains(), &TunedGains()}) {
    for (const GainRow& row : *table) {
      if (name == row.name) return row.gains;
      names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
    }
  }
  throw InputError(fmt::format("there are no gains '{}'; expected one of: {}", name, names));
}

}  // namespace stride
