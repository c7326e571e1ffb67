// Attributes of FullyConnected.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_FULLY_CONNECTED_H_
#define MACE_OPS_FULLY_CONNECTED_H_

#include "mace/ops/common/activation_attrs.h"

namespace mace {

// Operands: x [..., K] or [N, ...] with K elements after N; matrix [O, K]; bias
// [O], optional.
struct FullyConnectedAttrs : ActivationAttrs {
  // Dynamic quantization: where the matrix is stored as int8 or int4, a device
  // may quantize each row of x to int8, with its own scale, while it runs.
  bool dynamic = false;

  template <typename V>
  void Fields(V& v) {
    v("dynamic", dynamic);
    ActivationFields(v);
  }
};

}  // namespace mace

#endif  // MACE_OPS_FULLY_CONNECTED_H_
