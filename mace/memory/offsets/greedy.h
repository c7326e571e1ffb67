// Planners that place each record once: cheap, and often optimal for networks.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_OFFSETS_GREEDY_H_
#define MACE_MEMORY_OFFSETS_GREEDY_H_

#include "mace/memory/problem/planner.h"

namespace mace::memory {

// Gives every record its own bytes, in the order of the records and above all
// fixed ones, as the linear planner of TensorFlow Lite Micro: a baseline, and
// for debugging.
PlanFn OffsetsNaive;

// Places the largest records first, each in the smallest gap that fits (arXiv
// 2001.03288, section 5.2, with the tie-breaks of TensorFlow Lite's GPU
// delegate). Fixed records come before all others. If very many pairs live
// together, neither this planner nor the next one looks for gaps
// (Placer::PlaceAll).
PlanFn OffsetsGreedyBySize;

// Places the largest records first (of equal ones the last), each in the lowest
// gap that fits: the greedy planner of TensorFlow Lite Micro. Fixed records
// come before all others.
PlanFn OffsetsTflmGreedy;

// Places the records that live from the first step to the last by id, then the
// others by decreasing size, as ArenaPlanner does for a graph.
PlanFn OffsetsArena;

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_GREEDY_H_
