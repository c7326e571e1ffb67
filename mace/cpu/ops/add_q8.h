// Sums and differences of quantized tensors of one shape, by micro-kernels.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_OPS_ADD_Q8_H_
#define MACE_CPU_OPS_ADD_Q8_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/quantized/quantization.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Returns the kernel of y = a + b, or a - b, with quantized values in `range`;
// null if the shapes differ or the scale of y is too small for the
// micro-kernels.
KernelPtr MakeAddQ8(const Node& node, bool subtract, QuantizedRange range,
                    CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_OPS_ADD_Q8_H_
