// RowFinish: what is left to do to the rows of a matrix product: an activation
// that is no clamp, the sum of a residual block.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_ROW_FINISH_H_
#define MACE_CPU_CONV_ROW_FINISH_H_

#include "mace/cpu/common/activation.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/binary/binary_f32_table.h"

namespace mace::cpu {

class RowFinish {
 public:
  // `activation` of the product, whose clamp is done before; `sum_activation`
  // of the sum with an addend. `type`: of the rows. REQUIRES: neither is any
  // for integers, to whose sums requantization does what there is to do.
  RowFinish(const ActivationFunction& activation,
            const ActivationFunction& sum_activation, CpuFeatures features,
            Element type = Element::kF32);

  // Whether there is anything to do, with an addend or without.
  bool Needed(bool addend) const { return addend || !activation_.is_clamp(); }

  // On m rows of n elements, `stride` apart, in place. The addend, or null, has
  // rows as far apart.
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
  BinaryF16Fn* add_f16_;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_ROW_FINISH_H_
