// RowFinish: what is left to do to the rows of a matrix product: an activation
// that is no clamp, the sum of a residual block.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_ROW_FINISH_H_
#define MACE_CPU_CONV_ROW_FINISH_H_

#include "mace/cpu/common/activation.h"
#include "mace/cpu/ukernels/binary/binary_f32_table.h"

namespace mace::cpu {

class RowFinish {
 public:
  // `activation` of the product, whose clamp is done before; `sum_activation`
  // of the sum with an addend.
  RowFinish(const ActivationFunction& activation,
            const ActivationFunction& sum_activation, CpuFeatures features);

  // Whether there is anything to do, with an addend or without.
  bool Needed(bool addend) const { return addend || !activation_.is_clamp(); }

  // On m rows of n floats, `stride` apart, in place. The addend, or null, has
  // rows as far apart.
  void Run(int64_t m, int64_t n, int64_t stride, const float* addend,
           float* c) const;

 private:
  void RunRow(int64_t n, const float* addend, float* c) const;

  ActivationFunction activation_, sum_activation_;
  Activator activator_, sum_activator_;
  BinaryF32Fn* add_;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_ROW_FINISH_H_
