// Adds codes on AVX-512; requantize_q8__avx512.cc has the arithmetic.
// SPDX-License-Identifier: Apache-2.0

#include <immintrin.h>

#include "mace/cpu/ukernels/sum_q8/sum_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kCodes = 64;

inline __m512i Set1(int x) { return _mm512_set1_epi32(x); }

// Scales numbers that are less than 2^29 in magnitude and given four times as
// large.
struct Factor {
  __m512i mantissa, tie, add;
  __m128i right;
  bool half;  // 1/2, of which no rounding takes anything

  explicit Factor(SumQ8Factor f)
      : mantissa(Set1(f.mantissa)),
        tie(Set1(f.right > 0 ? 2 : 0)),
        add(Set1(1 + (f.right > 0 ? 1 << f.right : 0))),
        right(_mm_cvtsi32_si128(f.right + 1)),
        half(f.mantissa == 1 << 30 && f.right == 0) {}

  // kTies: it matters how negative numbers are rounded.
  template <bool kTies = true>
  __m512i Scale(__m512i x) const {
    const __m512i low = _mm512_mul_epi32(x, mantissa);
    const __m512i high = _mm512_mul_epi32(_mm512_srli_epi64(x, 32), mantissa);
    __m512i q = _mm512_mask_shuffle_epi32(high, 0x5555, low, _MM_PERM_DDBB);
    if (kTies) q = _mm512_mask_sub_epi32(q, _mm512_movepi32_mask(x), q, tie);
    return _mm512_sra_epi32(_mm512_add_epi32(q, add), right);
  }
};

struct Operand {
  const uint8_t* codes;
  Factor factor;
  __m512i zero;

  // Codes are signed once their highest bit is flipped, `offset` less.
  Operand(const SumQ8Args::Operand& x, int offset)
      : codes(x.codes),
        factor(x.factor),
        zero(Set1((x.zero_point - offset) *
                  (1 << (factor.half ? kHalfBits : kBits)))) {}

  template <bool kHalf>
  __m512i Scaled(__m128i bytes) const {
    const __m512i x =
        _mm512_sub_epi32(_mm512_slli_epi32(_mm512_cvtepi8_epi32(bytes),
                                           kHalf ? kHalfBits : kBits),
                         zero);
    return kHalf ? x : factor.Scale(x);
  }
  static constexpr int kHalfBits = kSumQ8Bits - 1, kBits = kSumQ8Bits + 2;
};

// kTies: of sums. kHalfA, kHalfB: what the operands' factors say.
template <bool kTies, bool kHalfA, bool kHalfB>
void Run(const SumQ8Args& t) {
  const int offset = t.is_unsigned ? 128 : 0;
  const __m512i flip = _mm512_set1_epi8(static_cast<char>(offset));
  const __m512i least = _mm512_set1_epi8(static_cast<char>(t.least - offset));
  const __m512i most = _mm512_set1_epi8(static_cast<char>(t.most - offset));
  const __m512i order =
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i zero = Set1(t.zero_point - offset);
  const Operand a(t.a, offset), b(t.b, offset);
  const Factor factor(t.factor);
  for (size_t i = 0; i < t.n; i += kCodes) {
    const __mmask64 here =
        t.n - i < kCodes ? (uint64_t{1} << (t.n - i)) - 1 : ~uint64_t{0};
    alignas(64) __m128i x[4], w[4];
    _mm512_store_si512(
        x, _mm512_xor_si512(_mm512_maskz_loadu_epi8(here, a.codes + i), flip));
    _mm512_store_si512(
        w, _mm512_xor_si512(_mm512_maskz_loadu_epi8(here, b.codes + i), flip));
    __m512i y[4];
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const __m512i p = a.Scaled<kHalfA>(x[v]), q = b.Scaled<kHalfB>(w[v]);
      const __m512i sum =
          t.subtract ? _mm512_sub_epi32(p, q) : _mm512_add_epi32(p, q);
      y[v] = _mm512_add_epi32(factor.Scale<kTies>(_mm512_slli_epi32(sum, 2)),
                              zero);
    }
    __m512i codes = _mm512_packs_epi16(_mm512_packs_epi32(y[0], y[1]),
                                       _mm512_packs_epi32(y[2], y[3]));
    codes = _mm512_min_epi8(_mm512_max_epi8(codes, least), most);
    codes = _mm512_xor_si512(_mm512_permutexvar_epi32(order, codes), flip);
    _mm512_mask_storeu_epi8(t.y + i, here, codes);
  }
}

template <bool kTies>
void RunOperands(const SumQ8Args& t) {
  const bool half_a = Factor(t.a.factor).half, half_b = Factor(t.b.factor).half;
  if (half_a && half_b) return Run<kTies, true, true>(t);
  if (half_a) return Run<kTies, true, false>(t);
  if (half_b) return Run<kTies, false, true>(t);
  Run<kTies, false, false>(t);
}

}  // namespace

void sum_q8__avx512(const SumQ8Args& t) {
  // Where the zero point is the least code, negative sums become it however
  // they are rounded.
  t.least == t.zero_point ? RunOperands<false>(t) : RunOperands<true>(t);
}

}  // namespace mace::cpu
