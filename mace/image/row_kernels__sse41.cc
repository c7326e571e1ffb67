// The row kernels for x86-64 CPUs with SSE4.1.
// SPDX-License-Identifier: Apache-2.0

#include "mace/image/row_kernels_sse41.h"
#include "mace/image/row_kernels_table.h"

namespace mace::image {
namespace {

bool RunsHere() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("sse4.1");
}

void YuvToRgbx(const YuvRow& row, const YuvWeights& weights, size_t n,
               uint8_t* out) {
  Sse41YuvToRgbx(row, weights, 0, n, out);
}

void Sum4(const uint8_t* row, const PackedTaps& taps, uint8_t* out) {
  const __m128i zero = _mm_setzero_si128();
  const int16_t* w = taps.weights;
  for (size_t i = 0; i < taps.out; ++i) {
    const uint8_t* p = row + 4 * static_cast<size_t>(taps.first[i]);
    __m128i high = zero, low = zero;
    for (size_t g = 0; g < taps.groups; ++g, w += 8, p += 16) {
      const __m128i x = PairUp(Load16(p));
      const __m128i x0 = _mm_cvtepu8_epi16(x);
      const __m128i x1 = _mm_unpackhi_epi8(x, zero);
      const __m128i weights = Load16(w);
      const auto add = [](__m128i sum, __m128i a, __m128i b) {
        return _mm_add_epi32(sum, _mm_madd_epi16(a, b));
      };
      high = add(high, x0, _mm_shuffle_epi32(weights, 0x00));
      high = add(high, x1, _mm_shuffle_epi32(weights, 0x55));
      low = add(low, x0, _mm_shuffle_epi32(weights, 0xAA));
      low = add(low, x1, _mm_shuffle_epi32(weights, 0xFF));
    }
    Store4(out + 4 * i, SumsToBytes(high, low));
  }
}

void Mix4(const uint8_t* row, const PackedTaps& taps, uint8_t* out) {
  const __m128i zero = _mm_setzero_si128();
  size_t i = 0;
  for (; i + 4 <= taps.out; i += 4) {
    const __m128i w = Load16(taps.weights + kPair * i);
    const auto pixels = [&](size_t k) {
      return _mm_unpacklo_epi8(
          PairUp(Load8(row + 4 * static_cast<size_t>(taps.first[i + k]))),
          zero);
    };
    const __m128i a = EndMix(pixels(0), _mm_shuffle_epi32(w, 0x00));
    const __m128i b = EndMix(pixels(1), _mm_shuffle_epi32(w, 0x55));
    const __m128i c = EndMix(pixels(2), _mm_shuffle_epi32(w, 0xAA));
    const __m128i d = EndMix(pixels(3), _mm_shuffle_epi32(w, 0xFF));
    Store16(out + 4 * i,
            _mm_packus_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d)));
  }
  PlainMix4(row, taps, i, out);
}

void MixRows(const uint8_t* a, const uint8_t* b, size_t n, int16_t of_a,
             int16_t of_b, uint8_t* out) {
  Sse41MixRows(a, b, 0, n, of_a, of_b, out);
}

}  // namespace

const RowKernels kSse41Rows = {"image_rows__sse41",
                               RunsHere,
                               YuvToRgbx,
                               Sse41RgbToRgbx,
                               Sse41RgbxToGray,
                               Sum4,
                               Sse41Sum1,
                               Mix4,
                               MixRows,
                               PlainBeginSum,
                               PlainAddToSum,
                               Sse41EndSums};

}  // namespace mace::image
