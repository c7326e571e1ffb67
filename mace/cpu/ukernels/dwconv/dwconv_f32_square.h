// The depthwise tile for armv8 that reads as many lines as columns of a window.
// The addresses of its pixels are read once, not for each group of channels.
// SPDX-License-Identifier: Apache-2.0
//
// With 4 outputs, the 18 addresses of a 3x3 window with stride 1 stay in
// general registers, of which armv8 has 31. Other windows have 27 to 70, some
// of which the compiler keeps on the stack. For each group of channels:
//
//   acc[kWidth] = bias
//   for each line r: taps = w, w += a line of taps
//     for each column i: v = pixel at x[r][i] + c
//       acc[o] += v * taps[i - o * kStride] for the outputs that meet it
//   y[o] + c = clamp(acc)
//
// dwconv_f32__aarch64.cc includes this file for windows of 5x5 and 7x7, and
// dwconv_f16_square.h for those of fp16. dwconv_f32_line.h computes tiles with
// fewer or more lines: at the upper and lower border of an image, and of
// windows that are not square.
#ifndef MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_SQUARE_H_
#define MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_SQUARE_H_

#include <arm_neon.h>

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/dwconv/dwconv_f32.h"
#include "mace/cpu/ukernels/dwconv/dwconv_f32_line.h"

namespace mace::cpu {
namespace {

// Load three or four adjacent vectors with one instruction. dwconv_f16_square.h
// has those of fp16.
inline float32x4x3_t LoadThree(const float* p) { return vld1q_f32_x3(p); }
inline float32x4x4_t LoadFour(const float* p) { return vld1q_f32_x4(p); }

// Loads the kKernel taps of a line, each a vector, three or four with one
// instruction: 3 as three, 5 as four and one, 7 as four and three. Returns the
// end of the line.
template <int kKernel, typename T, typename V>
inline const T* LoadTaps(const T* w, V (&taps)[kKernel]) {
  constexpr size_t kLanes = simd::VectorOf<T>::kLanes;
  int k = 0;
  if constexpr (kKernel > 3) {
    const auto v = LoadFour(w);
#pragma GCC unroll 4
    for (; k < 4; ++k) taps[k] = v.val[k];
  }
  if constexpr (kKernel % 4 == 3) {
    const auto v = LoadThree(w + k * kLanes);
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) taps[k++] = v.val[i];
  }
#pragma GCC unroll 3
  for (; k < kKernel; ++k) taps[k] = simd::Load(w + k * kLanes);
  return w + kKernel * kLanes;
}

// Adds the products of a line of the window to kWidth outputs, for channels c
// to c + kLanes - 1. `x` are the pixels of the line, `w` its taps for these
// channels. Returns the taps of the next line.
template <int kKernel, int kStride, int kWidth, int kColumns, typename T,
          typename V>
inline const T* MultiplyLine(const T* const (&x)[kColumns], size_t c,
                             const T* w, V (&acc)[kWidth]) {
  V taps[kKernel];
  w = LoadTaps(w, taps);
#pragma GCC unroll 16
  for (int column = 0; column < kColumns; ++column) {
    const V v = simd::Load(x[column] + c);
#pragma GCC unroll 8
    for (int o = 0; o < kWidth; ++o) {
      const int k = column - o * kStride;
      if (k >= 0 && k < kKernel) acc[o] = simd::MulAdd(v, taps[k], acc[o]);
    }
  }
  return w;
}

// Computes a tile of kWidth outputs. REQUIRES: t.height is kKernel.
template <int kKernel, int kStride, int kWidth, typename T>
void Square(const DwconvTile<T>& t) {
  using Vector = simd::VectorOf<T>;
  using V = typename Vector::Type;
  constexpr size_t kLanes = Vector::kLanes;
  constexpr int kColumns = (kWidth - 1) * kStride + kKernel;
  const T* x[kKernel][kColumns];
#pragma GCC unroll 8
  for (int r = 0; r < kKernel; ++r) {
#pragma GCC unroll 16
    for (int i = 0; i < kColumns; ++i) x[r][i] = t.x[r * kColumns + i];
  }
  T* y[kWidth];
#pragma GCC unroll 8
  for (int o = 0; o < kWidth; ++o) y[o] = t.y + o * t.y_stride;
  const T *w = t.w, *bias = t.bias;
  const size_t whole = t.channels / kLanes * kLanes;
  // The taps of lines that the caller left out: a window may be higher than it
  // is wide, with only kKernel of its lines inside the image.
  const ptrdiff_t gap =
      t.w_stride - kKernel * kKernel * static_cast<ptrdiff_t>(kLanes);
  const V lower = Vector::Set1(t.lower), upper = Vector::Set1(t.upper);
  size_t c = 0;
  for (; c < whole; c += kLanes, w += gap) {
    V acc[kWidth];
    const V start = bias != nullptr ? simd::Load(bias + c) : Vector::Set1(0);
#pragma GCC unroll 8
    for (int o = 0; o < kWidth; ++o) acc[o] = start;
#pragma GCC unroll 8
    for (int r = 0; r < kKernel; ++r) {
      w = MultiplyLine<kKernel, kStride>(x[r], c, w, acc);
    }
#pragma GCC unroll 8
    for (int o = 0; o < kWidth; ++o) {
      simd::Store(y[o] + c, simd::Clamp(acc[o], lower, upper));
    }
  }
  if (c < t.channels) LastChannelsOf<kKernel, kStride, kWidth>(t, w, c);
}

// Computes a tile of t.width outputs, at most 4, with any number of lines.
template <int kKernel, int kStride, typename T>
void DispatchSquare(const DwconvTile<T>& t) {
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

#endif  // MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_SQUARE_H_
