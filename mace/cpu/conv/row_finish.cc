// Finishing rows of a matrix product.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/conv/row_finish.h"

#include "mace/cpu/common/choose.h"

namespace mace::cpu {

RowFinish::RowFinish(const ActivationFunction& activation,
                     const ActivationFunction& sum_activation,
                     CpuFeatures features)
    : activation_(activation),
      sum_activation_(sum_activation),
      activator_(activation, features),
      sum_activator_(sum_activation, features),
      add_(ChooseRow(kBinaryF32, features).set->add) {}

void RowFinish::Run(int64_t m, int64_t n, int64_t stride, const float* addend,
                    float* c) const {
  // Rows without a gap between them are finished as one.
  if (n == stride) {
    n *= m;
    m = 1;
  }
  for (int64_t r = 0; r < m; ++r, c += stride) {
    RunRow(n, addend, c);
    if (addend != nullptr) addend += stride;
  }
}

void RowFinish::RunRow(int64_t n, const float* addend, float* c) const {
  if (!activation_.is_clamp()) activator_.Apply(c, n, c);
  if (addend == nullptr) return;
  add_({static_cast<size_t>(n), c, addend, false, false, c,
        sum_activation_.lower(), sum_activation_.upper()});
  if (!sum_activation_.is_clamp()) sum_activator_.Apply(c, n, c);
}

}  // namespace mace::cpu
