// Attributes of LayerNorm.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_LAYER_NORM_H_
#define MACE_OPS_LAYER_NORM_H_

#include <cstdint>

namespace mace {

// The axes from `axis` to the last are normalized together: x [2,5,3] with axis
// 1 has two means and variances, each of 15 elements.
struct LayerNormAttrs {
  // In [-rank, rank).
  int64_t axis = -1;
  // Added to the variance, or to the mean of squares.
  float epsilon = 1e-5f;
  // False: RMSNorm, which subtracts no mean and divides by the root of the mean
  // of squares.
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
