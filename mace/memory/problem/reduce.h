// Reduces a problem to what planners solve: no aliases, pools or empty records.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_PROBLEM_REDUCE_H_
#define MACE_MEMORY_PROBLEM_REDUCE_H_

#include <vector>

#include "mace/memory/problem/problem.h"

namespace mace::memory {

// The place of a record: `delta` bytes into `id`, which is not an alias.
struct Root {
  int32_t id;
  int64_t delta;
};

// Returns the root of each record. REQUIRES: CheckAliases(problem) is OK.
std::vector<Root> FindRoots(const Problem& problem);

// Errors: MACE_INVALID_ARGS for an alias that is cyclic, is in another pool
// than the record that contains it, exceeds it (or is not all of an image),
// is not aligned in its root, or has a fixed offset. REQUIRES: each alias_of is
// kNone or the id of a record.
Status CheckAliases(const Problem& problem);

// The problem of one pool. Each root is one record, which lives as long as any
// of its aliases.
struct PoolProblem {
  Problem problem;  // in pool 0; no aliases, empty records or names
  std::vector<int32_t> record_of;  // original id of each record
};

struct Reduced {
  std::vector<PoolProblem> pools;
  std::vector<Root> roots;  // by original record
  // By original root: the index in the problem of its pool, or kNone if it is
  // empty.
  std::vector<int32_t> item_of;
};

// Drops overlaps that are declared for a part of a root, or for one of several
// pieces that live while both roots do. REQUIRES: Check(problem) is OK.
Reduced Reduce(const Problem& problem);

}  // namespace mace::memory

#endif  // MACE_MEMORY_PROBLEM_REDUCE_H_
