#include "stride/core/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>

namespace stride {

void SetUpLogging(Verbosity verbosity) {
  auto logger = std::make_shared<spdlog::logger>(
      "stride", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern("stride: %^%l%$: %v");
  logger->set_level(verbosity == Verbosity::kQuiet     ? spdlog::level::err
                    : verbosity == Verbosity::kVerbose ? spdlog::level::debug
                                                       : spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace stride
