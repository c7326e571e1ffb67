// An activation of 8-bit values and the Eltwise of its input and its result, as
// in x * sigmoid(x): a function of one value, computed by a lookup table.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_FUSED_FUSED_LUT_H_
#define MACE_CPU_FUSED_FUSED_LUT_H_

#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/device.h"

namespace mace::cpu {

// Prepares the kernel of the nodes Activation, Eltwise whose tensors are all
// quantized i8 or u8 and have one shape, and of which the second reads the
// input of the first, too. Its table is what the kernels of the nodes make of
// all values, so that results have the same bits. Errors: MACE_UNSUPPORTED for
// any other nodes; those of the kernels of the nodes.
Result<KernelPtr> PrepareFusedLut(const std::vector<FusedNode>& chain,
                                  CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_FUSED_FUSED_LUT_H_
