// Adds quantized values on AVX2; requantize_q8__avx512.cc has the arithmetic.
// SPDX-License-Identifier: Apache-2.0

#include <immintrin.h>

#include "mace/cpu/ukernels/add_q8/add_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kInt8Lanes = 32;

inline __m256i Set1(int x) { return _mm256_set1_epi32(x); }

// Scales numbers that are less than 2^29 in magnitude and given four times as
// large.
struct Factor {
  __m256i mantissa, tie, add;
  __m128i right;
  bool half;  // 1/2, of which no rounding takes anything

  explicit Factor(AddQ8Factor f)
      : mantissa(Set1(f.mantissa)),
        tie(Set1(f.right > 0 ? 2 : 0)),
        add(Set1(1 + (f.right > 0 ? 1 << f.right : 0))),
        right(_mm_cvtsi32_si128(f.right + 1)),
        half(f.mantissa == 1 << 30 && f.right == 0) {}

  __m256i Scale(__m256i x) const {
    const __m256i low = _mm256_mul_epi32(x, mantissa);
    const __m256i high = _mm256_mul_epi32(_mm256_srli_epi64(x, 32), mantissa);
    const __m256i q =
        _mm256_blend_epi32(_mm256_srli_epi64(low, 32), high, 0xaa);
    const __m256i n = _mm256_and_si256(_mm256_srai_epi32(x, 31), tie);
    return _mm256_sra_epi32(_mm256_sub_epi32(_mm256_add_epi32(q, add), n),
                            right);
  }
};

struct Operand {
  const uint8_t* quantized;
  Factor factor;
  __m256i zero;

  // Quantized values are signed once their highest bit is flipped, `offset`
  // less.
  Operand(const AddQ8Args::Operand& x, int offset)
      : quantized(x.quantized),
        factor(x.factor),
        zero(Set1((x.zero_point - offset) * (4 << kAddQ8Bits))) {}

  __m256i Scaled(__m128i bytes) const {
    const __m256i x = _mm256_sub_epi32(
        _mm256_slli_epi32(_mm256_cvtepi8_epi32(bytes), kAddQ8Bits + 2), zero);
    return factor.half ? _mm256_srai_epi32(x, 3) : factor.Scale(x);
  }
};

// The first n <= 32 values, then anything, flipped.
struct Bytes {
  alignas(32) __m128i quarters[4];

  Bytes(const uint8_t* from, size_t n, __m128i flip) {
    __builtin_memcpy(quarters, from, n);
    // Only the lower 8 bytes of each are read.
    quarters[2] = _mm_xor_si128(quarters[1], flip);
    quarters[0] = _mm_xor_si128(quarters[0], flip);
    quarters[1] = _mm_srli_si128(quarters[0], 8);
    quarters[3] = _mm_srli_si128(quarters[2], 8);
  }
};

}  // namespace

void add_q8__avx2(const AddQ8Args& t) {
  const int offset = t.is_unsigned ? 128 : 0;
  const __m256i flip = _mm256_set1_epi8(static_cast<char>(offset));
  const __m256i least = _mm256_set1_epi8(static_cast<char>(t.least - offset));
  const __m256i most = _mm256_set1_epi8(static_cast<char>(t.most - offset));
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const __m256i zero = Set1(t.zero_point - offset);
  const Operand a(t.a, offset), b(t.b, offset);
  const Factor factor(t.factor);
  for (size_t i = 0; i < t.n; i += kInt8Lanes) {
    const size_t n = t.n - i < kInt8Lanes ? t.n - i : kInt8Lanes;
    const Bytes x(a.quantized + i, n, _mm256_castsi256_si128(flip));
    const Bytes w(b.quantized + i, n, _mm256_castsi256_si128(flip));
    __m256i y[4];
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const __m256i p = a.Scaled(x.quarters[v]), q = b.Scaled(w.quarters[v]);
      const __m256i sum =
          t.subtract ? _mm256_sub_epi32(p, q) : _mm256_add_epi32(p, q);
      y[v] = _mm256_add_epi32(factor.Scale(_mm256_slli_epi32(sum, 2)), zero);
    }
    __m256i quantized = _mm256_packs_epi16(_mm256_packs_epi32(y[0], y[1]),
                                           _mm256_packs_epi32(y[2], y[3]));
    quantized = _mm256_min_epi8(_mm256_max_epi8(quantized, least), most);
    quantized =
        _mm256_xor_si256(_mm256_permutevar8x32_epi32(quantized, order), flip);
    __builtin_memcpy(t.y + i, &quantized, n);
  }
}

}  // namespace mace::cpu
