// A buffer that only grows, and an arena in it.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/testing/compat/arena.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <string>

namespace mace::memory {
namespace {

constexpr size_t kMaxRequest = std::numeric_limits<size_t>::max() / 2;

void* AllocateOnHeap(void*, size_t alignment, size_t bytes) {
  return ::operator new(bytes, std::align_val_t(alignment), std::nothrow);
}

void FreeOnHeap(void*, void* block, size_t alignment, size_t) {
  ::operator delete(block, std::align_val_t(alignment));
}

void* ReallocateOnHeap(void*, void* block, size_t alignment, size_t old_bytes,
                       size_t bytes) {
  void* grown = AllocateOnHeap(nullptr, alignment, bytes);
  if (grown == nullptr) return nullptr;
  std::memcpy(grown, block, std::min(old_bytes, bytes));
  FreeOnHeap(nullptr, block, alignment, old_bytes);
  return grown;
}

}  // namespace

const ArenaSource kHeap = {AllocateOnHeap, ReallocateOnHeap, FreeOnHeap,
                           nullptr};

Result<bool> ArenaBuffer::Resize(size_t bytes) {
  if (bytes <= size_) return false;
  void* block = nullptr;
  if (bytes <= kMaxRequest) {
    block = data_ == nullptr ? source_.allocate(source_.self, alignment_, bytes)
                             : source_.reallocate(source_.self, data_,
                                                  alignment_, size_, bytes);
  }
  if (block == nullptr) {
    return OutOfResources("cannot allocate an arena of ", bytes, " bytes");
  }
  data_ = static_cast<char*>(block);
  size_ = bytes;
  return true;
}

void ArenaBuffer::Release() {
  if (data_ != nullptr) source_.free(source_.self, data_, alignment_, size_);
  data_ = nullptr;
  size_ = 0;
}

Result<bool> Arena::Commit() {
  if (layout_.overflowed()) {
    return OutOfResources("the arena's size overflows");
  }
  MACE_ASSIGN_OR_RETURN(const bool moved, buffer_.Resize(layout_.high_water()));
  committed_ = true;
  return moved;
}

Result<char*> Arena::Resolve(const ArenaPiece& piece) const {
  if (!committed_) return InternalError("the arena is not committed");
  if (piece.size == 0) return static_cast<char*>(nullptr);
  if (piece.size > buffer_.size() ||
      piece.offset > buffer_.size() - piece.size) {
    return InternalError("the arena of ", buffer_.size(),
                         " bytes does not hold ", piece.size, " at ",
                         piece.offset);
  }
  return buffer_.data() + piece.offset;
}

void Arena::ClearPlan() {
  committed_ = false;
  layout_.Clear();
}

void Arena::ReleaseBuffer() {
  committed_ = false;
  buffer_.Release();
}

}  // namespace mace::memory
