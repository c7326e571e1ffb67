// The depthwise tile of windows as high as wide, all of their lines given: the
// addresses of its pixels stay in registers. For armv8, which has enough.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_DWCONV_F32_DWCONV_F32_SQUARE_H_
#define MACE_CPU_UKERNELS_DWCONV_F32_DWCONV_F32_SQUARE_H_

#include <arm_neon.h>

#include "mace/cpu/simd.h"
#include "mace/cpu/ukernels/dwconv_f32/dwconv_f32.h"
#include "mace/cpu/ukernels/dwconv_f32/dwconv_f32_line.h"

namespace mace::cpu {
namespace {

// A line's taps, three or four by a load.
template <int kKernel>
inline const float* LoadTaps(const float* w, simd::F32 (&taps)[kKernel]) {
  int k = 0;
  if constexpr (kKernel > 3) {
    const float32x4x4_t v = vld1q_f32_x4(w);
#pragma GCC unroll 4
    for (; k < 4; ++k) taps[k] = v.val[k];
  }
  if constexpr (kKernel % 4 == 3) {
    const float32x4x3_t v = vld1q_f32_x3(w + k * simd::kLanes);
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) taps[k++] = v.val[i];
  }
#pragma GCC unroll 3
  for (; k < kKernel; ++k) taps[k] = simd::Load(w + k * simd::kLanes);
  return w + kKernel * simd::kLanes;
}

// Channels c .. c + kLanes - 1 of a line of the window against kWidth outputs.
template <int kKernel, int kStride, int kWidth, int kColumns>
inline const float* MultiplyLine(const float* const (&x)[kColumns], size_t c,
                                 const float* w, simd::F32 (&acc)[kWidth]) {
  using namespace simd;
  F32 taps[kKernel];
  w = LoadTaps(w, taps);
#pragma GCC unroll 16
  for (int column = 0; column < kColumns; ++column) {
    const F32 v = Load(x[column] + c);
#pragma GCC unroll 8
    for (int o = 0; o < kWidth; ++o) {
      const int k = column - o * kStride;
      if (k >= 0 && k < kKernel) acc[o] = MulAdd(v, taps[k], acc[o]);
    }
  }
  return w;
}

template <int kKernel, int kStride, int kWidth>
void Square(const DwconvF32Tile& t) {
  using namespace simd;
  constexpr int kColumns = (kWidth - 1) * kStride + kKernel;
  const float* x[kKernel][kColumns];
#pragma GCC unroll 8
  for (int r = 0; r < kKernel; ++r) {
#pragma GCC unroll 16
    for (int i = 0; i < kColumns; ++i) x[r][i] = t.x[r * kColumns + i];
  }
  float* y[kWidth];
#pragma GCC unroll 8
  for (int o = 0; o < kWidth; ++o) y[o] = t.y + o * t.y_stride;
  const float *w = t.w, *bias = t.bias;
  const size_t whole = t.channels / kLanes * kLanes;
  // Taps of lines that the caller left out.
  const ptrdiff_t gap =
      t.w_stride - kKernel * kKernel * static_cast<ptrdiff_t>(kLanes);
  const F32 lower = Set1(t.lower), upper = Set1(t.upper);
  size_t c = 0;
  for (; c < whole; c += kLanes, w += gap) {
    F32 acc[kWidth];
    const F32 start = bias != nullptr ? Load(bias + c) : Set1(0);
#pragma GCC unroll 8
    for (int o = 0; o < kWidth; ++o) acc[o] = start;
#pragma GCC unroll 8
    for (int r = 0; r < kKernel; ++r) {
      w = MultiplyLine<kKernel, kStride>(x[r], c, w, acc);
    }
#pragma GCC unroll 8
    for (int o = 0; o < kWidth; ++o) {
      Store(y[o] + c, Clamp(acc[o], lower, upper));
    }
  }
  if (c < t.channels) {
    LineChannels<kKernel, kStride, kWidth, true>(t, kColumns, w, c,
                                                 t.channels - c);
  }
}

template <int kKernel, int kStride>
void DispatchSquare(const DwconvF32Tile& t) {
  if (t.height != kKernel) return DispatchLine<kKernel, kStride>(t);
  switch (t.width) {
    case 1:
      return Square<kKernel, kStride, 1>(t);
    case 2:
      return Square<kKernel, kStride, 2>(t);
    case 3:
      return Square<kKernel, kStride, 3>(t);
    default:
      return Square<kKernel, kStride, 4>(t);
  }
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_DWCONV_F32_DWCONV_F32_SQUARE_H_
