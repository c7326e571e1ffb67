// Attributes of Clip.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_CLIP_H_
#define MACE_OPS_CLIP_H_

#include <cmath>

namespace mace {

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
