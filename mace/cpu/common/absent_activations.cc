// A library without the kernels `activations`.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/activation.h"

namespace mace {

void Activator::Choose(const ActivationFunction& f, CpuFeatures) {
  name_ = "scalar";
  defined_ = f;
}

void Activator::Apply(const float* x, int64_t n, float* y) const {
  if (fn_ != nullptr) return fn_({static_cast<size_t>(n), x, y, a_, b_});
  if (defined_.is_clamp()) return;
  for (int64_t i = 0; i < n; ++i) {
    y[i] = static_cast<float>(ReferenceActivation(defined_, x[i]));
  }
}

}  // namespace mace
