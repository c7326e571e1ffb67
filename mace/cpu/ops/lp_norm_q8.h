// L2 norms of codes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_OPS_LP_NORM_Q8_H_
#define MACE_CPU_OPS_LP_NORM_Q8_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Prepares an LpNorm node whose input is quantized i8 or u8. Results are those
// of TFLite's reference kernel, which has no epsilon. Errors: MACE_UNSUPPORTED
// for p other than 2, and outputs of another scale than 1/128 or of a zero
// point other than 0 (i8) and 128 (u8).
Result<KernelPtr> PrepareLpNormQ8(const Node& node, CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_OPS_LP_NORM_Q8_H_
