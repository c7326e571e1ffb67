// Head, temporary and tail of one buffer.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/compat/single_arena.h"

#include <limits>

namespace mace::memory {
namespace {

// Bytes from `at` up to the next multiple, or down to the one before.
size_t UpBy(const char* at, size_t alignment) {
  return -reinterpret_cast<uintptr_t>(at) & (alignment - 1);
}
size_t DownBy(const char* at, size_t alignment) {
  return reinterpret_cast<uintptr_t>(at) & (alignment - 1);
}

constexpr size_t kMax = std::numeric_limits<size_t>::max();

size_t Add(size_t a, size_t b) { return a > kMax - b ? kMax : a + b; }

}  // namespace

Result<char*> SingleArena::TooSmall(const char* section, size_t need) const {
  return OutOfResources(std::string("the arena of ") + std::to_string(bytes()) +
                        " bytes is too small for its " + section + ": " +
                        std::to_string(need) + " bytes are needed so far");
}

Result<char*> SingleArena::AllocateTail(size_t bytes, size_t alignment) {
  const size_t room = tail_ - temporary_;
  // Padding comes after the piece.
  if (bytes > room || bytes + DownBy(tail_ - bytes, alignment) > room) {
    const size_t padding =
        bytes > room ? alignment - 1 : DownBy(tail_ - bytes, alignment);
    return TooSmall("tail", Add(Add(bytes, padding), this->bytes() - room));
  }
  tail_ -= bytes;
  tail_ -= DownBy(tail_, alignment);
  return tail_;
}

Result<char*> SingleArena::ResizeHead(size_t bytes, size_t alignment) {
  if (temporary_ != head_) {
    return InvalidArgument(
        "the head cannot change while there are temporary allocations");
  }
  const size_t padding = UpBy(begin_, alignment);
  const size_t room = tail_ - begin_;
  if (padding > room || bytes > room - padding) {
    return TooSmall("head", Add(Add(bytes, padding), tail_bytes()));
  }
  head_ = temporary_ = begin_ + padding + bytes;
  return begin_ + padding;
}

Result<char*> SingleArena::AllocateTemporary(size_t bytes, size_t alignment) {
  const size_t padding = UpBy(temporary_, alignment);
  const size_t room = tail_ - temporary_;
  if (padding > room || bytes > room - padding) {
    return TooSmall("temporary section",
                    Add(Add(bytes, padding), this->bytes() - room));
  }
  char* const at = temporary_ + padding;
  temporary_ = at + bytes;
  return at;
}

size_t SingleArena::AvailableBytes(size_t alignment) const {
  const size_t padding = UpBy(temporary_, alignment);
  const size_t room = tail_ - temporary_;
  return padding > room ? 0 : room - padding;
}

}  // namespace mace::memory
