// The parameters of each op of the DSP, in the order of a node's words.
// SPDX-License-Identifier: Apache-2.0
//
// Quantized values are signed or unsigned bytes, by `is_signed`. Real factors
// come as fixed-point numbers: mantissa * 2^(exponent - 31), as TFLite has
// them.
#ifndef MACE_HEXAGON_PROTOCOL_OPS_H_
#define MACE_HEXAGON_PROTOCOL_OPS_H_

#include <stdint.h>

namespace mace::hexagon {

// One axis of a window that slides.
struct WindowParams {
  int32_t in, out, kernel, stride, dilation, pad;  // pad: before
};

// Output quantized values: clamp(scaled + zero_point, least, most).
struct OutputRange {
  int32_t zero_point, least, most;
};

// inputs: x [batch, h.in, w.in, channels], packed filter, stage; output y;
// scratch: patches of `depth` bytes each for `rows` pixels, their sums, and the
// sums of products (ConvScratchBytes in conv_scratch.h).
//
// The filter has, for each group and block of 32 outputs, depth/4 vectors:
// lane n, byte j is the quantized value for output n, input k = 4 * i + j, plus
// an offset that makes it unsigned. The stage has, for each group and block, 32
// first sums, mantissas, and exponents.
struct ConvParams {
  int32_t batch;
  WindowParams h, w;
  int32_t groups;
  int32_t in_per_group, out_per_group;
  int32_t depth;  // of a row: taps * in_per_group, rounded up to 8
  int32_t x_zero_point;
  int32_t filter_offset;  // quantized value that stands for 0
  int32_t is_signed;
  int32_t has_left_shifts;  // some exponent is not in -31..-1
  int32_t rounds_once;      // sums are rounded once, not twice
  int32_t rows;             // output pixels computed together: 8, 16, 32
  OutputRange y;
};
constexpr int32_t kConvRows = 32;  // the most

// inputs: x, packed filter, stage; output y; scratch.
// Channels are in blocks of 128. The filter has, for each block, column,
// `passes`, and group of 4 rows, 4 vectors: lane n, byte j is the quantized
// value of row 4 * i + j for channel n. The quantized values of the passes add
// up to the filter's. If 128 is a multiple of the channels, these repeat in the
// filter and the stage.
struct DepthwiseParams {
  int32_t batch;
  WindowParams h, w;
  int32_t channels;
  int32_t tile;  // channels computed together, a multiple of 128
  int32_t passes;
  int32_t x_zero_point;
  int32_t is_signed;
  int32_t has_left_shifts;
  OutputRange y;
};

// inputs: x; output y.
struct PoolParams {
  int32_t batch;
  WindowParams h, w;
  int32_t channels;
  int32_t is_max;
  int32_t is_signed;
  int32_t least, most;
};

enum BinaryKind : int32_t {
  kAdd,
  kSub,
  kMul,
  kMin,
  kMax,
  kSqrDiff,
  kPRelu,
  kNumBinaryKinds
};
struct FixedParams {
  int32_t mantissa, exponent;
};
// inputs a, b; output y; broadcast to [outer, middle, inner]: strides in bytes
// of a and b are 0 along what is repeated. Of kPRelu, b has the factors of
// quantized values below zero, and `a` the factor of the others.
struct BinaryParams {
  int32_t kind;
  int32_t extents[4];
  int32_t a_strides[4],
      b_strides[4];  // the last: 1, or 0 for a single quantized value
  int32_t a_zero_point, b_zero_point;
  FixedParams a, b, scale;
  int32_t is_signed;
  OutputRange y;
};

// inputs x, table of 256 bytes indexed by the byte of x; output y.
struct LookupParams {
  int32_t bytes;
};

// output y: `bytes` bytes from `offset` on.
struct FillParams {
  int32_t offset, bytes, value;
};

// inputs x; output y. Copies runs of `run` bytes: for every index of
// `extents`, from x_offset + index * x_strides to y_offset + index *
// y_strides.
struct MoveParams {
  int32_t extents[5];
  int32_t run;
  int32_t x_offset, x_strides[5];
  int32_t y_offset, y_strides[5];
};

// inputs x [outer, in, inner bytes], indices i32[out]; output y [outer, out,
// inner bytes].
struct GatherParams {
  int32_t outer, in, out, inner;
};

// inputs x [outer, n, inner]; output y [outer, inner]: sums of quantized
// values, minus `bias`, scaled.
struct ReduceParams {
  int32_t outer, n, inner;
  int32_t bias;
  FixedParams scale;
  int32_t is_signed;
  OutputRange y;
};

// inputs x [rows, n], table i32[256]: exponentials of differences 0, -1, ...;
// output y.
struct SoftmaxParams {
  int32_t rows, n;
  int32_t least_difference;
  int32_t is_signed;
};

// inputs x [batch, h, w, channels], rows i32[out_h][3], columns i32[out_w][3]:
// the two indices and the weight of the second, of 1024; output y. For
// kResizeBilinearReal, weights are floats, and quantized values have no sign.
struct ResizeParams {
  int32_t batch, in_h, in_w, out_h, out_w, channels;
};

// inputs a, b; output y [batch, m, n]; scratch (MatMulScratch). a has matrices
// [m, k], b has [k, n], or [n, k] if `b_has_lines`; strides count matrices.
struct MatMulParams {
  int32_t batch[3];
  int32_t a_strides[3], b_strides[3];
  int32_t m, n, k;
  int32_t b_has_lines;
  int32_t a_zero_point, b_zero_point;
  FixedParams scale;
  int32_t is_signed;
  OutputRange y;
};

// inputs x [outer, n, inner]; output y [outer, inner] of i32, or i64 if
// `is_wide`: where the largest quantized value is, or the least one.
struct ArgMaxParams {
  int32_t outer, n, inner;
  int32_t is_min, is_last, is_signed, is_wide;
};

// inputs x f32[n], limits; output y. The quantized value is zero_point plus or
// minus the largest k with limit[k] <= |x|. `limits` has 256 floats, their
// bytes in four planes: first the lowest byte of each. `inverse` is 1 / scale,
// a factor with any exponent.
struct QuantizeParams {
  int32_t n;
  FixedParams inverse;
  int32_t is_signed;
  OutputRange y;
};

// inputs x, table of 256 words in four planes of bytes; output y, words. n
// quantized values.
struct LookupWordsParams {
  int32_t n;
};

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_PROTOCOL_OPS_H_
