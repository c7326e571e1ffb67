// Arithmetic on two operands of 8-bit values, with broadcasting.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_OPS_ELTWISE_Q8_H_
#define MACE_CPU_OPS_ELTWISE_Q8_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Each prepares a node whose operands are quantized i8 or u8. Results are those
// of TFLite's reference kernels.

// Eltwise of type SUM, SUB, PROD, DIV, SQR_DIFF, MIN or MAX. A quotient by 0 is
// the zero point of y. Errors: MACE_UNSUPPORTED for other types, for MIN and
// MAX unless a, b and y are quantized alike, and for activations other than
// NOOP, RELU and RELUX.
Result<KernelPtr> PrepareEltwiseQ8(const Node& node, CpuContext& context);

Result<KernelPtr> PreparePReluQ8(const Node& node, CpuContext& context);

// Compare. Numbers are compared after they were scaled to a multiple of 1/256.
Result<KernelPtr> PrepareCompareQ8(const Node& node, CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_OPS_ELTWISE_Q8_H_
