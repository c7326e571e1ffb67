// The depthwise tile for one kernel width and stride.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_DWCONV_F32_DWCONV_F32_LINE_H_
#define MACE_CPU_UKERNELS_DWCONV_F32_DWCONV_F32_LINE_H_

#include "mace/cpu/simd.h"
#include "mace/cpu/ukernels/dwconv_f32/dwconv_f32.h"

namespace mace::cpu {
namespace {

// `n` channels from `c` on: kLanes of them, or fewer if kPartial. kTapStride is
// how many channels' taps are packed together; a line of t.x has `columns`.
template <int kKernel, int kStride, int kWidth, bool kPartial,
          size_t kTapStride = simd::kLanes>
inline void LineChannels(const DwconvF32Tile& t, size_t columns, const float* w,
                         size_t c, size_t n) {
  using namespace simd;
  constexpr int kColumns = (kWidth - 1) * kStride + kKernel;
  const auto load = [n](const float* p) {
    return kPartial ? LoadN(p, n) : Load(p);
  };
  F32 acc[kWidth];
  const F32 bias = t.bias != nullptr ? load(t.bias + c) : Set1(0);
#pragma GCC unroll 8
  for (int o = 0; o < kWidth; ++o) acc[o] = bias;
  const float* const* x = t.x;
  for (size_t r = 0; r < t.height;
       ++r, x += columns, w += kKernel * kTapStride) {
    F32 taps[kKernel];
#pragma GCC unroll 8
    for (int k = 0; k < kKernel; ++k) taps[k] = Load(w + k * kTapStride);
#pragma GCC unroll 16
    for (int column = 0; column < kColumns; ++column) {
      const F32 v = load(x[column] + c);
#pragma GCC unroll 8
      for (int o = 0; o < kWidth; ++o) {
        const int k = column - o * kStride;
        if (k >= 0 && k < kKernel) acc[o] = MulAdd(v, taps[k], acc[o]);
      }
    }
  }
  const F32 lower = Set1(t.lower), upper = Set1(t.upper);
#pragma GCC unroll 8
  for (int o = 0; o < kWidth; ++o) {
    const F32 y = Clamp(acc[o], lower, upper);
    float* to = t.y + o * t.y_stride + c;
    kPartial ? StoreN(to, y, n) : Store(to, y);
  }
}

template <int kKernel, int kStride, int kWidth>
void Line(const DwconvF32Tile& t) {
  using simd::kLanes;
  constexpr int kColumns = (kWidth - 1) * kStride + kKernel;
  const float* w = t.w;
  size_t c = 0;
  for (; c + kLanes <= t.channels; c += kLanes, w += t.w_stride) {
    LineChannels<kKernel, kStride, kWidth, false>(t, kColumns, w, c, kLanes);
  }
  if (c < t.channels) {
    LineChannels<kKernel, kStride, kWidth, true>(t, kColumns, w, c,
                                                 t.channels - c);
  }
}

template <int kKernel, int kStride>
void DispatchLine(const DwconvF32Tile& t) {
  switch (t.width) {
    case 1:
      return Line<kKernel, kStride, 1>(t);
    case 2:
      return Line<kKernel, kStride, 2>(t);
    case 3:
      return Line<kKernel, kStride, 3>(t);
    default:
      return Line<kKernel, kStride, 4>(t);
  }
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_DWCONV_F32_DWCONV_F32_LINE_H_
