#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "stride/controllers/control_graph/control_graph.h"
#include "stride/learn/checkpoint.h"

namespace stride {

// All that decides which numbers a run of the learner comes to.
RunIdentity IdentityOf(const ControlGraph& graph, std::uint64_t seed,
                       const std::string& instruction_set, const nlohmann::ordered_json& settings);

}  // namespace stride
