// Attributes of Clip.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_CLIP_H_
#define MACE_OPS_CLIP_H_

#include <cmath>

namespace mace {

// The limits, each of which the input 1 or 2 overrides if it is present. Of
// integers they are rounded towards zero; of quantized values they are real
// numbers. NaN stays NaN. If min is above max, y is max.
struct ClipAttrs {
  float min = -INFINITY;
  float max = INFINITY;

  template <typename V>
  void Fields(V& v) {
    v("min", min);
    v("max", max);
  }
};

}  // namespace mace

#endif  // MACE_OPS_CLIP_H_
