// Places the tensors of a graph in two arenas, in the order of execution.
// SPDX-License-Identifier: Apache-2.0
//
// It behaves as TensorFlow Lite's ArenaPlanner in its first form and is tested
// against its published expectations (conformance_sequential_test.cc): events
// and offsets are the same. An engine plans from records instead, with the
// strategy offsets/ARENA_SEQUENTIAL. It does not need `preserve_inputs`,
// because the inputs of its graph are in the caller's memory, which it never
// writes.
#ifndef MACE_MEMORY_TESTING_COMPAT_SEQUENTIAL_ARENA_PLANNER_H_
#define MACE_MEMORY_TESTING_COMPAT_SEQUENTIAL_ARENA_PLANNER_H_

#include <cstdint>
#include <vector>

#include "mace/base/status.h"
#include "mace/memory/testing/compat/arena_graph.h"

namespace mace::memory {

struct SequentialArenaSettings {
  int64_t tensor_alignment = 64;  // a power of two
  // Whether inputs of the graph keep their memory to the end, so that the graph
  // can run again without setting them.
  bool preserve_inputs = false;
  // Whether every tensor keeps its memory to the end, for inspection.
  bool preserve_intermediates = false;
};

struct SequentialArenaPlan {
  struct Event {
    int32_t op;
    int32_t tensor;
    bool allocates;  // false: releases
  };
  // In the order of execution, for tensors of all classes.
  std::vector<Event> events;
  // By tensor, in the arena of its class; kNoOffset if it has no bytes or the
  // planner does not place its class.
  std::vector<int64_t> offsets;
  int64_t arena_bytes = 0;
  int64_t persistent_bytes = 0;
};

// Allocates the graph's inputs and variables before op 0. Then, for each op,
// releases the temporaries of the previous op, allocates its own, allocates its
// outputs, and releases each input that no later op reads, except outputs of
// the graph. The memory of a persistent tensor is never reused. Ops are never
// computed in place. Errors: MACE_INVALID_ARGS for a tensor that does not
// exist, or a variable that is not persistent.
Result<SequentialArenaPlan> PlanSequentialArena(
    const ArenaGraph& graph, const SequentialArenaSettings& settings = {});

}  // namespace mace::memory

#endif  // MACE_MEMORY_TESTING_COMPAT_SEQUENTIAL_ARENA_PLANNER_H_
