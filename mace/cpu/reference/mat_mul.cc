// Matrix products by their definition.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/reference/mat_mul.h"

namespace mace::cpu {

void ReferenceMatMul(int64_t m, int64_t n, int64_t k, ConstMatrix a,
                     ConstMatrix b, const float* bias,
                     const ActivationFunction& activation, float* y) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = bias != nullptr ? bias[j] : 0;
      for (int64_t l = 0; l < k; ++l) {
        sum += double{a.data[i * a.row_stride + l * a.col_stride]} *
               b.data[l * b.row_stride + j * b.col_stride];
      }
      *y++ = static_cast<float>(ReferenceActivation(activation, sum));
    }
  }
}

}  // namespace mace::cpu
