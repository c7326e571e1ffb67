// Micro-kernels of Winograd's F(4x4, 3x3) for 8-bit values, in exact integers.
// SPDX-License-Identifier: Apache-2.0
//
// Outputs are computed in tiles of 4x4, each from 6x6 pixels of the input. With
// the matrices of Lavin and Gray (2015) whose fractions are cleared,
//
//   v = B d B'   int16: values of d are at most 128 from 0, the magnitudes of a
//                row of B add up to 10 at most, so that |v| <= 12800
//   u = G g G'   int16: values of g, less their zero point, are in [-255, 255],
//                a row of G adds up to 7 at most, so that |u| <= 49 * 255
//   m = sum over channels of u * v, element by element: int32
//   z = A m A'   int32
//
// where the rows of G are (1 0 0), (1 1 1), (1 -1 1), (1 2 4), (1 -2 4) and
// (0 0 1), B is the transpose of their B, and A is the transpose of their A
// times the fractions (winograd_q8_transforms.h).
// Element (i, j) of z is 9 * 2^(s_i + s_j) times the sum of products that a
// direct convolution has, with s = (3, 2, 1, 1). All of it wraps around at 32
// bits, where 9 has an inverse: the sum is (z * inverse) shifted right, and
// exact if it is in [-2^25, 2^25), because the shift is by at most 6 bits.
//
// The steps, for a block of tiles and a panel of nr output channels:
//
//   prepare   PackWinogradFilterQ8     g --> u [36][depth / group][nr][group]
//   run       WinogradQ8InputFn        pixels of a tile --> v
//             WinogradQ8GemmFn, 36 x   v[i] * u[i] --> m [36][tiles][nr]
//             WinogradQ8OutputFn       m of a few tiles --> sums
//             RequantizeQ8Fn           sums --> y
//
// v [36][tiles / mr][channels / lanes][mr][lanes] is in the order in which the
// GEMM reads its rows. mr, nr, lanes, step and group are those of the row of
// the table.
//
// Functions keep no state and allocate nothing; any threads may call them at
// the same time. What they write must not overlap what they read. Alignment is
// that of the elements, where no other is stated. Sizes and strides count
// elements. Source of the method: Lavin and Gray, Fast Algorithms for
// Convolutional Neural Networks (2015), section 4.
#ifndef MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_H_
#define MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

constexpr size_t kWinogradQ8Out = 4;    // lines and columns of a tile's output
constexpr size_t kWinogradQ8In = 6;     // of its input
constexpr size_t kWinogradQ8Area = 36;  // of elements

// Transforms a tile's input, v = B d B'. Channels of v come in groups of
// `lanes` (see the table). All lanes of the last group are written; those
// without a channel have values that do not matter, since filters are 0 there
// or depth ends before them.
struct WinogradQ8Input {
  size_t channels;
  // [6][6] pixels of `channels` values each; nothing beyond these is read.
  // Pixels outside the image have the zero point in all channels.
  const uint8_t* const* pixels;
  uint8_t flip;  // each value is xor-ed with it: 0x80 makes uint8 signed
  int16_t* v;    // element i of group g is at v + i * element + g * group
  size_t element, group;
};
using WinogradQ8InputFn = void(const WinogradQ8Input& tile);

// c = a * b for one of the 36 elements: c(i, j) = the sum over k < depth of
// a(i, k) * b(k, j), which wraps around. The first m rows of c are the result.
// All mr rows of a may be read and all mr rows of c written.
struct WinogradQ8Gemm {
  size_t m;      // tiles that are wanted, in [1, mr]
  size_t depth;  // channels, rounded up to a multiple of the row's `step`
  // a(i, k) is element (k / lanes * mr + i) * lanes + k % lanes, b(k, j) is (k
  // / group * nr + j) * group + k % group.
  const int16_t* a;  // [ceil(depth / lanes)][mr][lanes]
  const int16_t* b;  // [depth / group][nr][group]; 0 for channels added
  int32_t* c;        // [mr][nr], 64-byte aligned; all may be written
};
using WinogradQ8GemmFn = void(const WinogradQ8Gemm& product);

// Transforms the products of adjacent tiles to the sums of a direct
// convolution: the inverse of 9 and the shifts are applied.
//
//   sums   |<------- 4 * tiles pixels ------->|
//   line 0 |nr|nr|nr|nr|nr|nr|nr|nr|..        |     pixels 4 t to 4 t + 3 are
//   line 1 |nr|nr|                            |     those of tile t
//   ...
//
// Lines and columns of y that do not exist are computed as well; the caller
// does not requantize them.
struct WinogradQ8Output {
  size_t tiles;
  const int32_t* m;  // element i of tile t is at m + i * element + t * nr
  size_t element;
  // nr: added to the sums. The bias, and what zero points contribute.
  const int32_t* start;
  int32_t* sums;  // [4][4 * tiles][nr], 64-byte aligned
};
using WinogradQ8OutputFn = void(const WinogradQ8Output& tiles);

// The functions of one micro-kernel, all for the mr, nr and lanes of its row.
struct WinogradQ8Set {
  WinogradQ8InputFn* input;
  WinogradQ8GemmFn* product;
  WinogradQ8OutputFn* output;
};

extern const WinogradQ8Set winograd_q8_12x32__avx512vnni,
    winograd_q8_6x16__avxvnni, winograd_q8_6x16__avx2,
    winograd_q8_8x16__aarch64, winograd_q8_4x16__neon, winograd_q8_4x16__scalar;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_H_
