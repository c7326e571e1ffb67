// Transposed convolutions of quantized values.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_DECONV_Q8_H_
#define MACE_CPU_CONV_DECONV_Q8_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Prepares a Deconv2d node whose input 0 is quantized i8 or u8. Results are
// those of TFLite's reference kernel of TRANSPOSE_CONV. Errors:
// MACE_UNSUPPORTED for filters and biases that are not constant, and for
// activations other than NOOP, RELU and RELUX.
Result<KernelPtr> PrepareDeconvQ8(const Node& node, CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_DECONV_Q8_H_
