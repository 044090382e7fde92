#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stride {

// The whole file as bytes. Throws InputError (missing, a folder, unreadable, larger than
// max_bytes).
std::string ReadFile(const std::string& path, std::size_t max_bytes = std::size_t{256} << 20);

// Writes aside and renames, so that `path` appears whole or not at all. Throws InputError.
void WriteFileWhole(const std::string& path, std::string_view bytes);

// ".xml" of "a/b.xml", lower case; empty if there is none.
std::string FileExtension(const std::string& path);

}  // namespace stride
