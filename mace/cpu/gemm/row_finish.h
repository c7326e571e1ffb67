// RowFinish: completes the rows of a matrix product: applies an activation that
// is not a clamp, and adds the other input of a residual block.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_GEMM_ROW_FINISH_H_
#define MACE_CPU_GEMM_ROW_FINISH_H_

#include "mace/cpu/common/activation.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/binary/binary_f32_table.h"

namespace mace::cpu {

// Immutable; threads share it. Adding and clamping are one pass of a
// micro-kernel.
class RowFinish {
 public:
  // `activation` is that of the product; if it is a clamp, it has already been
  // applied. `sum_activation` is that of the sum with an addend. `type` is the
  // element type of the rows. REQUIRES: integer rows have neither, because
  // requantization clamps them.
  RowFinish(const ActivationFunction& activation,
            const ActivationFunction& sum_activation, CpuFeatures features,
            Element type = Element::kF32);

  // Returns whether Run has anything to do.
  bool Needed(bool addend) const { return addend || !activation_.is_clamp(); }

  // Completes m rows of n elements in place: c = sum_activation(activation(c) +
  // addend), without the sum if the addend is null. Rows are `stride` elements
  // apart, also those of the addend.
  void Run(int64_t m, int64_t n, int64_t stride, const void* addend,
           void* c) const;

 private:
  template <typename T>
  void RunRows(BinaryFn<T>* add, int64_t m, int64_t n, int64_t stride,
               const T* addend, T* c) const;

  ActivationFunction activation_, sum_activation_;
  Activator activator_, sum_activator_;
  Element type_;
  BinaryF32Fn* add_f32_;
  BinaryF16Fn* add_f16_ = nullptr;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_GEMM_ROW_FINISH_H_
