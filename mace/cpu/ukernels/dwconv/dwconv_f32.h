// Depthwise convolution micro-kernels of f32, and of f16 as uint16_t. Each
// computes some adjacent outputs of a line, for all channels.
// SPDX-License-Identifier: Apache-2.0
//
// For output o and channel c, over the lines r and columns k of the window:
//
//   y[o][c] = min(max(bias[c] + sum x[r][o * stride + k][c] * w[r][k][c],
//                     lower), upper)                     NaN stays NaN
//
// Adjacent outputs share inputs, and a tile reads each input once:
//
//   x, columns  0 1 2 3 4 5          stride 1, kernel 3: 4 outputs, 6 columns
//   output 0    |---|
//   output 3          |---|
//
// Pixels are found through pointers, so that the caller decides what lies
// outside the image (a pixel of zeros, as often as needed), and may keep lines
// in a ring buffer. Channels are innermost in x, y and w: a vector is some
// channels of a pixel, and a tap of the filter as many values, one for each
// channel. Taps are packed by groups of `lanes` channels (Dwconv::lanes):
//
//   w  |r0 k0     |r0 k1     |r0 k2     |r1 k0     | ... |r2 k2     |
//      |c0 .. c15 |c0 .. c15 |c0 .. c15 |c0 .. c15 |     |c0 .. c15 |
//      <------------------------- w_stride ------------------------->
//      then the same for c16 .. c31, and so on
//
// Functions are named dwconv_{TYPE}_{KERNEL}s{STRIDE}__{isa}; a file has all of
// a type and instruction set. Functions with `any` are for windows of any size
// and dilation: they compute one output at a time, as if the window were one
// column, with a line for each of its taps.
//
// How tiles are computed:
//
//   dwconv_f32_line.h     line by line: plain C++, NEON, and `any` of every
//                         instruction set; channels and tiles that the two
//                         for armv8 below leave
//   dwconv_f32_wide.h     taps in registers, sliding: AVX2 and AVX-512
//   dwconv_f32_square.h   square windows, pixel addresses at hand: armv8
//   dwconv_f32_sixteen.h  3x3 windows in assembly: armv8, f32
#ifndef MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_H_
#define MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// The operands of a call. None needs more than the alignment of its elements.
// Of a pixel, of the bias and of an output, only `channels` elements are read
// or written; of w, whole groups. y must overlap no operand: pixels are read
// again for a later output after an earlier one is written.
template <typename T>
struct DwconvTile {
  size_t channels;
  size_t width;  // number of outputs, in [1, max_width]
  // Number of lines of the window in x and w; for `any`, of its taps. Where the
  // image ends within the window, the caller leaves the outer lines out: x and
  // w begin with the first one that is inside, while w_stride still counts all.
  // 0: y is the bias, clamped.
  size_t height;
  // Pointers to pixels of `channels` elements each, [height][columns], where
  // columns is (width - 1) * stride + kernel. For `any`: one for each tap,
  // [height]. The same pixel may occur several times.
  const T* const* x;
  // [height][kernel][lanes] for each group of `lanes` channels, padded with
  // zeros. Groups are w_stride elements apart, which is at least
  // height * kernel * lanes.
  const T* w;
  ptrdiff_t w_stride;
  const T* bias;  // `channels` elements; null: zeros
  T* y;
  ptrdiff_t y_stride;  // between outputs, in elements
  // The clamp; -infinity and infinity: none. For fp16, both are rounded to
  // fp16.
  float lower, upper;
};

// Keeps no state: threads may compute different outputs at the same time. For
// `any`, ignores tile.width and computes one output.
template <typename T>
using DwconvFn = void(const DwconvTile<T>& tile);

using DwconvF32Tile = DwconvTile<float>;
using DwconvF32Fn = DwconvFn<float>;
// Products are accumulated in fp16 by fused multiply-adds, one after the other,
// each rounded once. The error grows with the number of taps.
using DwconvF16Tile = DwconvTile<uint16_t>;
using DwconvF16Fn = DwconvFn<uint16_t>;

// Which of them a build has, and for which CPUs: dwconv_f32_table.h.
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
// For armv8, instead of those for NEON, which armv7 can run, too.
DwconvF32Fn dwconv_f32_3s1__aarch64, dwconv_f32_3s2__aarch64,
    dwconv_f32_5s1__aarch64, dwconv_f32_5s2__aarch64, dwconv_f32_7s1__aarch64;

DwconvF16Fn dwconv_f16_3s1__fp16, dwconv_f16_3s2__fp16, dwconv_f16_5s1__fp16,
    dwconv_f16_5s2__fp16, dwconv_f16_any__fp16;
DwconvF16Fn dwconv_f16_any__scalar;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_H_
