#include "stride/core/file.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "stride/core/error.h"

namespace stride {
namespace {

struct Close {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using FileHandle = std::unique_ptr<std::FILE, Close>;

std::string Reason() { return std::strerror(errno); }

}  // namespace

std::string ReadFile(const std::string& path, std::size_t max_bytes) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw InputError(path, 0, "is a folder; expected a file");
  }
  const FileHandle file(std::fopen(path.c_str(), "rb"));
  if (!file) throw InputError(path, 0, "cannot be read: " + Reason());
  std::string bytes;
  char buffer[1 << 16];
  std::size_t n = 0;
  while ((n = std::fread(buffer, 1, sizeof buffer, file.get())) > 0) {
    if (bytes.size() + n > max_bytes) {
      throw InputError(path, 0, "is larger than " + std::to_string(max_bytes) + " bytes");
    }
    bytes.append(buffer, n);
  }
  if (std::ferror(file.get())) throw InputError(path, 0, "cannot be read: " + Reason());
  return bytes;
}

void WriteFileWhole(const std::string& path, std::string_view bytes) {
  const std::string aside = path + ".partial-" + std::to_string(getpid());
  const auto fail = [&](const std::string& reason) {
    std::remove(aside.c_str());
    throw InputError(path, 0, "cannot be written: " + reason);
  };
  FileHandle file(std::fopen(aside.c_str(), "wb"));
  if (!file) fail(Reason());
  if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) fail(Reason());
  if (std::fflush(file.get()) != 0 || fsync(fileno(file.get())) != 0) fail(Reason());
  if (std::fclose(file.release()) != 0) fail(Reason());
  if (std::rename(aside.c_str(), path.c_str()) != 0) fail(Reason());
}

std::string FileExtension(const std::string& path) {
  std::string ext = std::filesystem::path(path).extension().string();
  std::transform(ext.begin(), ext.end(), ext.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return ext;
}

}  // namespace stride
