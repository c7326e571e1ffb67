// ArenaPlanner: places the tensors of a graph in two arenas, all at once or
// step by step.
// SPDX-License-Identifier: Apache-2.0
//
// It behaves as TensorFlow Lite's ArenaPlanner in its current form: allocation
// classes, reference counts, in-place ops, and planning a suffix again when
// shapes change. conformance_arena_test.cc tests it against the published
// expectations. No engine uses it, because an engine plans from records of what
// its kernels read and write (mace/plan), with the strategy offsets/ARENA for
// the same placement. Use it to compare with a TensorFlow Lite interpreter, or
// if only ops and tensors are known.
#ifndef MACE_MEMORY_TESTING_COMPAT_ARENA_PLANNER_H_
#define MACE_MEMORY_TESTING_COMPAT_ARENA_PLANNER_H_

#include <cstdint>
#include <vector>

#include "mace/memory/testing/compat/arena.h"
#include "mace/memory/testing/compat/arena_graph.h"

namespace mace::memory {

class ArenaPlanner {
 public:
  struct Settings {
    size_t tensor_alignment = kArenaAlignment;
    // Whether every tensor keeps its bytes to the end, for inspection after a
    // run.
    bool preserve_all = false;
    ArenaSource source = kHeap;
  };

  // `graph` must outlive the planner. Its classes and bytes may change between
  // calls, but its ops only before Plan().
  ArenaPlanner(const ArenaGraph& graph, const Settings& settings);

  // Forgets everything and determines the lifetime of each tensor.
  void Plan();

  // Gives offsets and memory to the tensors of ops [first, last]. Tensors that
  // have them keep them, except arena tensors that grew. Errors:
  // MACE_OUT_OF_RESOURCES.
  Status Execute(int32_t first, int32_t last);

  // Forgets the offsets of all arena tensors.
  void ResetAllocations();
  // Forgets the offsets of arena tensors that begin after `op`.
  void ResetAllocationsAfter(int32_t op);

  // Frees the memory of the arena, and gets it again for the same plan.
  void ReleaseArena();
  Status AcquireArena();

  // Returns whether the tensor has an offset in an arena, be it released or
  // not. A tensor without bytes has none.
  bool has_memory(int32_t tensor) const;
  // REQUIRES: has_memory(tensor).
  size_t offset(int32_t tensor) const;
  // Returns the tensor whose memory it uses: itself, unless computed in place.
  int32_t root(int32_t tensor) const { return root_[tensor]; }
  // Returns null if the tensor has no offset, or its arena is released.
  char* address(int32_t tensor) const;

  size_t arena_bytes() const { return arena_.layout().high_water(); }
  size_t persistent_bytes() const { return persistent_.layout().high_water(); }

 private:
  // Merges outputs with the inputs that their ops may overwrite: sets root_.
  void ShareInPlace();
  bool MayShare(const ArenaGraph::Op& op, int32_t input, int32_t output) const;
  void Begin(int32_t op, int32_t tensor);
  std::vector<int32_t> Order(std::vector<int32_t> tensors) const;

  const ArenaGraph& graph_;
  const Settings settings_;
  Arena arena_;
  Arena persistent_;
  std::vector<int32_t> first_, last_;  // by tensor
  std::vector<int32_t> references_;
  std::vector<int32_t> root_;
  std::vector<std::vector<int32_t>> begin_at_;  // by op: its tensors
  std::vector<ArenaPiece> pieces_;
  int32_t last_active_ = -1;
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_TESTING_COMPAT_ARENA_PLANNER_H_
