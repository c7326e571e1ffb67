// Matrix products of codes that are both computed.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_MAT_MUL_Q8_H_
#define MACE_CPU_CONV_MAT_MUL_Q8_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Prepares a MatMul node whose operands are quantized i8 or u8. Results are
// those of TFLite's reference kernel of BATCH_MATMUL.
Result<KernelPtr> PrepareMatMulQ8(const Node& node, CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_MAT_MUL_Q8_H_
