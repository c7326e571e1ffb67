// The parameters of each op of the DSP, in the order of a node's words.
// SPDX-License-Identifier: Apache-2.0
//
// "Inputs", "output" and "scratch" are a node's operands, in this order.
// Tensors are dense and row-major unless there are strides, images NHWC.
// Quantized values are int8 if `is_signed` is 1, uint8 if it is 0, for all
// operands of a node; other flags are 0 or 1 too. Real factors come as
// fixed-point numbers: mantissa * 2^(exponent - 31), as TFLite has them.
// OpDef::check of each op (executor/ops) has the limits of its parameters.
#ifndef MACE_HEXAGON_PROTOCOL_OPS_H_
#define MACE_HEXAGON_PROTOCOL_OPS_H_

#include <stdint.h>

namespace mace::hexagon {

// One axis of a window that slides: output `o` reads in[o * stride + t *
// dilation - pad] for the taps t < kernel that lie inside of the input.
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
// The filter has, for each group and block of 32 outputs, depth/4 vectors: lane
// n, byte j of vector i is the quantized value for output n, input k = 4 * i +
// j, plus an offset that makes it unsigned. Inputs are numbered as a patch has
// them: row by row of the window, column by column, channel by channel. Outputs
// and inputs that only fill up a block have the value of `filter_offset`. The
// stage has, for each group and block, 32 first sums (bias - x's zero point *
// sum of the filter's values less its zero point), mantissas, and exponents.
//
//   vector 0                            vector 1
//   | n=0: k0 k1 k2 k3 | n=1: k0 .. |   | n=0: k4 k5 k6 k7 | n=1: k4 .. |  ...
struct ConvParams {
  int32_t batch;
  WindowParams h, w;
  int32_t groups;
  int32_t in_per_group, out_per_group;
  int32_t depth;  // of a row: taps * in_per_group, rounded up to 8
  int32_t x_zero_point;
  int32_t filter_offset;  // zero point of the packed filter, 0 to 255
  int32_t is_signed;
  int32_t has_left_shifts;  // some exponent is not in -31..-1
  int32_t rounds_once;      // sums are rounded once, not twice
  int32_t rows;             // output pixels computed together: 8, 16, 32
  OutputRange y;
};
constexpr int32_t kConvRows = 32;  // the most

// inputs: x [batch, h.in, w.in, channels], packed filter, stage; output y;
// scratch (DepthwiseScratch). Channels are in blocks of 128. The filter has,
// for each block, column, group of 4 rows and pass, 4 vectors: lane n of vector
// q, byte j is the value, less the zero point, of row j of the group for
// channel 32 * q + n of the block, as int8; 0 for rows that are not there.
// Values of 9 bits are the sum of those of two passes. The stage is as that of
// kConv, 4 blocks of 32 for each block of channels. If 128 is a multiple of the
// channels, these repeat in the filter and the stage.
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

// inputs: x [batch, h.in, w.in, channels]; output y: the largest value (is_max)
// or the mean of those taps that lie inside of x, rounded half away from zero,
// clamped to least..most. x and y have the same scale and zero point.
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
constexpr int kBinarySumBits = 20, kBinaryDifferenceBits = 7;
// inputs a, b; output y, dense, of shape `extents`: strides in bytes of a and b
// are 0 along what is repeated. With s and t the values of a and b less their
// zero points, and * by a factor as ScaleAny rounds it, y is
//
//   kAdd, kSub   ((s << kBinarySumBits) * a +- (t << kBinarySumBits) * b) *
//                scale
//   kSqrDiff     ((s << kBinaryDifferenceBits) * a -
//                (t << kBinaryDifferenceBits) * b)^2 * scale
//   kMul         (s t) * scale
//   kPRelu       s >= 0: s * a;  s < 0: (s t) * scale
//   kMin, kMax   of a and b, which have the scale and zero point of y
//
// plus y.zero_point (not for kMin and kMax), clamped. The shifts keep bits that
// the first factors would round away. Source: TFLite's integer kernels of ADD,
// SUB, SQUARED_DIFFERENCE, MUL and PRELU.
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

// inputs x, table of 256 bytes indexed by the byte of x (as uint8, also of
// int8); output y. `bytes` of x and y.
struct LookupParams {
  int32_t bytes;
};

// output y: `bytes` bytes from `offset` on.
struct FillParams {
  int32_t offset, bytes, value;
};

// inputs x; output y. Copies runs of `run` bytes: for every index of `extents`,
// from x_offset + index * x_strides to y_offset + index * y_strides, all in
// bytes. Strides may be negative or 0; runs in y must not overlap. Axes that
// are not there are of extent 1, outermost: the first other one is dealt out to
// slices. y may have other bytes, which stay.
struct MoveParams {
  int32_t extents[5];
  int32_t run;
  int32_t x_offset, x_strides[5];
  int32_t y_offset, y_strides[5];
};

// inputs x [outer, in, inner bytes], indices i32[out]; output y [outer, out,
// inner bytes]. Indices out of range are limited to 0..in - 1.
struct GatherParams {
  int32_t outer, in, out, inner;
};

// inputs x [outer, n, inner]; output y [outer, inner]: (sum of n quantized
// values - bias) * scale + y.zero_point, clamped. `bias` is n * x's zero point;
// for a mean `scale` has the division by n.
struct ReduceParams {
  int32_t outer, n, inner;
  int32_t bias;
  FixedParams scale;
  int32_t is_signed;
  OutputRange y;
};

// inputs x [rows, n], table i32[256]: exponentials of the differences 0, -1,
// ... to the largest value of a row, without integer bits (MakeSoftmaxTable);
// output y with scale 1/256 and the least value as its zero point. Exponentials
// of differences below `least_difference` count as 0. n is at most 4095, so
// that sums fit 12 integer bits.
struct SoftmaxParams {
  int32_t rows, n;
  int32_t least_difference;
  int32_t is_signed;
};

// inputs x [batch, in_h, in_w, channels], rows i32[out_h][3], columns
// i32[out_w][3]: the two indices and the weight of the second, of 1024; output
// y [batch, out_h, out_w, channels], with x's scale and zero point.
// kResizeBilinear takes int8. For kResizeBilinearReal, weights are the bits of
// floats, and quantized values are uint8: as TFLite, which computes these in
// floats.
struct ResizeParams {
  int32_t batch, in_h, in_w, out_h, out_w, channels;
};

// inputs a, b; output y [batch, m, n]; scratch (MatMulScratch). a has matrices
// [m, k], b has [k, n], or [n, k] if `b_has_lines`. Strides count matrices
// along the axes of `batch`, and are 0 where an operand repeats. y = (sum over
// k of (a - a_zero_point) * (b - b_zero_point)) * scale + y.zero_point,
// clamped.
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
// `is_wide`: where the largest quantized value is, or the least one if
// `is_min`; of several the first, or the last if `is_last`.
struct ArgMaxParams {
  int32_t outer, n, inner;
  int32_t is_min, is_last, is_signed, is_wide;
};

// inputs x f32[n], limits; output y. The quantized value is zero_point plus or
// minus the largest k with limit[k] <= |x|, clamped; that of a NaN is y.least.
// `limits` has 256 floats, their bytes in four planes: first the lowest byte of
// each. limit[0] is 0. `inverse` is 1 / scale, a factor with an exponent of
// -128 to 128, from which k is estimated; the estimate is k or k + 1, so that
// one comparison decides.
struct QuantizeParams {
  int32_t n;
  FixedParams inverse;
  int32_t is_signed;
  OutputRange y;
};

// inputs x, table of 256 words in four planes of bytes; output y, words. n
// quantized values, as uint8 indices. Dequantizes: the words are the bits of
// floats.
struct LookupWordsParams {
  int32_t n;
};

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_PROTOCOL_OPS_H_
