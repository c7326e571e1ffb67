// Products of floats with weights stored as int8 or int4, of which no whole
// copy in floats is ever made.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_MAT_MUL_WEIGHTS_Q8_H_
#define MACE_CPU_CONV_MAT_MUL_WEIGHTS_Q8_H_

#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Prepares act(x * w^T + bias) with x [m, k] and w, input 1, [n, k] stored as
// quantized values. A few rows of w at a time become floats: for few rows of x
// they are multiplied at once, for more they are packed for the micro-kernels
// of matrix products. REQUIRES: HasCodeRows(w), and m, n and k above 0.
Result<KernelPtr> PrepareMatMulWeightsQ8(const Node& node, int64_t m,
                                         const ActivationFunction& activation,
                                         CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_MAT_MUL_WEIGHTS_Q8_H_
