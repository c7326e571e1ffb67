// Matrix products by their definition, with sums in double precision.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_REFERENCE_MAT_MUL_H_
#define MACE_CPU_REFERENCE_MAT_MUL_H_

#include <cstdint>

#include "mace/cpu/common/activation.h"

namespace mace::cpu {

// A matrix in memory. Element (i, j) is data[i * row_stride + j * col_stride].
struct ConstMatrix {
  const float* data;
  int64_t row_stride;
  int64_t col_stride;
};

// y[m, n] = act(bias[n] + a[m, k] b[k, n]), rounded once. y is dense, row by
// row, and overlaps no operand; bias may be null. On the calling thread.
void ReferenceMatMul(int64_t m, int64_t n, int64_t k, ConstMatrix a,
                     ConstMatrix b, const float* bias,
                     const ActivationFunction& activation, float* y);

}  // namespace mace::cpu

#endif  // MACE_CPU_REFERENCE_MAT_MUL_H_
