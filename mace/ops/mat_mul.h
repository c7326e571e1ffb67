// Attributes of MatMul.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_MAT_MUL_H_
#define MACE_OPS_MAT_MUL_H_

#include "mace/graph/node.h"

namespace mace {

struct MatMulAttrs {
  bool transpose_a = false;  // a's last two dimensions are [K, M], not [M, K]
  bool transpose_b = false;  // b's are [N, K], not [K, N]

  template <typename V>
  void Fields(V& v) {
    v("transpose_a", transpose_a);
    v("transpose_b", transpose_b);
  }
};

// A matrix product of operands that have been given at least two dimensions.
struct MatMulShapes {
  int64_t m = 0, n = 0, k = 0;
  Shape batch_a, batch_b;  // leading dimensions of the operands
  Shape batch;             // the shape to which they broadcast
};

// Errors: MACE_INVALID_MODEL for operands that do not fit together.
Result<MatMulShapes> ResolveMatMul(const Node& node, const MatMulAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_MAT_MUL_H_
