// Attributes of Conv2d.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_CONV2D_H_
#define MACE_OPS_CONV2D_H_

#include "mace/ops/common/activation_attrs.h"
#include "mace/ops/common/window.h"

namespace mace {

// Operands: x [N, H, W, C]; filter [O, C / group, kernel_h, kernel_w]; bias
// [O], optional. Output channel o reads the C / group channels of group o / (O
// / group):
//
//  group 2, C 4, O 6     channels of x   0 1 | 2 3
//                        channels of y  0 1 2 | 3 4 5
struct Conv2dAttrs : WindowAttrs, ActivationAttrs {
  // Divides C and O.
  int64_t group = 1;

  template <typename V>
  void Fields(V& v) {
    WindowFields(v);
    v("group", group);
    ActivationFields(v);
  }
};

// Returns how the filter, input 1, slides over input 0. REQUIRES: the types of
// the inputs are known, and the filter has four dimensions. Errors: as
// ResolveWindow.
Result<Window2D> Conv2dWindow(const Node& node, const Conv2dAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_CONV2D_H_
