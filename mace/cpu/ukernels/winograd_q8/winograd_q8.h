// Micro-kernels of Winograd's F(4x4, 3x3) for 8-bit values, in exact integers.
// SPDX-License-Identifier: Apache-2.0
//
// Outputs are computed in tiles of 4x4, each from 6x6 pixels of the input. With
// the matrices of Lavin and Gray (2015) whose fractions are cleared,
//
//   v = B d B'   in 16 bits: quantized values are at most 128 from 0, so 12800
//   at most u = G g G'   in 16 bits: quantized values minus a zero point, so 49
//   * 255 at most m = sum over channels of u * v, element by element z = A m A'
//
// where the rows of G are (1 0 0), (1 1 1), (1 -1 1), (1 2 4), (1 -2 4) and
// (0 0 1). Element (i, j) of z is 9 * 2^(s_i + s_j) times the sum of products
// that a direct convolution has, with s = (3, 2, 1, 1). All of it wraps around
// at 32 bits, where 9 has an inverse: the sum is (z * inverse) shifted right,
// and exact if it is in [-2^25, 2^25).
#ifndef MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_H_
#define MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

constexpr size_t kWinogradQ8Out = 4;    // lines and columns of a tile's output
constexpr size_t kWinogradQ8In = 6;     // of its input
constexpr size_t kWinogradQ8Area = 36;  // of elements

// Transforms a tile's input. Channels of v come in groups of `lanes` (see the
// table), of which the last may be filled with anything.
struct WinogradQ8Input {
  size_t channels;
  const uint8_t* const* pixels;  // [6][6]
  uint8_t flip;  // each value is xor-ed with it: to signed values
  int16_t* v;    // element i of group g is at v + i * element + g * group
  size_t element, group;
};
using WinogradQ8InputFn = void(const WinogradQ8Input& tile);

// c = a * b for one of the 36 elements.
struct WinogradQ8Gemm {
  size_t m;          // tiles that are wanted, in [1, mr]
  size_t depth;      // channels, rounded up to a multiple of the row's `step`
  const int16_t* a;  // [ceil(depth / lanes)][mr][lanes]
  const int16_t* b;  // [depth / group][nr][group]; 0 for channels added
  int32_t* c;        // [mr][nr], 64-byte aligned; all may be written
};
using WinogradQ8GemmFn = void(const WinogradQ8Gemm& product);

// Transforms the products of tiles that are side by side to sums.
struct WinogradQ8Output {
  size_t tiles;
  const int32_t* m;  // element i of tile t is at m + i * element + t * nr
  size_t element;
  const int32_t* start;  // nr: added to the sums
  int32_t* sums;         // [4][4 * tiles][nr], 64-byte aligned
};
using WinogradQ8OutputFn = void(const WinogradQ8Output& tiles);

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
