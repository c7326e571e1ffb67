// Sums, differences and products of 8-bit codes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_QUANTIZED_ELTWISE_Q8_H_
#define MACE_CPU_QUANTIZED_ELTWISE_Q8_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// SUM, SUB and PROD in fixed point, as TFLite computes ADD, SUB and MUL; MIN
// and MAX of operands that are quantized as the output is. Errors:
// MACE_UNSUPPORTED for other types, and for other activations than NOOP, RELU
// and RELUX.
Result<KernelPtr> PrepareEltwiseQ8(const Node& node, CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_QUANTIZED_ELTWISE_Q8_H_
