// The memory planning problem and its answer: the types.
// SPDX-License-Identifier: Apache-2.0
//
// A record is a piece of memory with a size and a lifetime. A plan gives every
// record either an offset in an arena, such that records that live at the same
// time never overlap, or one of a few shared objects (buffers, images). This
// library does not know tensors, graphs or devices.
#ifndef MACE_MEMORY_PROBLEM_PROBLEM_H_
#define MACE_MEMORY_PROBLEM_PROBLEM_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "mace/base/status.h"

namespace mace::memory {

// The size of a record: bytes (rank 1), width x height (2), x, y, z (3) or b,
// h, w, c (4). Extents beyond the rank are 1.
struct Size {
  Size() = default;
  Size(int64_t bytes) : extent{bytes, 1, 1, 1} {}  // NOLINT: implicit by design
  Size(int64_t width, int64_t height) : extent{width, height, 1, 1}, rank(2) {}
  Size(int64_t x, int64_t y, int64_t z) : extent{x, y, z, 1}, rank(3) {}
  Size(int64_t b, int64_t h, int64_t w, int64_t c)
      : extent{b, h, w, c}, rank(4) {}

  // Returns the product of the extents. REQUIRES: Check() accepted the size.
  int64_t count() const {
    return extent[0] * extent[1] * extent[2] * extent[3];
  }
  bool operator==(const Size& o) const {
    return rank == o.rank && extent == o.extent;
  }
  bool operator!=(const Size& o) const { return !(*this == o); }

  std::array<int64_t, 4> extent = {0, 1, 1, 1};
  int rank = 1;
};

constexpr int32_t kNone = -1;
constexpr int64_t kNoOffset = -1;

// Permission to overlap another record that lives at the same time.
struct Overlap {
  static constexpr int64_t kAnyDistance = std::numeric_limits<int64_t>::min();

  int32_t other;
  // Overlapping is safe if offset(other) - offset(this) is at least this
  // distance in bytes: the op that writes `this` upwards has then read the part
  // of `other` that it overwrites.
  //
  //   this  |=================|              kAnyDistance: safe wherever they
  //   other       |==================|       lie
  //         |<--->| safe_distance
  int64_t safe_distance = kAnyDistance;
};

struct Record {
  Size size;
  // The first and last step that use the record, both inclusive.
  int64_t first = 0;
  int64_t last = 0;
  int64_t alignment = 1;  // of the offset; a power of two
  int32_t pool = 0;       // records of different pools never share memory
  int64_t fixed_offset = kNoOffset;
  // The record that contains this one, `alias_offset` bytes from its start. An
  // alias and its root are one piece of memory, which lives from the first use
  // of any of them to the last. Only the root can have a fixed offset.
  int32_t alias_of = kNone;
  int64_t alias_offset = 0;
  std::vector<Overlap> overlaps;
  std::string name;  // for messages; may be empty
};

struct Problem {
  std::vector<Record> records;
  // Every offset is a multiple of this, and of the record's own alignment.
  int64_t alignment = 1;
  // Whether fixed records may overlap each other, as in offline plans.
  bool fixed_may_overlap = false;

  // For records of rank 2 to 4: the bytes per element. For those of rank 2 and
  // 3 also the number of elements to a multiple of which a row is rounded up,
  // and the largest width, height and depth of an object.
  int64_t element_bytes = 1;
  int64_t row_pitch = 1;
  std::array<int64_t, 3> max_extents = {std::numeric_limits<int32_t>::max(),
                                        std::numeric_limits<int32_t>::max(),
                                        std::numeric_limits<int32_t>::max()};
};

struct Options {
  // Limits of the strategies that search; 0 means none (but for SKYLINE, see
  // offsets/optimal.h). The same node limit gives the same plan; a time limit
  // does not.
  static constexpr int64_t kOwnLimit = -1;  // the strategy's default
  int64_t budget_us = 0;
  int64_t max_nodes = kOwnLimit;
  // The most bytes that a pool may take; 0 means no limit. With a capacity, the
  // search ends at the first plan that fits.
  int64_t capacity = 0;
  // The search stops when it becomes true.
  const std::atomic<bool>* cancel = nullptr;
  // For objects/GREEDY_IN_ORDER and GROW_IN_ORDER only: may_follow[i] lists, in
  // ascending order, the records that may reuse the object of record i when
  // steps run in parallel. Ids are those of the reduced problem. Null: any
  // later record may.
  const std::vector<std::vector<int32_t>>* may_follow = nullptr;
};

// What is known about a plan.
struct Certificate {
  enum Status {
    kOptimal,     // no plan is smaller
    kFeasible,    // valid, but a smaller plan may exist
    kInfeasible,  // no plan fits the capacity (proven)
    kUnknown,     // larger than the capacity, but another plan may fit
  };
  int64_t total = 0;        // bytes of all pools
  int64_t lower_bound = 0;  // no plan of this kind takes less
  Status status = kFeasible;
  std::string strategy;
  int64_t nodes = 0;  // search nodes visited
  int64_t us = 0;     // time spent on planning, in microseconds
};

// Adds the certificate of another pool, which was planned separately: the sums,
// and the worse status of the two.
void Add(const Certificate& part, Certificate* sum);

struct Plan {
  // For "offsets/" strategies, and for all plans of SolveInArena: the offset of
  // each record. A record of size 0 is at 0, an alias of size 0 at its place in
  // its root; in an embedded plan, either may have any offset.
  std::vector<int64_t> offsets;
  // For "objects/" strategies: the object of each record (kNone if its root has
  // size 0), and the size and pool of each object.
  std::vector<int32_t> object_ids;
  std::vector<Size> object_sizes;
  std::vector<int32_t> object_pools;
  std::vector<int64_t> pool_totals;  // bytes of each pool
  Certificate certificate;
};

// Returns "optimal", "feasible", "infeasible" or "unknown".
const char* Name(Certificate::Status status);

// Returns the name for messages: "record 3" or "record 3 'conv_0'".
std::string Label(const Problem& problem, int32_t id);

inline bool LiveTogether(const Record& a, const Record& b) {
  return a.first <= b.last && b.first <= a.last;
}

// REQUIRES: alignment is a power of two, and the result fits an int64_t.
inline int64_t AlignUp(int64_t x, int64_t alignment) {
  return (x + alignment - 1) & -alignment;
}

// Returns the bytes of an object of this size, including the padding of rows.
// REQUIRES: Check() accepted the size; or the size covers such sizes, and its
// bytes fit an int64_t.
int64_t Bytes(const Problem& problem, const Size& size);

// Checks that a problem makes sense. Errors: MACE_INVALID_ARGS, naming the
// record if one is at fault, for negative or overflowing sizes or sizes of
// different ranks, images beyond max_extents, intervals that are reversed or
// out of range, a bad alignment, pool, overlap or fixed offset, an alias of no
// record, the errors of CheckAliases, fixed offsets that collide, or
// element_bytes, row_pitch or max_extents that are out of range.
Status Check(const Problem& problem);

}  // namespace mace::memory

#endif  // MACE_MEMORY_PROBLEM_PROBLEM_H_
