// Attributes of Deconv2d.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_DECONV2D_H_
#define MACE_OPS_DECONV2D_H_

#include <vector>

#include "mace/ops/common/activation_attrs.h"
#include "mace/ops/common/window.h"

namespace mace {

struct Deconv2dAttrs : WindowAttrs, ActivationAttrs {
  int64_t group = 1;
  std::vector<int64_t> output_padding = {0, 0};  // h, w: added at the end
  std::vector<int64_t> output_shape;             // h, w; empty: computed

  template <typename V>
  void Fields(V& v) {
    WindowFields(v);
    v("group", group);
    v("output_padding", output_padding);
    v("output_shape", output_shape);
    ActivationFields(v);
  }
};

// REQUIRES: the node's shapes are inferred.
Result<Window2D> Deconv2dWindow(const Node& node, const Deconv2dAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_DECONV2D_H_
