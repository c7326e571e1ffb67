// f32 micro-kernels that transform tiles of a 3x3 convolution to Winograd's
// domain and back. F(M, 3) computes M x M outputs from A x A inputs, A = M + 2,
// with A x A multiplications for each pair of channels instead of 9 M x M.
// SPDX-License-Identifier: Apache-2.0
//
// With d an input tile, g a filter and (.) the multiplication of elements, tile
// y of the output is
//
//   y = A' [ sum over channels of (G g G') (.) (B' d B) ] A
//
// (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, 2015,
// equation 8 and section 4). WinogradInputF32 describes B' d B = v,
// WinogradFilterF32 G g G' = u, and WinogradOutputF32 A' m A, to which it adds
// the bias. The sum over channels in between is one GEMM for each of the A x A
// elements, m[i] = v[i] * u[i], for which the caller uses gemm.h. The matrices
// follow from the points of winograd_f32_points.h.
//
//   M   A   multiplications for each output and pair of channels, of 9
//   2   4   4      (16 / 4)
//   4   6   2.25   (36 / 16)
//   6   8   1.78   (64 / 36)
//
// All functions read and write exactly the elements that are described, with no
// alignment beyond that of float, keep no state and allocate nothing. What they
// write must not overlap what they read. Threads may call them at the same time
// if their results do not overlap. Class Winograd (mace/cpu/winograd) calls
// them.
#ifndef MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_H_
#define MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_H_

#include <cstddef>

namespace mace::cpu {

// A line of pixels of an image, each with its channels side by side; or a line
// outside the image: x are zeros and pixel_stride is 0, so that all of its
// pixels are the same one.
struct WinogradLineF32 {
  const float* x;
  ptrdiff_t pixel_stride;  // floats
};

// The maximum number of input tiles of one call, so that the assembly for armv8
// can keep the columns of all of them on the stack.
inline constexpr size_t kWinogradMaxTiles = 8;

// Adjacent tiles of one line of tiles, which overlap by two columns. Together
// they have (tiles - 1) * M + A columns, which are zero except for those in
// [first, end): padding is not stored anywhere. With M = 4 and two tiles:
//
//   column    0   1   2   3   4   5   6   7   8   9
//   tile 0   |-----------------------|
//   tile 1                   |-----------------------|
//   pixels    0   x   x   x   x   x   x   x   0   0     first = 1, end = 8
//
// REQUIRES: first <= end <= (tiles - 1) * M + A.
struct WinogradInputF32 {
  size_t channels;
  size_t tiles;  // in [1, kWinogradMaxTiles]
  // [A] lines. Their x points to column `first`, not to column 0. If first is
  // end, no pixel is read from them.
  const WinogradLineF32* lines;
  size_t first, end;
  const float* zeros;  // `channels` zeros: a pixel outside the image
  // Element i of [A][A] (line i / A, column i % A) of tile k is at v + i *
  // v_stride + k * tile_stride. Channel c of it is float (c / lanes) *
  // group_stride + c % lanes, with the lanes of the set:
  //
  //   |<- lanes ->|
  //   |c c c c c c|.......|c c c c c c|.......|c c c|
  //   |<-- group_stride ->|                   the last may be short
  //
  // With group_stride = lanes, channels are contiguous. A larger one lets sets
  // of four lanes write the rows of a GEMM tile in its packed order.
  float* v;
  ptrdiff_t v_stride;
  ptrdiff_t tile_stride;   // between tiles, in floats
  ptrdiff_t group_stride;  // between vectors, in floats; at least the lanes
};

// Adjacent tiles of one line of tiles, which hold the sums of products m, to be
// transformed to outputs:
//
//   y = clamp(A' m A + bias, lower, upper)
//
// that is min(max(.., lower), upper); -infinity and infinity: no bound. NaN
// stays NaN. Column j of the outputs belongs to tile j / M.
//
// REQUIRES: tiles > 0; 1 <= height <= M; (tiles - 1) * M < width <= tiles * M.
struct WinogradOutputF32 {
  size_t channels;
  size_t tiles;
  // Element i of [A][A] of tile k has its `channels` floats from m + i *
  // m_stride + k * tile_stride on, without gaps.
  const float* m;
  ptrdiff_t m_stride;
  ptrdiff_t tile_stride;  // between the tiles of m, in floats
  const float* bias;      // `channels` floats; null: zeros
  // Channel 0 of line 0 and column 0 of the first tile. Channels are adjacent.
  float* y;
  ptrdiff_t line_stride, pixel_stride;  // of y, in floats
  size_t height;  // lines of a tile that are written, 1 to M
  size_t width;   // columns of all tiles together; only the last may be cut
  float lower, upper;
};

// One input channel of the filters of n adjacent output channels. Vectors hold
// output channels, because the GEMM reads panels of them.
struct WinogradFilterF32 {
  size_t n;
  // [9][taps_stride], of whose rows the first n floats are read. Tap 3 r + s is
  // that of line r and column s of the filter.
  const float* taps;
  ptrdiff_t taps_stride;
  // Element i of [A][A] has its n floats from u + i * u_stride on.
  float* u;
  ptrdiff_t u_stride;
};

// Each function is for one M (WinogradF32Set); its argument does not contain M.
using WinogradInputF32Fn = void(const WinogradInputF32& tile);
using WinogradOutputF32Fn = void(const WinogradOutputF32& tile);
using WinogradFilterF32Fn = void(const WinogradFilterF32& filters);

// The functions of one instruction set: element M / 2 - 1 of an array is the
// function for M = 2, 4 or 6. Results of different sets differ in the last
// bits.
struct WinogradF32Set {
  int lanes;  // floats in a vector; see WinogradInputF32::group_stride
  WinogradInputF32Fn* input[3];
  WinogradOutputF32Fn* output[3];
  WinogradFilterF32Fn* filter[3];
};

extern const WinogradF32Set winograd_f32__scalar, winograd_f32__avx2,
    winograd_f32__avx512, winograd_f32__neon, winograd_f32__aarch64;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_H_
