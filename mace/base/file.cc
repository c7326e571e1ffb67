// POSIX files.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "mace/base/memory_reserve.h"
#include "mace/base/str_cat.h"

namespace mace {
namespace {

Status SystemError(const std::string& what, const std::string& path) {
  const std::string message =
      StrCat("cannot ", what, " '", path, "': ", std::strerror(errno));
  return errno == ENOSPC || errno == ENOMEM || errno == EDQUOT
             ? OutOfResources(message)
             : InvalidArgument(message);
}

Status CheckRegular(const struct stat& st, const char* what,
                    const std::string& path) {
  if (S_ISREG(st.st_mode)) return Status();
  return InvalidArgument("cannot ", what, " '", path, "': it is ",
                         S_ISDIR(st.st_mode) ? "a folder; name a file in it"
                         : S_ISFIFO(st.st_mode)
                             ? "a FIFO, not a regular file"
                             : "a device or a socket, not a regular file");
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

Status WriteAll(int fd, const uint8_t* data, size_t size,
                const std::string& path) {
  while (size > 0) {
    const ssize_t n = write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemError("write", path);
    data += n;
    size -= n;
  }
  if (fsync(fd) != 0) return SystemError("write", path);
  return Status();
}

}  // namespace

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<uint8_t*>(data_), size_);
}

void MappedFile::Forget(const void* data, size_t bytes) const {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<uintptr_t>(data);
  const uintptr_t begin = (start + page - 1) / page * page;
  const uintptr_t end = (start + bytes) / page * page;
  if (begin >= end) return;
  // These are advices: where they fail, that costs memory only. The first makes
  // the pages a mapping of their own: else Linux brings them back with a page
  // beside them that is read, if its cache holds both in one piece.
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_RANDOM);
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

void MappedFile::Release() const {
  if (data_ != nullptr) {
    madvise(const_cast<uint8_t*>(data_), size_, MADV_DONTNEED);
  }
}

namespace {

// Opens a regular file, and gives its size.
Status OpenRegular(const std::string& path, Descriptor* fd, size_t* size) {
  struct stat st;
  if (fd->get() < 0 || fstat(fd->get(), &st) != 0) {
    return SystemError("open", path);
  }
  MACE_RETURN_IF_ERROR(CheckRegular(st, "open", path));
  *size = static_cast<size_t>(st.st_size);
  return Status();
}

// Opening a FIFO or a device would otherwise wait, possibly for ever.
int OpenToRead(const std::string& path) {
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

}  // namespace

Result<MappedFile> MappedFile::Open(const std::string& path) {
  Descriptor fd(OpenToRead(path));
  MappedFile file;
  MACE_RETURN_IF_ERROR(OpenRegular(path, &fd, &file.size_));
  if (file.size_ > 0) {
    void* p = mmap(nullptr, file.size_, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (p == MAP_FAILED) return SystemError("map", path);
    file.data_ = static_cast<const uint8_t*>(p);
  }
  return file;
}

Result<AlignedBuffer> ReadIntoMemory(const std::string& path,
                                     const char* what) {
  MACE_RETURN_IF_ERROR(FillMemoryReserve());
  Descriptor fd(OpenToRead(path));
  size_t size = 0;
  MACE_RETURN_IF_ERROR(OpenRegular(path, &fd, &size));
  MACE_ASSIGN_OR_RETURN(AlignedBuffer buffer,
                        AlignedBuffer::Create(size, what));
  for (size_t done = 0; done < size;) {
    const ssize_t n = read(
        fd.get(), static_cast<uint8_t*>(buffer.data()) + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemError("read", path);
    if (n == 0) {
      return InvalidArgument("cannot read '", path, "': it was cut short from ",
                             size, " to ", done, " bytes meanwhile");
    }
    done += static_cast<size_t>(n);
  }
  return buffer;
}

Result<std::vector<uint8_t>> ReadFile(const std::string& path) {
  MACE_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  return std::vector<uint8_t>(file.data(), file.data() + file.size());
}

std::string ReadShortFile(const std::string& path) {
  char text[4096];
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  const ssize_t n = read(fd, text, sizeof(text) - 1);
  close(fd);
  return std::string(text, n > 0 ? static_cast<size_t>(n) : 0);
}

Status WriteFileAtomically(const std::string& path, const void* data,
                           size_t size) {
  struct stat st;
  // Else the rename would replace a device, such as /dev/null.
  if (stat(path.c_str(), &st) == 0) {
    MACE_RETURN_IF_ERROR(CheckRegular(st, "write", path));
  }
  std::string temporary = StrCat(path, ".XXXXXX");
  const Descriptor fd(mkstemp(temporary.data()));
  if (fd.get() < 0) return SystemError("create", temporary);
  Status status =
      WriteAll(fd.get(), static_cast<const uint8_t*>(data), size, path);
  if (status.ok() && (fchmod(fd.get(), 0644) != 0 ||
                      rename(temporary.c_str(), path.c_str()) != 0)) {
    status = SystemError("write", path);
  }
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

}  // namespace mace
