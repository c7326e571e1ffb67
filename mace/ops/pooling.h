// Attributes of Pooling.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_POOLING_H_
#define MACE_OPS_POOLING_H_

#include <vector>

#include "mace/ops/common/activation_attrs.h"
#include "mace/ops/common/window.h"

namespace mace {

// Of the elements of a window, of each channel: the mean, the maximum, or the
// root of the mean of squares. The numbers are those of model files.
enum class PoolingType : int64_t { kAverage = 1, kMax = 2, kL2 = 3 };

struct PoolingAttrs : WindowAttrs, ActivationAttrs {
  // One of PoolingType. There is no default.
  int64_t pooling_type = 0;
  // h, w. Required, unless the pooling is global.
  std::vector<int64_t> kernels;
  // How the size of the output is rounded; 0: floor, 1: ceil.
  int64_t round_mode = 0;
  // Of kAverage and kL2: true divides by the elements of the window that lie in
  // the padded input, false by those that lie in the input.
  bool count_include_pad = false;
  // The kernel is the whole input; strides, padding, dilations, kernels and
  // round_mode are ignored.
  bool global = false;

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

// Returns how the kernel slides over input 0. REQUIRES: the type of input 0 is
// known. Errors: as ResolveWindow, or kernels that are not two numbers.
Result<Window2D> PoolingWindow(const Node& node, const PoolingAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_POOLING_H_
