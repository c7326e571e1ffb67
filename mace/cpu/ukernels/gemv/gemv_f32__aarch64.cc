// The matrix-vector product on armv8: 16 columns of 4 rows at a time.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/cpu/ukernels/gemv/gemv_f32.h"

namespace mace::cpu {
namespace {

template <int kRows>
inline void Rows(const GemvF32Rows& t, size_t first) {
  const float* w[kRows];
  float32x4_t acc[kRows][4];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    w[r] = t.w + (first + r) * t.k;
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) acc[r][i] = vdupq_n_f32(0);
  }
  const float* x = t.x;
  size_t k = t.k;
  for (; k >= 16; k -= 16, x += 16) {
    const float32x4x4_t xv = vld1q_f32_x4(x);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      const float32x4x4_t wv = vld1q_f32_x4(w[r]);
      w[r] += 16;
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        acc[r][i] = vfmaq_f32(acc[r][i], xv.val[i], wv.val[i]);
      }
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    float y = vaddvq_f32(vaddq_f32(vaddq_f32(acc[r][0], acc[r][1]),
                                   vaddq_f32(acc[r][2], acc[r][3])));
    for (size_t i = 0; i < k; ++i) y = __builtin_fmaf(x[i], w[r][i], y);
    if (t.bias != nullptr) y += t.bias[first + r];
    y = y < t.lower ? t.lower : y;
    t.y[first + r] = y > t.upper ? t.upper : y;
  }
}

}  // namespace

void gemv_f32__aarch64(const GemvF32Rows& t) {
  size_t row = 0;
  for (; row + 4 <= t.n; row += 4) Rows<4>(t, row);
  for (; row < t.n; ++row) Rows<1>(t, row);
}

}  // namespace mace::cpu
