// Best fit into the gaps of an arena, and a buffer that grows.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/offsets/arena.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace mace::memory {
namespace {

constexpr size_t kMax = std::numeric_limits<size_t>::max();

// The largest multiple if the next one does not fit.
size_t AlignUpSaturated(size_t x, size_t alignment) {
  return x > kMax - alignment + 1 ? kMax & -alignment
                                  : (x + alignment - 1) & -alignment;
}

size_t AddSaturated(size_t a, size_t b) { return a > kMax - b ? kMax : a + b; }

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

ArenaPiece ArenaLayout::Allocate(size_t alignment, size_t size, int32_t tensor,
                                 int64_t first, int64_t last) {
  ArenaPiece piece = {0, size, tensor, first, last};
  if (size == 0) return piece;
  bool found = false;
  size_t best_gap = kMax;
  size_t at = 0;
  for (const ArenaPiece& other : active_) {
    if (other.last < first || last < other.first) continue;
    const size_t aligned = AlignUpSaturated(at, alignment);
    if (AddSaturated(aligned, size) <= other.offset &&
        other.offset - aligned < best_gap) {
      found = true;
      piece.offset = aligned;
      best_gap = other.offset - at;
    }
    at = std::max(at, AddSaturated(other.offset, other.size));
  }
  if (!found) piece.offset = AlignUpSaturated(at, alignment);
  const size_t end = AddSaturated(piece.offset, size);
  if (end > kMax / 2) overflowed_ = true;
  high_water_ = std::max(high_water_, end);
  const auto above =
      std::upper_bound(active_.begin(), active_.end(), piece,
                       [](const ArenaPiece& a, const ArenaPiece& b) {
                         return a.offset < b.offset;
                       });
  active_.insert(above, piece);
  return piece;
}

void ArenaLayout::PurgeBefore(int64_t step) {
  active_.erase(
      std::remove_if(active_.begin(), active_.end(),
                     [&](const ArenaPiece& p) { return p.last < step; }),
      active_.end());
}

void ArenaLayout::PurgeAfter(int64_t step) {
  active_.erase(
      std::remove_if(active_.begin(), active_.end(),
                     [&](const ArenaPiece& p) { return p.first > step; }),
      active_.end());
}

void ArenaLayout::SetActive(const std::vector<ArenaPiece>& pieces,
                            int64_t step) {
  active_.clear();
  for (const ArenaPiece& p : pieces) {
    if (p.size > 0 && p.first <= step && step <= p.last) active_.push_back(p);
  }
  std::stable_sort(active_.begin(), active_.end(),
                   [](const ArenaPiece& a, const ArenaPiece& b) {
                     return a.offset < b.offset;
                   });
}

void ArenaLayout::Clear() { *this = ArenaLayout(); }

const ArenaSource kHeap = {AllocateOnHeap, ReallocateOnHeap, FreeOnHeap,
                           nullptr};

Result<bool> ArenaBuffer::Resize(size_t bytes) {
  if (bytes <= size_) return false;
  void* block = nullptr;
  if (bytes <= kMax / 2) {
    block = data_ == nullptr ? source_.allocate(source_.self, alignment_, bytes)
                             : source_.reallocate(source_.self, data_,
                                                  alignment_, size_, bytes);
  }
  if (block == nullptr) {
    return OutOfResources("cannot allocate an arena of " +
                          std::to_string(bytes) + " bytes");
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
    return InternalError("the arena of " + std::to_string(buffer_.size()) +
                         " bytes does not hold " + std::to_string(piece.size) +
                         " at " + std::to_string(piece.offset));
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
