// The depthwise tile of any width, for x86. For each group of channels, the
// taps of the window stay in registers while it slides along the line.
// SPDX-License-Identifier: Apache-2.0
//
// Loops, for a window of 3x3 with stride 1 and AVX2:
//
//   for each group of 8 channels
//     taps[3][3]                   9 registers, loaded once for the whole line
//     for each four outputs        the window slides to the right
//       acc[4] = bias              4 registers
//       for each line, for each of its 6 columns
//         v = 8 channels of the pixel                          1 register
//         acc[o] += v * taps[r][column - o], where it is a tap
//       y = clamp(acc)
//
// Multiplications read taps that do not fit into registers from memory. Tiles
// have any width; the wider a tile is, the fewer times taps are loaded.
//
// dwconv_f32__avx2.cc and dwconv_f32__avx512.cc include this file.
#ifndef MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_WIDE_H_
#define MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_WIDE_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/dwconv/dwconv_f32.h"

namespace mace::cpu {
namespace {

// A group of channels of a tile: `n` of them, from `c` on, at most a vector.
struct WideGroup {
  const DwconvF32Tile& t;
  size_t columns;  // in a line of t.x
  const float* w;  // the taps of the group, [height][kKernel][kLanes]
  size_t c, n;
};

// Computes kWidth outputs, the first one at `y`. x[0] points to the first pixel
// of their first line. `taps` is called with line and column, and returns a
// vector. kHeight is the number of lines, or 0 if the number is known at run
// time only (g.t.height). kPartial: the group has fewer channels than a vector
// has lanes, and loads and stores are masked.
template <int kKernel, int kStride, int kWidth, int kHeight, bool kPartial,
          typename Taps>
inline void WideOutputs(const WideGroup& g, const float* const* x, float* y,
                        const Taps& taps) {
  using namespace simd;
  constexpr int kColumns = (kWidth - 1) * kStride + kKernel;
  const auto load = [&g](const float* p) {
    return kPartial ? LoadN(p + g.c, g.n) : Load(p + g.c);
  };
  F32 acc[kWidth];
  const F32 bias = g.t.bias != nullptr ? load(g.t.bias) : Set1(0);
#pragma GCC unroll 8
  for (int o = 0; o < kWidth; ++o) acc[o] = bias;
  // Adds a line of the window, and moves x to the next one.
  const auto line = [&](size_t r) {
#pragma GCC unroll 16
    for (int column = 0; column < kColumns; ++column) {
      const F32 v = load(x[column]);
#pragma GCC unroll 8
      for (int o = 0; o < kWidth; ++o) {
        const int k = column - o * kStride;
        if (k >= 0 && k < kKernel) acc[o] = MulAdd(v, taps(r, k), acc[o]);
      }
    }
    x += g.columns;
  };
  if constexpr (kHeight > 0) {
#pragma GCC unroll 8
    for (int r = 0; r < kHeight; ++r) line(r);
  } else {
    for (size_t r = 0; r < g.t.height; ++r) line(r);
  }
  const F32 lower = Set1(g.t.lower), upper = Set1(g.t.upper);
#pragma GCC unroll 8
  for (int o = 0; o < kWidth; ++o) {
    const F32 v = Clamp(acc[o], lower, upper);
    float* to = y + o * g.t.y_stride + g.c;
    kPartial ? StoreN(to, v, g.n) : Store(to, v);
  }
}

// Computes all outputs of a group, four at a time, and then the last one to
// three together.
template <int kKernel, int kStride, int kHeight, bool kPartial, typename Taps>
inline void SlideWindow(const WideGroup& g, const Taps& taps) {
  const float* const* x = g.t.x;
  float* y = g.t.y;
  size_t left = g.t.width;
  for (; left >= 4; left -= 4, x += 4 * kStride, y += 4 * g.t.y_stride) {
    WideOutputs<kKernel, kStride, 4, kHeight, kPartial>(g, x, y, taps);
  }
  if (left == 3) {
    WideOutputs<kKernel, kStride, 3, kHeight, kPartial>(g, x, y, taps);
  } else if (left == 2) {
    WideOutputs<kKernel, kStride, 2, kHeight, kPartial>(g, x, y, taps);
  } else if (left == 1) {
    WideOutputs<kKernel, kStride, 1, kHeight, kPartial>(g, x, y, taps);
  }
}

// Computes all outputs of a group. The taps stay in registers if they fit and
// the tile has as many lines as the window has columns. All other tiles take
// code for any height: those of larger windows, of windows that are not square,
// and those at the upper and lower border of an image.
template <int kKernel, int kStride, bool kPartial>
inline void WideChannels(const WideGroup& g) {
  using namespace simd;
  // Besides the taps, registers hold four outputs, a pixel and a spare. So 3x3
  // taps fit into the 16 of AVX2, and 5x5 into the 32 of AVX-512.
  constexpr bool kTapsFit = kKernel * kKernel + 6 <= (kLanes > 8 ? 32 : 16);
  if constexpr (kTapsFit) {
    if (g.t.height == kKernel) {
      F32 taps[kKernel][kKernel];
#pragma GCC unroll 8
      for (int r = 0; r < kKernel; ++r) {
#pragma GCC unroll 8
        for (int k = 0; k < kKernel; ++k) {
          taps[r][k] = Load(g.w + (r * kKernel + k) * kLanes);
        }
      }
      return SlideWindow<kKernel, kStride, kKernel, kPartial>(
          g, [&taps](int r, int k) { return taps[r][k]; });
    }
  }
  SlideWindow<kKernel, kStride, 0, kPartial>(g, [&g](size_t r, int k) {
    return Load(g.w + (r * kKernel + k) * kLanes);
  });
}

// Computes a tile of any width: whole vectors of channels, then the others.
template <int kKernel, int kStride>
void Wide(const DwconvF32Tile& t) {
  using simd::kLanes;
  WideGroup g = {t, (t.width - 1) * kStride + kKernel, t.w, 0, kLanes};
  for (; g.c + kLanes <= t.channels; g.c += kLanes, g.w += t.w_stride) {
    WideChannels<kKernel, kStride, false>(g);
  }
  g.n = t.channels - g.c;
  if (g.n > 0) WideChannels<kKernel, kStride, true>(g);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_WIDE_H_
