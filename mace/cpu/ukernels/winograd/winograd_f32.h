// f32 micro-kernels that take tiles of a 3x3 convolution to Winograd's domain
// and back: F(M, 3) computes M x M outputs from A x A inputs, A = M + 2, with
// A x A multiplications per pair of channels instead of 9 M x M.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_H_
#define MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_H_

#include <cstddef>

namespace mace::cpu {

// A line of pixels: of an image, or zeros that are all the same pixel.
struct WinogradLineF32 {
  const float* x;
  ptrdiff_t pixel_stride;  // floats
};

// Tiles side by side, which overlap by two columns: (tiles - 1) * M + A of
// them, zeros but for those in [first, end).
inline constexpr size_t kWinogradMaxTiles = 8;
struct WinogradInputF32 {
  size_t channels;
  size_t tiles;                  // in [1, kWinogradMaxTiles]
  const WinogradLineF32* lines;  // [A], from column `first` on
  size_t first, end;
  const float* zeros;      // `channels` floats
  float* v;                // element i of [A][A]: `channels` floats at
  ptrdiff_t v_stride;      // v + i * v_stride, those of a vector side by side
  ptrdiff_t tile_stride;   // floats from tile to tile
  ptrdiff_t group_stride;  // floats from vector to vector: its lanes or more
};

// Tiles side by side.
struct WinogradOutputF32 {
  size_t channels;
  size_t tiles;
  const float* m;  // element i of [A][A]: `channels` floats at
  ptrdiff_t m_stride;
  ptrdiff_t tile_stride;  // of m, floats from tile to tile
  const float* bias;      // `channels` floats; null: zeros
  float* y;
  ptrdiff_t line_stride, pixel_stride;  // of y, floats
  size_t height;                        // that is written, 1 to M
  size_t width;  // the same of all tiles: only the last may be cut
  float lower, upper;
};

// `n` filters side by side.
struct WinogradFilterF32 {
  size_t n;
  const float* taps;  // [9][taps_stride], the first n of each
  ptrdiff_t taps_stride;
  float* u;            // element i of [A][A]: n floats at
  ptrdiff_t u_stride;  // u + i * u_stride
};

using WinogradInputF32Fn = void(const WinogradInputF32& tile);
using WinogradOutputF32Fn = void(const WinogradOutputF32& tile);
using WinogradFilterF32Fn = void(const WinogradFilterF32& filters);

// The functions of one instruction set, for M = 2, 4 and 6.
struct WinogradF32Set {
  int lanes;  // floats of a vector
  WinogradInputF32Fn* input[3];
  WinogradOutputF32Fn* output[3];
  WinogradFilterF32Fn* filter[3];
};

extern const WinogradF32Set winograd_f32__scalar, winograd_f32__avx2,
    winograd_f32__avx512, winograd_f32__neon, winograd_f32__aarch64;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_H_
