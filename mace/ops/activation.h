// Attributes of Activation: the same as other ops have for their result.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_ACTIVATION_H_
#define MACE_OPS_ACTIVATION_H_

#include "mace/ops/common/activation_attrs.h"

namespace mace {

struct ActivationOpAttrs : ActivationAttrs {
  template <typename V>
  void Fields(V& v) {
    ActivationFields(v);
  }
};

}  // namespace mace

#endif  // MACE_OPS_ACTIVATION_H_
