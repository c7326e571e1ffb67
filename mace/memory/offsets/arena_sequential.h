// offsets/ARENA_SEQUENTIAL: records placed in the order of execution.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_OFFSETS_ARENA_SEQUENTIAL_H_
#define MACE_MEMORY_OFFSETS_ARENA_SEQUENTIAL_H_

#include "mace/memory/problem/planner.h"

namespace mace::memory {

// Step by step: what ended before the step is released; then what begins there
// is allocated by id, each in the smallest gap that fits. As TensorFlow Lite's
// ArenaPlanner in its first form, which numbers the temporaries of an op before
// its outputs (compat/sequential_arena_planner.h has it for a graph);
// OffsetsArena in offsets/greedy.h is the present form.
PlanFn OffsetsArenaSequential;

}  // namespace mace::memory

#endif  // MACE_MEMORY_OFFSETS_ARENA_SEQUENTIAL_H_
