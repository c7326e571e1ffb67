// Attributes of Pooling.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_POOLING_H_
#define MACE_OPS_POOLING_H_

#include <vector>

#include "mace/ops/common/activation_attrs.h"
#include "mace/ops/common/window.h"

namespace mace {

enum class PoolingType : int64_t { kAverage = 1, kMax = 2, kL2 = 3 };

struct PoolingAttrs : WindowAttrs, ActivationAttrs {
  int64_t pooling_type = 0;      // one of PoolingType
  std::vector<int64_t> kernels;  // h, w
  int64_t round_mode = 0;        // 0: floor, 1: ceil
  bool count_include_pad = false;
  bool global = false;  // the kernel is the whole input

  template <typename V>
  void Fields(V& v) {
    v("pooling_type", pooling_type);
    v("kernels", kernels);
    WindowFields(v);
    v("round_mode", round_mode);
    v("count_include_pad", count_include_pad);
    v("global", global);
    ActivationFields(v);
  }
};

// Errors: MACE_INVALID_MODEL.
Result<Window2D> PoolingWindow(const Node& node, const PoolingAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_POOLING_H_
