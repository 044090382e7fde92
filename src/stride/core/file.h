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

// Throws InputError where WriteFileWhole would: asked before long work. Changes nothing.
void CheckWritable(const std::string& path);

// For a signal's handler: removes what a WriteFileWhole that is under way has written aside, and
// the folder that was named last; empty: none.
void RemoveUnfinished();
void NameUnfinishedFolder(const std::string& path);

// PATH belongs to one process as long as this lives: a lock on PATH.lock, which is gone afterwards.
// One that a killed process left behind counts for nothing. Throws InputError where another process
// has it.
class OutputLock {
 public:
  explicit OutputLock(const std::string& path);
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  std::string lock_;
  int fd_ = -1;
};

// ".xml" of "a/b.xml", lower case; empty if there is none.
std::string FileExtension(const std::string& path);

}  // namespace stride
