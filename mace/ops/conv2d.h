// Attributes of Conv2d.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_CONV2D_H_
#define MACE_OPS_CONV2D_H_

#include "mace/ops/common/activation_attrs.h"
#include "mace/ops/common/window.h"

namespace mace {

struct Conv2dAttrs : WindowAttrs, ActivationAttrs {
  int64_t group = 1;

  template <typename V>
  void Fields(V& v) {
    WindowFields(v);
    v("group", group);
    ActivationFields(v);
  }
};

// REQUIRES: the node's shapes are inferred.
Result<Window2D> Conv2dWindow(const Node& node, const Conv2dAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_CONV2D_H_
