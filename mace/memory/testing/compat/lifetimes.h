// When the tensors of a sequence of ops live, as TensorFlow Lite Micro counts.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_TESTING_COMPAT_LIFETIMES_H_
#define MACE_MEMORY_TESTING_COMPAT_LIFETIMES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mace::memory {

struct OpUses {
  std::vector<int32_t> inputs, outputs;
};
// The first and last use of a tensor, in the scopes of TensorFlow Lite Micro:
// scope 0 is before the first op, and op i has scope i + 1. `first` is -1 if
// the tensor is neither an input of the graph nor an output of an op, `last` if
// nothing makes or uses it.
struct Lifetime {
  int32_t first = -1;
  int32_t last = -1;
};
// Returns the lifetime of each tensor of a sequence of ops. Negative inputs of
// ops are absent ones.
std::vector<Lifetime> Lifetimes(const std::vector<OpUses>& ops,
                                const std::vector<int32_t>& graph_inputs,
                                const std::vector<int32_t>& graph_outputs,
                                size_t num_tensors);

}  // namespace mace::memory

#endif  // MACE_MEMORY_TESTING_COMPAT_LIFETIMES_H_
