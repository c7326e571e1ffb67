// Attributes of DepthwiseConv2d.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_DEPTHWISE_CONV2D_H_
#define MACE_OPS_DEPTHWISE_CONV2D_H_

#include "mace/ops/common/activation_attrs.h"
#include "mace/ops/common/window.h"

namespace mace {

// Operands: x [N, H, W, C]; filter [M, C, kernel_h, kernel_w]; bias [C * M],
// optional. Channel c * M + m of y is channel c of x under filter (m, c).
struct DepthwiseConv2dAttrs : WindowAttrs, ActivationAttrs {
  template <typename V>
  void Fields(V& v) {
    WindowFields(v);
    ActivationFields(v);
  }
};

// As Conv2dWindow (conv2d.h).
Result<Window2D> DepthwiseConv2dWindow(const Node& node,
                                       const DepthwiseConv2dAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_DEPTHWISE_CONV2D_H_
