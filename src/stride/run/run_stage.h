#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/record/recording.h"
#include "stride/run/run_character.h"
#include "stride/run/run_setup.h"
#include "stride/sim/engine.h"

// The world of a run and who is in it: what the parts of a step (inputs by hand, the scenario's
// acts, the recording of frames) share.
namespace stride {

inline constexpr double kRounding = 1e-9;  // of a time that is a sum of steps, s

struct RunStage {
  // Throws InputError.
  explicit RunStage(const RunSetup& asked);
  // Goes on exactly as the other would.
  RunStage(const RunStage& other);

  RunSetup setup;  // with what controllers took from this machine
  std::vector<std::string> warnings;
  std::vector<std::string> unobeyed;  // of the setup's commands: why each cannot be
  std::shared_ptr<const std::vector<LoadedCharacter>> loaded;  // as the setup names them
  World world;
  std::unique_ptr<Engine> engine;
  std::vector<RunCharacter> characters;  // the first actors; then the scenario's balls, then thrown
  std::uint32_t step = 0;

  // Of the step that is being made or was made last.
  std::vector<Actuation> actuations;  // by actor
  std::vector<ExternalForce> forces;
  std::vector<Contact> contacts;
  std::vector<RecordedEvent> events;  // since they were taken

  double Time() const { return static_cast<double>(step) * world.time_step; }
  bool IsCharacter(int actor) const { return actor < static_cast<int>(characters.size()); }
  std::vector<State> States() const;
  Mat3d RotationOf(int actor, int body) const;
  Vec3d PointInWorld(int actor, int body, const Vec3d& point) const;

  void Report(const char* kind, nlohmann::ordered_json data = nlohmann::ordered_json::object());
  void TakeCommands();  // of the setup, that are due
  // `point` in the body's frame, `force` in the world's.
  void AddForce(int actor, int body, const Vec3d& point, const Vec3d& force);
  // Controllers, engine, contacts, metrics and falls: one step.
  void Advance();

  // Makes the engine anew around these states.
  void ChangeWorld(const World& changed, const std::vector<State>& states);
  void AddBall(const Character& ball, const State& state);

 private:
  void GrantWishes();
  void MakeCharacters();
  void CheckCommands(int actor);
  void ReserveMemory();
  void ShareContacts();
};

}  // namespace stride
