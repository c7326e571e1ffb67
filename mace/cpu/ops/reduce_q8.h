// Means, sums, maxima and minima of quantized values.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_OPS_REDUCE_Q8_H_
#define MACE_CPU_OPS_REDUCE_Q8_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Prepares a Reduce node whose input is quantized i8 or u8. Results are those
// of TFLite's reference kernels. Errors: MACE_UNSUPPORTED for types other than
// MEAN, SUM, MAX and MIN, for MAX and MIN if the output is quantized
// differently, and for an input without elements.
Result<KernelPtr> PrepareReduceQ8(const Node& node, CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_OPS_REDUCE_Q8_H_
