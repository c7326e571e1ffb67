// Functions of 8-bit codes, by a table of all results.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_OPS_ACTIVATION_Q8_H_
#define MACE_CPU_OPS_ACTIVATION_Q8_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// RELU, RELUX, LEAKYRELU and HARDSWISH are computed in fixed point, all others
// in single precision, as TFLite does.
Result<KernelPtr> PrepareActivationQ8(const Node& node, CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_OPS_ACTIVATION_Q8_H_
