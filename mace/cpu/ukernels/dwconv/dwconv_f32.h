// Depthwise convolution micro-kernels of f32, and of f16 as uint16_t: a few
// outputs of a line, over all channels.
// SPDX-License-Identifier: Apache-2.0
//
// Outputs side by side share inputs, so that a tile reads each once:
//
//   x, columns  0 1 2 3 4 5          stride 1, kernel 3: 4 outputs, 6 columns
//   output 0    |---|
//   output 3          |---|
//
// Files are named dwconv_{TYPE}_{KERNEL}s{STRIDE}__{isa}.cc; `any` is for
// windows of any size, one output at a time.
#ifndef MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_H_
#define MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

template <typename T>
struct DwconvTile {
  size_t channels;
  size_t width;   // outputs, in [1, max_width]
  size_t height;  // lines of the window that are given
  // [height][columns] pixels of `channels` elements, where columns is
  // (width - 1) * stride + kernel; for `any`, [height] taps.
  const T* const* x;
  // For each group of `lanes` channels, [height][kernel][lanes], zero-padded;
  // w_stride elements from group to group.
  const T* w;
  ptrdiff_t w_stride;
  const T* bias;  // `channels` elements; null: zeros
  T* y;
  ptrdiff_t y_stride;  // elements from output to output
  float lower, upper;
};

template <typename T>
using DwconvFn = void(const DwconvTile<T>& tile);

using DwconvF32Tile = DwconvTile<float>;
using DwconvF32Fn = DwconvFn<float>;
// Multiplied and added up in binary16, the products of a window one by one.
using DwconvF16Tile = DwconvTile<uint16_t>;
using DwconvF16Fn = DwconvFn<uint16_t>;

DwconvF32Fn dwconv_f32_3s1__scalar, dwconv_f32_any__scalar;
DwconvF32Fn dwconv_f32_3s1__avx2, dwconv_f32_3s2__avx2, dwconv_f32_5s1__avx2,
    dwconv_f32_5s2__avx2, dwconv_f32_7s1__avx2, dwconv_f32_any__avx2;
DwconvF32Fn dwconv_f32_3s1__avx512, dwconv_f32_3s2__avx512,
    dwconv_f32_5s1__avx512, dwconv_f32_5s2__avx512, dwconv_f32_7s1__avx512,
    dwconv_f32_any__avx512;
DwconvF32Fn dwconv_f32_3s1__neon, dwconv_f32_3s2__neon, dwconv_f32_5s1__neon,
    dwconv_f32_5s2__neon, dwconv_f32_7s1__neon, dwconv_f32_any__neon;
// As phases of transposed convolutions have them.
DwconvF32Fn dwconv_f32_1s1__avx2, dwconv_f32_2s1__avx2, dwconv_f32_1s1__avx512,
    dwconv_f32_2s1__avx512, dwconv_f32_1s1__neon, dwconv_f32_2s1__neon;
DwconvF32Fn dwconv_f32_3s1__aarch64, dwconv_f32_3s2__aarch64,
    dwconv_f32_5s1__aarch64, dwconv_f32_5s2__aarch64, dwconv_f32_7s1__aarch64;

DwconvF16Fn dwconv_f16_3s1__fp16, dwconv_f16_3s2__fp16, dwconv_f16_5s1__fp16,
    dwconv_f16_5s2__fp16, dwconv_f16_any__fp16;
DwconvF16Fn dwconv_f16_any__scalar;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_H_
