// Requantizes sums on NEON of armv8, most shifts in lanes of 16 bits.
// SPDX-License-Identifier: Apache-2.0
//
// SQRDMULH is the first rounding. The second divides by 2^right, half of which
// is added before: bits below that half may be cut off earlier, so that
//
//   (y + 2^(right - 1)) >> right  =  ((y >> s) + 2^(right - s - 1)) >> (right -
//   s)
//
// if s < right. Cutting off s bits narrows y to 16 bits, which saturate only
// where the value does too, if right - s is at most 8 without a sign, and 7
// with one. What rounds ties up must round those of negative numbers down: 1 is
// subtracted from these first. Where the smallest value is the zero point,
// negative numbers become the zero point however they are rounded.
//
// What does not fit is left to requantize_q8__neon.

#include <arm_neon.h>

#include "mace/cpu/ukernels/requantize_q8/requantize_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kColumns = 16, kVectors = 4;
constexpr int kCut = 4;  // the bits s, unless all shifts are small
constexpr int kMaxShift = 8, kMaxSignedShift = 7;

// The factors of 16 channels.
struct Factors {
  int32x4_t mantissa[kVectors];
  int16x8_t right[2];
  int32_t least_right, most_right;

  Factors(const RequantizeQ8Tile& t, size_t j) {
    int32x4_t shifts[kVectors];
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) {
      mantissa[v] = vld1q_s32(t.mantissa + j + 4 * v);
      shifts[v] = vld1q_s32(t.right + j + 4 * v);
    }
    right[0] = vcombine_s16(vmovn_s32(shifts[0]), vmovn_s32(shifts[1]));
    right[1] = vcombine_s16(vmovn_s32(shifts[2]), vmovn_s32(shifts[3]));
    least_right = vminvq_s16(vminq_s16(right[0], right[1]));
    most_right = vmaxvq_s16(vmaxq_s16(right[0], right[1]));
  }
  // Whether a right shift of each channel is left once s bits are cut off, of
  // at most `most` bits. Channels that are shifted right are not shifted left.
  bool Fit(int s, int most) const {
    return least_right > s && most_right <= s + most;
  }
};

// The operands of a call of `Rows`, besides the factors.
struct Quantized {
  int16x8_t zero_points;   // if `ties`
  uint8x16_t zero_values;  // else
  uint8x16_t most;         // if `clamps`: the largest value less the zero point
};

// All rows of 16 columns from `j` on. kS bits are cut off. kTies: negative
// numbers matter; then quantized values are signed or not, but nothing clamps
// them except their type. kClamps: some value of the type is above the largest
// one. It is assembly because tiles are so small that every instruction counts.
template <int kS, bool kTies, bool kSigned, bool kClamps>
inline void Rows(const RequantizeQ8Tile& t, size_t j, const Factors& f,
                 const Quantized& quantized) {
  static_assert(kS > 0 || !kTies, "narrowing without a shift is unsigned");
  const int32_t* sums = t.sums + j;
  uint8_t* y = t.y + j;
  size_t rows = t.m;  // left
  const int16x8_t s = vdupq_n_s16(kS);
  const int16x8_t right0 = vsubq_s16(s, f.right[0]);
  const int16x8_t right1 = vsubq_s16(s, f.right[1]);
  asm volatile(
      R"(
    .macro mace_multiply a, b, c, d
      ld1 {v\a\().4s, v\b\().4s, v\c\().4s, v\d\().4s}, [%[sums]], %[stride]
      sqrdmulh v\a\().4s, v\a\().4s, %[m0].4s
      sqrdmulh v\b\().4s, v\b\().4s, %[m1].4s
      sqrdmulh v\c\().4s, v\c\().4s, %[m2].4s
      sqrdmulh v\d\().4s, v\d\().4s, %[m3].4s
    .endm
    .macro mace_cut op, a, b, c, d
      .if %c[s] > 0
      \op v\a\().4h, v\a\().4s, #%c[s]
      \op v\c\().4h, v\c\().4s, #%c[s]
      \op\()2 v\a\().8h, v\b\().4s, #%c[s]
      \op\()2 v\c\().8h, v\d\().4s, #%c[s]
      .else
      sqxtun v\a\().4h, v\a\().4s
      sqxtun v\c\().4h, v\c\().4s
      sqxtun2 v\a\().8h, v\b\().4s
      sqxtun2 v\c\().8h, v\d\().4s
      .endif
    .endm
    .macro mace_quantized a, b, c, d
      .if %c[ties]
      ssra v\a\().4s, v\a\().4s, #31
      ssra v\b\().4s, v\b\().4s, #31
      ssra v\c\().4s, v\c\().4s, #31
      ssra v\d\().4s, v\d\().4s, #31
      mace_cut sqshrn, \a, \b, \c, \d
      srshl v\a\().8h, v\a\().8h, %[r0].8h
      srshl v\c\().8h, v\c\().8h, %[r1].8h
      sqadd v\a\().8h, v\a\().8h, %[zero_points].8h
      sqadd v\c\().8h, v\c\().8h, %[zero_points].8h
      .if %c[is_signed]
      sqxtn v\a\().8b, v\a\().8h
      sqxtn2 v\a\().16b, v\c\().8h
      .else
      sqxtun v\a\().8b, v\a\().8h
      sqxtun2 v\a\().16b, v\c\().8h
      .endif
      .else
      mace_cut sqshrun, \a, \b, \c, \d
      urshl v\a\().8h, v\a\().8h, %[r0].8h
      urshl v\c\().8h, v\c\().8h, %[r1].8h
      uqxtn v\a\().8b, v\a\().8h
      uqxtn2 v\a\().16b, v\c\().8h
      .if %c[clamps]
      umin v\a\().16b, v\a\().16b, %[most].16b
      .endif
      add v\a\().16b, v\a\().16b, %[zero_values].16b
      .endif
      st1 {v\a\().16b}, [%[y]], %[y_stride]
    .endm

    subs %[rows], %[rows], #2
    b.lo 2f
  1:
    mace_multiply 0, 1, 2, 3
    mace_multiply 4, 5, 6, 7
    mace_quantized 0, 1, 2, 3
    subs %[rows], %[rows], #2
    mace_quantized 4, 5, 6, 7
    b.hs 1b
  2:
    tbz %[rows], #0, 3f
    mace_multiply 0, 1, 2, 3
    mace_quantized 0, 1, 2, 3
  3:
    .purgem mace_multiply
    .purgem mace_cut
    .purgem mace_quantized
  )"
      : [sums] "+r"(sums), [y] "+r"(y), [rows] "+r"(rows)
      : [stride] "r"(t.sums_stride * sizeof(int32_t)),
        [y_stride] "r"(t.y_stride), [m0] "w"(f.mantissa[0]),
        [m1] "w"(f.mantissa[1]), [m2] "w"(f.mantissa[2]),
        [m3] "w"(f.mantissa[3]), [r0] "w"(right0), [r1] "w"(right1),
        [zero_points] "w"(quantized.zero_points),
        [zero_values] "w"(quantized.zero_values), [most] "w"(quantized.most),
        [s] "i"(kS), [ties] "i"(kTies), [is_signed] "i"(kSigned),
        [clamps] "i"(kClamps)
      : "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7");
}

// Rows of quantized values of which the zero point is the least.
template <bool kClamps>
bool FromZero(const RequantizeQ8Tile& t, size_t j, const Factors& f,
              const Quantized& quantized) {
  if (f.Fit(kCut, kMaxShift)) {
    Rows<kCut, false, false, kClamps>(t, j, f, quantized);
    return true;
  }
  if (!f.Fit(0, kMaxShift)) return false;
  Rows<0, false, false, kClamps>(t, j, f, quantized);
  return true;
}

// Returns false if 16 columns from `j` on must be left to another micro-kernel.
bool WholeColumns(const RequantizeQ8Tile& t, size_t j,
                  const Quantized& quantized) {
  const Factors f(t, j);
  if (t.least == t.zero_point) {
    if (t.most - t.least >= 255) return FromZero<false>(t, j, f, quantized);
    return FromZero<true>(t, j, f, quantized);
  }
  if (!f.Fit(kCut, kMaxSignedShift)) return false;
  if (t.least == 0 && t.most == 255) {
    Rows<kCut, true, false, false>(t, j, f, quantized);
    return true;
  }
  if (t.least != -128 || t.most != 127) return false;
  Rows<kCut, true, true, false>(t, j, f, quantized);
  return true;
}

// n columns from `j` on by the other micro-kernel.
void OtherColumns(const RequantizeQ8Tile& t, size_t j, size_t n) {
  RequantizeQ8Tile columns = t;
  columns.n = n;
  columns.sums += j;
  columns.mantissa += j;
  columns.left += j;
  columns.right += j;
  columns.y += j;
  requantize_q8__neon(columns);
}

}  // namespace

void requantize_q8__aarch64(const RequantizeQ8Tile& t) {
  if (t.row_add != nullptr || t.most < t.least) return OtherColumns(t, 0, t.n);
  const Quantized quantized = {
      vdupq_n_s16(static_cast<int16_t>(t.zero_point)),
      vdupq_n_u8(static_cast<uint8_t>(t.zero_point)),
      vdupq_n_u8(static_cast<uint8_t>(t.most - t.zero_point))};
  size_t j = 0;
  for (; t.n - j >= kColumns; j += kColumns) {
    if (!WholeColumns(t, j, quantized)) OtherColumns(t, j, kColumns);
  }
  if (j < t.n) OtherColumns(t, j, t.n - j);
}

}  // namespace mace::cpu
