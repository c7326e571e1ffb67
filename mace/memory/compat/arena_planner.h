// Plans the tensors of a graph into two arenas, step by step if need be.
// SPDX-License-Identifier: Apache-2.0
//
// Behaves as TensorFlow Lite's ArenaPlanner: allocation classes, reference
// counts, in-place ops and re-planning of a suffix when shapes change.
#ifndef MACE_MEMORY_COMPAT_ARENA_PLANNER_H_
#define MACE_MEMORY_COMPAT_ARENA_PLANNER_H_

#include <cstdint>
#include <vector>

#include "mace/memory/offsets/arena.h"

namespace mace::memory {

enum class TensorClass {
  kNone,        // somebody else's: on a device, or read-only and mapped
  kArena,       // shares memory with tensors that live at other times
  kPersistent,  // keeps its bytes between runs (variables): an arena apart
  kDynamic,     // allocated while the graph runs
};

constexpr int32_t kOptionalTensor = -1;

// Tensors by index; kOptionalTensor where an op's or the graph's is left out.
struct ArenaGraph {
  struct Op {
    std::vector<int32_t> inputs, outputs;
    std::vector<int32_t> temporaries;  // live exactly at the op
    // Inputs (0 to 2) whose memory output 0 may take, best first.
    std::vector<int32_t> in_place_inputs;
    // The op leaves the bytes as they are (reshape): the input may have other
    // readers.
    bool keeps_data = false;
  };
  std::vector<int32_t> inputs, outputs, variables;
  std::vector<Op> ops;
  std::vector<size_t> tensor_bytes;
  std::vector<TensorClass> tensor_class;
};

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
