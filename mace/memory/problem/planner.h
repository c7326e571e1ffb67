// Planner: a planning function, and which problems it can take.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_PROBLEM_PLANNER_H_
#define MACE_MEMORY_PROBLEM_PLANNER_H_

#include "mace/memory/problem/problem.h"

namespace mace::memory {

// Solves a reduced problem: one pool, no aliases, no empty records. Fills in
// `offsets`, or `object_ids` and `object_sizes`. In the certificate it fills in
// `nodes`, and, if it proves something, `status` and `lower_bound`; Solve()
// derives the rest.
using PlanFn = Result<Plan>(const Problem& problem, const Options& options);

struct Planner {
  const char* name;
  PlanFn* plan;  // null: this library does not have it
  // The largest rank of the sizes that it can plan.
  int max_rank;
  // Whether it can plan with fixed offsets and use declared overlaps.
  bool takes_constraints;
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_PROBLEM_PLANNER_H_
