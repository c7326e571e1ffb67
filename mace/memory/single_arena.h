// SingleArena: one buffer of the caller's for planned, temporary and persistent
// memory.
// SPDX-License-Identifier: Apache-2.0
//
// It has the layout of the arena of TensorFlow Lite Micro's interpreter.
// MaceEngineConfig::SetArena says what an engine puts into it.
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

// Never reads or writes the bytes. Alignments are powers of two. Not
// thread-safe. Errors, unless a function says otherwise: MACE_OUT_OF_RESOURCES,
// with the number of bytes needed so far, which would suffice where
// peak_bytes() would; the arena is then unchanged.
class SingleArena {
 public:
  // `buffer` must outlive the arena.
  SingleArena(void* buffer, size_t bytes)
      : begin_(reinterpret_cast<uintptr_t>(buffer)),
        end_(begin_ + bytes),
        head_(begin_),
        temporary_(begin_),
        tail_(end_) {}

  // Returns an arena of almost half the address space, for finding out how many
  // bytes are needed. Its pieces must not be read or written.
  static SingleArena ForCounting();

  // Allocates a persistent piece, from the end of the buffer downwards.
  Result<char*> AllocateTail(size_t bytes, size_t alignment);
  // Frees a piece of AllocateTail, in any order. Ignores a pointer to anything
  // else. Later pieces take the highest gap that they fit.
  void FreeTail(const char* piece);

  // Sets the length of the head, one piece from the first aligned byte on, and
  // returns its address. Errors: also MACE_INVALID_ARGS while there are
  // temporary allocations.
  Result<char*> ResizeHead(size_t bytes, size_t alignment);

  // Allocates a piece above the head that lives until ResetTemporary().
  Result<char*> AllocateTemporary(size_t bytes, size_t alignment);
  void ResetTemporary() { temporary_ = head_; }

  // Returns the most bytes that the three sections have taken at the same time.
  // A buffer of this length at an address of the same alignment suffices for
  // the same calls, if its end is as aligned as the pieces of the tail.
  size_t peak_bytes() const { return peak_; }
  size_t peak_temporary_bytes() const { return peak_temporary_; }

  size_t head_bytes() const { return head_ - begin_; }
  size_t temporary_bytes() const { return temporary_ - head_; }
  size_t tail_bytes() const { return end_ - tail_; }
  size_t used_bytes() const { return head_bytes() + tail_bytes(); }
  size_t bytes() const { return end_ - begin_; }

 private:
  // Returns the error of a section for which the arena would need `need` bytes
  // in all.
  Result<char*> TooSmall(const char* section, size_t need) const;

  // Updates the peaks; called whenever a section has grown.
  void Count();
  // Returns the address at which pieces_[piece] ends: where the piece above
  // begins.
  uintptr_t EndOf(size_t piece) const {
    return piece == 0 ? end_ : pieces_[piece - 1].begin;
  }
  // Returns null if no gap of the tail is large enough.
  char* AllocateInGap(size_t bytes, size_t alignment);

  // A piece of the tail, from `begin` to the begin of the piece above.
  struct Piece {
    uintptr_t begin;
    bool is_free;
  };

  // begin_ <= head_ <= temporary_ <= tail_ <= end_.
  const uintptr_t begin_;
  const uintptr_t end_;
  uintptr_t head_;       // end of the head
  uintptr_t temporary_;  // end of the temporary section
  uintptr_t tail_;       // start of the tail
  // Adjacent gaps are joined, and the lowest piece is never a gap: it would
  // belong to the free middle.
  std::vector<Piece> pieces_;  // of the tail, from the highest down
  size_t peak_ = 0;
  size_t peak_temporary_ = 0;
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_SINGLE_ARENA_H_
