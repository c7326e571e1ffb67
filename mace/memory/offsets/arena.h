// An arena that is planned one allocation at a time, and its memory.
// SPDX-License-Identifier: Apache-2.0
//
// Behaves as TensorFlow Lite's SimpleMemoryArena: offsets come out the same.
#ifndef MACE_MEMORY_OFFSETS_ARENA_H_
#define MACE_MEMORY_OFFSETS_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mace/base/status.h"

namespace mace::memory {

constexpr size_t kArenaAlignment = 64;  // of an arena's first byte

// A piece of an arena; what resolves to a pointer once the arena is committed.
struct ArenaPiece {
  size_t offset = 0;
  size_t size = 0;
  int32_t tensor = -1;
  int64_t first = 0;  // steps, both inclusive
  int64_t last = 0;
};

// Offsets only: which piece lies where.
class ArenaLayout {
 public:
  // The smallest gap that fits between the active pieces that live together
  // with it, or above them. A piece of no size is at 0 and is not recorded.
  ArenaPiece Allocate(size_t alignment, size_t size, int32_t tensor,
                      int64_t first, int64_t last);

  // Forget active pieces, so that their memory can be given away; the size of
  // the arena stays. Those that end before a step; that begin after one; all.
  void PurgeBefore(int64_t step);
  void PurgeAfter(int64_t step);
  void ForgetActive() { active_.clear(); }
  // Takes for active those of `pieces` that live at `step`.
  void SetActive(const std::vector<ArenaPiece>& pieces, int64_t step);
  // Starts over.
  void Clear();

  // Bytes that hold every piece since Clear().
  size_t high_water() const { return high_water_; }
  // The bytes do not fit a size_t (or half of it).
  bool overflowed() const { return overflowed_; }

 private:
  std::vector<ArenaPiece> active_;  // ascending offset, then time of insertion
  size_t high_water_ = 0;
  bool overflowed_ = false;
};

// Where an arena gets its memory. `self` is passed to every call.
struct ArenaSource {
  // Null if there is none.
  void* (*allocate)(void* self, size_t alignment, size_t bytes);
  // Grows, keeping the first `old_bytes`. Null leaves the old block as it was.
  void* (*reallocate)(void* self, void* block, size_t alignment,
                      size_t old_bytes, size_t bytes);
  void (*free)(void* self, void* block, size_t alignment, size_t bytes);
  void* self;
};
extern const ArenaSource kHeap;

// An aligned block that only grows.
class ArenaBuffer {
 public:
  explicit ArenaBuffer(size_t alignment, const ArenaSource& source = kHeap)
      : alignment_(alignment), source_(source) {}
  ~ArenaBuffer() { Release(); }
  ArenaBuffer(const ArenaBuffer&) = delete;
  ArenaBuffer& operator=(const ArenaBuffer&) = delete;

  // Makes room for `bytes`; true if the block moved or is new. An error leaves
  // the block as it was. Errors: MACE_OUT_OF_RESOURCES.
  Result<bool> Resize(size_t bytes);
  void Release();

  char* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  const size_t alignment_;
  const ArenaSource source_;
  char* data_ = nullptr;
  size_t size_ = 0;
};

// A layout and the buffer that holds it.
class Arena {
 public:
  explicit Arena(size_t alignment = kArenaAlignment,
                 const ArenaSource& source = kHeap)
      : buffer_(alignment, source) {}

  ArenaPiece Allocate(size_t alignment, size_t size, int32_t tensor,
                      int64_t first, int64_t last) {
    committed_ = false;
    return layout_.Allocate(alignment, size, tensor, first, last);
  }

  // Gets memory for what is planned; true if the buffer moved.
  // Errors: MACE_OUT_OF_RESOURCES.
  Result<bool> Commit();

  // Null for a piece of no size. Errors: MACE_INTERNAL_ERROR if the arena is
  // not committed or does not hold the piece.
  Result<char*> Resolve(const ArenaPiece& piece) const;

  // Forgets the plan, and keeps the memory.
  void ClearPlan();
  // Gives the memory back, and keeps the plan: Commit() gets it again.
  void ReleaseBuffer();

  ArenaLayout& layout() { return layout_; }
  const ArenaLayout& layout() const { return layout_; }
  char* data() const { return buffer_.data(); }

 private:
  ArenaLayout layout_;
  ArenaBuffer buffer_;
  bool committed_ = false;
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_ARENA_H_
