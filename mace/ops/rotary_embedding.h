// Attributes and shapes of RotaryEmbedding.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_ROTARY_EMBEDDING_H_
#define MACE_OPS_ROTARY_EMBEDDING_H_

#include <cstdint>
#include <vector>

#include "mace/graph/node.h"
#include "mace/ops/common/heads.h"

namespace mace {

struct RotaryEmbeddingAttrs {
  std::vector<int64_t> heads;
  bool interleaved = false;
  int64_t size = 0;

  template <typename V>
  void Fields(V& v) {
    v("heads", heads);
    v("interleaved", interleaved);
    v("size", size);
  }
};

// Of one of the tensors that are turned.
struct RotaryEmbeddingShapes {
  HeadsOf x;
  int64_t size = 0;    // how many elements of each vector are turned
  int64_t angles = 0;  // `size`, or half of it where a pair shares its angle
  int64_t cos[4] = {}, sin[4] = {};  // strides, 0 where they repeat
};

// Describes input `i` >= 2. Errors: MACE_INVALID_MODEL for operands that do not
// fit together.
Result<RotaryEmbeddingShapes> ResolveRotaryEmbedding(
    const Node& node, const RotaryEmbeddingAttrs& attrs, size_t i);

}  // namespace mace

#endif  // MACE_OPS_ROTARY_EMBEDDING_H_
