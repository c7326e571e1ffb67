// Row kernels with vectors of 16 bytes, for SSE4.1 and, compiled for it, AVX2.
// SPDX-License-Identifier: Apache-2.0
//
// Included by row_kernels__sse41.cc and row_kernels__avx2.cc, each compiled for
// its instruction set (see row_kernels_plain.h for the unnamed namespace).
// Lanes of a __m128i are written from the lowest. Loops compute whole vectors;
// what is left of a row is done by the plain functions, so that nothing is read
// or written beyond its end.
#ifndef MACE_IMAGE_ROW_KERNELS_SSE41_H_
#define MACE_IMAGE_ROW_KERNELS_SSE41_H_

#include <immintrin.h>

#include "mace/image/row_kernels_plain.h"

namespace mace::image {
namespace {

inline __m128i Load8(const uint8_t* p) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
}
inline __m128i Load16(const void* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}
inline void Store16(void* p, __m128i x) {
  _mm_storeu_si128(static_cast<__m128i*>(p), x);
}
// By memcpy: 4 bytes at any address are no int32_t.
inline __m128i Load4(const void* p) {
  int32_t x;
  __builtin_memcpy(&x, p, 4);
  return _mm_cvtsi32_si128(x);
}
inline void Store4(void* p, __m128i x) {
  const int32_t bytes = _mm_cvtsi128_si32(x);
  __builtin_memcpy(p, &bytes, 4);
}
// (a, b) in each 32 bits, as factors of _mm_madd_epi16, which adds two
// neighbouring products of 16 bits.
inline __m128i Pair(int16_t a, int16_t b) {
  return _mm_set1_epi32(static_cast<int32_t>(
      static_cast<uint16_t>(a) | static_cast<uint32_t>(static_cast<uint16_t>(b))
                                     << 16));
}

// The U and V of 8 pixels from pixel i on, as 16 bits each. Shuffles spread
// bytes and repeat those that two pixels share; index -1 gives 0. kPairs loads
// both from the one that is first in memory, so that no byte beyond them is
// read. REQUIRES: i is even unless kEach.
inline void LoadChroma(const YuvRow& row, size_t i, __m128i* u, __m128i* v) {
  if (row.chroma == Chroma::kEach) {
    *u = _mm_cvtepu8_epi16(Load8(row.u + i));
    *v = _mm_cvtepu8_epi16(Load8(row.v + i));
  } else if (row.chroma == Chroma::kHalf) {
    const __m128i twice =
        _mm_setr_epi8(0, -1, 0, -1, 1, -1, 1, -1, 2, -1, 2, -1, 3, -1, 3, -1);
    *u = _mm_shuffle_epi8(Load4(row.u + i / 2), twice);
    *v = _mm_shuffle_epi8(Load4(row.v + i / 2), twice);
  } else {
    const __m128i even =
        _mm_setr_epi8(0, -1, 0, -1, 2, -1, 2, -1, 4, -1, 4, -1, 6, -1, 6, -1);
    const __m128i odd =
        _mm_setr_epi8(1, -1, 1, -1, 3, -1, 3, -1, 5, -1, 5, -1, 7, -1, 7, -1);
    const bool u_first = row.u < row.v;
    const __m128i pairs = Load8((u_first ? row.u : row.v) + i);
    *u = _mm_shuffle_epi8(pairs, u_first ? even : odd);
    *v = _mm_shuffle_epi8(pairs, u_first ? odd : even);
  }
}

// The weights of YUV in pairs, for madd with (Y, V), (Y, U) and (V, 1); the 1
// adds the rounding of G, which has three terms.
struct YuvPairs {
  __m128i offset, y_rv, y_gu, y_bu, gv_round, round;
};

inline YuvPairs PairsOf(const YuvWeights& w) {
  constexpr int16_t kRound = 1 << (kYuvBits - 1);
  return {_mm_set1_epi16(w.offset), Pair(w.y, w.rv),    Pair(w.y, w.gu),
          Pair(w.y, w.bu),          Pair(w.gv, kRound), _mm_set1_epi32(kRound)};
}

// Converts 8 pixels; y, u and v are 16 bits each.
// yv0, yv1   y0 v0 y1 v1 y2 v2 y3 v3, ... y7 v7   madd -> 4 sums each
// rb         r0 .. r7 b0 .. b7    gx   g0 .. g7 0 .. 0   (bytes)
// rg         r0 g0 r1 g1 ..       bx   b0 0 b1 0 ..
// out        r0 g0 b0 0  r1 g1 b1 0 ..
// Packing saturates, which clips to [0, 255].
inline void ToRgbx(__m128i y, __m128i u, __m128i v, const YuvPairs& w,
                   uint8_t* out) {
  const __m128i middle = _mm_set1_epi16(128), one = _mm_set1_epi16(1);
  y = _mm_sub_epi16(y, w.offset);
  u = _mm_sub_epi16(u, middle);
  v = _mm_sub_epi16(v, middle);
  const __m128i yv0 = _mm_unpacklo_epi16(y, v), yv1 = _mm_unpackhi_epi16(y, v);
  const __m128i yu0 = _mm_unpacklo_epi16(y, u), yu1 = _mm_unpackhi_epi16(y, u);
  const __m128i v0 = _mm_unpacklo_epi16(v, one),
                v1 = _mm_unpackhi_epi16(v, one);
  const auto shifted = [&](__m128i a, __m128i b) {
    return _mm_packs_epi32(_mm_srai_epi32(a, kYuvBits),
                           _mm_srai_epi32(b, kYuvBits));
  };
  const __m128i r =
      shifted(_mm_add_epi32(_mm_madd_epi16(yv0, w.y_rv), w.round),
              _mm_add_epi32(_mm_madd_epi16(yv1, w.y_rv), w.round));
  const __m128i g = shifted(_mm_add_epi32(_mm_madd_epi16(yu0, w.y_gu),
                                          _mm_madd_epi16(v0, w.gv_round)),
                            _mm_add_epi32(_mm_madd_epi16(yu1, w.y_gu),
                                          _mm_madd_epi16(v1, w.gv_round)));
  const __m128i b =
      shifted(_mm_add_epi32(_mm_madd_epi16(yu0, w.y_bu), w.round),
              _mm_add_epi32(_mm_madd_epi16(yu1, w.y_bu), w.round));
  const __m128i rb = _mm_packus_epi16(r, b);
  const __m128i gx = _mm_packus_epi16(g, _mm_setzero_si128());
  const __m128i rg = _mm_unpacklo_epi8(rb, gx), bx = _mm_unpackhi_epi8(rb, gx);
  Store16(out, _mm_unpacklo_epi16(rg, bx));
  Store16(out + 16, _mm_unpackhi_epi16(rg, bx));
}

// Pixels from `begin`, which is even, on.
inline void Sse41YuvToRgbx(const YuvRow& row, const YuvWeights& weights,
                           size_t begin, size_t n, uint8_t* out) {
  const YuvPairs pairs = PairsOf(weights);
  size_t i = begin;
  for (; i + 8 <= n; i += 8) {
    __m128i u, v;
    LoadChroma(row, i, &u, &v);
    ToRgbx(_mm_cvtepu8_epi16(Load8(row.y + i)), u, v, pairs, out + 4 * i);
  }
  PlainYuvToRgbx(row, weights, i, n, out);
}

inline void Sse41RgbToRgbx(const uint8_t* in, size_t n, uint8_t* out) {
  // 3 bytes of each of 4 pixels to 4; the loop ends where 16 bytes would go
  // beyond the row.
  const __m128i spread =
      _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
  size_t i = 0;
  for (; i + 6 <= n; i += 4) {  // reads 16 bytes, uses 12
    Store16(out + 4 * i, _mm_shuffle_epi8(Load16(in + 3 * i), spread));
  }
  PlainRgbToRgbx(in, i, n, out);
}

inline void Sse41RgbxToGray(const uint8_t* in, size_t n, size_t red,
                            uint8_t* out) {
  // R G G B of each pixel; the weight of G does not fit 16 bits at once.
  const __m128i rggb =
      red == 0
          ? _mm_setr_epi8(0, 1, 1, 2, 4, 5, 5, 6, 8, 9, 9, 10, 12, 13, 13, 14)
          : _mm_setr_epi8(2, 1, 1, 0, 6, 5, 5, 4, 10, 9, 9, 8, 14, 13, 13, 12);
  constexpr int16_t kHalfGreen = kGrayOfGreen / 2;
  static_assert(kGrayOfGreen % 2 == 0, "each half has the same weight");
  const __m128i w =
      _mm_setr_epi16(kGrayOfRed, kHalfGreen, kHalfGreen, kGrayOfBlue,
                     kGrayOfRed, kHalfGreen, kHalfGreen, kGrayOfBlue);
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    // a: R + G/2 and G/2 + B of pixels 0 and 1, weighted; b of 2 and 3.
    const __m128i p = _mm_shuffle_epi8(Load16(in + 4 * i), rggb);
    const __m128i a = _mm_madd_epi16(_mm_cvtepu8_epi16(p), w);
    const __m128i b =
        _mm_madd_epi16(_mm_unpackhi_epi8(p, _mm_setzero_si128()), w);
    __m128i sum = _mm_add_epi32(_mm_hadd_epi32(a, b), _mm_set1_epi32(0x8000));
    sum = _mm_packs_epi32(_mm_srli_epi32(sum, 16), sum);
    Store4(out + i, _mm_packus_epi16(sum, sum));
  }
  PlainRgbxToGray(in, i, n, red, out);
}

// The 4 sums as bytes, in the lowest 32 bits; see EndSum.
inline __m128i SumsToBytes(__m128i high, __m128i low) {
  __m128i sum = _mm_add_epi32(_mm_slli_epi32(high, kLowBits), low);
  sum = _mm_srai_epi32(_mm_add_epi32(sum, _mm_set1_epi32(kRoundSum)), 22);
  sum = _mm_packs_epi32(sum, sum);
  return _mm_packus_epi16(sum, sum);
}

// Channels of two neighbouring pixels side by side, for madd with their two
// weights: r0 g0 b0 x0 r1 g1 b1 x1 becomes r0 r1 g0 g1 b0 b1 x0 x1.
inline __m128i PairUp(__m128i pixels) {
  return _mm_shuffle_epi8(pixels, _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12,
                                                9, 13, 10, 14, 11, 15));
}

// The 4 sums of a mix, rounded, from pixels that are paired up.
inline __m128i EndMix(__m128i pairs, __m128i weights) {
  return _mm_srai_epi32(
      _mm_add_epi32(_mm_madd_epi16(pairs, weights), _mm_set1_epi32(kRoundMix)),
      kLowBits);
}

// 16 bytes of two rows at a time: bytes are interleaved, widened, and
// multiplied in pairs by (of_a, of_b).
inline void Sse41MixRows(const uint8_t* a, const uint8_t* b, size_t begin,
                         size_t n, int16_t of_a, int16_t of_b, uint8_t* out) {
  const __m128i w = Pair(of_a, of_b), zero = _mm_setzero_si128();
  size_t i = begin;
  for (; i + 16 <= n; i += 16) {
    const __m128i x = Load16(a + i), y = Load16(b + i);
    const auto half = [&](__m128i xy) {  // of 8 pairs of bytes
      return _mm_packs_epi32(EndMix(_mm_unpacklo_epi8(xy, zero), w),
                             EndMix(_mm_unpackhi_epi8(xy, zero), w));
    };
    Store16(out + i, _mm_packus_epi16(half(_mm_unpacklo_epi8(x, y)),
                                      half(_mm_unpackhi_epi8(x, y))));
  }
  PlainMixRows(a, b, i, n, of_a, of_b, out);
}

inline void Sse41EndSums(const int32_t* sums, size_t n, uint8_t* out) {
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    // Rounding was added by begin_sum; packing clips.
    const auto four = [&](size_t k) {
      return _mm_srai_epi32(Load16(sums + i + k), 22);
    };
    Store16(out + i, _mm_packus_epi16(_mm_packs_epi32(four(0), four(4)),
                                      _mm_packs_epi32(four(8), four(12))));
  }
  PlainEndSum(sums, i, n, out);
}

// One group of 8 pixels is a vector, and so are its 8 high and its 8 low
// weights.
inline void Sse41Sum1(const uint8_t* row, const PackedTaps& taps,
                      uint8_t* out) {
  const int16_t* w = taps.weights;
  for (size_t i = 0; i < taps.out; ++i) {
    const uint8_t* p = row + taps.first[i];
    __m128i high = _mm_setzero_si128(), low = high;
    for (size_t g = 0; g < taps.groups; ++g, w += 16, p += 8) {
      const __m128i x = _mm_cvtepu8_epi16(Load8(p));
      high = _mm_add_epi32(high, _mm_madd_epi16(x, Load16(w)));
      low = _mm_add_epi32(low, _mm_madd_epi16(x, Load16(w + 8)));
    }
    __m128i sums = _mm_hadd_epi32(high, low);
    sums = _mm_hadd_epi32(sums, sums);  // high, low, high, low
    out[i] = EndSum(static_cast<uint32_t>(_mm_cvtsi128_si32(sums)),
                    static_cast<uint32_t>(_mm_extract_epi32(sums, 1)));
  }
}

}  // namespace
}  // namespace mace::image

#endif  // MACE_IMAGE_ROW_KERNELS_SSE41_H_
