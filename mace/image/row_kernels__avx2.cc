// The row kernels for x86-64 CPUs with AVX2.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/cpu_features.h"
#include "mace/image/row_kernels_sse41.h"
#include "mace/image/row_kernels_table.h"

namespace mace::image {
namespace {

bool RunsHere() { return (DetectCpuFeatures() & kCpuAvx2Fma) != 0; }

inline __m256i Twice(__m128i x) { return _mm256_broadcastsi128_si256(x); }

// The U and V of 16 pixels from pixel i on, as 16 bits each.
inline void LoadChroma16(const YuvRow& row, size_t i, __m256i* u, __m256i* v) {
  if (row.chroma == Chroma::kEach) {
    *u = _mm256_cvtepu8_epi16(Load16(row.u + i));
    *v = _mm256_cvtepu8_epi16(Load16(row.v + i));
    return;
  }
  if (row.chroma == Chroma::kHalf) {
    const __m256i twice = _mm256_setr_epi8(
        0, -1, 0, -1, 1, -1, 1, -1, 2, -1, 2, -1, 3, -1, 3, -1, 4, -1, 4, -1, 5,
        -1, 5, -1, 6, -1, 6, -1, 7, -1, 7, -1);
    *u = _mm256_shuffle_epi8(Twice(Load8(row.u + i / 2)), twice);
    *v = _mm256_shuffle_epi8(Twice(Load8(row.v + i / 2)), twice);
    return;
  }
  const __m256i even = _mm256_setr_epi8(0, -1, 0, -1, 2, -1, 2, -1, 4, -1, 4,
                                        -1, 6, -1, 6, -1, 8, -1, 8, -1, 10, -1,
                                        10, -1, 12, -1, 12, -1, 14, -1, 14, -1);
  const __m256i odd = _mm256_setr_epi8(1, -1, 1, -1, 3, -1, 3, -1, 5, -1, 5, -1,
                                       7, -1, 7, -1, 9, -1, 9, -1, 11, -1, 11,
                                       -1, 13, -1, 13, -1, 15, -1, 15, -1);
  const bool u_first = row.u < row.v;
  const __m256i pairs = Twice(Load16((u_first ? row.u : row.v) + i));
  *u = _mm256_shuffle_epi8(pairs, u_first ? even : odd);
  *v = _mm256_shuffle_epi8(pairs, u_first ? odd : even);
}

// As ToRgbx, of 16 pixels. Unpacking and packing stay within halves, so that
// the pixels keep their order.
inline void ToRgbx16(__m256i y, __m256i u, __m256i v, const YuvPairs& w,
                     uint8_t* out) {
  const __m256i middle = _mm256_set1_epi16(128), one = _mm256_set1_epi16(1);
  y = _mm256_sub_epi16(y, Twice(w.offset));
  u = _mm256_sub_epi16(u, middle);
  v = _mm256_sub_epi16(v, middle);
  const __m256i yv0 = _mm256_unpacklo_epi16(y, v);
  const __m256i yv1 = _mm256_unpackhi_epi16(y, v);
  const __m256i yu0 = _mm256_unpacklo_epi16(y, u);
  const __m256i yu1 = _mm256_unpackhi_epi16(y, u);
  const __m256i v0 = _mm256_unpacklo_epi16(v, one);
  const __m256i v1 = _mm256_unpackhi_epi16(v, one);
  const auto sum = [&](__m256i a, __m128i weights, __m256i b) {
    return _mm256_srai_epi32(
        _mm256_add_epi32(_mm256_madd_epi16(a, Twice(weights)), b), kYuvBits);
  };
  const __m256i round = Twice(w.round), gv = Twice(w.gv_round);
  const __m256i r =
      _mm256_packs_epi32(sum(yv0, w.y_rv, round), sum(yv1, w.y_rv, round));
  const __m256i g =
      _mm256_packs_epi32(sum(yu0, w.y_gu, _mm256_madd_epi16(v0, gv)),
                         sum(yu1, w.y_gu, _mm256_madd_epi16(v1, gv)));
  const __m256i b =
      _mm256_packs_epi32(sum(yu0, w.y_bu, round), sum(yu1, w.y_bu, round));
  const __m256i rb = _mm256_packus_epi16(r, b);
  const __m256i gx = _mm256_packus_epi16(g, _mm256_setzero_si256());
  const __m256i rg = _mm256_unpacklo_epi8(rb, gx);
  const __m256i bx = _mm256_unpackhi_epi8(rb, gx);
  const __m256i p0 = _mm256_unpacklo_epi16(rg, bx);  // pixels 0-3, 8-11
  const __m256i p1 = _mm256_unpackhi_epi16(rg, bx);  // pixels 4-7, 12-15
  Store16(out, _mm256_castsi256_si128(p0));
  Store16(out + 16, _mm256_castsi256_si128(p1));
  Store16(out + 32, _mm256_extracti128_si256(p0, 1));
  Store16(out + 48, _mm256_extracti128_si256(p1, 1));
}

void YuvToRgbx(const YuvRow& row, const YuvWeights& weights, size_t n,
               uint8_t* out) {
  const YuvPairs pairs = PairsOf(weights);
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    __m256i u, v;
    LoadChroma16(row, i, &u, &v);
    ToRgbx16(_mm256_cvtepu8_epi16(Load16(row.y + i)), u, v, pairs, out + 4 * i);
  }
  Sse41YuvToRgbx(row, weights, i, n, out);
}

void Sum4(const uint8_t* row, const PackedTaps& taps, uint8_t* out) {
  const __m256i high_part = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
  const __m256i low_part = _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3);
  const int16_t* w = taps.weights;
  for (size_t i = 0; i < taps.out; ++i) {
    const uint8_t* p = row + 4 * static_cast<size_t>(taps.first[i]);
    __m256i high = _mm256_setzero_si256(), low = high;
    for (size_t g = 0; g < taps.groups; ++g, w += 8, p += 16) {
      const __m256i x = _mm256_cvtepu8_epi16(PairUp(Load16(p)));
      const __m256i weights = _mm256_castsi128_si256(Load16(w));
      const auto part = [&](__m256i which) {
        return _mm256_madd_epi16(x,
                                 _mm256_permutevar8x32_epi32(weights, which));
      };
      high = _mm256_add_epi32(high, part(high_part));
      low = _mm256_add_epi32(low, part(low_part));
    }
    const auto halves = [](__m256i x) {
      return _mm_add_epi32(_mm256_castsi256_si128(x),
                           _mm256_extracti128_si256(x, 1));
    };
    Store4(out + 4 * i, SumsToBytes(halves(high), halves(low)));
  }
}

// The sums of a mix of 8 pairs of 16 bits.
inline __m256i EndMix(__m256i pairs, __m256i weights) {
  return _mm256_srai_epi32(_mm256_add_epi32(_mm256_madd_epi16(pairs, weights),
                                            _mm256_set1_epi32(kRoundMix)),
                           kLowBits);
}

void Mix4(const uint8_t* row, const PackedTaps& taps, uint8_t* out) {
  const __m256i w01 = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
  const __m256i w23 = _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 0, 4, 1, 5);
  size_t i = 0;
  for (; i + 4 <= taps.out; i += 4) {
    const __m256i w = _mm256_castsi128_si256(Load16(taps.weights + kPair * i));
    // Two pixels of each of two outputs.
    const auto pixels = [&](size_t k) {
      const uint8_t* a = row + 4 * static_cast<size_t>(taps.first[i + k]);
      const uint8_t* b = row + 4 * static_cast<size_t>(taps.first[i + k + 1]);
      const __m128i both = _mm_unpacklo_epi64(Load8(a), Load8(b));
      return _mm256_cvtepu8_epi16(PairUp(both));
    };
    const __m256i ab = EndMix(pixels(0), _mm256_permutevar8x32_epi32(w, w01));
    const __m256i cd = EndMix(pixels(2), _mm256_permutevar8x32_epi32(w, w23));
    const __m256i words = _mm256_packs_epi32(ab, cd);  // a c, b d
    const __m256i bytes = _mm256_packus_epi16(words, words);
    Store16(out + 4 * i,
            _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(bytes, order)));
  }
  PlainMix4(row, taps, i, out);
}

void MixRows(const uint8_t* a, const uint8_t* b, size_t n, int16_t of_a,
             int16_t of_b, uint8_t* out) {
  const __m256i w = Twice(Pair(of_a, of_b)), zero = _mm256_setzero_si256();
  const auto load = [](const uint8_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  };
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {  // within halves, so that the order is kept
    const __m256i x = load(a + i), y = load(b + i);
    const auto half = [&](__m256i xy) {
      return _mm256_packs_epi32(EndMix(_mm256_unpacklo_epi8(xy, zero), w),
                                EndMix(_mm256_unpackhi_epi8(xy, zero), w));
    };
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                        _mm256_packus_epi16(half(_mm256_unpacklo_epi8(x, y)),
                                            half(_mm256_unpackhi_epi8(x, y))));
  }
  Sse41MixRows(a, b, i, n, of_a, of_b, out);
}

}  // namespace

const RowKernels kAvx2Rows = {"image_rows__avx2",
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
