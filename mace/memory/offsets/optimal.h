// offsets/AUTO and offsets/OPTIMAL: plans that are proven, or searched for.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_OFFSETS_OPTIMAL_H_
#define MACE_MEMORY_OFFSETS_OPTIMAL_H_

#include "mace/memory/problem/planner.h"

namespace mace::memory {

// The best of all listed strategies; stops at the first that meets the lower
// bound. Otherwise searches as OPTIMAL does, by default on 20000 nodes: some
// milliseconds on hard problems, nothing on common ones.
PlanFn OffsetsAuto;

// The least plan, or the best found when the budget ends. With a capacity: any
// plan that fits it.
PlanFn OffsetsOptimal;

// What the search finds without backtracking far: a heuristic.
PlanFn OffsetsSkyline;

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_OPTIMAL_H_
