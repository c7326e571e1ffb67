// Attributes of InstanceNorm.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_INSTANCE_NORM_H_
#define MACE_OPS_INSTANCE_NORM_H_

#include "mace/ops/common/activation_attrs.h"

namespace mace {

struct InstanceNormAttrs : ActivationAttrs {
  // Added to the variance of each image and channel, which is computed when the
  // model runs.
  float epsilon = 1e-5f;

  template <typename V>
  void Fields(V& v) {
    v("epsilon", epsilon);
    ActivationFields(v);
  }
};

}  // namespace mace

#endif  // MACE_OPS_INSTANCE_NORM_H_
