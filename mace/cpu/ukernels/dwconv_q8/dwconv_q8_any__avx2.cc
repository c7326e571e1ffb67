// Depthwise sums of quantized values on AVX2, which multiplies pairs of 16
// bits, two lines of a column, for blocks of 32 channels.
// SPDX-License-Identifier: Apache-2.0

#include <immintrin.h>

#include "mace/cpu/ukernels/dwconv_q8/dwconv_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kLanes = 32, kGroup = 2, kVectors = 4;
constexpr size_t kStep = kLanes * kGroup;  // elements of a group of lines

inline __m256i Load(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

// Returns n <= 32 values, then zeros, flipped.
inline __m256i LoadInt8(const uint8_t* from, size_t n, __m256i flip) {
  if (n == kLanes) return _mm256_xor_si256(Load(from), flip);
  __m256i x = _mm256_setzero_si256();
  __builtin_memcpy(&x, from, n);
  return _mm256_xor_si256(x, flip);
}

// Arranges two lines of a column so that vector v has those of channels 8 v to
// 8 v + 7.
inline void Interleave(__m256i a, __m256i b, int16_t* to) {
  // Unpacking works within halves of a vector.
  a = _mm256_permute4x64_epi64(a, 0xd8);
  b = _mm256_permute4x64_epi64(b, 0xd8);
  const __m256i low = _mm256_unpacklo_epi8(a, b);   // channels 0 to 15
  const __m256i high = _mm256_unpackhi_epi8(a, b);  // channels 16 to 31
  auto* vectors = reinterpret_cast<__m256i*>(to);
  _mm256_store_si256(vectors,
                     _mm256_cvtepu8_epi16(_mm256_castsi256_si128(low)));
  _mm256_store_si256(vectors + 1,
                     _mm256_cvtepu8_epi16(_mm256_extracti128_si256(low, 1)));
  _mm256_store_si256(vectors + 2,
                     _mm256_cvtepu8_epi16(_mm256_castsi256_si128(high)));
  _mm256_store_si256(vectors + 3,
                     _mm256_cvtepu8_epi16(_mm256_extracti128_si256(high, 1)));
}

void ArrangeColumns(const DwconvQ8Tile& t) {
  const __m256i flip = _mm256_set1_epi8(static_cast<char>(t.flip));
  auto* to = static_cast<int16_t*>(t.scratch);
  const uint8_t* const* x = t.x;
  for (size_t c = 0; c < t.columns; ++c, x += t.height) {
    for (size_t r = 0; r < t.height; r += kGroup, to += kStep) {
      // A line that does not exist meets zeros of the filter.
      const uint8_t* second = x[r + 1 < t.height ? r + 1 : r];
      Interleave(LoadInt8(x[r] + t.first, t.channels, flip),
                 LoadInt8(second + t.first, t.channels, flip), to);
    }
  }
}

// N outputs from `i` on.
template <int N>
inline void Outputs(const DwconvQ8Tile& t, size_t i) {
  __m256i acc[N][kVectors];
  for (size_t v = 0; v < kVectors; ++v) {
    for (int n = 0; n < N; ++n) acc[n][v] = Load(t.start + 8 * v);
  }
  const size_t groups = (t.height + kGroup - 1) / kGroup;
  const auto* w = static_cast<const int16_t*>(t.w);
  const size_t next = t.stride * groups * kStep;  // the next output's column
  const int16_t* x = static_cast<const int16_t*>(t.scratch) + i * next;
  for (size_t j = 0; j < t.kernel; ++j) {
    const int16_t* group = x + j * t.dilation * groups * kStep;
    for (size_t g = 0; g < groups; ++g, group += kStep, w += kStep) {
#pragma GCC unroll 4
      for (size_t v = 0; v < kVectors; ++v) {
        const __m256i weights = Load(w + 16 * v);
#pragma GCC unroll 2
        for (int n = 0; n < N; ++n) {
          const __m256i quantized =
              Load(group + static_cast<size_t>(n) * next + 16 * v);
          acc[n][v] = _mm256_add_epi32(acc[n][v],
                                       _mm256_madd_epi16(quantized, weights));
        }
      }
    }
  }
  for (int n = 0; n < N; ++n) {
    auto* to = reinterpret_cast<__m256i*>(
        t.sums + (i + static_cast<size_t>(n)) * kLanes);
    for (size_t v = 0; v < kVectors; ++v) _mm256_store_si256(to + v, acc[n][v]);
  }
}

}  // namespace

void dwconv_q8_any__avx2(const DwconvQ8Tile& tile) {
  ArrangeColumns(tile);
  size_t i = 0;
  for (; i + 2 <= tile.width; i += 2) Outputs<2>(tile, i);
  for (; i < tile.width; ++i) Outputs<1>(tile, i);
}

}  // namespace mace::cpu
