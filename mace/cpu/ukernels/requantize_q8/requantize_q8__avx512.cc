// Turns sums into codes on AVX-512.
// SPDX-License-Identifier: Apache-2.0
//
// With X = 4 * sum * 2^left, which has 32 bits, the high half of X * mantissa
// is q = floor(p / 2^30), where p = sum * 2^left * mantissa. Both roundings are
// one shift, because floors of floors are floors: for right = r > 0,
//
//   floor((floor((p + 2^30) / 2^31) + 2^(r-1) - n) / 2^r)
//     = floor((q + 1 + 2^r - 2 n) / 2^(r+1))
//
// where n = 1 if the product is negative; it is taken from the sum's sign, as
// it does not matter where the first rounding gives 0. For r = 0 the result is
// floor((q + 1) / 2). The zero point is added before the shift. Where it is the
// least code, it does not matter how negative numbers are rounded, and n is 0.
//
// Sums that are not shifted left, but are right, and whose negative results are
// the least code, as after most convolutions with an activation, take fewer
// instructions: what the two roundings add, and the zero point, is added to
// the 64 bits of the product p = sum * mantissa, and the code is
//
//   floor((p + 2^30 + 2^(30+r) + zero_point * 2^(31+r)) / 2^(31+r))
//
// The high half of the dividend is shifted by r - 1.

#include <immintrin.h>

#include "mace/cpu/ukernels/requantize_q8/requantize_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kLanes = 16;

inline __m512i Set1(int x) { return _mm512_set1_epi32(x); }

// The factors of 16 channels. kTies: it matters how negative numbers are
// rounded.
template <bool kTies>
struct Factors {
  __m512i left, even, odd, tie, add, right;

  Factors(const RequantizeQ8Tile& t, size_t j, int32_t zero_point) {
    const __m512i one = Set1(1), r = _mm512_loadu_si512(t.right + j);
    left = _mm512_add_epi32(_mm512_loadu_si512(t.left + j), Set1(2));
    even = _mm512_loadu_si512(t.mantissa + j);
    odd = _mm512_srli_epi64(even, 32);
    const __m512i half = _mm512_andnot_si512(one, _mm512_sllv_epi32(one, r));
    tie = _mm512_slli_epi32(_mm512_min_epi32(r, one), 1);
    right = _mm512_add_epi32(r, one);
    add = _mm512_add_epi32(_mm512_sllv_epi32(Set1(zero_point), right),
                           _mm512_add_epi32(half, one));
  }

  __m512i Scale(__m512i sums) const {
    const __m512i x = _mm512_sllv_epi32(sums, left);
    const __m512i low = _mm512_mul_epi32(x, even);
    const __m512i high = _mm512_mul_epi32(_mm512_srli_epi64(x, 32), odd);
    __m512i q = _mm512_mask_shuffle_epi32(high, 0x5555, low, _MM_PERM_DDBB);
    if (kTies) q = _mm512_mask_sub_epi32(q, _mm512_movepi32_mask(x), q, tie);
    return _mm512_srav_epi32(_mm512_add_epi32(q, add), right);
  }
};

inline __m512i Sums(const RequantizeQ8Tile& t, size_t i, size_t j) {
  const __m512i sums = _mm512_loadu_si512(t.sums + i * t.sums_stride + j);
  if (t.row_add == nullptr) return sums;
  return _mm512_add_epi32(sums, Set1(t.row_add[i]));
}

// 32 columns, whatever their factors are.
template <bool kTies>
struct AnyColumns {
  Factors<kTies> a, b;

  AnyColumns(const RequantizeQ8Tile& t, size_t j)
      : a(t, j, t.zero_point), b(t, j + kLanes, t.zero_point) {}

  // The codes of row i, as 16-bit integers.
  __m512i Scale(const RequantizeQ8Tile& t, size_t i, size_t j) const {
    return _mm512_packs_epi32(a.Scale(Sums(t, i, j)),
                              b.Scale(Sums(t, i, j + kLanes)));
  }
};

// The factors of 16 channels without a left shift, as `even` and `odd` ones.
struct RightFactors {
  __m512i even, odd, add_even, add_odd, right;

  RightFactors(const RequantizeQ8Tile& t, size_t j) {
    const __m512i r = _mm512_loadu_si512(t.right + j);
    const __m512i low = _mm512_set1_epi64(0xffffffff);
    even = _mm512_loadu_si512(t.mantissa + j);
    odd = _mm512_srli_epi64(even, 32);
    add_even = Add(_mm512_and_si512(r, low), t.zero_point);
    add_odd = Add(_mm512_srli_epi64(r, 32), t.zero_point);
    right = _mm512_sub_epi32(r, Set1(1));
  }

  // 2^30 + 2^(30+r) + zero_point * 2^(31+r)
  static __m512i Add(__m512i r, int64_t zero_point) {
    const __m512i shift = _mm512_add_epi64(r, _mm512_set1_epi64(30));
    const __m512i shifted =
        _mm512_sllv_epi64(_mm512_set1_epi64(1 + 2 * zero_point), shift);
    return _mm512_add_epi64(shifted, _mm512_set1_epi64(1 << 30));
  }

  // `odd_sums` has the sums with odd places at even ones.
  __m512i Scale(__m512i sums, __m512i odd_sums) const {
    const __m512i low =
        _mm512_add_epi64(_mm512_mul_epi32(sums, even), add_even);
    const __m512i high =
        _mm512_add_epi64(_mm512_mul_epi32(odd_sums, odd), add_odd);
    return _mm512_srav_epi32(
        _mm512_mask_shuffle_epi32(high, 0x5555, low, _MM_PERM_DDBB), right);
  }
};

struct RightColumns {
  RightFactors a, b;

  RightColumns(const RequantizeQ8Tile& t, size_t j)
      : a(t, j), b(t, j + kLanes) {}

  __m512i Scale(const RequantizeQ8Tile& t, size_t i, size_t j) const {
    const int32_t* sums = t.sums + i * t.sums_stride + j;
    // Loading odd sums takes no unit that others need; but behind the second
    // vector there may be none.
    const __m512i next = _mm512_loadu_si512(sums + kLanes);
    return _mm512_packs_epi32(
        a.Scale(_mm512_loadu_si512(sums), _mm512_loadu_si512(sums + 1)),
        b.Scale(next, _mm512_srli_epi64(next, 32)));
  }
};

// Whether RightColumns compute the 32 columns from j on.
inline bool AreRight(const RequantizeQ8Tile& t, size_t j) {
  const __m512i zero = _mm512_setzero_si512();
  const __m512i left = _mm512_or_si512(_mm512_loadu_si512(t.left + j),
                                       _mm512_loadu_si512(t.left + j + kLanes));
  const __m512i right =
      _mm512_min_epi32(_mm512_loadu_si512(t.right + j),
                       _mm512_loadu_si512(t.right + j + kLanes));
  return t.row_add == nullptr && t.least == t.zero_point &&
         (_mm512_test_epi32_mask(left, left) |
          _mm512_cmple_epi32_mask(right, zero)) == 0;
}

// The codes of 8 bits of two rows, with their vectors in order.
template <bool kSigned, bool kClamps>
inline __m512i Codes(const RequantizeQ8Tile& t, __m512i first, __m512i second) {
  const __m512i least = _mm512_set1_epi8(static_cast<char>(t.least));
  const __m512i most = _mm512_set1_epi8(static_cast<char>(t.most));
  const __m512i order =
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  __m512i codes;
  if (kSigned) {
    codes = _mm512_packs_epi16(first, second);
    if (kClamps) codes = _mm512_max_epi8(codes, least);
    if (kClamps) codes = _mm512_min_epi8(codes, most);
  } else {
    codes = _mm512_packus_epi16(first, second);
    if (kClamps) codes = _mm512_max_epu8(codes, least);
    if (kClamps) codes = _mm512_min_epu8(codes, most);
  }
  return _mm512_permutexvar_epi32(order, codes);
}

// 32 columns from j on, of two rows at a time. kWhole: all of them exist;
// stores with a mask cost several times as much.
template <typename Columns, bool kSigned, bool kClamps, bool kWhole>
inline void RunColumns(const RequantizeQ8Tile& t, size_t j) {
  const Columns factors(t, j);
  const auto columns =
      static_cast<__mmask32>(kWhole ? ~0u : (1u << (t.n - j)) - 1);
  const auto store = [&](uint8_t* y, __m256i codes) {
    if (kWhole) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), codes);
    } else {
      _mm256_mask_storeu_epi8(y, columns, codes);
    }
  };
  uint8_t* y = t.y + j;
  size_t i = 0;
  for (; i + 1 < t.m; i += 2, y += 2 * t.y_stride) {
    const __m512i codes = Codes<kSigned, kClamps>(t, factors.Scale(t, i, j),
                                                  factors.Scale(t, i + 1, j));
    store(y, _mm512_castsi512_si256(codes));
    store(y + t.y_stride, _mm512_extracti64x4_epi64(codes, 1));
  }
  if (i == t.m) return;
  const __m512i last = factors.Scale(t, i, j);
  store(y, _mm512_castsi512_si256(Codes<kSigned, kClamps>(t, last, last)));
}

template <bool kSigned, bool kClamps, bool kWhole>
inline void RunColumns(const RequantizeQ8Tile& t, size_t j) {
  if (AreRight(t, j)) {
    RunColumns<RightColumns, kSigned, kClamps, kWhole>(t, j);
  } else if (t.least == t.zero_point) {
    RunColumns<AnyColumns<false>, kSigned, kClamps, kWhole>(t, j);
  } else {
    RunColumns<AnyColumns<true>, kSigned, kClamps, kWhole>(t, j);
  }
}

template <bool kSigned, bool kClamps>
void Run(const RequantizeQ8Tile& t) {
  for (size_t j = 0; j < t.n; j += 2 * kLanes) {
    if (t.n - j >= 2 * kLanes) {
      RunColumns<kSigned, kClamps, true>(t, j);
    } else {
      RunColumns<kSigned, kClamps, false>(t, j);
    }
  }
}

}  // namespace

void requantize_q8__avx512(const RequantizeQ8Tile& tile) {
  if (tile.least < 0 || tile.most < 128) {
    if (tile.least == -128 && tile.most == 127) return Run<true, false>(tile);
    return Run<true, true>(tile);
  }
  if (tile.least == 0 && tile.most == 255) return Run<false, false>(tile);
  Run<false, true>(tile);
}

}  // namespace mace::cpu
