// A character that walks as it was learned: the built-in skill, its controller and the native
// engine, as another program embeds them. Links no MPI, no MuJoCo, no server.
//
//   build/perform_skill
#include <cstdio>

#include "stride/run/run.h"

int main() {
  stride::RunSetup setup;
  stride::CharacterSetup& walker = setup.characters[0];
  walker.skill = "walk";
  walker.controller = stride::ControllerOfSkill(walker.skill);
  setup.scenario.seconds = 10;
  stride::Run run(setup);
  while (!run.Finished()) {
    run.Step();
    if (run.StepCount() % 200 == 0) {
      const stride::State& state = run.ActorState();
      std::printf("%2.0f s: pelvis at %5.2f %5.2f %5.2f m\n", run.Time(), state.q[0], state.q[1],
                  state.q[2]);
    }
  }
  const double way = run.ActorState().q[0];
  std::printf("%s after %.2f m\n", run.Fell() ? "fell" : "still walks", way);
  return !run.Fell() && way > 5 ? 0 : 1;
}
