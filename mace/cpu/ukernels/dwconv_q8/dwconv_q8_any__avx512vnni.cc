// Depthwise sums of codes on AVX512-VNNI, which multiplies four lines of a
// column at once, for blocks of 64 channels.
// SPDX-License-Identifier: Apache-2.0

#include <immintrin.h>

#include "mace/cpu/ukernels/dwconv_q8/dwconv_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kLanes = 64, kGroup = 4, kVectors = 4;
constexpr size_t kStep = kLanes * kGroup;  // bytes of a group of lines

// Arranges four lines of a column so that vector v has those of channels 16 v
// to 16 v + 15; V vectors of them.
template <int V>
inline void Interleave(const __m512i (&line)[kGroup], uint8_t* to) {
  const __m512i low01 = _mm512_unpacklo_epi8(line[0], line[1]);
  const __m512i low23 = _mm512_unpacklo_epi8(line[2], line[3]);
  _mm512_store_si512(to, _mm512_unpacklo_epi16(low01, low23));
  if (V > 1) {
    _mm512_store_si512(to + 64, _mm512_unpackhi_epi16(low01, low23));
  }
  if (V <= 2) return;
  const __m512i high01 = _mm512_unpackhi_epi8(line[0], line[1]);
  const __m512i high23 = _mm512_unpackhi_epi8(line[2], line[3]);
  _mm512_store_si512(to + 128, _mm512_unpacklo_epi16(high01, high23));
  _mm512_store_si512(to + 192, _mm512_unpackhi_epi16(high01, high23));
}

// kLines: how many lines there are; 0: any number. Lines that do not exist meet
// zeros of the filter.
template <int V, size_t kLines>
inline void ArrangeColumns(const DwconvQ8Tile& t) {
  const __mmask64 channels = ~uint64_t{0} >> (kLanes - t.channels);
  const __m512i flip = _mm512_set1_epi8(static_cast<char>(t.flip));
  // Unpacking works within quarters of a vector: each must have four channels
  // of every result.
  const __m512i order =
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const auto load = [&](const uint8_t* x) {
    const __m512i codes = _mm512_maskz_loadu_epi8(channels, x + t.first);
    return _mm512_permutexvar_epi32(order, _mm512_xor_si512(codes, flip));
  };
  auto* to = static_cast<uint8_t*>(t.scratch);
  const uint8_t* const* x = t.x;
  const size_t height = kLines == 0 ? t.height : kLines;
  for (size_t c = t.columns; c > 0; --c, x += height) {
    for (size_t r = 0; r < height; r += kGroup, to += kStep) {
      __m512i line[kGroup];
#pragma GCC unroll 4
      for (size_t i = 0; i < kGroup; ++i) {
        line[i] = r + i < height ? load(x[r + i]) : _mm512_setzero_si512();
      }
      Interleave<V>(line, to);
    }
  }
}

// N outputs from `i` on, and V vectors of channels.
template <int N, int V>
inline void Outputs(const DwconvQ8Tile& t, size_t i) {
  __m512i acc[N][V];
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    acc[0][v] = _mm512_loadu_si512(t.start + 16 * v);
#pragma GCC unroll 4
    for (int n = 1; n < N; ++n) acc[n][v] = acc[0][v];
  }
  const size_t groups = (t.height + kGroup - 1) / kGroup;
  const auto* w = static_cast<const int8_t*>(t.w);
  const auto* columns = static_cast<const uint8_t*>(t.scratch);
  const size_t next = t.stride * groups * kStep;  // the next output's column
  for (size_t plane = 0; plane < t.planes; ++plane) {
    const uint8_t* x = columns + i * next;
    for (size_t j = 0; j < t.kernel; ++j) {
      const uint8_t* group = x + j * t.dilation * groups * kStep;
      for (size_t g = 0; g < groups; ++g, group += kStep, w += kStep) {
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) {
          const __m512i weights = _mm512_loadu_si512(w + 64 * v);
#pragma GCC unroll 4
          for (int n = 0; n < N; ++n) {
            acc[n][v] = _mm512_dpbusd_epi32(
                acc[n][v],
                _mm512_load_si512(group + static_cast<size_t>(n) * next +
                                  64 * v),
                weights);
          }
        }
      }
    }
  }
#pragma GCC unroll 4
  for (int n = 0; n < N; ++n) {
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      _mm512_store_si512(
          t.sums + (i + static_cast<size_t>(n)) * kLanes + 16 * v, acc[n][v]);
    }
  }
}

template <int V>
void Run(const DwconvQ8Tile& t) {
  t.height == 3 ? ArrangeColumns<V, 3>(t) : ArrangeColumns<V, 0>(t);
  size_t i = 0;
  for (; i + 4 <= t.width; i += 4) Outputs<4, V>(t, i);
  for (; i < t.width; ++i) Outputs<1, V>(t, i);
}

}  // namespace

void dwconv_q8_any__avx512vnni(const DwconvQ8Tile& tile) {
  if (tile.channels > 32) return Run<kVectors>(tile);
  if (tile.channels > 16) return Run<2>(tile);
  Run<1>(tile);
}

}  // namespace mace::cpu
