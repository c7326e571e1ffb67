// Attributes and shapes of RotaryEmbedding.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_ROTARY_EMBEDDING_H_
#define MACE_OPS_ROTARY_EMBEDDING_H_

#include <cstdint>
#include <vector>

#include "mace/graph/node.h"
#include "mace/ops/common/heads.h"

namespace mace {

// Turns the pairs (a, b) of each vector's first `size` elements by the angles
// of input 0 (cosines) and 1 (sines): (a cos - b sin, b cos + a sin). Pairs of
// a vector with size 6 and depth 8, by number:
//
//  interleaved   0 0 1 1 2 2 - -
//  else          0 1 2 0 1 2 - -       (-: copied)
struct RotaryEmbeddingAttrs {
  // For each input from 2 on: 0, or how many heads it has; required where it
  // has three dimensions. Empty: 0 for each.
  std::vector<int64_t> heads;
  bool interleaved = false;
  // Even, at most the depth; 0: the depth.
  int64_t size = 0;

  template <typename V>
  void Fields(V& v) {
    v("heads", heads);
    v("interleaved", interleaved);
    v("size", size);
  }
};

// Of one of the tensors that are turned. Its output lies as it does.
struct RotaryEmbeddingShapes {
  HeadsOf x;
  int64_t size = 0;    // how many elements of each vector are turned
  int64_t angles = 0;  // `size`, or half of it where a pair shares its angle
  // Strides over [N, heads, S, angles], in elements; 0 where they repeat.
  int64_t cos[4] = {}, sin[4] = {};
};

// Describes input `i`. REQUIRES: i >= 2, and there is such an input. Errors:
// MACE_INVALID_MODEL for operands or heads that do not fit together, or a size
// that is negative, odd or beyond the depth.
Result<RotaryEmbeddingShapes> ResolveRotaryEmbedding(
    const Node& node, const RotaryEmbeddingAttrs& attrs, size_t i);

}  // namespace mace

#endif  // MACE_OPS_ROTARY_EMBEDDING_H_
