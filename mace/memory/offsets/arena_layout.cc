// Finds the best-fitting gap of an arena.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/offsets/arena_layout.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "mace/base/sort.h"

namespace mace::memory {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

// Returns the largest multiple of `alignment` if rounding up would overflow.
uint64_t AlignUpSaturated(uint64_t x, uint64_t alignment) {
  return x > kMax - alignment + 1 ? kMax & -alignment
                                  : (x + alignment - 1) & -alignment;
}

uint64_t AddSaturated(uint64_t a, uint64_t b) {
  return a > kMax - b ? kMax : a + b;
}

}  // namespace

ArenaPiece ArenaLayout::Allocate(uint64_t alignment, uint64_t size,
                                 int32_t tensor, int64_t first, int64_t last) {
  ArenaPiece piece = {0, size, tensor, first, last};
  if (size == 0) return piece;
  bool found = false;
  uint64_t best_gap = kMax;
  uint64_t at = 0;
  for (const ArenaPiece& other : active_) {
    if (other.last < first || last < other.first) continue;
    const uint64_t aligned = AlignUpSaturated(at, alignment);
    if (AddSaturated(aligned, size) <= other.offset &&
        other.offset - aligned < best_gap) {
      found = true;
      piece.offset = aligned;
      best_gap = other.offset - at;
    }
    at = std::max(at, AddSaturated(other.offset, other.size));
  }
  if (!found) piece.offset = AlignUpSaturated(at, alignment);
  const uint64_t end = AddSaturated(piece.offset, size);
  if (end > std::numeric_limits<size_t>::max() / 2) overflowed_ = true;
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
  StableSort(&active_, [](const ArenaPiece& a, const ArenaPiece& b) {
    return a.offset < b.offset;
  });
}

void ArenaLayout::Clear() { *this = ArenaLayout(); }

}  // namespace mace::memory
