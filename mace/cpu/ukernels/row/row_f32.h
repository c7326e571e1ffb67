// f32 row micro-kernels: functions of the contiguous elements of a row, for
// normalizations, PRelu, Resize, Softmax, attention and rotary embeddings.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_ROW_ROW_F32_H_
#define MACE_CPU_UKERNELS_ROW_ROW_F32_H_

#include <cstddef>

namespace mace::cpu {

// y may be x.
struct AffineF32Args {
  size_t n;
  const float* x;
  const float* scale;
  const float* offset;
  float lower, upper;
  float* y;
};

struct PreluF32Args {
  size_t n;
  const float* x;
  const float* alpha;
  float* y;  // may be x
};

struct MixF32Args {
  size_t n;
  const float* x[4];
  float weight[4];
  float* y;
};

// squares[i .. i + window) are the squares in the window of element i.
struct LrnF32Args {
  size_t n;
  const float* x;
  const float* squares;
  size_t window;
  float bias, alpha;
  bool three_quarters;  // the exponent is 3/4, else 1/2
  float* y;
};

struct ExpF32Args {
  size_t n;
  const float* x;
  float* y;  // may be x
};

// One row of n elements. Sums are of doubles.
struct LayerNormF32Args {
  size_t n;
  const float* x;
  const float* scale;   // may be null: 1
  const float* offset;  // may be null: 0
  bool centered;        // whether the mean is subtracted
  double epsilon;
  float* y;  // may be x
};

// Pairs of elements i and i + n. The angles of the second element of a pair
// begin `second` after those of the first one.
struct TurnF32Args {
  size_t n;
  const float* x;
  const float* cos;
  const float* sin;
  ptrdiff_t second;
  float* y;  // may be x
};

// One row of n elements.
struct SoftmaxRowF32Args {
  size_t n;  // at least 16
  const float* x;
  bool use_log;
  float* y;  // may be x
};

// `columns` adjacent columns of n elements each.
struct SoftmaxColumnsF32Args {
  size_t n;
  size_t columns;
  ptrdiff_t stride;  // elements between rows, in x and in y
  const float* x;
  bool use_log;
  float* y;  // may be x
};

// The functions of one instruction set.
struct RowF32Set {
  // y = min(max(x * scale + offset, lower), upper)
  void (*affine)(const AffineF32Args& args);
  // y = x < 0 ? alpha * x : x
  void (*prelu)(const PreluF32Args& args);
  // y = the sum of weight[k] * x[k]
  void (*mix)(const MixF32Args& args);
  // y = x / (bias + alpha * sum of squares)^power
  void (*lrn)(const LrnF32Args& args);
  // y = e^x
  void (*exp)(const ExpF32Args& args);
  // y = (x - mean) / sqrt(variance + epsilon) * scale + offset
  void (*layer_norm)(const LayerNormF32Args& args);
  // y[i] = x[i] * cos[i] - x[i + n] * sin[i], and
  // y[i + n] = x[i + n] * cos[i + second] + x[i] * sin[i + second]
  void (*turn)(const TurnF32Args& args);
  // Returns the largest element and `least`; NaN may count or not.
  float (*largest)(size_t n, const float* x, float least);
  // x = e^(x - largest), which x must not exceed; returns the sum.
  float (*exp_sum)(size_t n, float* x, float largest);
};

// Those of Softmax, apart so that a library may have them without the others.
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
