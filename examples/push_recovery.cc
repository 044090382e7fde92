// How hard a push does a standing human bear? Uses the library from C++: a character, a world, an
// engine, a snapshot to start every trial from, and a fall detector.
//
//   build/push_recovery
#include <cstdio>

#include "stride/character/library.h"
#include "stride/scenario/fall.h"
#include "stride/scenario/push.h"
#include "stride/sim/engine.h"

int main() {
  stride::World world;
  world.actors = {stride::LoadCharacter("liu16")};
  const stride::Character& human = world.actors[0];
  const auto engine = stride::MakeEngine("native", world);
  const std::vector<stride::Actuation> hold = {stride::HoldPose(human, human.rest_q)};

  for (int i = 0; i < 400; ++i) engine->Step(hold, {});  // 2 s to settle
  const stride::Snapshot settled = engine->Save();
  const stride::FallDetector fall(human, world.terrain, engine->GetState(0));
  const int trunk = stride::PushedBody(human);

  int stood = 0, fell = 0;
  for (double newtons = 20; newtons <= 160; newtons += 20) {
    engine->Restore(settled);
    bool fallen = false;
    for (int i = 0; i < 600 && !fallen; ++i) {  // 3 s, pushed forwards during the first 0.2 s
      const stride::ExternalForce push = {
          .body = trunk, .force = {i < 40 ? newtons : 0, 0, 0}, .point = human.bodies[trunk].com};
      engine->Step(hold, {&push, 1});
      fallen = fall.Fallen(engine->GetState(0));
    }
    std::printf("%3.0f N for 0.2 s: %s\n", newtons, fallen ? "falls" : "stands");
    ++(fallen ? fell : stood);
  }
  return stood > 0 && fell > 0 ? 0 : 1;
}
