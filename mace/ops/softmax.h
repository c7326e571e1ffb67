// Attributes of Softmax.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_SOFTMAX_H_
#define MACE_OPS_SOFTMAX_H_

#include <cstdint>

namespace mace {

struct SoftmaxAttrs {
  int64_t axis = -1;  // in [-rank, rank)
  // The logarithm: x - max(x) - log(sum(exp(x - max(x)))).
  bool use_log = false;

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
    v("use_log", use_log);
  }
};

}  // namespace mace

#endif  // MACE_OPS_SOFTMAX_H_
