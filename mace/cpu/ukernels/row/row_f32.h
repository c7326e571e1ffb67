// f32 row micro-kernels: functions of the contiguous elements of a row, for
// normalizations, PRelu, Resize, Softmax, attention and rotary embeddings.
// SPDX-License-Identifier: Apache-2.0
//
// The caller cuts its tensor into rows; a row is a run of elements that are
// adjacent in memory, such as the channels of a pixel, and in
// SoftmaxColumnsF32Args several columns. Operands have n elements where no
// other number is stated. n may be 0 where no minimum is stated.
//
// Operands need only the alignment of a float, and are read and written up to
// their end, not beyond. y may be x where its comment is 'may be x': then each
// element of x is read before it is overwritten. Otherwise, y overlaps no
// operand.
#ifndef MACE_CPU_UKERNELS_ROW_ROW_F32_H_
#define MACE_CPU_UKERNELS_ROW_ROW_F32_H_

#include <cstddef>

namespace mace::cpu {

// For batch and instance normalization, and biases.
struct AffineF32Args {
  size_t n;
  const float* x;
  // One for each element: the caller repeats those of channels along the row.
  const float* scale;
  const float* offset;
  float lower, upper;
  float* y;  // may be x
};

// For PRelu, with the slope of each element.
struct PreluF32Args {
  size_t n;
  const float* x;
  const float* alpha;
  float* y;  // may be x
};

// For bilinear Resize: the channels of four pixels.
struct MixF32Args {
  size_t n;
  const float* x[4];
  float weight[4];
  float* y;
};

// For LocalResponseNorm across channels (Krizhevsky, Sutskever and Hinton,
// ImageNet Classification with Deep Convolutional Neural Networks, 2012,
// section 3.3). squares[i .. i + window) are the squares in the window of
// element i:
//
//   x              a b c d e             window 3, one before and one after
//   squares    0 a2 b2 c2 d2 e2 0        0 where there is no element
//              |----|                    for a
//                |----|                  for b
struct LrnF32Args {
  size_t n;
  const float* x;
  const float* squares;  // n + window - 1
  size_t window;
  float bias, alpha;    // alpha is not divided by the window
  bool three_quarters;  // the exponent is 3/4, else 1/2
  float* y;
};

// For Exp, and short rows of Softmax. The error is at most 2 ulp (simd/math.h).
struct ExpF32Args {
  size_t n;
  const float* x;
  float* y;  // may be x
};

// One row of n elements (Ba, Kiros and Hinton, Layer Normalization, 2016).
// Mean and variance are computed in double, in two passes: the variance is that
// around the mean already known, not a difference of large sums. Without
// `centered`, the mean counts as 0 and the variance is the mean of squares
// (Zhang and Sennrich, Root Mean Square Layer Normalization, 2019).
struct LayerNormF32Args {
  size_t n;  // > 0
  const float* x;
  const float* scale;   // may be null: 1
  const float* offset;  // may be null: 0
  bool centered;        // whether the mean is subtracted
  double epsilon;
  float* y;  // may be x
};

// For rotary embeddings of the vector of a head (Su et al., RoFormer, 2021,
// section 3.2; there, pairs are adjacent elements). Pairs of elements i and i +
// n are rotated. The angle of element i is at index i of cos and sin, that of
// element i + n at index i + second.
//
//   x, y         a0 a1 a2 ... | b0 b1 b2 ...       2 n elements
//   second = 0   c0 c1 c2 ...                      both use the same angle
//   second = n   c0 c1 c2 ... | d0 d1 d2 ...       each has its own
struct TurnF32Args {
  size_t n;  // pairs
  const float* x;
  const float* cos;  // second + n elements
  const float* sin;  // likewise
  ptrdiff_t second;
  float* y;  // may be x
};

// One row of n elements.
struct SoftmaxRowF32Args {
  size_t n;  // at least 16, the widest vector
  const float* x;
  bool use_log;
  float* y;  // may be x
};

// `columns` adjacent columns of n elements each: Softmax along an axis that is
// not the last one. Vectors hold elements of different columns.
//
//   x   s0 s1 s2 ...      one row, then `stride` elements later the next
//       s0 s1 s2 ...      s0 are one softmax, s1 another
struct SoftmaxColumnsF32Args {
  size_t n;
  size_t columns;
  ptrdiff_t stride;  // elements between rows, in x and in y
  const float* x;
  bool use_log;
  float* y;  // may be x
};

// The functions of one instruction set. Results that are computed from a NaN
// are NaN, except those of `largest`. Limits are not NaN.
struct RowF32Set {
  // y = min(max(x * scale + offset, lower), upper)
  void (*affine)(const AffineF32Args& args);
  // y = x < 0 ? alpha * x : x, also for NaN
  void (*prelu)(const PreluF32Args& args);
  // y = the sum of weight[k] * x[k]
  void (*mix)(const MixF32Args& args);
  // y = x / (bias + alpha * sum of squares)^power. Powers of 1/2 and 3/4 take
  // only square roots; there are no others. NaN where the base is negative.
  void (*lrn)(const LrnF32Args& args);
  // y = e^x
  void (*exp)(const ExpF32Args& args);
  // y = (x - mean) / sqrt(variance + epsilon) * scale + offset
  void (*layer_norm)(const LayerNormF32Args& args);
  // y[i] = x[i] * cos[i] - x[i + n] * sin[i], and
  // y[i + n] = x[i + n] * cos[i + second] + x[i] * sin[i + second]
  void (*turn)(const TurnF32Args& args);
  // Returns the largest of all elements and `least`; `least` if n is 0. NaN
  // elements may be ignored or returned. For attention, whose scores come in
  // tiles: `least` is the largest of those before.
  float (*largest)(size_t n, const float* x, float least);
  // x = e^(x - largest), in place; returns the sum of the results. REQUIRES: no
  // element exceeds `largest`. -infinity becomes 0 if `largest` is finite, NaN
  // if it is -infinity, too.
  float (*exp_sum)(size_t n, float* x, float largest);
};

// The functions of Softmax, in a set of their own so that a library can have
// them without the others. `row` and `columns` subtract the largest element
// first, so that no exponential overflows. Their row or column becomes NaN if
// it contains NaN or +infinity, or nothing but -infinity.
struct SoftmaxF32Set {
  // y = e^(x - max) / sum of e^(x - max), or the logarithm of that
  void (*row)(const SoftmaxRowF32Args& args);
  void (*columns)(const SoftmaxColumnsF32Args& args);
  // y = e^x
  void (*exp)(const ExpF32Args& args);
};

extern const RowF32Set row_f32__scalar, row_f32__avx2, row_f32__avx512,
    row_f32__neon;
extern const SoftmaxF32Set softmax_f32__scalar, softmax_f32__avx2,
    softmax_f32__avx512, softmax_f32__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_ROW_ROW_F32_H_
