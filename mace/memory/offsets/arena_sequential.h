// offsets/ARENA_SEQUENTIAL: records placed in the order of execution.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_OFFSETS_ARENA_SEQUENTIAL_H_
#define MACE_MEMORY_OFFSETS_ARENA_SEQUENTIAL_H_

#include "mace/memory/problem/planner.h"

namespace mace::memory {

// Goes through the steps: releases the records that have ended, then allocates
// those that begin, by id, each in the smallest gap that fits. This is
// TensorFlow Lite's ArenaPlanner in its first form, which numbers the
// temporaries of an op before its outputs (sequential_arena_planner.h in
// testing/compat does this for a graph). OffsetsArena in offsets/greedy.h is
// the current form.
PlanFn OffsetsArenaSequential;

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_ARENA_SEQUENTIAL_H_
