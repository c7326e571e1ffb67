// Pooling of quantized values.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_POOLING_POOLING_Q8_H_
#define MACE_CPU_POOLING_POOLING_Q8_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Prepares a Pooling node whose input is quantized i8, u8 or i16. Means of
// quantized values round half away from zero, whatever the zero point is, as
// TFLite's do. Errors: MACE_UNSUPPORTED for L2 pooling, for means that count
// the padding, and for other activations than NOOP, RELU and RELUX.
Result<KernelPtr> PreparePoolingQ8(const Node& node, CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_POOLING_POOLING_Q8_H_
