// Depthwise convolution micro-kernels of f32, and of f16 as uint16_t. Each
// computes a few adjacent outputs of a line, for all channels.
// SPDX-License-Identifier: Apache-2.0
//
// Adjacent outputs share inputs, and a tile reads each input once:
//
//   x, columns  0 1 2 3 4 5          stride 1, kernel 3: 4 outputs, 6 columns
//   output 0    |---|
//   output 3          |---|
//
// Files are named dwconv_{TYPE}_{KERNEL}s{STRIDE}__{isa}.cc. Those with `any`
// are for windows of any size and compute one output at a time.
#ifndef MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_H_
#define MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

template <typename T>
struct DwconvTile {
  size_t channels;
  size_t width;   // number of outputs, in [1, max_width]
  size_t height;  // number of lines of the window in x and w
  // Pointers to pixels of `channels` elements each, [height][columns], where
  // columns is (width - 1) * stride + kernel. For `any`: one for each tap,
  // [height].
  const T* const* x;
  // [height][kernel][lanes] for each group of `lanes` channels, padded with
  // zeros. Groups are w_stride elements apart.
  const T* w;
  ptrdiff_t w_stride;
  const T* bias;  // `channels` elements; null: zeros
  T* y;
  ptrdiff_t y_stride;  // between outputs, in elements
  float lower, upper;
};

template <typename T>
using DwconvFn = void(const DwconvTile<T>& tile);

using DwconvF32Tile = DwconvTile<float>;
using DwconvF32Fn = DwconvFn<float>;
// Products are accumulated in fp16, one after the other.
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
// Windows that occur in the phases of transposed convolutions.
DwconvF32Fn dwconv_f32_1s1__avx2, dwconv_f32_2s1__avx2, dwconv_f32_1s1__avx512,
    dwconv_f32_2s1__avx512, dwconv_f32_1s1__neon, dwconv_f32_2s1__neon;
DwconvF32Fn dwconv_f32_3s1__aarch64, dwconv_f32_3s2__aarch64,
    dwconv_f32_5s1__aarch64, dwconv_f32_5s2__aarch64, dwconv_f32_7s1__aarch64;

DwconvF16Fn dwconv_f16_3s1__fp16, dwconv_f16_3s2__fp16, dwconv_f16_5s1__fp16,
    dwconv_f16_5s2__fp16, dwconv_f16_any__fp16;
DwconvF16Fn dwconv_f16_any__scalar;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_H_
