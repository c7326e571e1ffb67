// Finds the best-fitting gap of an arena.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/offsets/arena_layout.h"

#include <algorithm>
#include <limits>

namespace mace::memory {
namespace {

constexpr size_t kMax = std::numeric_limits<size_t>::max();

// Returns the largest multiple of `alignment` if rounding up would overflow.
size_t AlignUpSaturated(size_t x, size_t alignment) {
  return x > kMax - alignment + 1 ? kMax & -alignment
                                  : (x + alignment - 1) & -alignment;
}

size_t AddSaturated(size_t a, size_t b) { return a > kMax - b ? kMax : a + b; }

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

}  // namespace mace::memory
