// What kernels of matrices should compute, by Eigen in double: code that is not
// ours and no kernel shares.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TESTING_ORACLE_H_
#define MACE_TESTING_ORACLE_H_

#include <cstdint>
#include <vector>

#include "mace/cpu/reference/conv.h"

namespace mace::testing {

// Sums of products, and for each of them the same sum of absolute values, by
// which rounding errors are bounded. Products of floats are exact in double.
struct Sums {
  std::vector<double> values, magnitudes;

  // As floats.
  std::vector<float> floats() const;
};

// Returns the product of the m x k matrix a and the k x n matrix b, dense and
// in row-major order: m x n values. A transposed operand lies as k x m or n x
// k.
Sums MatrixProduct(int64_t m, int64_t n, int64_t k, const float* a,
                   bool transpose_a, const float* b, bool transpose_b);

// y[N, OH, OW, OC] of x[N, H, W, C], filters [OC, C, KH, KW] and, if not null,
// a bias: one matrix product for each tap and row of outputs. REQUIRES: one
// group.
Sums Convolution(const cpu::ConvShape& s, const float* x, const float* w,
                 const float* b);

// Softmax, or its logarithm with `use_log`, of each row of n elements; computed
// in double.
std::vector<float> SoftmaxOfRows(int64_t n, const std::vector<float>& x,
                                 bool use_log);
// scale * (x - mean) / sqrt(variance + epsilon) + offset of each row of n
// elements; scale and offset have n elements each. Computed in double.
std::vector<float> LayerNormOfRows(int64_t n, const std::vector<float>& x,
                                   const std::vector<float>& scale,
                                   const std::vector<float>& offset,
                                   double epsilon);

// Expects floats that are sums of k products each, added in any order. The
// bound is that of Higham and Mary (2019, "A new approach to probabilistic
// rounding error analysis"), min(k, 8 sqrt(k)) roundings of the sum of
// magnitudes, which one of 10^13 elements exceeds, and four roundings more.
void ExpectRounded(const float* got, const Sums& want, int64_t k);

}  // namespace mace::testing

#endif  // MACE_TESTING_ORACLE_H_
