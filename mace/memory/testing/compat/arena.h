// Arena: a layout of memory, and the buffer that holds it.
// SPDX-License-Identifier: Apache-2.0
//
// It behaves as TensorFlow Lite's SimpleMemoryArena and is tested against its
// published expectations (conformance_arena_test.cc). The engine uses only the
// layout (offsets/arena_layout.h), with memory of its own.
#ifndef MACE_MEMORY_TESTING_COMPAT_ARENA_H_
#define MACE_MEMORY_TESTING_COMPAT_ARENA_H_

#include <cstddef>
#include <cstdint>

#include "mace/base/status.h"
#include "mace/memory/offsets/arena_layout.h"

namespace mace::memory {

constexpr size_t kArenaAlignment = 64;  // alignment of an arena's first byte

// The functions from which an arena gets its memory. `self` is passed to every
// call.
struct ArenaSource {
  // Returns null if there is no memory.
  void* (*allocate)(void* self, size_t alignment, size_t bytes);
  // Grows a block and keeps its first `old_bytes`. If it returns null, the old
  // block is unchanged.
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

  // Makes the block at least `bytes` long. Returns whether it grew, and so may
  // have moved. An error leaves the block unchanged. Errors:
  // MACE_OUT_OF_RESOURCES.
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

  // Only plans; the piece has memory after the next Commit().
  ArenaPiece Allocate(size_t alignment, size_t size, int32_t tensor,
                      int64_t first, int64_t last) {
    committed_ = false;
    return layout_.Allocate(alignment, size, tensor, first, last);
  }

  // Gets memory for the plan. Returns whether the buffer grew, and so may have
  // moved. Errors: MACE_OUT_OF_RESOURCES.
  Result<bool> Commit();

  // Returns the address of a piece; null if its size is 0. Errors:
  // MACE_INTERNAL_ERROR if the arena is not committed or does not hold the
  // piece.
  Result<char*> Resolve(const ArenaPiece& piece) const;

  // Forgets the plan but keeps the memory.
  void ClearPlan();
  // Frees the memory but keeps the plan; Commit() gets memory again.
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

#endif  // MACE_MEMORY_TESTING_COMPAT_ARENA_H_
