// Attributes of BiasAdd.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_BIAS_ADD_H_
#define MACE_OPS_BIAS_ADD_H_

#include "mace/ops/common/activation_attrs.h"

namespace mace {

struct BiasAddAttrs : ActivationAttrs {
  template <typename V>
  void Fields(V& v) {
    ActivationFields(v);
  }
};

}  // namespace mace

#endif  // MACE_OPS_BIAS_ADD_H_
