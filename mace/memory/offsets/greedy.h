// Planners that place each record once. Cheap, and often optimal on networks.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_OFFSETS_GREEDY_H_
#define MACE_MEMORY_OFFSETS_GREEDY_H_

#include "mace/memory/problem/planner.h"

namespace mace::memory {

// Every record its own bytes: the baseline, and for debugging. In order of the
// records, as the linear planner of TensorFlow Lite Micro.
PlanFn OffsetsNaive;

// Largest first, each into the smallest gap that fits (arXiv 2001.03288,
// section 5.2; the tie-breaks are those of TensorFlow Lite's GPU delegate).
PlanFn OffsetsGreedyBySize;

// Largest first (of equals the last), each into the lowest gap that fits: the
// greedy planner of TensorFlow Lite Micro. Fixed records come first.
PlanFn OffsetsTflmGreedy;

// Records that live from the first step to the last by id, then the others by
// decreasing size, as ArenaPlanner does for a graph.
PlanFn OffsetsArena;

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_GREEDY_H_
