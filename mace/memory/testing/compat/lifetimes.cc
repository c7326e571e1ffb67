// Finds the first and the last use of each tensor.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/testing/compat/lifetimes.h"

#include <algorithm>

namespace mace::memory {

std::vector<Lifetime> Lifetimes(const std::vector<OpUses>& ops,
                                const std::vector<int32_t>& graph_inputs,
                                const std::vector<int32_t>& graph_outputs,
                                size_t num_tensors) {
  std::vector<Lifetime> lives(num_tensors);
  const auto use = [&](int32_t tensor, int32_t scope) {
    lives[tensor].last = std::max(lives[tensor].last, scope);
  };
  for (int32_t tensor : graph_inputs) lives[tensor] = {0, 0};
  for (size_t i = 0; i < ops.size(); ++i) {
    const auto scope = static_cast<int32_t>(i) + 1;
    for (int32_t tensor : ops[i].outputs) {
      if (lives[tensor].first == -1) lives[tensor].first = scope;
      use(tensor, scope);
    }
    for (int32_t tensor : ops[i].inputs) {
      if (tensor >= 0) use(tensor, scope);
    }
  }
  for (int32_t tensor : graph_outputs) {
    use(tensor, static_cast<int32_t>(ops.size()));
  }
  return lives;
}

}  // namespace mace::memory
