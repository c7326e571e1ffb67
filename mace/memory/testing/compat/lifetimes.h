// When the tensors of a sequence of ops live, as TensorFlow Lite Micro counts.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_TESTING_COMPAT_LIFETIMES_H_
#define MACE_MEMORY_TESTING_COMPAT_LIFETIMES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mace::memory {

// The first and last use of each tensor of a sequence of ops, in the scopes of
// TensorFlow Lite Micro: scope 0 is before the first op, and op i has scope i +
// 1. -1: the tensor is never made or used.
struct OpUses {
  std::vector<int32_t> inputs, outputs;
};
struct Lifetime {
  int32_t first = -1;
  int32_t last = -1;
};
std::vector<Lifetime> Lifetimes(const std::vector<OpUses>& ops,
                                const std::vector<int32_t>& graph_inputs,
                                const std::vector<int32_t>& graph_outputs,
                                size_t num_tensors);

}  // namespace mace::memory

#endif  // MACE_MEMORY_TESTING_COMPAT_LIFETIMES_H_
