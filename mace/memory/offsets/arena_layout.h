// Which piece of an arena lies where, planned one allocation at a time.
// SPDX-License-Identifier: Apache-2.0
//
// Places as TensorFlow Lite's SimpleMemoryArena: offsets come out the same.
#ifndef MACE_MEMORY_OFFSETS_ARENA_LAYOUT_H_
#define MACE_MEMORY_OFFSETS_ARENA_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mace::memory {

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

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_ARENA_LAYOUT_H_
