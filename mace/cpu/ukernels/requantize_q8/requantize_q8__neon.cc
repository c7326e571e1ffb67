// Requantizes sums on NEON.
// SPDX-License-Identifier: Apache-2.0
//
// SQRDMULH is the first rounding: to the nearest, ties up. SRSHL by a negative
// number of bits rounds ties up too; the second rounding takes them away from
// zero, which is the same once 1 is subtracted from negative numbers. Nothing
// is subtracted where nothing is shifted.

#include <arm_neon.h>

#include "mace/cpu/ukernels/requantize_q8/requantize_once_q8_plain.h"

namespace mace::cpu {
namespace {

constexpr size_t kLanes = 4, kColumns = 16, kVectors = 4;

inline int16x8_t Narrow(int32x4_t low, int32x4_t high) {
#if defined(__aarch64__)
  return vqmovn_high_s32(vqmovn_s32(low), high);
#else
  return vcombine_s16(vqmovn_s32(low), vqmovn_s32(high));
#endif
}

// 8-bit values from numbers of 16.
template <bool kUnsigned>
inline uint8x16_t Quantized(int16x8_t low, int16x8_t high) {
#if defined(__aarch64__)
  if (kUnsigned) return vqmovun_high_s16(vqmovun_s16(low), high);
  return vreinterpretq_u8_s8(vqmovn_high_s16(vqmovn_s16(low), high));
#else
  if (kUnsigned) return vcombine_u8(vqmovun_s16(low), vqmovun_s16(high));
  return vreinterpretq_u8_s8(vcombine_s8(vqmovn_s16(low), vqmovn_s16(high)));
#endif
}

template <bool kUnsigned>
inline uint8x16_t Clamp(uint8x16_t quantized, uint8x16_t least,
                        uint8x16_t most) {
  if (kUnsigned) return vminq_u8(vmaxq_u8(quantized, least), most);
  const int8x16_t above =
      vmaxq_s8(vreinterpretq_s8_u8(quantized), vreinterpretq_s8_u8(least));
  return vreinterpretq_u8_s8(vminq_s8(above, vreinterpretq_s8_u8(most)));
}

// The factors of 16 channels, of which none is shifted left and each is shifted
// right.
struct Right {
  int32x4_t mantissa[kVectors], right[kVectors];

  Right(const RequantizeQ8Tile& t, size_t j) {
    for (size_t v = 0; v < kVectors; ++v) {
      mantissa[v] = vld1q_s32(t.mantissa + j + v * kLanes);
      right[v] = vnegq_s32(vld1q_s32(t.right + j + v * kLanes));
    }
  }
  static bool Fits(const RequantizeQ8Tile& t, size_t j) {
    int32x4_t left = vld1q_s32(t.left + j), right = vld1q_s32(t.right + j);
    for (size_t v = 1; v < kVectors; ++v) {
      left = vorrq_s32(left, vld1q_s32(t.left + j + v * kLanes));
      right = vminq_s32(right, vld1q_s32(t.right + j + v * kLanes));
    }
    // One of the shifts of a channel is 0.
    const uint32x4_t bad = vcgeq_s32(left, right);
    const uint32x2_t any = vorr_u32(vget_low_u32(bad), vget_high_u32(bad));
    return (vget_lane_u32(any, 0) | vget_lane_u32(any, 1)) == 0;
  }
  int32x4_t Scale(int32x4_t sums, size_t v) const {
    const int32x4_t y = vqrdmulhq_s32(sums, mantissa[v]);
    return vrshlq_s32(vsraq_n_s32(y, y, 31), right[v]);
  }
};

// Any factors.
struct Both {
  int32x4_t left[kVectors], mantissa[kVectors], right[kVectors];

  Both(const RequantizeQ8Tile& t, size_t j) {
    for (size_t v = 0; v < kVectors; ++v) {
      left[v] = vld1q_s32(t.left + j + v * kLanes);
      mantissa[v] = vld1q_s32(t.mantissa + j + v * kLanes);
      right[v] = vnegq_s32(vld1q_s32(t.right + j + v * kLanes));
    }
  }
  int32x4_t Scale(int32x4_t sums, size_t v) const {
    const int32x4_t y = vqrdmulhq_s32(vshlq_s32(sums, left[v]), mantissa[v]);
    // All bits are set where y and its shift are negative.
    const int32x4_t minus = vshrq_n_s32(vandq_s32(y, right[v]), 31);
    return vrshlq_s32(vaddq_s32(y, minus), right[v]);
  }
};

struct Range {
  int16x8_t zero_point;
  uint8x16_t least, most;
};

// n <= 16 columns from `j` on.
template <typename F, bool kUnsigned>
inline void Columns(const RequantizeQ8Tile& t, size_t j, size_t n,
                    const Range& range) {
  const F factors(t, j);
  const int32_t* row_add = t.row_add;
  const int32_t* sums = t.sums + j;
  const size_t sums_stride = t.sums_stride;
  uint8_t* y = t.y + j;
  const ptrdiff_t y_stride = t.y_stride;
  for (size_t left = t.m; left > 0; --left) {
    int32x4_t x[kVectors];
    for (size_t v = 0; v < kVectors; ++v) x[v] = vld1q_s32(sums + v * kLanes);
    sums += sums_stride;
    if (row_add != nullptr) {
      const int32x4_t add = vdupq_n_s32(*row_add++);
      for (size_t v = 0; v < kVectors; ++v) x[v] = vaddq_s32(x[v], add);
    }
    for (size_t v = 0; v < kVectors; ++v) x[v] = factors.Scale(x[v], v);
    const int16x8_t low = vqaddq_s16(Narrow(x[0], x[1]), range.zero_point);
    const int16x8_t high = vqaddq_s16(Narrow(x[2], x[3]), range.zero_point);
    const uint8x16_t quantized = Clamp<kUnsigned>(
        Quantized<kUnsigned>(low, high), range.least, range.most);
    if (n == kColumns) {
      vst1q_u8(y, quantized);
    } else {
      uint8_t whole[kColumns];
      vst1q_u8(whole, quantized);
      __builtin_memcpy(y, whole, n);
    }
    y += y_stride;
  }
}

Range RangeOf(const RequantizeQ8Tile& t) {
  return {vdupq_n_s16(static_cast<int16_t>(t.zero_point)),
          vdupq_n_u8(static_cast<uint8_t>(t.least)),
          vdupq_n_u8(static_cast<uint8_t>(t.most))};
}

#if defined(__aarch64__)
// 16 columns from `j` on, if `Right` fits them and nothing is added to rows;
// else returns false. kClamps: `least` and `most` are not those of the type. It
// is assembly because tiles are so small that every instruction counts.
template <bool kUnsigned, bool kClamps>
inline bool WholeColumns(const RequantizeQ8Tile& t, size_t j) {
  const int32_t* sums = t.sums + j;
  uint8_t* y = t.y + j;
  size_t rows = t.m;  // left
  asm volatile(R"(
    ld1 {v0.4s, v1.4s, v2.4s, v3.4s}, [%[left]]
    ld1 {v4.4s, v5.4s, v6.4s, v7.4s}, [%[right]]
    orr v0.16b, v0.16b, v1.16b
    orr v2.16b, v2.16b, v3.16b
    smin v1.4s, v4.4s, v5.4s
    smin v3.4s, v6.4s, v7.4s
    orr v0.16b, v0.16b, v2.16b
    smin v1.4s, v1.4s, v3.4s
    cmge v0.4s, v0.4s, v1.4s
    ld1 {v16.4s, v17.4s, v18.4s, v19.4s}, [%[mantissa]]
    umaxv s0, v0.4s
    neg v4.4s, v4.4s
    neg v5.4s, v5.4s
    neg v6.4s, v6.4s
    neg v7.4s, v7.4s
    fmov x9, d0
    dup v20.8h, %w[zero]
    .if %c[clamps]
    dup v21.16b, %w[least]
    dup v22.16b, %w[most]
    .endif
    cbnz x9, 2f
  1:
    ld1 {v0.4s, v1.4s, v2.4s, v3.4s}, [%[sums]], %[stride]
    sqrdmulh v0.4s, v0.4s, v16.4s
    sqrdmulh v1.4s, v1.4s, v17.4s
    sqrdmulh v2.4s, v2.4s, v18.4s
    sqrdmulh v3.4s, v3.4s, v19.4s
    ssra v0.4s, v0.4s, #31
    ssra v1.4s, v1.4s, #31
    ssra v2.4s, v2.4s, #31
    ssra v3.4s, v3.4s, #31
    srshl v0.4s, v0.4s, v4.4s
    srshl v1.4s, v1.4s, v5.4s
    srshl v2.4s, v2.4s, v6.4s
    srshl v3.4s, v3.4s, v7.4s
    sqxtn v0.4h, v0.4s
    sqxtn v2.4h, v2.4s
    sqxtn2 v0.8h, v1.4s
    sqxtn2 v2.8h, v3.4s
    subs %[rows], %[rows], #1
    sqadd v0.8h, v0.8h, v20.8h
    sqadd v2.8h, v2.8h, v20.8h
    .if %c[is_unsigned]
    sqxtun v0.8b, v0.8h
    sqxtun2 v0.16b, v2.8h
    .if %c[clamps]
    umax v0.16b, v0.16b, v21.16b
    umin v0.16b, v0.16b, v22.16b
    .endif
    .else
    sqxtn v0.8b, v0.8h
    sqxtn2 v0.16b, v2.8h
    .if %c[clamps]
    smax v0.16b, v0.16b, v21.16b
    smin v0.16b, v0.16b, v22.16b
    .endif
    .endif
    st1 {v0.16b}, [%[y]], %[y_stride]
    b.ne 1b
  2:
  )"
               : [sums] "+r"(sums), [y] "+r"(y), [rows] "+r"(rows)
               : [left] "r"(t.left + j), [right] "r"(t.right + j),
                 [mantissa] "r"(t.mantissa + j),
                 [stride] "r"(t.sums_stride * sizeof(int32_t)),
                 [y_stride] "r"(t.y_stride), [zero] "r"(t.zero_point),
                 [least] "r"(t.least), [most] "r"(t.most),
                 [is_unsigned] "i"(kUnsigned), [clamps] "i"(kClamps)
               : "memory", "cc", "x9", "v0", "v1", "v2", "v3", "v4", "v5", "v6",
                 "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22");
  return rows == 0;
}
#else
template <bool kUnsigned, bool kClamps>
inline bool WholeColumns(const RequantizeQ8Tile&, size_t) {
  return false;
}
#endif

template <bool kUnsigned>
void AnyColumns(const RequantizeQ8Tile& t, size_t j) {
  const size_t n = t.n - j < kColumns ? t.n - j : kColumns;
  if (Right::Fits(t, j)) {
    Columns<Right, kUnsigned>(t, j, n, RangeOf(t));
  } else {
    Columns<Both, kUnsigned>(t, j, n, RangeOf(t));
  }
}

template <bool kUnsigned, bool kClamps>
void FixedColumns(const RequantizeQ8Tile& t) {
  const bool in_row = t.m > 0 && t.row_add == nullptr;
  for (size_t j = 0; j < t.n; j += kColumns) {
    const bool whole = in_row && t.n - j >= kColumns;
    if (whole && WholeColumns<kUnsigned, kClamps>(t, j)) continue;
    AnyColumns<kUnsigned>(t, j);
  }
}

}  // namespace

void requantize_q8__neon(const RequantizeQ8Tile& t) {
  if (t.most > 127) {
    if (t.least == 0 && t.most == 255) return FixedColumns<true, false>(t);
    return FixedColumns<true, true>(t);
  }
  if (t.least == -128 && t.most == 127) return FixedColumns<false, false>(t);
  FixedColumns<false, true>(t);
}

// On 32-bit Arm; requantize_once_q8__aarch64 is that of 64 bits.
void requantize_once_q8__neon(const RequantizeQ8Tile& t) {
  for (size_t i = 0; i < t.m; ++i) RequantizeOnce(t, i, 0);
}

}  // namespace mace::cpu
