// f32 micro-kernels that transform tiles of a 3x3 convolution to Winograd's
// domain and back. F(M, 3) computes M x M outputs from A x A inputs, A = M + 2,
// with A x A multiplications for each pair of channels instead of 9 M x M.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_H_
#define MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_H_

#include <cstddef>

namespace mace::cpu {

// A line of pixels of an image; or zeros, all of which are the same pixel.
struct WinogradLineF32 {
  const float* x;
  ptrdiff_t pixel_stride;  // floats
};

// Adjacent tiles, which overlap by two columns. Together they have (tiles - 1)
// * M + A columns, which are zero except for those in [first, end).
inline constexpr size_t kWinogradMaxTiles = 8;
struct WinogradInputF32 {
  size_t channels;
  size_t tiles;                  // in [1, kWinogradMaxTiles]
  const WinogradLineF32* lines;  // [A] lines, from column `first` on
  size_t first, end;
  const float* zeros;  // `channels` floats
  // Element i of [A][A] has its `channels` floats from v + i * v_stride on;
  // those of one vector are adjacent.
  float* v;
  ptrdiff_t v_stride;
  ptrdiff_t tile_stride;   // between tiles, in floats
  ptrdiff_t group_stride;  // between vectors, in floats; at least the lanes
};

// Adjacent tiles of products, to be transformed to outputs.
struct WinogradOutputF32 {
  size_t channels;
  size_t tiles;
  // Element i of [A][A] has its `channels` floats from m + i * m_stride on.
  const float* m;
  ptrdiff_t m_stride;
  ptrdiff_t tile_stride;  // between the tiles of m, in floats
  const float* bias;      // `channels` floats; null: zeros
  float* y;
  ptrdiff_t line_stride, pixel_stride;  // of y, in floats
  size_t height;  // lines of a tile that are written, 1 to M
  size_t width;   // columns of all tiles together; only the last may be cut
  float lower, upper;
};

// `n` adjacent filters.
struct WinogradFilterF32 {
  size_t n;
  const float* taps;  // [9][taps_stride], the first n of each
  ptrdiff_t taps_stride;
  // Element i of [A][A] has its n floats from u + i * u_stride on.
  float* u;
  ptrdiff_t u_stride;
};

using WinogradInputF32Fn = void(const WinogradInputF32& tile);
using WinogradOutputF32Fn = void(const WinogradOutputF32& tile);
using WinogradFilterF32Fn = void(const WinogradFilterF32& filters);

// The functions of one instruction set, for M = 2, 4 and 6.
struct WinogradF32Set {
  int lanes;  // floats in a vector
  WinogradInputF32Fn* input[3];
  WinogradOutputF32Fn* output[3];
  WinogradFilterF32Fn* filter[3];
};

extern const WinogradF32Set winograd_f32__scalar, winograd_f32__avx2,
    winograd_f32__avx512, winograd_f32__neon, winograd_f32__aarch64;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_H_
