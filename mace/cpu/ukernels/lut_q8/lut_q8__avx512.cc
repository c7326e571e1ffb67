// Looks values up on AVX-512, whose permutations find pairs of quantized
// values.
// SPDX-License-Identifier: Apache-2.0
//
// Four registers hold the table as 128 pairs. Quantized values at even and at
// odd places are looked up by turns: all but the lowest bit of a value chooses
// the pair.

#include <immintrin.h>

#include "mace/cpu/ukernels/lut_q8/lut_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kInt8Lanes = 64;

struct Table {
  __m512i quarters[4];

  explicit Table(const uint8_t* from) {
    for (size_t q = 0; q < 4; ++q) {
      quarters[q] = _mm512_loadu_si512(from + kInt8Lanes * q);
    }
  }

  // The lowest 6 bits of an index count here.
  __m512i Pairs(__m512i index, __mmask32 upper) const {
    const __m512i low =
        _mm512_permutex2var_epi16(quarters[0], index, quarters[1]);
    const __m512i high =
        _mm512_permutex2var_epi16(quarters[2], index, quarters[3]);
    return _mm512_mask_blend_epi16(upper, low, high);
  }

  __m512i At(__m512i x) const {
    const auto bit = [x](int i) {
      return _mm512_test_epi16_mask(x,
                                    _mm512_set1_epi16(static_cast<short>(i)));
    };
    __m512i even = Pairs(_mm512_srli_epi16(x, 1), bit(0x80));
    __m512i odd = Pairs(_mm512_srli_epi16(x, 9), bit(0x8000));
    even = _mm512_mask_srli_epi16(even, bit(0x01), even, 8);
    odd = _mm512_mask_slli_epi16(odd, _knot_mask32(bit(0x100)), odd, 8);
    return _mm512_mask_blend_epi8(0xaaaaaaaaaaaaaaaa, even, odd);
  }
};

}  // namespace

void lut_q8__avx512(const LutQ8Args& t) {
  const Table table(t.table);
  size_t i = 0;
  for (; t.n - i >= kInt8Lanes; i += kInt8Lanes) {
    _mm512_storeu_si512(t.y + i, table.At(_mm512_loadu_si512(t.x + i)));
  }
  if (i == t.n) return;
  const __mmask64 rest = ~__mmask64{0} >> (kInt8Lanes - (t.n - i));
  _mm512_mask_storeu_epi8(t.y + i, rest,
                          table.At(_mm512_maskz_loadu_epi8(rest, t.x + i)));
}

}  // namespace mace::cpu
