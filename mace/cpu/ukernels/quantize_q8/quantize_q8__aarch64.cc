// Quantizes floats on NEON of armv8, whose conversions round both ways.
// SPDX-License-Identifier: Apache-2.0
//
// Conversions and narrowing saturate, which does what clamping would.

#include <arm_neon.h>

#include "mace/cpu/ukernels/quantize_q8/quantize_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kInt8Lanes = 16;
constexpr float kFewest = -131072;  // scales; the value is the smallest one

template <bool kTiesToEven>
inline int32x4_t Units(const float* x, float32x4_t scale) {
  const float32x4_t units = vdivq_f32(vld1q_f32(x), scale);
  // Of a number and NaN, this is the number.
  const float32x4_t known = vmaxnmq_f32(units, vdupq_n_f32(kFewest));
  return kTiesToEven ? vcvtnq_s32_f32(known) : vcvtaq_s32_f32(known);
}

template <bool kTiesToEven, bool kSigned>
inline void Quantized(const float* x, float32x4_t scale, int16x8_t zero,
                      uint8_t* to) {
  const auto units = [x, scale](size_t i) {
    return Units<kTiesToEven>(x + i, scale);
  };
  const int16x8_t low =
      vqaddq_s16(vqmovn_high_s32(vqmovn_s32(units(0)), units(4)), zero);
  const int16x8_t high =
      vqaddq_s16(vqmovn_high_s32(vqmovn_s32(units(8)), units(12)), zero);
  const uint8x16_t quantized =
      kSigned ? vreinterpretq_u8_s8(vqmovn_high_s16(vqmovn_s16(low), high))
              : vqmovun_high_s16(vqmovun_s16(low), high);
  vst1q_u8(to, quantized);
}

template <bool kTiesToEven, bool kSigned>
void Quantize(const QuantizeQ8Args& t) {
  const float32x4_t scale = vdupq_n_f32(t.scale);
  const int16x8_t zero = vdupq_n_s16(static_cast<int16_t>(t.zero_point));
  const float* x = t.x;
  uint8_t* to = t.quantized;
  size_t left = t.n;
  for (; left >= kInt8Lanes;
       left -= kInt8Lanes, x += kInt8Lanes, to += kInt8Lanes) {
    Quantized<kTiesToEven, kSigned>(x, scale, zero, to);
  }
  if (left == 0) return;
  float last[kInt8Lanes] = {};
  uint8_t quantized[kInt8Lanes];
  __builtin_memcpy(last, x, left * sizeof(float));
  Quantized<kTiesToEven, kSigned>(last, scale, zero, quantized);
  __builtin_memcpy(to, quantized, left);
}

}  // namespace

void quantize_q8__aarch64(const QuantizeQ8Args& t) {
  if (t.least == -128 && t.most == 127) {
    return t.ties_to_even ? Quantize<true, true>(t) : Quantize<false, true>(t);
  }
  if (t.least == 0 && t.most == 255) {
    return t.ties_to_even ? Quantize<true, false>(t)
                          : Quantize<false, false>(t);
  }
  quantize_q8__neon(t);
}

}  // namespace mace::cpu
