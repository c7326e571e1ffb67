// Attributes of FullyConnected.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_FULLY_CONNECTED_H_
#define MACE_OPS_FULLY_CONNECTED_H_

#include "mace/ops/common/activation_attrs.h"

namespace mace {

struct FullyConnectedAttrs : ActivationAttrs {
  bool dynamic = false;

  template <typename V>
  void Fields(V& v) {
    v("dynamic", dynamic);
    ActivationFields(v);
  }
};

}  // namespace mace

#endif  // MACE_OPS_FULLY_CONNECTED_H_
