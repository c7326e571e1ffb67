// One caller-given buffer, shared by planned, temporary and persistent memory.
// SPDX-License-Identifier: Apache-2.0
//
// The arena of TensorFlow Lite Micro's interpreter, as published; what an
// engine puts into it, MaceEngineConfig::SetArena says.
//
//   lowest address                                           highest address
//   |  HEAD            |  TEMPORARY -->  |      free     |  <-- TAIL         |
//   |  planned tensors |  short-lived    |               |  persistent       |
#ifndef MACE_MEMORY_SINGLE_ARENA_H_
#define MACE_MEMORY_SINGLE_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mace/base/status.h"

namespace mace::memory {

// Never touches the bytes. Errors: MACE_OUT_OF_RESOURCES, saying how many bytes
// would do, unless a call says otherwise.
class SingleArena {
 public:
  // `buffer` outlives this.
  SingleArena(void* buffer, size_t bytes)
      : begin_(reinterpret_cast<uintptr_t>(buffer)),
        end_(begin_ + bytes),
        head_(begin_),
        temporary_(begin_),
        tail_(end_) {}

  // An arena as large as there can be, whose pieces are not to be read or
  // written: for finding out how many bytes are needed.
  static SingleArena ForCounting();

  // Persistent: from the tail downwards.
  Result<char*> AllocateTail(size_t bytes, size_t alignment);
  // Gives back a piece of AllocateTail; later ones take the highest gap that
  // they fit.
  void FreeTail(const char* piece);

  // Sets the length of the head, in one piece from the first aligned byte.
  // Errors: MACE_INVALID_ARGS while there are temporary allocations.
  Result<char*> ResizeHead(size_t bytes, size_t alignment);

  // Above the head, until ResetTemporary().
  Result<char*> AllocateTemporary(size_t bytes, size_t alignment);
  void ResetTemporary() { temporary_ = head_; }

  // The most bytes that the three sections took at a time; a buffer of so many
  // bytes, at an address of the same alignment, has room for the same calls if
  // its end is as aligned as the tail's pieces.
  size_t peak_bytes() const { return peak_; }
  size_t peak_temporary_bytes() const { return peak_temporary_; }

  size_t head_bytes() const { return head_ - begin_; }
  size_t temporary_bytes() const { return temporary_ - head_; }
  size_t tail_bytes() const { return end_ - tail_; }
  size_t used_bytes() const { return head_bytes() + tail_bytes(); }
  size_t bytes() const { return end_ - begin_; }
  // What the next allocation of that alignment can have at most.
  size_t AvailableBytes(size_t alignment) const;

 private:
  Result<char*> TooSmall(const char* section, size_t need) const;

  void Count();
  uintptr_t EndOf(size_t piece) const {
    return piece == 0 ? end_ : pieces_[piece - 1].begin;
  }
  // A gap of the tail; null: in none is room.
  char* AllocateInGap(size_t bytes, size_t alignment);

  // A piece of the tail: from `begin` up to that of the one above.
  struct Piece {
    uintptr_t begin;
    bool is_free;
  };

  const uintptr_t begin_;
  const uintptr_t end_;
  uintptr_t head_;             // end of the head
  uintptr_t temporary_;        // end of the temporary section
  uintptr_t tail_;             // begin of the tail
  std::vector<Piece> pieces_;  // of the tail, downwards
  size_t peak_ = 0;
  size_t peak_temporary_ = 0;
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_SINGLE_ARENA_H_
