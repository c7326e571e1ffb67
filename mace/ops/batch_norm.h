// Attributes of BatchNorm.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_BATCH_NORM_H_
#define MACE_OPS_BATCH_NORM_H_

#include "mace/ops/common/activation_attrs.h"

namespace mace {

struct BatchNormAttrs : ActivationAttrs {
  // Added to the variance before the square root.
  float epsilon = 1e-4f;

  template <typename V>
  void Fields(V& v) {
    v("epsilon", epsilon);
    ActivationFields(v);
  }
};

}  // namespace mace

#endif  // MACE_OPS_BATCH_NORM_H_
