#include "stride/core/log.h"

#include <memory>

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>

namespace stride {
namespace {

class PrintableText final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& out) override {
    const std::string text = Printable({message.payload.data(), message.payload.size()});
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<PrintableText>();
  }
};

}  // namespace

std::string Printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto byte = static_cast<unsigned char>(text[k]);
    // U+0080 to U+009F in UTF-8: some terminals obey them as they obey an escape.
    const bool high = byte == 0xc2 && k + 1 < text.size() &&
                      static_cast<unsigned char>(text[k + 1]) >= 0x80 &&
                      static_cast<unsigned char>(text[k + 1]) <= 0x9f;
    if (high) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++k]));
    } else if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += text[k];
    }
  }
  return shown;
}

void SetUpLogging(Verbosity verbosity) {
  auto logger = std::make_shared<spdlog::logger>(
      "stride", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PrintableText>('*').set_pattern("stride: %^%l%$: %*");
  logger->set_formatter(std::move(formatter));
  logger->set_level(verbosity == Verbosity::kQuiet     ? spdlog::level::err
                    : verbosity == Verbosity::kVerbose ? spdlog::level::debug
                                                       : spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace stride
