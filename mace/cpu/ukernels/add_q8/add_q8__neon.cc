// Adds quantized values on NEON; requantize_q8__neon.cc has the arithmetic.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/cpu/ukernels/add_q8/add_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kInt8Lanes = 16;
static_assert(kAddQ8Bits == 20);

// What a factor is: exactly 1/2, as that of the operand with the larger scale;
// with a shift to the right; or any.
enum class Kind { kHalf, kRight, kAny };

Kind KindOf(AddQ8Factor f) {
  if (f.right > 0) return Kind::kRight;
  return f.mantissa == 1 << 30 ? Kind::kHalf : Kind::kAny;
}

template <Kind kKind>
struct Factor {
  int32x4_t mantissa, right;

  explicit Factor(AddQ8Factor f)
      : mantissa(vdupq_n_s32(f.mantissa)), right(vdupq_n_s32(-f.right)) {}

  int32x4_t Scale(int32x4_t x) const {
    const int32x4_t y = vqrdmulhq_s32(x, mantissa);
    if (kKind == Kind::kRight) return vrshlq_s32(vsraq_n_s32(y, y, 31), right);
    // Subtracts 1 where y and its shift are negative.
    return vrshlq_s32(vsraq_n_s32(y, vandq_s32(y, right), 31), right);
  }
};

// Quantized values are signed once their highest bit is flipped, `offset` less.
template <Kind kKind>
struct Operand {
  Factor<kKind> factor;
  int8x8_t zero;

  Operand(const AddQ8Args::Operand& x, int offset)
      : factor(x.factor),
        zero(vdup_n_s8(static_cast<int8_t>(x.zero_point - offset))) {}

  // Eight values, scaled.
  void Scale(int8x8_t bytes, int32x4_t (&to)[2]) const {
    const int16x8_t x = vsubl_s8(bytes, zero);
    if (kKind == Kind::kHalf) {
      const int16x8_t half = vshlq_n_s16(x, 4);
      to[0] = vshll_n_s16(vget_low_s16(half), 15);
      to[1] = vshll_n_s16(vget_high_s16(half), 15);
      return;
    }
    const int16x8_t whole = vshlq_n_s16(x, 5);
    to[0] = factor.Scale(vshll_n_s16(vget_low_s16(whole), 15));
    to[1] = factor.Scale(vshll_n_s16(vget_high_s16(whole), 15));
  }
};

template <Kind kA, Kind kB, Kind kY>
struct Sum {
  Operand<kA> a;
  Operand<kB> b;
  Factor<kY> factor;
  int16x8_t zero;
  uint8x16_t flip;
  int8x16_t least, most;
  bool subtract;

  Sum(const AddQ8Args& t, int offset)
      : a(t.a, offset),
        b(t.b, offset),
        factor(t.factor),
        zero(vdupq_n_s16(static_cast<int16_t>(t.zero_point - offset))),
        flip(vdupq_n_u8(static_cast<uint8_t>(offset))),
        least(vdupq_n_s8(static_cast<int8_t>(t.least - offset))),
        most(vdupq_n_s8(static_cast<int8_t>(t.most - offset))),
        subtract(t.subtract) {}

  int8x8_t Eight(int8x8_t x, int8x8_t w) const {
    int32x4_t p[2], q[2];
    a.Scale(x, p);
    b.Scale(w, q);
    int16x4_t halves[2];
    for (int i = 0; i < 2; ++i) {
      const int32x4_t sum =
          subtract ? vsubq_s32(p[i], q[i]) : vaddq_s32(p[i], q[i]);
      halves[i] = vqmovn_s32(factor.Scale(sum));
    }
    return vqmovn_s16(vqaddq_s16(vcombine_s16(halves[0], halves[1]), zero));
  }
  uint8x16_t Quantized(uint8x16_t x, uint8x16_t w) const {
    const int8x16_t p = vreinterpretq_s8_u8(veorq_u8(x, flip));
    const int8x16_t q = vreinterpretq_s8_u8(veorq_u8(w, flip));
    const int8x16_t y = vcombine_s8(Eight(vget_low_s8(p), vget_low_s8(q)),
                                    Eight(vget_high_s8(p), vget_high_s8(q)));
    const int8x16_t quantized = vminq_s8(vmaxq_s8(y, least), most);
    return veorq_u8(vreinterpretq_u8_s8(quantized), flip);
  }
};

template <Kind kA, Kind kB, Kind kY>
void Run(const AddQ8Args& t) {
  const Sum<kA, kB, kY> sum(t, t.is_unsigned ? 128 : 0);
  size_t i = 0;
  for (; i + kInt8Lanes <= t.n; i += kInt8Lanes) {
    vst1q_u8(t.y + i, sum.Quantized(vld1q_u8(t.a.quantized + i),
                                    vld1q_u8(t.b.quantized + i)));
  }
  if (i == t.n) return;
  uint8_t x[kInt8Lanes] = {}, w[kInt8Lanes] = {};
  __builtin_memcpy(x, t.a.quantized + i, t.n - i);
  __builtin_memcpy(w, t.b.quantized + i, t.n - i);
  vst1q_u8(x, sum.Quantized(vld1q_u8(x), vld1q_u8(w)));
  __builtin_memcpy(t.y + i, x, t.n - i);
}

}  // namespace

void add_q8__neon(const AddQ8Args& t) {
  constexpr Kind kHalf = Kind::kHalf, kRight = Kind::kRight, kAny = Kind::kAny;
  const Kind a = KindOf(t.a.factor), b = KindOf(t.b.factor);
  if (KindOf(t.factor) == kRight) {
    if (a == kHalf && b == kRight) return Run<kHalf, kRight, kRight>(t);
    if (a == kRight && b == kHalf) return Run<kRight, kHalf, kRight>(t);
    if (a == kHalf && b == kHalf) return Run<kHalf, kHalf, kRight>(t);
  }
  Run<kAny, kAny, kAny>(t);
}

}  // namespace mace::cpu
