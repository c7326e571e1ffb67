// Plans the tensors of a graph into two arenas, step by step if need be.
// SPDX-License-Identifier: Apache-2.0
//
// Behaves as TensorFlow Lite's ArenaPlanner in its present form: allocation
// classes, reference counts, in-place ops and re-planning of a suffix when
// shapes change; conformance_arena_test.cc holds it to the published
// expectations. No engine uses it, as an engine plans from records of what its
// kernels read and write (mace/plan): what is left of this planner there is the
// strategy offsets/ARENA. Use it to compare with a TensorFlow Lite interpreter,
// or where only ops and tensors are known.
#ifndef MACE_MEMORY_COMPAT_ARENA_PLANNER_H_
#define MACE_MEMORY_COMPAT_ARENA_PLANNER_H_

#include <cstdint>
#include <vector>

#include "mace/memory/compat/arena.h"
#include "mace/memory/compat/arena_graph.h"

namespace mace::memory {

class ArenaPlanner {
 public:
  struct Settings {
    size_t tensor_alignment = kArenaAlignment;
    // Every tensor keeps its bytes to the end, to look at after a run.
    bool preserve_all = false;
    ArenaSource source = kHeap;
  };

  // `graph` outlives this. Its classes and bytes may change between calls; its
  // ops only before Plan().
  ArenaPlanner(const ArenaGraph& graph, const Settings& settings);

  // Forgets everything and works out when each tensor lives.
  void Plan();

  // Gives offsets and memory to the tensors of the ops [first, last]; those
  // that have them keep them unless they grew.
  // Errors: MACE_OUT_OF_RESOURCES.
  Status Execute(int32_t first, int32_t last);

  // Forgets the offsets of all arena tensors.
  void ResetAllocations();
  // Forgets those of arena tensors that begin after `op`.
  void ResetAllocationsAfter(int32_t op);

  // Gives the memory of the arena back, and gets it again, as planned.
  void ReleaseArena();
  Status AcquireArena();

  // Has the tensor memory? (A tensor of no bytes has none.)
  bool has_memory(int32_t tensor) const;
  // REQUIRES: has_memory(tensor).
  size_t offset(int32_t tensor) const;
  // The tensor whose memory it lies in: itself, unless computed in place.
  int32_t root(int32_t tensor) const { return root_[tensor]; }
  // Null if it has no memory or the arena is released.
  char* address(int32_t tensor) const;

  size_t arena_bytes() const { return arena_.layout().high_water(); }
  size_t persistent_bytes() const { return persistent_.layout().high_water(); }

 private:
  void ShareInPlace();
  bool MayShare(const ArenaGraph::Op& op, int32_t input, int32_t output) const;
  void Begin(int32_t op, int32_t tensor);
  std::vector<int32_t> Order(std::vector<int32_t> tensors) const;

  const ArenaGraph& graph_;
  const Settings settings_;
  Arena arena_;
  Arena persistent_;
  std::vector<int32_t> first_, last_;  // of each tensor
  std::vector<int32_t> references_;
  std::vector<int32_t> root_;
  std::vector<std::vector<int32_t>> begin_at_;  // tensors, for each op
  std::vector<ArenaPiece> pieces_;
  int32_t last_active_ = -1;
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_COMPAT_ARENA_PLANNER_H_
