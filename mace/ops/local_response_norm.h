// Attributes of LocalResponseNorm.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_LOCAL_RESPONSE_NORM_H_
#define MACE_OPS_LOCAL_RESPONSE_NORM_H_

#include <cstdint>

namespace mace {

// y = x / (bias + alpha * s)^beta, where s adds the squares of the channels c -
// depth_radius to c + depth_radius or, if size is not 0, c - (size - 1) / 2 to
// c + size / 2, as far as there are any. Unlike ONNX, alpha is not divided by
// the size.
struct LocalResponseNormAttrs {
  int64_t depth_radius = 5;  // channels on either side
  int64_t size = 0;          // channels in all; 0: the radius counts
  float bias = 1;
  float alpha = 1;
  float beta = 0.5f;

  template <typename V>
  void Fields(V& v) {
    v("depth_radius", depth_radius);
    v("size", size);
    v("bias", bias);
    v("alpha", alpha);
    v("beta", beta);
  }
};

}  // namespace mace

#endif  // MACE_OPS_LOCAL_RESPONSE_NORM_H_
