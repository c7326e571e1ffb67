// offsets/AUTO, OPTIMAL and SKYLINE: planners that search.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_OFFSETS_OPTIMAL_H_
#define MACE_MEMORY_OFFSETS_OPTIMAL_H_

#include "mace/memory/problem/planner.h"

namespace mace::memory {

// Takes the first heuristic plan that meets the lower bound or the capacity. If
// none does, searches from the best one as OPTIMAL does, by default for 20000
// nodes: some milliseconds on hard problems, no time on common ones. A library
// without the component `memory_tools` only has the heuristics.
PlanFn OffsetsAuto;

// Finds the smallest plan (but see SearchInstance::narrowed), or the best one
// until the budget ends. With a capacity, finds any plan that fits it. Where
// Descend does not search, takes the best heuristic plan.
PlanFn OffsetsOptimal;

// Takes what the search finds with hardly any backtracking: a heuristic. Visits
// at most 2500 nodes, whatever Options::max_nodes permits.
PlanFn OffsetsSkyline;

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_OPTIMAL_H_
