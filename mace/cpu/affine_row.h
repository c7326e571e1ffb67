// y = act(x * scale + offset) over a row: what normalisations end with.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_AFFINE_ROW_H_
#define MACE_CPU_AFFINE_ROW_H_

#include <cstdint>

#include "mace/cpu/activation.h"

namespace mace {

// y[i] = act(x[i]), where x and y may be the same.
inline void ActivateRow(const ActivationFunction& act, const float* x, float* y,
                        int64_t n) {
  if (act.is_clamp()) {
    const float lower = act.lower(), upper = act.upper();
    for (int64_t i = 0; i < n; ++i) {
      const float v = x[i] < lower ? lower : x[i];
      y[i] = v > upper ? upper : v;
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    y[i] = static_cast<float>(ReferenceActivation(act, x[i]));
  }
}

// y[i] = act(x[i] * scale[i] + offset[i]), where x and y may be the same.
inline void AffineRow(const ActivationFunction& act, const float* x,
                      const float* scale, const float* offset, float* y,
                      int64_t n) {
  if (act.is_clamp()) {
    const float lower = act.lower(), upper = act.upper();
    for (int64_t i = 0; i < n; ++i) {
      const float t = x[i] * scale[i] + offset[i];
      const float v = t < lower ? lower : t;
      y[i] = v > upper ? upper : v;
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * scale[i] + offset[i];
  ActivateRow(act, y, y, n);
}

}  // namespace mace

#endif  // MACE_CPU_AFFINE_ROW_H_
