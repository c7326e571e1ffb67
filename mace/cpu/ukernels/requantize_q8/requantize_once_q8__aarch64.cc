// Requantizes sums, rounded once, on 64-bit Arm.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/cpu/ukernels/requantize_q8/requantize_once_q8_plain.h"

namespace mace::cpu {

void requantize_once_q8__aarch64(const RequantizeQ8Tile& t) {
  const float64x2_t least = vdupq_n_f64(double{1} * t.least - t.zero_point);
  const float64x2_t most = vdupq_n_f64(double{1} * t.most - t.zero_point);
  const int32x4_t zero_point = vdupq_n_s32(t.zero_point);
  // Quantized values less their zero point; the conversion rounds ties away
  // from zero.
  const auto scaled = [&](int32x2_t sums, const double* multipliers) {
    const float64x2_t real =
        vmulq_f64(vcvtq_f64_s64(vmovl_s32(sums)), vld1q_f64(multipliers));
    return vmovn_s64(
        vcvtaq_s64_f64(vminnmq_f64(vmaxnmq_f64(real, least), most)));
  };
  const auto four = [&](const int32_t* from, int32x4_t add,
                        const double* multipliers) {
    const int32x4_t sums = vaddq_s32(vld1q_s32(from), add);
    const int32x4_t quantized =
        vcombine_s32(scaled(vget_low_s32(sums), multipliers),
                     scaled(vget_high_s32(sums), multipliers + 2));
    return vmovn_s32(vaddq_s32(quantized, zero_point));
  };
  for (size_t i = 0; i < t.m; ++i) {
    const int32x4_t add = vdupq_n_s32(t.row_add == nullptr ? 0 : t.row_add[i]);
    const int32_t* const sums = t.sums + i * t.sums_stride;
    uint8_t* const y = t.y + static_cast<ptrdiff_t>(i) * t.y_stride;
    size_t j = 0;
    for (; j + 8 <= t.n; j += 8) {
      const int16x8_t quantized =
          vcombine_s16(four(sums + j, add, t.multipliers + j),
                       four(sums + j + 4, add, t.multipliers + j + 4));
      vst1_u8(y + j, vreinterpret_u8_s8(vmovn_s16(quantized)));
    }
    RequantizeOnce(t, i, j);
  }
}

}  // namespace mace::cpu
