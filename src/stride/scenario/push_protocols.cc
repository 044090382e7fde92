#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/scenario/option_syntax.h"
#include "stride/scenario/scenario.h"

// The push tests of the papers. A push "from the front" pushes backwards. Where a paper does not
// say when the first push comes, it is late enough for a steady gait and early enough for the last
// one to show its effect within the run.
namespace stride {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

// lee10 and wang09: 0.4 s every 4 s for 40 s at the torso.
void PushForFortySeconds(double heading, double force, Scenario* scenario) {
  scenario->seconds = 40;
  scenario->pushes.push_back(
      {.force = force, .heading = heading, .at = 2, .duration = 0.4, .repeats = 10, .every = 4});
}

// kwon17: 0.2 s at chest height.
void PushShortly(double heading, double force, int times, Scenario* scenario) {
  scenario->seconds = 3 * times + 5;
  scenario->pushes.push_back({.force = force,
                              .heading = heading,
                              .at = 3,
                              .duration = 0.2,
                              .repeats = times,
                              .every = times > 1 ? 3.0 : 0.0});
}

template <int kHeadingDeg>
void FortySeconds(double force, Scenario* scenario) {
  PushForFortySeconds(kHeadingDeg * kDegree, force, scenario);
}
template <int kHeadingDeg, int kTimes>
void Shortly(double force, Scenario* scenario) {
  PushShortly(kHeadingDeg * kDegree, force, kTimes, scenario);
}
void GrowingRandom(double growth, Scenario* scenario) {
  scenario->seconds = 600;
  scenario->stop_at_fall = true;
  scenario->random_pushes = RandomPushes{};
  if (growth > 0) scenario->random_pushes->sigma_growth = growth;
}

}  // namespace

const std::vector<PushProtocol>& PushProtocols() {
  static const std::vector<PushProtocol> protocols = [] {
    std::vector<PushProtocol> all = {
        {"lee10-front", "", 160, FortySeconds<180>},
        {"lee10-rear", "", 130, FortySeconds<0>},
        {"lee10-right", "", 80, FortySeconds<90>},
        {"lee10-left", "", 105, FortySeconds<-90>},
        {"kwon17-front", "", 300, Shortly<180, 3>},
        {"kwon17-rear", "", 300, Shortly<0, 3>},
        {"kwon17-right", "", 300, Shortly<90, 3>},
        {"kwon17-left", "", 300, Shortly<-90, 3>},
        {"kwon17-side", "", 500, Shortly<90, 1>},
        {"kwon17-run-side", "", 1000, Shortly<90, 1>},
        // The paper's figures for its body "short" (its Table 1).
        {"wang09-1,0", "", 75, FortySeconds<0>},
        {"wang09-1,1", "", 75, FortySeconds<45>},
        {"wang09-0,1", "", 100, FortySeconds<90>},
        {"wang09--1,1", "", 50, FortySeconds<135>},
        {"wang09--1,0", "", 60, FortySeconds<180>},
        {"wang09--1,-1", "", 40, FortySeconds<-135>},
        {"wang09-0,-1", "", 100, FortySeconds<-90>},
        {"wang09-1,-1", "", 75, FortySeconds<-45>},
        {"liu16",
         "0.2 s every 2 s in a random direction, sizes drawn wider with every second, "
         "until the fall; N is that growth, newtons a second (1)",
         0, GrowingRandom}};
    for (PushProtocol& protocol : all) {
      if (!protocol.description.empty()) continue;
      Scenario scenario;
      protocol.apply(protocol.paper_force, &scenario);
      const Push& push = scenario.pushes.at(0);
      protocol.description = fmt::format(
          "{} push{} of {:g} N for {:g} s towards {:.0f} degrees{}", push.repeats,
          push.repeats == 1 ? "" : "es", push.force, push.duration, push.heading / kDegree,
          push.repeats > 1 ? fmt::format(", one every {:g} s", push.every) : std::string());
    }
    return all;
  }();
  return protocols;
}

void ApplyPushProtocol(const std::string& text, Scenario* scenario) {
  constexpr OptionSyntax kSyntax = {"--pushes", "NAME or NAME:N (newtons)", "lee10-front:100"};
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  std::string names;
  for (const PushProtocol& protocol : PushProtocols()) {
    names += (names.empty() ? "" : "  ") + protocol.name;
    if (protocol.name != name) continue;
    double force = protocol.paper_force;
    if (colon != std::string::npos) force = kSyntax.Number(text.substr(colon + 1), text);
    if (force < 0 || force > 1e6) kSyntax.Refuse(text, "is not of 0 to 1e6 N");
    protocol.apply(force, scenario);
    return;
  }
  kSyntax.Refuse(text, fmt::format("there is no push protocol '{}', only: {}", name, names));
}

}  // namespace stride
