// The depthwise tile for one kernel width and stride.
// SPDX-License-Identifier: Apache-2.0
//
// The loops, with the values that stay in registers:
//
//   for each group of kLanes channels
//     acc[kWidth] = bias
//     for each line of the window
//       taps[kKernel] = one vector for each column of the filter
//       for each column of the line
//         v = kLanes channels of the pixel      read once
//         acc[o] += v * taps[column - o * kStride]   for the outputs o
//                                                    that meet the column
//     y = clamp(acc)
//
// These values take kWidth + kKernel + 1 vector registers, at most 12 (a window
// 7 wide, 4 outputs), of the 16 that armv7 and AVX2 have.
//
// T is float, or uint16_t for fp16. For fp16, simd/f16.h must be included
// before this file: the compiler looks up the functions of mace::simd where
// these templates are defined. Everything is in an unnamed namespace: see
// simd/simd.h.
#ifndef MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_LINE_H_
#define MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_LINE_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/dwconv/dwconv_f32.h"

namespace mace::cpu {
namespace {

// Computes channels [c, c + n) of the first kWidth outputs. REQUIRES: n is
// kLanes, or less if kPartial. The taps of kTapsPacked channels are packed
// together; 0 means the channels of one vector. `w` are the taps from channel c
// on; whole vectors of taps are read in any case, as packed groups are padded.
// A line of t.x has `columns` pixels, which may be more than the kColumns that
// these outputs read.
template <int kKernel, int kStride, int kWidth, bool kPartial,
          size_t kTapsPacked = 0, typename T>
inline void LineChannels(const DwconvTile<T>& t, size_t columns, const T* w,
                         size_t c, size_t n) {
  using simd::Load, simd::LoadN, simd::Store, simd::StoreN;
  using Vector = simd::VectorOf<T>;
  using V = typename Vector::Type;
  constexpr size_t kTapStride = kTapsPacked > 0 ? kTapsPacked : Vector::kLanes;
  constexpr int kColumns = (kWidth - 1) * kStride + kKernel;
  // kPartial is a constant: whole vectors test no length.
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
    // Loaded once for all outputs.
    V taps[kKernel];
#pragma GCC unroll 8
    for (int k = 0; k < kKernel; ++k) taps[k] = Load(w + k * kTapStride);
#pragma GCC unroll 16
    for (int column = 0; column < kColumns; ++column) {
      const V v = load(x[column] + c);
#pragma GCC unroll 8
      for (int o = 0; o < kWidth; ++o) {
        // The tap of output o that this column meets, if there is one. All is
        // constant after unrolling.
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

// Computes channels [c, c + n), fewer than a vector has, of `width` outputs.
// Few models have such channels where vectors have 4 or 8 lanes, and code for
// each width would be a large part of the micro-kernel. So the width is no
// constant here, one output is computed after the other, and pixels are read
// again for each. REQUIRES: the taps of one vector are packed together.
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

// Computes the channels from `c` on, fewer than a vector has, of kWidth
// outputs: with code for this width where vectors have more than 16 bytes
// (x86), which leave channels more often.
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

// Computes a tile of kWidth outputs. In Line<1, 1, 1>, which is `any`, each
// line is one tap and has one column.
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

// Computes a tile of t.width outputs, at most 4. Each width has its own code,
// so that all loops within a line are unrolled.
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
