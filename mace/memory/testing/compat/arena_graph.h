// ArenaGraph: a graph as arena planners see it, with ops and tensors by index.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_TESTING_COMPAT_ARENA_GRAPH_H_
#define MACE_MEMORY_TESTING_COMPAT_ARENA_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mace::memory {

enum class TensorClass {
  kUnplanned,   // not planned: on a device, or read-only and mapped
  kArena,       // shares memory with tensors that live at other times
  kPersistent,  // keeps its bytes between runs (variables); in a separate arena
  kDynamic,     // allocated while the graph runs
};

constexpr int32_t kOptionalTensor = -1;

// Tensors are indices; kOptionalTensor stands for one that is left out.
struct ArenaGraph {
  struct Op {
    std::vector<int32_t> inputs, outputs;
    std::vector<int32_t> temporaries;  // live during the op only
    // Indices (0 to 2) of inputs whose memory output 0 may take, best first.
    std::vector<int32_t> in_place_inputs;
    // Whether the op leaves the bytes unchanged (reshape); the input may then
    // have other readers.
    bool keeps_data = false;
  };
  std::vector<int32_t> inputs, outputs, variables;
  std::vector<Op> ops;
  std::vector<size_t> tensor_bytes;
  std::vector<TensorClass> tensor_class;
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_TESTING_COMPAT_ARENA_GRAPH_H_
