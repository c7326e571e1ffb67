// Plans the tensors of a graph into two arenas in the order of execution.
// SPDX-License-Identifier: Apache-2.0
//
// Behaves as TensorFlow Lite's ArenaPlanner in its first form, and is held to
// its published expectations (conformance_sequential_test.cc): the events and
// the offsets come out the same. An engine plans from records instead, with the
// strategy offsets/ARENA_SEQUENTIAL; it has no use for `preserve_inputs`, as
// the inputs of its graph lie in memory of the caller, which it never writes.
#ifndef MACE_MEMORY_COMPAT_SEQUENTIAL_ARENA_PLANNER_H_
#define MACE_MEMORY_COMPAT_SEQUENTIAL_ARENA_PLANNER_H_

#include <cstdint>
#include <vector>

#include "mace/base/status.h"
#include "mace/memory/compat/arena_graph.h"

namespace mace::memory {

struct SequentialArenaSettings {
  int64_t tensor_alignment = 64;  // a power of two
  // Inputs of the graph keep their memory to the end, so that the graph can run
  // again without setting them.
  bool preserve_inputs = false;
  // Every tensor keeps its memory to the end, to look at after a run.
  bool preserve_intermediates = false;
};

struct SequentialArenaPlan {
  struct Event {
    int32_t op;
    int32_t tensor;
    bool allocates;  // else releases
  };
  // In the order of execution; persistent tensors are among them.
  std::vector<Event> events;
  // Of each tensor, in the arena of its class; kNoOffset if it has no bytes or
  // the planner does not place its class.
  std::vector<int64_t> offsets;
  int64_t arena_bytes = 0;
  int64_t persistent_bytes = 0;
};

// Before op 0 the graph's inputs and variables are allocated. Then op by op:
// the temporaries of the op before are released and those of the op allocated,
// then its outputs are allocated, then each input that no later op reads is
// released, but for outputs of the graph. A persistent tensor is never given
// away, whatever is released. There is no computing in place.
// Errors: MACE_INVALID_ARGS for a tensor that there is none of, or a variable
// that is not persistent.
Result<SequentialArenaPlan> PlanSequentialArena(
    const ArenaGraph& graph, const SequentialArenaSettings& settings = {});

}  // namespace mace::memory

#endif  // MACE_MEMORY_COMPAT_SEQUENTIAL_ARENA_PLANNER_H_
