// Softmax of 8-bit codes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_OPS_SOFTMAX_Q8_H_
#define MACE_CPU_OPS_SOFTMAX_Q8_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// In fixed point, as TFLite's reference kernel. Errors: MACE_UNSUPPORTED for
// use_log, and for an output whose codes are not 1/256 apart, beginning with 0
// at the least code.
Result<KernelPtr> PrepareSoftmaxQ8(const Node& node, CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_OPS_SOFTMAX_Q8_H_
