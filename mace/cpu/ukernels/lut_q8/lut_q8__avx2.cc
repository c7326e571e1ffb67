// Looks values up on AVX2, in sixteenths of the table, of which the upper bits
// of the values choose one.
// SPDX-License-Identifier: Apache-2.0

#include <immintrin.h>

#include "mace/cpu/ukernels/lut_q8/lut_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kInt8Lanes = 32, kSixteenth = 16;

// Quantized values, and what the bits 4 to 7 of each are, as the highest bit of
// a byte.
struct Quantized {
  __m256i low, bits[4];

  explicit Quantized(__m256i x)
      : low(_mm256_and_si256(x, _mm256_set1_epi8(15))),
        bits{_mm256_slli_epi16(x, 3), _mm256_slli_epi16(x, 2),
             _mm256_slli_epi16(x, 1), x} {}
};

// Of 2^kBits sixteenths.
template <int kBits>
inline __m256i Look(const uint8_t* table, const Quantized& x) {
  if constexpr (kBits == 0) {
    const __m256i part = _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
    return _mm256_shuffle_epi8(part, x.low);
  } else {
    const size_t half = kSixteenth << (kBits - 1);
    return _mm256_blendv_epi8(Look<kBits - 1>(table, x),
                              Look<kBits - 1>(table + half, x),
                              x.bits[kBits - 1]);
  }
}

}  // namespace

void lut_q8__avx2(const LutQ8Args& t) {
  size_t i = 0;
  for (; t.n - i >= kInt8Lanes; i += kInt8Lanes) {
    const Quantized x(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(t.x + i)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(t.y + i),
                        Look<4>(t.table, x));
  }
  for (; i < t.n; ++i) t.y[i] = t.table[t.x[i]];
}

}  // namespace mace::cpu
