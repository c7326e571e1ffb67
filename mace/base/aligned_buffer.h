// AlignedBuffer: owned bytes at a 64-byte boundary.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_ALIGNED_BUFFER_H_
#define MACE_BASE_ALIGNED_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "mace/base/memory_budget.h"
#include "mace/base/status.h"

namespace mace {

// The size of a cache line and of the widest vector register, in bytes.
constexpr int64_t kAlignment = 64;

// Unlike memory::AlignUp, takes any alignment > 0. REQUIRES: x >= 0, and the
// sum does not overflow.
constexpr int64_t AlignUp(int64_t x, int64_t alignment) {
  return (x + alignment - 1) / alignment * alignment;
}

// Movable. The bytes are uninitialized. data() of a buffer that was created is
// not null, even without bytes, until it is moved from; size() then stays as it
// was. Buffers of 2 MiB and more begin at a multiple of that, for huge pages.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  // Reserves the bytes in the current MemoryBudget and then allocates them.
  // `what` names their purpose in messages, such as "the arena".
  // Errors: MACE_OUT_OF_RESOURCES.
  static Result<AlignedBuffer> Create(size_t bytes,
                                      const char* what = "a buffer");
  // Allocates without reserving anything, for memory of which only the parts in
  // use count: the code that hands out the parts reserves each of them. Errors:
  // as Create.
  static Result<AlignedBuffer> CreateUncounted(size_t bytes, const char* what);

  void* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(void* p) const;
  };
  std::unique_ptr<void, Free> data_;
  size_t size_ = 0;
  // What Create reserved; given back with the bytes. If another buffer is
  // assigned, that object gets the former share.
  MemoryShare share_;
};

// Sets `bytes` bytes of an AlignedBuffer to 0. On Linux, from 256 KiB on, gives
// whole pages back to the system, which fills each with zeros when it is next
// used: a KV cache takes time and memory only for the rows that it has.
void MakeZeros(void* data, size_t bytes);

}  // namespace mace

#endif  // MACE_BASE_ALIGNED_BUFFER_H_
