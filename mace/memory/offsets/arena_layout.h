// ArenaLayout: places the pieces of an arena, one allocation at a time.
// SPDX-License-Identifier: Apache-2.0
//
// It gives the same offsets as TensorFlow Lite's SimpleMemoryArena.
#ifndef MACE_MEMORY_OFFSETS_ARENA_LAYOUT_H_
#define MACE_MEMORY_OFFSETS_ARENA_LAYOUT_H_

#include <cstdint>
#include <vector>

namespace mace::memory {

// A piece of an arena, in bytes. 64 bits also on 32-bit machines, which may
// make plans that exceed their address space.
struct ArenaPiece {
  uint64_t offset = 0;
  uint64_t size = 0;
  int32_t tensor = -1;
  int64_t first = 0;  // first and last step, inclusive
  int64_t last = 0;
};

// Has no memory, only offsets.
class ArenaLayout {
 public:
  // Places a piece in the smallest gap that fits between the active pieces that
  // live together with it, or else above them. A piece of size 0 is at 0 and is
  // not recorded. As in SimpleMemoryArena, the gap at hand counts from its
  // first aligned byte, but the smallest one so far from the end of the piece
  // below it, so that a gap further up may win that is not smaller. REQUIRES:
  // `alignment` is a power of two.
  ArenaPiece Allocate(uint64_t alignment, uint64_t size, int32_t tensor,
                      int64_t first, int64_t last);

  // Forget active pieces, so that their memory can be reused: those that end
  // before a step, those that begin after one, or all. The size of the arena
  // stays.
  void PurgeBefore(int64_t step);
  void PurgeAfter(int64_t step);
  void ForgetActive() { active_.clear(); }
  // Makes those of `pieces` that live at `step` the active ones.
  void SetActive(const std::vector<ArenaPiece>& pieces, int64_t step);
  // Forgets everything.
  void Clear();

  // Returns the bytes that hold every piece since Clear().
  uint64_t high_water() const { return high_water_; }
  // Returns whether a piece since Clear() ended beyond half the range of
  // size_t.
  bool overflowed() const { return overflowed_; }

 private:
  std::vector<ArenaPiece> active_;  // ascending offset, then time of insertion
  uint64_t high_water_ = 0;
  bool overflowed_ = false;
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_ARENA_LAYOUT_H_
