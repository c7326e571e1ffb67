// Winograd's transform of products to output tiles.
// SPDX-License-Identifier: Apache-2.0
//
// Vectors are as in winograd_f32_input.h, with output channels in their lanes.
// The transform takes one dimension at a time, from A values to M:
//
//   m [A][A]  --columns-->  A' m [M][A]  --rows-->  A' m A [M][M]
//                           `columns`              + bias, clamped: y
//
// winograd_f32__aarch64.cc transforms pairs of tiles of eight channels for F(4,
// 3) in assembly (winograd_f32_output_four.h) and other tiles with this file.
#ifndef MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_OUTPUT_H_
#define MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_OUTPUT_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/winograd/winograd_f32.h"
#include "mace/cpu/ukernels/winograd/winograd_f32_input.h"
#include "mace/cpu/ukernels/winograd/winograd_f32_points.h"

namespace mace::cpu {
namespace {

// Transforms one row or column, y = A' m, from the values m at the points to M
// = 2 * kPairs outputs:
//
//   y[i] = (i == 0 ? m[0] : 0) + (i == M - 1 ? m[M + 1] : 0)
//          + sum over pairs p of p^i * (m[2p+1] + m[2p+2])     i even
//                                p^i * (m[2p+1] - m[2p+2])     i odd
template <int kPairs>
inline void TransformOutput(const F32 (&m)[2 * kPairs + 2],
                            F32 (&y)[2 * kPairs]) {
  constexpr WinogradPoints<kPairs> kPoints = kWinogradPoints<kPairs>;
  y[0] = m[0];
  y[2 * kPairs - 1] = m[2 * kPairs + 1];
#pragma GCC unroll 8
  for (int p = 0; p < kPairs; ++p) {
    const F32 sum = m[2 * p + 1] + m[2 * p + 2];
    const F32 difference = m[2 * p + 1] - m[2 * p + 2];
    float power = 1;
#pragma GCC unroll 8
    for (int i = 0; i < 2 * kPairs; ++i, power *= kPoints.pair[p]) {
      const F32 term = i % 2 == 0 ? sum : difference;
      // All outputs but the first and the last begin with the first pair.
      const bool starts = p == 0 && i > 0 && i < 2 * kPairs - 1;
      y[i] = starts ? Set1(power) * term : MulAdd(Set1(power), term, y[i]);
    }
  }
}

// Transforms `n` channels of one tile from `c` on: kLanes of them, or fewer if
// kPartial. t.m, t.y and t.width are those of the tile: width is in [1, M]. Of
// the columns, all A are transformed, but of the lines only t.height.
template <int kPairs, bool kPartial>
[[gnu::always_inline]] inline void OutputChannels(Held<WinogradOutputF32> t,
                                                  size_t c, size_t n) {
  constexpr int kM = 2 * kPairs, kA = kM + 2;
  const auto load = [n](const float* p) {
    return kPartial ? simd::LoadN(p, n) : simd::Load(p);
  };
  const F32 bias = t.bias != nullptr ? load(t.bias + c) : Set1(0);
  const F32 lower = Set1(t.lower), upper = Set1(t.upper);
  F32 columns[kM][kA];
  const float* from = t.m + c;
#pragma GCC unroll kUnrolledLines
  for (int j = 0; j < kA; ++j, from += t.m_stride) {
    F32 m[kA], y[kM];
#pragma GCC unroll 8
    for (int i = 0; i < kA; ++i) m[i] = load(from + i * kA * t.m_stride);
    TransformOutput<kPairs>(m, y);
#pragma GCC unroll 8
    for (int i = 0; i < kM; ++i) columns[i][j] = y[i];
  }
  float* to = t.y + c;
  for (size_t i = 0; i < t.height; ++i, to += t.line_stride) {
    F32 m[kA], y[kM];
#pragma GCC unroll 8
    for (int j = 0; j < kA; ++j) m[j] = columns[i][j];
    TransformOutput<kPairs>(m, y);
    const auto store = [&](size_t j) {
      const F32 clamped = simd::Clamp(y[j] + bias, lower, upper);
      float* pixel = to + static_cast<ptrdiff_t>(j) * t.pixel_stride;
      kPartial ? simd::StoreN(pixel, clamped, n) : simd::Store(pixel, clamped);
    };
    // Whole tiles, nearly all, take no condition for each column. Of a cut one,
    // the last column is never stored.
    if (t.width == kM) {
#pragma GCC unroll 8
      for (size_t j = 0; j < kM; ++j) store(j);
    } else {
#pragma GCC unroll 8
      for (size_t j = 0; j + 1 < kM; ++j) {
        if (j < t.width) store(j);
      }
    }
  }
}

// Transforms one tile, all channels; t.tiles is not read. This is a separate
// function because compilers then keep more values in registers.
template <int kPairs>
[[gnu::noinline]] void OutputTile(const WinogradOutputF32& tile) {
  using simd::kLanes;
  Held<WinogradOutputF32> t = tile;
  size_t c = 0;
  for (; c + kLanes <= t.channels; c += kLanes) {
    OutputChannels<kPairs, false>(t, c, kLanes);
  }
  if (c < t.channels) OutputChannels<kPairs, true>(t, c, t.channels - c);
}

// Transforms the tiles from the k-th on, one after the other. The last one has
// the rest of the width.
template <int kPairs>
inline void OutputFrom(const WinogradOutputF32& tiles, size_t k) {
  constexpr size_t kM = 2 * kPairs;
  for (; k < tiles.tiles; ++k) {
    WinogradOutputF32 one = tiles;
    const size_t left = tiles.width - k * kM;
    one.m += static_cast<ptrdiff_t>(k) * tiles.tile_stride;
    one.y += static_cast<ptrdiff_t>(k * kM) * tiles.pixel_stride;
    one.width = left < kM ? left : kM;
    OutputTile<kPairs>(one);
  }
}

// A WinogradOutputF32Fn for M = 2 * kPairs.
template <int kPairs>
void WinogradOutput(const WinogradOutputF32& tiles) {
  OutputFrom<kPairs>(tiles, 0);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_OUTPUT_H_
