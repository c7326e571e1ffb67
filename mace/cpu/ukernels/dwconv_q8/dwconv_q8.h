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
// have the zero point as their value. x ^ flip is read as uint8 by rows that
// `reads_unsigned`, else as int8. requantize_q8.h requantizes the sums.
//
// Outputs share columns of the input. A micro-kernel first arranges each column
// as its instructions multiply it, then adds up the columns of each output:
//
//   columns  0 1 2 3 4 5          stride 1, kernel 3: 4 outputs, 6 columns
//   output 0 |---|
//   output 3       |---|
//
// Filters are packed for each block of `lanes` channels, with the lanes, group
// and w_bytes of the row of the table:
//
//   w  [planes][kernel][ceil(height / group)][lanes][group]
//
// Taps and channels that do not exist are zero. An element is a quantized value
// of the filter less its zero point, in [-255, 255]: of 2 bytes in one plane,
// or the sum of its 1-byte elements in all planes.
//
// With group 4, an instruction multiplies four adjacent 8-bit values and adds
// the products to a 32-bit sum (VPDPBUSD, SDOT). The four values are lines of a
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
  size_t height;    // lines of the window, > 0
  size_t kernel;    // columns of the window, > 0
  size_t planes;    // 1 if w_bytes is 2
  // Output i reads columns i * stride + j * dilation for j in [0, kernel).
  size_t stride, dilation;
  // Pointers to pixels, [columns][height]. The block begins at channel `first`
  // of each pixel.
  const uint8_t* const* x;
  size_t columns;  // (width - 1) * stride + (kernel - 1) * dilation + 1
  size_t first;
  uint8_t flip;  // each value is xor-ed with it: 0 or 0x80
  const void* w;
  const int32_t* start;  // [lanes]: the sums before anything is added
  // [width][lanes], 64-byte aligned. Sums of lanes beyond `channels` are
  // written or not, and mean nothing.
  int32_t* sums;
  // columns * ceil(height / group) * lanes * group elements of `x_bytes`,
  // 64-byte aligned; not used if x_bytes is 0.
  void* scratch;
};

// Sums wrap around at 32 bits. Of a pixel, reads bytes [first, first +
// channels) only. Keeps no state.
using DwconvQ8Fn = void(const DwconvQ8Tile& tile);

DwconvQ8Fn dwconv_q8_any__scalar, dwconv_q8_any__avx2,
    dwconv_q8_any__avx512vnni, dwconv_q8_any__dotprod, dwconv_q8_any__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_DWCONV_Q8_DWCONV_Q8_H_
