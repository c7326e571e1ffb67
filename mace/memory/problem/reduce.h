// A problem reduced to what planners solve: no aliases, pools or empty records.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_PROBLEM_REDUCE_H_
#define MACE_MEMORY_PROBLEM_REDUCE_H_

#include <vector>

#include "mace/memory/problem/problem.h"

namespace mace::memory {

// Where a record lies: `delta` bytes into `id`, which is no alias.
struct Root {
  int32_t id;
  int64_t delta;
};

// One per record. REQUIRES: CheckAliases(problem) is fine.
std::vector<Root> FindRoots(const Problem& problem);

// Errors: MACE_INVALID_ARGS for an alias that cycles, leaves the record it is
// an alias of, or contradicts its pool, size, alignment or fixed offset.
Status CheckAliases(const Problem& problem);

// The records of one pool, each root one record that lives as long as any of
// its aliases.
struct PoolProblem {
  Problem problem;  // every record: pool 0, no alias, not empty, no name
  std::vector<int32_t> record_of;  // of each record of `problem`: the root
};

struct Reduced {
  std::vector<PoolProblem> pools;
  std::vector<Root> roots;       // of each original record
  std::vector<int32_t> item_of;  // of each original root: index in its pool's
                                 // problem, or kNone if it is empty
};

// REQUIRES: Check(problem) is fine.
Reduced Reduce(const Problem& problem);

}  // namespace mace::memory

#endif  // MACE_MEMORY_PROBLEM_REDUCE_H_
