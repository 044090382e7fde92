#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace stride {

int LineAt(std::string_view text, std::size_t position);  // from 1

// Throws InputError with the line where the text stops being JSON, and for more than 64 MB: the
// parsed value takes many times the memory of its text.
nlohmann::json ParseJson(std::string_view text, const std::string& file);

// JSON holds UTF-8 only; other bytes are replaced.
std::string ToUtf8(const std::string& text);

}  // namespace stride
