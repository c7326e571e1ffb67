// Packs up to 14 rows of a as bfloat16: 32 elements of each row in turn.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/gemm/gemm.h"

namespace mace::cpu {
namespace {

constexpr size_t kLine = 32;  // elements in a cache line

inline __m512i Round(__m512 low, __m512 high) {
  return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low));
}

// Returns the first n <= kLine elements of `from`, then zeros.
inline __m512i RoundN(const float* from, size_t n) {
  const size_t low = n < simd::kLanes ? n : simd::kLanes;
  return Round(simd::LoadN(from, low),
               simd::LoadN(n > low ? from + low : from, n - low));
}

// Packs one row, whose cache lines are `line_stride` elements apart.
void PackRow(GemmUnpackedOf<float> rows, const float* from, size_t line_stride,
             Bf16* to) {
  size_t at = 0;  // position in the line that `to` points to
  for (size_t s = 0; s < rows->segments; ++s) {
    const float* x = from + s * rows->segment_stride;
    for (size_t left = rows->k; left > 0;) {
      size_t n = kLine - at;
      if (at == 0 && left >= kLine) {
        _mm512_storeu_si512(to, Round(simd::Load(x), simd::Load(x + 16)));
      } else {
        n = left < n ? left : n;
        const auto first = static_cast<__mmask32>((uint64_t{1} << n) - 1);
        _mm512_mask_storeu_epi16(to + at, first, RoundN(x, n));
      }
      x += n;
      left -= n;
      at += n;
      if (at < kLine) continue;
      at = 0;
      to += line_stride;
    }
  }
  if (at % 2 != 0) to[at] = {0};  // completes the last pair
}

}  // namespace

Bf16* gemm_bf16_pack_14__avx512bf16(GemmUnpackedOf<float> rows, Bf16* to) {
  for (size_t i = 0; i < rows->m; ++i) {
    PackRow(rows, rows.row(i), rows->m * kLine, to + i * kLine);
  }
  const size_t depth = rows->k * rows->segments;
  return to + (depth + kLine - 1) / kLine * kLine * rows->m;
}

}  // namespace mace::cpu
