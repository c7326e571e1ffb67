// Attributes of LpNorm.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_LP_NORM_H_
#define MACE_OPS_LP_NORM_H_

#include <cstdint>

namespace mace {

// y = x / max(norm, epsilon), 0 where that divisor is 0.
struct LpNormAttrs {
  // 1: the norm is the sum of magnitudes. 2: the root of the sum of squares.
  int64_t p = 2;
  int64_t axis = -1;  // in [-rank, rank)
  float epsilon = 0;  // the smallest norm to divide by

  template <typename V>
  void Fields(V& v) {
    v("p", p);
    v("axis", axis);
    v("epsilon", epsilon);
  }
};

}  // namespace mace

#endif  // MACE_OPS_LP_NORM_H_
