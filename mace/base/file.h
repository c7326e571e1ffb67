// Files: mapping them, reading them whole, and writing them atomically.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_FILE_H_
#define MACE_BASE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/base/status.h"

namespace mace {

// A file that is mapped read-only. The system loads a page when it is first
// read. Movable.
class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  // Never waits, not even for a FIFO. If the file is cut short while it is
  // mapped, reading what is gone raises SIGBUS. Errors: MACE_INVALID_ARGS if
  // `path` is no regular file, cannot be opened or cannot be mapped, with the
  // system's reason; MACE_OUT_OF_RESOURCES if that reason is a lack of memory.
  static Result<MappedFile> Open(const std::string& path);

  // Releases the memory of the whole pages inside [data, data + bytes), which
  // must lie in the mapping. Reading them again loads them from the file.
  void Forget(const void* data, size_t bytes) const;

  // Releases the memory of all pages that were read so far. Other threads may
  // read the file meanwhile: what they read is loaded again.
  void Release() const;

  const uint8_t* data() const { return data_; }  // page aligned; null if empty
  size_t size() const { return size_; }

 private:
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

// Reads a file into memory of the process, of which nothing is lost when the
// file is cut short or changed later. `what` names the memory in messages.
// Errors: as MappedFile::Open; MACE_INVALID_ARGS if the file cannot be read or
// is cut short meanwhile; MACE_OUT_OF_RESOURCES.
Result<AlignedBuffer> ReadIntoMemory(const std::string& path, const char* what);

// Reads a file of moderate size: if there is no memory for the vector, the
// process ends; if the file is cut short meanwhile, SIGBUS is raised. Errors:
// as MappedFile::Open.
Result<std::vector<uint8_t>> ReadFile(const std::string& path);

// Reads at most the first 4,095 bytes of a file of /proc or /sys. Returns an
// empty string if the file cannot be read.
std::string ReadShortFile(const std::string& path);

// Writes a temporary file beside `path` and renames it, so that a reader sees
// either the whole old file or the whole new one. The new file has mode 0644;
// its bytes are on the disk (fsync) before the rename. A symbolic link at
// `path` is replaced, not followed. Errors: MACE_OUT_OF_RESOURCES (disk full,
// quota, memory); otherwise MACE_INVALID_ARGS, also if `path` exists and is, or
// links to, no regular file.
Status WriteFileAtomically(const std::string& path, const void* data,
                           size_t size);

}  // namespace mace

#endif  // MACE_BASE_FILE_H_
