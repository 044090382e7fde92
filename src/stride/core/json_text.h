#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

// JSON that comes from outside: every file, message and option is read by one of these, so that
// hostile text can exhaust neither stack nor memory nor time. All throw InputError.
namespace stride {

int LineAt(std::string_view text, std::size_t position);  // from 1

// A value is written, copied and compared by recursion: what is nested deeper is refused. For a
// parser's callback, which is told the depth.
inline constexpr int kMaxJsonDepth = 64;
void CheckJsonDepth(int depth, const std::string& source);

// With the line where the text stops being JSON; at most 64 MB, since the parsed value takes many
// times the memory of its text. `comments`: those of C++ may stand in it.
nlohmann::json ParseJson(std::string_view text, const std::string& file, bool comments = false);

// With keys in their order, of which there are at most 512 an object: an ordered object looks for a
// key by comparing it with all before.
inline constexpr std::size_t kMaxJsonBytes = std::size_t{16} << 20;
nlohmann::ordered_json ParseBoundedJson(std::string_view text, const std::string& source);

// JSON holds UTF-8 only; other bytes are replaced.
std::string ToUtf8(const std::string& text);

}  // namespace stride
