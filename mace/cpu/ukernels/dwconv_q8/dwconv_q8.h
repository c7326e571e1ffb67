// Depthwise convolution micro-kernels of 8-bit values: sums of adjacent outputs
// of a line, for a block of channels.
// SPDX-License-Identifier: Apache-2.0
//
// For output i and channel c of the block, over the columns j and lines r of
// the window:
//
//   sums[i][c] = start[c] + sum (x[i * stride + j * dilation][r][first + c]
//                                ^ flip) * w[j][r][c]
//
// The caller has taken the zero point of x (flipped, too) out of the sum: start
// is the bias less zero_point * (sum of w[..][c]), and pixels outside the image
// have the zero point as their value. Sums are requantized by requantize_q8.
//
// Outputs share columns of the input. A micro-kernel first arranges each column
// as its instructions multiply it, then adds up the columns of each output:
//
//   columns  0 1 2 3 4 5          stride 1, kernel 3: 4 outputs, 6 columns
//   output 0 |---|
//   output 3       |---|
//
// Filters are packed for each block of `lanes` channels, as a row of the table
// says: [planes][kernel][ceil(height / group)][lanes][group]; taps and channels
// that do not exist are zero. Elements are filters' quantized values without
// their zero point, in [-255, 255]: those of 16 bits are one plane; those of 8
// bits are the sum of as many planes as it takes.
//
// With group 4, an instruction multiplies four adjacent 8-bit values and adds
// them up to a sum of 32 bits (VPDPBUSD, SDOT): they are four lines of a
// channel. A column of a window of 3 lines, 16 channels:
//
//   w        |r0 r1 r2 0  |r0 r1 r2 0  | ... |r0 r1 r2 0  |
//   scratch  |x0 x1 x2 any|x0 x1 x2 any| ... |x0 x1 x2 any|
//             channel 0    channel 1          channel 15
#ifndef MACE_CPU_UKERNELS_DWCONV_Q8_DWCONV_Q8_H_
#define MACE_CPU_UKERNELS_DWCONV_Q8_DWCONV_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

struct DwconvQ8Tile {
  size_t channels;  // of the block, in [1, lanes]
  size_t width;     // number of outputs, > 0
  size_t height;    // lines of the window
  size_t kernel;    // columns of the window
  size_t planes;
  // Output i reads columns i * stride + j * dilation for j in [0, kernel).
  size_t stride, dilation;
  // Pointers to pixels, [columns][height], to whose channels `first` is added.
  const uint8_t* const* x;
  size_t columns;
  size_t first;
  uint8_t flip;  // each value is xor-ed with it: 0 or 0x80
  const void* w;
  const int32_t* start;  // [lanes]: the sums before anything is added
  int32_t* sums;         // [width][lanes], 64-byte aligned
  // columns * ceil(height / group) * lanes * group elements of `x_bytes`,
  // 64-byte aligned.
  void* scratch;
};

// Sums wrap around at 32 bits. Reads nothing beyond `channels`.
using DwconvQ8Fn = void(const DwconvQ8Tile& tile);

DwconvQ8Fn dwconv_q8_any__scalar, dwconv_q8_any__avx2,
    dwconv_q8_any__avx512vnni, dwconv_q8_any__dotprod, dwconv_q8_any__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_DWCONV_Q8_DWCONV_Q8_H_
