// The implementation of the Softmax micro-kernels: one pass for the largest
// element, one for the exponentials and their sum, and one for the quotients.
// SPDX-License-Identifier: Apache-2.0
//
// For a row, vectors hold elements of it, and the sum at the end adds lanes:
//
//   max = the largest element                         read x
//   y = e^(x - max), sum += y                         read x, write y
//   y = y * (1 / sum)                                 read y, write y
//
// For columns, each lane is a column of its own, and the passes go down the
// rows, with up to four vectors side by side:
//
//   rows   |v0      v1      v2      v3     |  max and sum of four vectors of
//          |v0      v1      v2      v3     |  columns stay in registers
//          ...
//
// The logarithm of softmax is x - max - log(sum), without the quotients.
#ifndef MACE_CPU_UKERNELS_ROW_ROW_F32_SOFTMAX_H_
#define MACE_CPU_UKERNELS_ROW_ROW_F32_SOFTMAX_H_

#include "mace/cpu/ukernels/row/row_f32.h"
#include "mace/cpu/ukernels/row/row_f32_access.h"

namespace mace::cpu {
namespace {

// Returns the largest element. If the row contains NaN, returns NaN or the
// largest of the others (-infinity if there is none); either makes the sum of
// the row NaN. There are four maxima, so that none waits for the one before.
// REQUIRES: n >= kLanes.
float LargestInRow(const float* x, size_t n) {
  const F32 none = Set1(-__builtin_inff());
  F32 max[4] = {none, none, none, none};
  size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
#pragma GCC unroll 4
    for (size_t k = 0; k < 4; ++k) {
      max[k] = simd::Max(simd::Load(x + i + k * kLanes), max[k]);
    }
  }
  for (; i + kLanes <= n; i += kLanes) {
    max[0] = simd::Max(simd::Load(x + i), max[0]);
  }
  // The last vector may overlap the one before.
  max[1] = simd::Max(simd::Load(x + n - kLanes), max[1]);
  return simd::Largest(
      simd::Max(simd::Max(max[0], max[1]), simd::Max(max[2], max[3])));
}

// SoftmaxF32Set::row. Every element of x is read before y at its index is
// written.
void SoftmaxRow(const SoftmaxRowF32Args& args) {
  const F32 max = Set1(LargestInRow(args.x, args.n));
  F32 sums = Set1(0);
  if (args.use_log) {
    // The exponentials of a vector: loading a partial one adds zeros.
    float left[kLanes];
    ForEachVector(args.n, [&](size_t i, auto access) {
      const F32 e = simd::ExpOfNegative(access.Load(args.x + i) - max);
      access.Store(left, e);
      sums = sums + access.Load(left);
    });
    const F32 log_sum = Set1(__builtin_logf(simd::Sum(sums)));
    ForEachVector(args.n, [&](size_t i, auto access) {
      access.Store(args.y + i, access.Load(args.x + i) - max - log_sum);
    });
    return;
  }
  // The stored values are loaded again and summed: a partial load adds zeros,
  // where e^(x - max) of the zeros that were loaded before would count.
  ForEachVector(args.n, [&](size_t i, auto access) {
    access.Store(args.y + i,
                 simd::ExpOfNegative(access.Load(args.x + i) - max));
    sums = sums + access.Load(args.y + i);
  });
  const F32 scale = Set1(1 / simd::Sum(sums));
  ForEachVector(args.n, [&](size_t i, auto access) {
    access.Store(args.y + i, access.Load(args.y + i) * scale);
  });
}

// Computes kVectors adjacent vectors of columns, the last of them through
// `access`. x and y point to the first row. Results of lanes of a partial
// vector that are not columns are not stored.
template <size_t kVectors, typename Access>
void SoftmaxVectors(const SoftmaxColumnsF32Args& args, const float* x, float* y,
                    const Access& access) {
  const auto load = [&access](const float* p, size_t k) {
    return k + 1 < kVectors ? simd::Load(p + k * kLanes)
                            : access.Load(p + k * kLanes);
  };
  const auto store = [&access](float* p, size_t k, F32 v) {
    k + 1 < kVectors ? simd::Store(p + k * kLanes, v)
                     : access.Store(p + k * kLanes, v);
  };
  const ptrdiff_t stride = args.stride;
  const auto rows = static_cast<ptrdiff_t>(args.n);
  F32 max[kVectors], sum[kVectors];
#pragma GCC unroll 4
  for (size_t k = 0; k < kVectors; ++k) {
    max[k] = Set1(-__builtin_inff());
    sum[k] = Set1(0);
  }
  for (ptrdiff_t r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (size_t k = 0; k < kVectors; ++k) {
      max[k] = simd::Max(load(x + r * stride, k), max[k]);
    }
  }
  for (ptrdiff_t r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (size_t k = 0; k < kVectors; ++k) {
      const F32 d = load(x + r * stride, k) - max[k];
      const F32 e = simd::ExpOfNegative(d);
      sum[k] = sum[k] + e;
      // The logarithm needs the distance again, not its exponential.
      store(y + r * stride, k, args.use_log ? d : e);
    }
  }
  // From here on, `sum` is its logarithm, lane by lane, or its reciprocal.
  if (args.use_log) {
    float sums[kVectors * kLanes];
#pragma GCC unroll 4
    for (size_t k = 0; k < kVectors; ++k) {
      simd::Store(sums + k * kLanes, sum[k]);
    }
    for (float& s : sums) s = __builtin_logf(s);
#pragma GCC unroll 4
    for (size_t k = 0; k < kVectors; ++k) {
      sum[k] = simd::Load(sums + k * kLanes);
    }
  } else {
#pragma GCC unroll 4
    for (size_t k = 0; k < kVectors; ++k) sum[k] = Set1(1) / sum[k];
  }
  for (ptrdiff_t r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (size_t k = 0; k < kVectors; ++k) {
      const F32 v = load(y + r * stride, k);
      store(y + r * stride, k, args.use_log ? v - sum[k] : v * sum[k]);
    }
  }
}

// SoftmaxF32Set::columns: four vectors of columns at a time, then one, then a
// partial one.
void SoftmaxColumns(const SoftmaxColumnsF32Args& args) {
  size_t c = 0;
  for (; c + 4 * kLanes <= args.columns; c += 4 * kLanes) {
    SoftmaxVectors<4>(args, args.x + c, args.y + c, Whole());
  }
  for (; c + kLanes <= args.columns; c += kLanes) {
    SoftmaxVectors<1>(args, args.x + c, args.y + c, Whole());
  }
  if (c < args.columns) {
    SoftmaxVectors<1>(args, args.x + c, args.y + c, Part{args.columns - c});
  }
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_ROW_ROW_F32_SOFTMAX_H_
