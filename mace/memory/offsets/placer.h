// Placer: places records one after another in the gaps between those placed
// before.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_OFFSETS_PLACER_H_
#define MACE_MEMORY_OFFSETS_PLACER_H_

#include <cstdint>
#include <vector>

#include "mace/memory/problem/problem.h"
#include "mace/memory/problem/relations.h"

namespace mace::memory {

enum class Fit {
  kFirst,  // the lowest gap that is large enough
  kBest,   // the smallest gap that is large enough, lowest first
};

class Placer {
 public:
  // REQUIRES: the problem is reduced; both arguments outlive the placer.
  Placer(const Problem& problem, const Relations& relations);

  // Forgets every placement.
  void Clear();
  // Gives `id` an offset in a gap between the placed records that live together
  // with it, or else above them. A fixed record gets its fixed offset.
  void Place(int32_t id, Fit fit);
  // Places `id` at `offset` without checking for collisions.
  void PlaceAt(int32_t id, int64_t offset);
  // Places every record: the fixed ones by id, then the others in `order`.
  void PlaceAll(const std::vector<int32_t>& order, Fit fit);

  // Returns the end of the topmost record.
  int64_t total() const { return total_; }
  const std::vector<int64_t>& offsets() const { return offsets_; }

 private:
  struct Placed {
    int64_t begin, end;  // addresses
    int64_t first, last;
    int32_t id;
  };
  struct Obstacle {
    int64_t begin, end;
  };

  int64_t FindGap(const Record& record, Fit fit,
                  const std::vector<Obstacle>& obstacles) const;

  const Problem& problem_;
  const Relations& relations_;
  std::vector<Placed> placed_;  // ascending begin, ties in order of placement
  std::vector<Obstacle> obstacles_;
  std::vector<int64_t> offsets_;
  int64_t total_ = 0;
};

// Returns the ids of the records by decreasing size, then by id.
std::vector<int32_t> BySize(const Problem& problem);

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_PLACER_H_
