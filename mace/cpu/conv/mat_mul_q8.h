// Matrix products of quantized values that are both computed.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_MAT_MUL_Q8_H_
#define MACE_CPU_CONV_MAT_MUL_Q8_H_

#include "mace/cpu/conv/mat_mul_kernel.h"

namespace mace::cpu {

// As PrepareMatMul, for operands that are quantized i8 or u8, without a bias
// and an activation. Results are those of TFLite's reference kernel of
// BATCH_MATMUL.
Result<KernelPtr> PrepareMatMulQ8(const Node& node, const MatMulSpec& spec,
                                  CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_MAT_MUL_Q8_H_
