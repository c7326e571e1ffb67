// The depthwise tile for one kernel width and stride.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_LINE_H_
#define MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_LINE_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/dwconv/dwconv_f32.h"

namespace mace::cpu {
namespace {

// Computes `n` channels from `c` on: a whole vector, or fewer if kPartial. The
// taps of kTapsPacked channels are packed together; 0 means those of one
// vector. A line of t.x has `columns` pixels.
template <int kKernel, int kStride, int kWidth, bool kPartial,
          size_t kTapsPacked = 0, typename T>
inline void LineChannels(const DwconvTile<T>& t, size_t columns, const T* w,
                         size_t c, size_t n) {
  using simd::Load, simd::LoadN, simd::Store, simd::StoreN;
  using Vector = simd::VectorOf<T>;
  using V = typename Vector::Type;
  constexpr size_t kTapStride = kTapsPacked > 0 ? kTapsPacked : Vector::kLanes;
  constexpr int kColumns = (kWidth - 1) * kStride + kKernel;
  const auto load = [n](const T* p) {
    return kPartial ? LoadN(p, n) : Load(p);
  };
  V acc[kWidth];
  const V bias = t.bias != nullptr ? load(t.bias + c) : Vector::Set1(0);
#pragma GCC unroll 8
  for (int o = 0; o < kWidth; ++o) acc[o] = bias;
  const T* const* x = t.x;
  for (size_t r = 0; r < t.height;
       ++r, x += columns, w += kKernel * kTapStride) {
    V taps[kKernel];
#pragma GCC unroll 8
    for (int k = 0; k < kKernel; ++k) taps[k] = Load(w + k * kTapStride);
#pragma GCC unroll 16
    for (int column = 0; column < kColumns; ++column) {
      const V v = load(x[column] + c);
#pragma GCC unroll 8
      for (int o = 0; o < kWidth; ++o) {
        const int k = column - o * kStride;
        if (k >= 0 && k < kKernel) acc[o] = simd::MulAdd(v, taps[k], acc[o]);
      }
    }
  }
  const V lower = Vector::Set1(t.lower), upper = Vector::Set1(t.upper);
#pragma GCC unroll 8
  for (int o = 0; o < kWidth; ++o) {
    const V y = simd::Clamp(acc[o], lower, upper);
    T* to = t.y + o * t.y_stride + c;
    kPartial ? StoreN(to, y, n) : Store(to, y);
  }
}

// Computes the last `n` channels, from `c` on, fewer than a vector has: with
// vectors of 4 or 8, hardly any model leaves some, and code for each width
// would be a large part of the micro-kernel.
template <int kKernel, int kStride, typename T>
[[gnu::noinline]] void LastChannels(const DwconvTile<T>& t, size_t width,
                                    size_t columns, const T* w, size_t c,
                                    size_t n) {
  using Vector = simd::VectorOf<T>;
  using V = typename Vector::Type;
  for (size_t o = 0; o < width; ++o) {
    V acc = t.bias != nullptr ? simd::LoadN(t.bias + c, n) : Vector::Set1(0);
    const T* const* x = t.x + o * kStride;
    const T* taps = w;
    for (size_t r = 0; r < t.height; ++r, x += columns) {
      for (int k = 0; k < kKernel; ++k, taps += Vector::kLanes) {
        acc = simd::MulAdd(simd::LoadN(x[k] + c, n), simd::Load(taps), acc);
      }
    }
    const V lower = Vector::Set1(t.lower), upper = Vector::Set1(t.upper);
    simd::StoreN(t.y + static_cast<ptrdiff_t>(o) * t.y_stride + c,
                 simd::Clamp(acc, lower, upper), n);
  }
}

// The same for tiles of kWidth outputs, by the best code.
template <int kKernel, int kStride, int kWidth, typename T>
void LastChannelsOf(const DwconvTile<T>& t, const T* w, size_t c) {
  constexpr size_t kColumns = (kWidth - 1) * kStride + kKernel;
  if constexpr (simd::VectorOf<T>::kLanes * sizeof(T) <= 16) {
    LastChannels<kKernel, kStride>(t, kWidth, kColumns, w, c, t.channels - c);
  } else {
    LineChannels<kKernel, kStride, kWidth, true>(t, kColumns, w, c,
                                                 t.channels - c);
  }
}

template <int kKernel, int kStride, int kWidth, typename T>
void Line(const DwconvTile<T>& t) {
  constexpr size_t kLanes = simd::VectorOf<T>::kLanes;
  constexpr int kColumns = (kWidth - 1) * kStride + kKernel;
  const T* w = t.w;
  size_t c = 0;
  for (; c + kLanes <= t.channels; c += kLanes, w += t.w_stride) {
    LineChannels<kKernel, kStride, kWidth, false>(t, kColumns, w, c, kLanes);
  }
  if (c < t.channels) LastChannelsOf<kKernel, kStride, kWidth>(t, w, c);
}

template <int kKernel, int kStride, typename T>
void DispatchLine(const DwconvTile<T>& t) {
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

#endif  // MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_LINE_H_
