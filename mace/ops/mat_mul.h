// Attributes of MatMul.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_MAT_MUL_H_
#define MACE_OPS_MAT_MUL_H_

#include "mace/graph/node.h"

namespace mace {

// y[..., m, n] = sum over k of a[..., m, k] b[..., k, n]. The attributes have
// no effect on an operand with one dimension.
struct MatMulAttrs {
  bool transpose_a = false;  // a's last two dimensions are [K, M], not [M, K]
  bool transpose_b = false;  // b's are [N, K], not [K, N]

  template <typename V>
  void Fields(V& v) {
    v("transpose_a", transpose_a);
    v("transpose_b", transpose_b);
  }
};

// The sizes of a product. An operand with one dimension, [K], counts as a row
// [1, K] if it is a, and as a column [K, 1] if it is b. y does not have this 1.
struct MatMulShapes {
  // Of y: m rows, n columns; k products are added.
  int64_t m = 0, n = 0, k = 0;
  // Leading dimensions of the operands; they may be empty.
  Shape batch_a, batch_b;
  // What they broadcast to: the leading dimensions of y.
  Shape batch;
};

// Returns the sizes of a node whose input types are known. Errors:
// MACE_INVALID_MODEL for a scalar operand, depths that differ, or leading
// dimensions that do not broadcast.
Result<MatMulShapes> ResolveMatMul(const Node& node, const MatMulAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_MAT_MUL_H_
