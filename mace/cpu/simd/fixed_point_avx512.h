// Scales sums in fixed point on AVX-512, to the bit as requantize_q8.h defines.
// SPDX-License-Identifier: Apache-2.0
//
// With X = 4 * sum * 2^left, which has 32 bits, the high half of X * mantissa
// is q = floor(p / 2^30), where p = sum * 2^left * mantissa. Both roundings are
// one shift, because floors of floors are floors: for right = r > 0,
//
//   floor((floor((p + 2^30) / 2^31) + 2^(r-1) - n) / 2^r)
//     = floor((q + 1 + 2^r - 2 n) / 2^(r+1))
//
// where n = 1 if the product is negative. The code takes n from the sign of the
// sum: where the first rounding gives 0, n does not matter. For r = 0 the
// result is floor((q + 1) / 2). The zero point is added before the shift. Where
// the zero point is the smallest value, the rounding of negative numbers does
// not matter, and n is 0.
//
// Sums that are shifted right and not left, and whose negative results become
// the smallest value, as after most convolutions with an activation, take fewer
// instructions: what the two roundings add, and the zero point, is added to
// the 64 bits of the product p = sum * mantissa, and the value is
//
//   floor((p + 2^30 + 2^(30+r) + zero_point * 2^(31+r)) / 2^(31+r))
//
// The high half of the dividend is shifted by r - 1.
#ifndef MACE_CPU_SIMD_FIXED_POINT_AVX512_H_
#define MACE_CPU_SIMD_FIXED_POINT_AVX512_H_

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace mace::simd {
namespace {

// How sums of columns become quantized values; see RequantizeQ8Tile. The arrays
// are read 32 columns at a time, up to the end of the last 32.
struct FixedFactors {
  const int32_t* mantissa;
  const int32_t* left;
  const int32_t* right;
  int32_t zero_point;
};

inline __m512i Set1(int x) { return _mm512_set1_epi32(x); }

// Returns lanes of 64 bits: the low half of each is the high half of `low`'s
// lane, the high half that of `high`'s. So the 64-bit products of even columns
// (`low`) and of odd ones (`high`) become their high halves, in column order.
inline __m512i HighHalves(__m512i low, __m512i high) {
  return _mm512_mask_shuffle_epi32(high, 0x5555, low, _MM_PERM_DDBB);
}

// The factors of 16 columns from j on, for the first form above. kTies: it
// matters how negative numbers are rounded. Multiplications take the low 32
// bits of each 64-bit lane: those of even columns are there, those of odd ones
// are shifted down.
//
//   left    left + 2: X = 4 * sum * 2^left
//   tie     2 n, for negative sums: 2 where the column is shifted right, else 0
//   add     1 + (2^r, 0 if r is 0) + zero_point * 2^(r+1)
//   right   r + 1
//
// REQUIRES: |sum| * 2^left < 2^29 and right <= 21 (requantize_q8_table.h).
template <bool kTies>
struct AnyFactors {
  __m512i left, even, odd, tie, add, right;

  AnyFactors(const FixedFactors& f, size_t j) {
    const __m512i one = Set1(1), r = _mm512_loadu_si512(f.right + j);
    left = _mm512_add_epi32(_mm512_loadu_si512(f.left + j), Set1(2));
    even = _mm512_loadu_si512(f.mantissa + j);
    odd = _mm512_srli_epi64(even, 32);
    const __m512i half = _mm512_andnot_si512(one, _mm512_sllv_epi32(one, r));
    tie = _mm512_slli_epi32(_mm512_min_epi32(r, one), 1);
    right = _mm512_add_epi32(r, one);
    add = _mm512_add_epi32(_mm512_sllv_epi32(Set1(f.zero_point), right),
                           _mm512_add_epi32(half, one));
  }

  // The values of 16 sums, zero point included, which may be out of range.
  __m512i Scale(__m512i sums) const {
    const __m512i x = _mm512_sllv_epi32(sums, left);
    const __m512i low = _mm512_mul_epi32(x, even);
    const __m512i high = _mm512_mul_epi32(_mm512_srli_epi64(x, 32), odd);
    __m512i q = HighHalves(low, high);
    if (kTies) q = _mm512_mask_sub_epi32(q, _mm512_movepi32_mask(x), q, tie);
    return _mm512_srav_epi32(_mm512_add_epi32(q, add), right);
  }
};

// The factors of 16 columns without a left shift, as `even` and `odd` ones, for
// the second form above. REQUIRES: AreRight, right <= 21, and |sum| < 2^29.
struct RightFactors {
  __m512i even, odd, add_even, add_odd, right;

  RightFactors(const FixedFactors& f, size_t j) {
    const __m512i r = _mm512_loadu_si512(f.right + j);
    const __m512i low = _mm512_set1_epi64(0xffffffff);
    even = _mm512_loadu_si512(f.mantissa + j);
    odd = _mm512_srli_epi64(even, 32);
    add_even = Add(_mm512_and_si512(r, low), f.zero_point);
    add_odd = Add(_mm512_srli_epi64(r, 32), f.zero_point);
    right = _mm512_sub_epi32(r, Set1(1));
  }

  // 2^30 + 2^(30+r) + zero_point * 2^(31+r)
  static __m512i Add(__m512i r, int64_t zero_point) {
    const __m512i shift = _mm512_add_epi64(r, _mm512_set1_epi64(30));
    const __m512i shifted =
        _mm512_sllv_epi64(_mm512_set1_epi64(1 + 2 * zero_point), shift);
    return _mm512_add_epi64(shifted, _mm512_set1_epi64(1 << 30));
  }

  // `odd_sums` has the sums of odd columns in even lanes; the others do not
  // matter. A caller whose sums are in memory loads them one element further
  // on, instead of shifting.
  __m512i Scale(__m512i sums, __m512i odd_sums) const {
    const __m512i low =
        _mm512_add_epi64(_mm512_mul_epi32(sums, even), add_even);
    const __m512i high =
        _mm512_add_epi64(_mm512_mul_epi32(odd_sums, odd), add_odd);
    return _mm512_srav_epi32(HighHalves(low, high), right);
  }
  __m512i Scale(__m512i sums) const {
    return Scale(sums, _mm512_srli_epi64(sums, 32));
  }
};

// Returns whether RightFactors can scale the 32 columns from j on, where
// `least` is the smallest value: no column is shifted left, each is shifted
// right, and `least` is the zero point, which negative results become.
inline bool AreRight(const FixedFactors& f, int32_t least, size_t j) {
  const __m512i zero = _mm512_setzero_si512();
  const __m512i left = _mm512_or_si512(_mm512_loadu_si512(f.left + j),
                                       _mm512_loadu_si512(f.left + j + 16));
  const __m512i right = _mm512_min_epi32(_mm512_loadu_si512(f.right + j),
                                         _mm512_loadu_si512(f.right + j + 16));
  return least == f.zero_point && (_mm512_test_epi32_mask(left, left) |
                                   _mm512_cmple_epi32_mask(right, zero)) == 0;
}

// Makes 8-bit values within a range. kClamps: the range is smaller than that of
// the type; otherwise, saturation suffices. REQUIRES: the range is within that
// of int8 (kSigned) or uint8.
template <bool kSigned, bool kClamps>
struct Saturated {
  // order: packing works on each 128 bits of its operands; this undoes it.
  __m512i least, most, order;

  Saturated(int32_t min_value, int32_t max_value)
      : least(_mm512_set1_epi8(static_cast<char>(min_value))),
        most(_mm512_set1_epi8(static_cast<char>(max_value))),
        order(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7,
                                11, 15)) {}

  // Returns two rows of 32 columns, each given as _mm512_packs_epi32 makes it
  // of its two vectors: the low 32 bytes are those of `first`, in the order of
  // columns, the high ones those of `second`.
  __m512i Pack(__m512i first, __m512i second) const {
    __m512i quantized;
    if (kSigned) {
      quantized = _mm512_packs_epi16(first, second);
      if (kClamps) quantized = _mm512_max_epi8(quantized, least);
      if (kClamps) quantized = _mm512_min_epi8(quantized, most);
    } else {
      quantized = _mm512_packus_epi16(first, second);
      if (kClamps) quantized = _mm512_max_epu8(quantized, least);
      if (kClamps) quantized = _mm512_min_epu8(quantized, most);
    }
    return _mm512_permutexvar_epi32(order, quantized);
  }
};

}  // namespace
}  // namespace mace::simd

#endif  // MACE_CPU_SIMD_FIXED_POINT_AVX512_H_
