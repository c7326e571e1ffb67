// Attributes of LayerNorm.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_LAYER_NORM_H_
#define MACE_OPS_LAYER_NORM_H_

#include <cstdint>

namespace mace {

struct LayerNormAttrs {
  int64_t axis = -1;  // the first of the axes normalized together
  float epsilon = 1e-5f;
  bool centered = true;

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
    v("epsilon", epsilon);
    v("centered", centered);
  }
};

}  // namespace mace

#endif  // MACE_OPS_LAYER_NORM_H_
