// What a planner is: a function, and what it can take.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_PROBLEM_PLANNER_H_
#define MACE_MEMORY_PROBLEM_PLANNER_H_

#include "mace/memory/problem/problem.h"

namespace mace::memory {

// Solves a reduced problem: one pool, no aliases, no empty records. Fills
// `offsets`, or `object_ids` and `object_sizes`; of the certificate `nodes`,
// and where it proves something `status` and `lower_bound`. What Solve() can
// derive it leaves alone.
using PlanFn = Result<Plan>(const Problem& problem, const Options& options);

struct Planner {
  const char* name;
  PlanFn* plan;
  // Rank of the sizes that it takes: 1, or up to that many.
  int max_rank;
  // Honours fixed offsets and overlaps.
  bool takes_constraints;
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_PROBLEM_PLANNER_H_
