// What an arena planner knows of a graph: ops, and tensors by index.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_COMPAT_ARENA_GRAPH_H_
#define MACE_MEMORY_COMPAT_ARENA_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

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

}  // namespace mace::memory

#endif  // MACE_MEMORY_COMPAT_ARENA_GRAPH_H_
