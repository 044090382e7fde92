#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stride/learn/skill.h"
#include "stride/motion/graph/motion_graph.h"
#include "stride/motion/motion.h"
#include "stride/run/run_setup.h"

// What the names in a setup stand for: read from files or built in, kept by a recording, taken from
// it again.
namespace stride {

struct LoadedCharacter {
  Character character;
  std::shared_ptr<const Skill> skill;  // null: none
  std::vector<Motion> motions;
  std::shared_ptr<const MotionGraph> graph;  // null: none
};

// Of character `index`; what is among the setup's sources is not looked up. Throws InputError.
LoadedCharacter Load(const RunSetup& setup, std::size_t index, std::vector<std::string>* warnings);

// Each thing once. `loaded`: of the setup's characters, as Load gave them.
std::vector<RecordedSource> SourcesOf(const RunSetup& setup,
                                      const std::vector<LoadedCharacter>& loaded);

}  // namespace stride
