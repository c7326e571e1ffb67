// Completes rows of a matrix product.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/gemm/row_finish.h"

#include "mace/base/cpu_rows.h"
#include "mace/cpu/common/choose.h"

namespace mace::cpu {

RowFinish::RowFinish(const ActivationFunction& activation,
                     const ActivationFunction& sum_activation,
                     CpuFeatures features, Element type)
    : activation_(activation),
      sum_activation_(sum_activation),
      activator_(activation, features),
      sum_activator_(sum_activation, features),
      type_(type),
      add_f32_(ChooseRow(kBinaryAddF32, features).set->run) {
  if constexpr (kHas16BitKernels) {
    add_f16_ = ChooseRow(kBinaryAddF16, features).set->run;
  }
}

void RowFinish::Run(int64_t m, int64_t n, int64_t stride, const void* addend,
                    void* c) const {
  // Rows without gaps are processed as one.
  if (n == stride) {
    n *= m;
    m = 1;
  }
  if (type_ == Element::kF32) {
    RunRows(add_f32_, m, n, stride, static_cast<const float*>(addend),
            static_cast<float*>(c));
  } else if (type_ == Element::kF16) {
    RunRows(add_f16_, m, n, stride, static_cast<const uint16_t*>(addend),
            static_cast<uint16_t*>(c));
  }
}

template <typename T>
void RowFinish::RunRows(BinaryFn<T>* add, int64_t m, int64_t n, int64_t stride,
                        const T* addend, T* c) const {
  for (int64_t r = 0; r < m; ++r, c += stride) {
    if (!activation_.is_clamp()) activator_.Apply(c, n, c);
    if (addend == nullptr) continue;
    add({static_cast<size_t>(n), c, addend, false, false, c,
         sum_activation_.lower(), sum_activation_.upper()});
    if (!sum_activation_.is_clamp()) sum_activator_.Apply(c, n, c);
    addend += stride;
  }
}

}  // namespace mace::cpu
