// Affine: y = act(x * scale + offset), with the micro-kernels of the CPU.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_AFFINE_H_
#define MACE_CPU_COMMON_AFFINE_H_

#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/ukernels/row/row_f32_table.h"

namespace mace {

// The scale and the offset have an element for each element of x (see
// ChannelBlocks for those of channels). A clamp is part of the micro-kernel;
// another activation is a second pass over y. Immutable after construction. A
// default-constructed object may only be assigned to.
class Affine {
 public:
  Affine() = default;
  Affine(const ActivationFunction& act, CpuFeatures features)
      : row_(&cpu::ChooseRow(cpu::kRowF32, features)),
        lower_(act.lower()),
        upper_(act.upper()) {
    if (!act.is_clamp()) activator_ = Activator(act, features);
  }

  const char* variant() const { return row_->name; }

  // Computes n floats, where `scale` and `offset` have n elements. y may be x.
  // No alignment is needed.
  void Apply(const float* x, const float* scale, const float* offset, int64_t n,
             float* y) const {
    row_->set->affine(
        {static_cast<size_t>(n), x, scale, offset, lower_, upper_, y});
    activator_.Apply(y, n, y);
  }

 private:
  const cpu::RowF32* row_ = nullptr;
  float lower_ = 0, upper_ = 0;
  Activator activator_;  // if it is not a clamp
};

}  // namespace mace

#endif  // MACE_CPU_COMMON_AFFINE_H_
