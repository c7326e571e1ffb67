// SequentialLayout: places pieces of an arena as they are allocated and
// released.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_OFFSETS_SEQUENTIAL_LAYOUT_H_
#define MACE_MEMORY_OFFSETS_SEQUENTIAL_LAYOUT_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mace/base/search.h"
#include "mace/memory/problem/problem.h"

namespace mace::memory {

// Pieces are placed in the order of allocation, whatever their size and without
// knowing what comes later, as TensorFlow Lite's SimpleMemoryArena did in its
// first form.
class SequentialLayout {
 public:
  // Returns the offset of a piece: in the smallest gap between live pieces that
  // fits (the lowest of equal ones), or above them. The size of a gap counts
  // from the end of the piece below, but the offset is aligned. REQUIRES: size
  // > 0.
  int64_t Allocate(int64_t alignment, int64_t size) {
    int64_t best = kNoOffset;
    int64_t best_gap = std::numeric_limits<int64_t>::max();
    int64_t end = 0;  // end of the pieces so far
    for (const Piece& piece : live_) {
      const int64_t gap = piece.offset - end;
      if (AlignUp(end, alignment) + size <= piece.offset && gap < best_gap) {
        best = AlignUp(end, alignment);
        best_gap = gap;
      }
      end = std::max(end, piece.offset + piece.size);
    }
    if (best == kNoOffset) best = AlignUp(end, alignment);
    const auto above = std::upper_bound(live_.begin(), live_.end(), best,
                                        [](int64_t offset, const Piece& piece) {
                                          return offset < piece.offset;
                                        });
    live_.insert(above, {best, size});
    high_water_ = std::max(high_water_, best + size);
    return best;
  }

  // REQUIRES: a live piece begins at `offset`.
  void Release(int64_t offset) {
    live_.erase(
        FindIf(live_, [&](const Piece& p) { return p.offset == offset; }));
  }

  // Returns the bytes that hold every piece so far.
  int64_t high_water() const { return high_water_; }

 private:
  struct Piece {
    int64_t offset, size;
  };
  std::vector<Piece> live_;  // ascending offset; they do not overlap
  int64_t high_water_ = 0;
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_SEQUENTIAL_LAYOUT_H_
