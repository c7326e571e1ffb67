// Adds quantized values on NEON of armv8, where the operand with the larger
// scale has the factor 1/2; requantize_q8__aarch64.cc has the arithmetic.
// SPDX-License-Identifier: Apache-2.0
//
// What does not fit is left to add_q8__neon.

#include <arm_neon.h>

#include "mace/cpu/ukernels/add_q8/add_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kInt8Lanes = 16, kVectors = 4;
constexpr int kCut = 14;  // bits of a scaled sum, cut off when it is narrowed
static_assert(kAddQ8Bits == 20);

// Quantized values less a zero point.
template <bool kSigned>
inline int16x8_t Centred(uint8x16_t quantized, uint8x16_t zero, bool high) {
  if (kSigned) {
    const int8x16_t x = vreinterpretq_s8_u8(quantized);
    const int8x16_t z = vreinterpretq_s8_u8(zero);
    return high ? vsubl_high_s8(x, z)
                : vsubl_s8(vget_low_s8(x), vget_low_s8(z));
  }
  return vreinterpretq_s16_u16(
      high ? vsubl_high_u8(quantized, zero)
           : vsubl_u8(vget_low_u8(quantized), vget_low_u8(zero)));
}

// y rounded after a shift to the right, ties away from zero.
inline int32x4_t Shifted(int32x4_t y, int32x4_t right) {
  return vrshlq_s32(vsraq_n_s32(y, y, 31), right);
}

// Sums of x, whose factor is 1/2, and w. kFromZero: quantized values begin with
// the zero point, so that negative sums do not matter, and end with their type.
template <bool kSigned, bool kFromZero>
struct Sum {
  uint8x16_t x_zero, w_zero;
  int32x4_t w_mantissa, w_right, mantissa;
  int16x8_t right, zero;
  uint8x16_t zero_values, least, most;

  Sum(const AddQ8Args& t, const AddQ8Args::Operand& x,
      const AddQ8Args::Operand& w)
      : x_zero(vdupq_n_u8(static_cast<uint8_t>(x.zero_point))),
        w_zero(vdupq_n_u8(static_cast<uint8_t>(w.zero_point))),
        w_mantissa(vdupq_n_s32(w.factor.mantissa)),
        w_right(vdupq_n_s32(-w.factor.right)),
        mantissa(vdupq_n_s32(t.factor.mantissa)),
        right(vdupq_n_s16(static_cast<int16_t>(kCut - t.factor.right))),
        zero(vdupq_n_s16(static_cast<int16_t>(t.zero_point))),
        zero_values(vdupq_n_u8(static_cast<uint8_t>(t.zero_point))),
        least(vdupq_n_u8(static_cast<uint8_t>(t.least))),
        most(vdupq_n_u8(static_cast<uint8_t>(t.most))) {}

  // Scaled sums of eight values, (x - x_zero) * 2^19 and the scaled w.
  void Eight(int16x8_t x, int16x8_t w, int32x4_t (&to)[2]) const {
    const int16x8_t least16 = vdupq_n_s16(INT16_MIN);  // -2^15
    const int16x8_t half = vshlq_n_s16(x, 4), whole = vshlq_n_s16(w, 5);
    to[0] = vqrdmulhq_s32(vshll_n_s16(vget_low_s16(whole), 15), w_mantissa);
    to[1] = vqrdmulhq_s32(vshll_high_n_s16(whole, 15), w_mantissa);
    to[0] = Shifted(to[0], w_right);
    to[1] = Shifted(to[1], w_right);
    to[0] = vmlsl_s16(to[0], vget_low_s16(half), vget_low_s16(least16));
    to[1] = vmlsl_high_s16(to[1], half, least16);
    to[0] = vqrdmulhq_s32(to[0], mantissa);
    to[1] = vqrdmulhq_s32(to[1], mantissa);
  }
  uint8x16_t FromZero(const int32x4_t (&y)[kVectors]) const {
    const uint16x8_t low =
        vqshrun_high_n_s32(vqshrun_n_s32(y[0], kCut), y[1], kCut);
    const uint16x8_t high =
        vqshrun_high_n_s32(vqshrun_n_s32(y[2], kCut), y[3], kCut);
    const uint8x16_t quantized = vqmovn_high_u16(
        vqmovn_u16(vrshlq_u16(low, right)), vrshlq_u16(high, right));
    return vaddq_u8(quantized, zero_values);
  }
  // Eight int16 values.
  int16x8_t Rounded(int32x4_t a, int32x4_t b) const {
    a = vsraq_n_s32(a, a, 31);
    b = vsraq_n_s32(b, b, 31);
    const int16x8_t y = vqshrn_high_n_s32(vqshrn_n_s32(a, kCut), b, kCut);
    return vqaddq_s16(vrshlq_s16(y, right), zero);
  }
  uint8x16_t FromAny(const int32x4_t (&y)[kVectors]) const {
    const int16x8_t low = Rounded(y[0], y[1]), high = Rounded(y[2], y[3]);
    if (!kSigned) {
      const uint8x16_t quantized = vqmovun_high_s16(vqmovun_s16(low), high);
      return vminq_u8(vmaxq_u8(quantized, least), most);
    }
    const int8x16_t quantized = vqmovn_high_s16(vqmovn_s16(low), high);
    return vreinterpretq_u8_s8(
        vminq_s8(vmaxq_s8(quantized, vreinterpretq_s8_u8(least)),
                 vreinterpretq_s8_u8(most)));
  }
  uint8x16_t Quantized(uint8x16_t x, uint8x16_t w) const {
    int32x4_t y[2][2];
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      Eight(Centred<kSigned>(x, x_zero, i == 1),
            Centred<kSigned>(w, w_zero, i == 1), y[i]);
    }
    const int32x4_t all[kVectors] = {y[0][0], y[0][1], y[1][0], y[1][1]};
    return kFromZero ? FromZero(all) : FromAny(all);
  }
};

template <bool kSigned, bool kFromZero>
void Run(const AddQ8Args& t, const AddQ8Args::Operand& x,
         const AddQ8Args::Operand& w) {
  const Sum<kSigned, kFromZero> sum(t, x, w);
  const uint8_t *p = x.quantized, *q = w.quantized;
  uint8_t* y = t.y;
  size_t left = t.n;
  for (; left >= 2 * kInt8Lanes; left -= 2 * kInt8Lanes) {
    const uint8x16x2_t a = vld1q_u8_x2(p), b = vld1q_u8_x2(q);
    vst1q_u8(y, sum.Quantized(a.val[0], b.val[0]));
    vst1q_u8(y + kInt8Lanes, sum.Quantized(a.val[1], b.val[1]));
    p += 2 * kInt8Lanes;
    q += 2 * kInt8Lanes;
    y += 2 * kInt8Lanes;
  }
  if (left >= kInt8Lanes) {
    vst1q_u8(y, sum.Quantized(vld1q_u8(p), vld1q_u8(q)));
    p += kInt8Lanes;
    q += kInt8Lanes;
    y += kInt8Lanes;
    left -= kInt8Lanes;
  }
  if (left == 0) return;
  uint8_t last[2][kInt8Lanes] = {};
  __builtin_memcpy(last[0], p, left);
  __builtin_memcpy(last[1], q, left);
  vst1q_u8(last[0], sum.Quantized(vld1q_u8(last[0]), vld1q_u8(last[1])));
  __builtin_memcpy(y, last[0], left);
}

bool IsHalf(AddQ8Factor f) { return f.right == 0 && f.mantissa == 1 << 30; }

}  // namespace

void add_q8__aarch64(const AddQ8Args& t) {
  const bool swap = !IsHalf(t.a.factor);
  const AddQ8Args::Operand &x = swap ? t.b : t.a, &w = swap ? t.a : t.b;
  const int bits = t.factor.right - kCut;  // of the second shift
  const bool from_zero = t.least == t.zero_point && t.most - t.least == 255;
  if (t.subtract || !IsHalf(x.factor) || w.factor.right == 0 || bits < 1 ||
      bits > (from_zero ? 8 : 7)) {
    return add_q8__neon(t);
  }
  if (t.is_unsigned) {
    return from_zero ? Run<false, true>(t, x, w) : Run<false, false>(t, x, w);
  }
  from_zero ? Run<true, true>(t, x, w) : Run<true, false>(t, x, w);
}

}  // namespace mace::cpu
