// One caller-given buffer, shared by planned, temporary and persistent memory.
// SPDX-License-Identifier: Apache-2.0
//
// The arena of TensorFlow Lite Micro's interpreter, as published. An engine
// puts planned tensors and scratch, the head, in the caller's arena; the other
// sections stand here to be taken up by it. single_arena_test.cc holds them to
// what is published of their behaviour.
//
//   lowest address                                           highest address
//   |  HEAD            |  TEMPORARY -->  |      free     |  <-- TAIL         |
//   |  planned tensors |  short-lived    |               |  persistent       |
#ifndef MACE_MEMORY_COMPAT_SINGLE_ARENA_H_
#define MACE_MEMORY_COMPAT_SINGLE_ARENA_H_

#include <cstddef>
#include <cstdint>

#include "mace/base/status.h"

namespace mace::memory {

// Allocates nothing itself. Errors: MACE_OUT_OF_RESOURCES, saying how many
// bytes would do, unless a call says otherwise.
class SingleArena {
 public:
  // `buffer` outlives this.
  SingleArena(void* buffer, size_t bytes)
      : begin_(static_cast<char*>(buffer)),
        end_(begin_ + bytes),
        head_(begin_),
        temporary_(begin_),
        tail_(end_) {}

  // Persistent: from the tail downwards; never given back.
  Result<char*> AllocateTail(size_t bytes, size_t alignment);

  // Sets the length of the head, in one piece from the first aligned byte.
  // Errors: MACE_INVALID_ARGS while there are temporary allocations.
  Result<char*> ResizeHead(size_t bytes, size_t alignment);

  // Above the head, until ResetTemporary().
  Result<char*> AllocateTemporary(size_t bytes, size_t alignment);
  void ResetTemporary() { temporary_ = head_; }

  size_t head_bytes() const { return head_ - begin_; }
  size_t temporary_bytes() const { return temporary_ - head_; }
  size_t tail_bytes() const { return end_ - tail_; }
  size_t used_bytes() const { return head_bytes() + tail_bytes(); }
  size_t bytes() const { return end_ - begin_; }
  // What the next allocation of that alignment can have at most.
  size_t AvailableBytes(size_t alignment) const;

 private:
  Result<char*> TooSmall(const char* section, size_t missing) const;

  char* const begin_;
  char* const end_;
  char* head_;       // end of the head
  char* temporary_;  // end of the temporary section
  char* tail_;       // begin of the tail
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_COMPAT_SINGLE_ARENA_H_
