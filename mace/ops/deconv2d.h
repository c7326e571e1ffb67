// Attributes of Deconv2d.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_DECONV2D_H_
#define MACE_OPS_DECONV2D_H_

#include <vector>

#include "mace/ops/common/activation_attrs.h"
#include "mace/ops/common/window.h"

namespace mace {

// Operands: x [N, H, W, C]; filter [O, C / group, kernel_h, kernel_w]; bias [O]
// and output shape [N, H', W', O], both optional. Groups are as in Conv2d.
struct Deconv2dAttrs : WindowAttrs, ActivationAttrs {
  int64_t group = 1;
  // h, w: how many rows at the bottom and columns at the right y has in
  // addition. They are computed like all others, not filled with 0. The size of
  // y does not depend on them with same padding or an output shape
  // (ResolveTransposedWindow).
  std::vector<int64_t> output_padding = {0, 0};
  // h, w, overridden by input 3. Empty: ResolveTransposedWindow computes it.
  std::vector<int64_t> output_shape;

  template <typename V>
  void Fields(V& v) {
    WindowFields(v);
    v("group", group);
    v("output_padding", output_padding);
    v("output_shape", output_shape);
    ActivationFields(v);
  }
};

// Returns how the filter, input 1, slides over y. REQUIRES: the types of the
// inputs and the contents of input 3, if it is present, are known; the filter
// has four dimensions. Errors: as ResolveTransposedWindow, or an output shape
// that does not have four numbers.
Result<Window2D> Deconv2dWindow(const Node& node, const Deconv2dAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_DECONV2D_H_
