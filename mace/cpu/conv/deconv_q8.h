// Transposed convolutions of codes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_DECONV_Q8_H_
#define MACE_CPU_CONV_DECONV_Q8_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/kernel.h"
#include "mace/ops/common/window.h"

namespace mace::cpu {

// Prepares a Deconv2d node whose input 0 is quantized i8 or u8. Results are
// those of TFLite's reference kernel of TRANSPOSE_CONV. Errors:
// MACE_UNSUPPORTED for filters and biases that are not constant, and for
// activations other than NOOP, RELU and RELUX.
Result<KernelPtr> PrepareDeconvQ8(const Node& node, CpuContext& context);

// Returns the input that tap `k` of output `i` reads; -1 for none.
inline int64_t DeconvInputOf(const Window& w, int64_t i, int64_t k) {
  const int64_t at = i + w.pad_before - k * w.dilation;
  if (at < 0 || at % w.stride != 0) return -1;
  return at / w.stride < w.in ? at / w.stride : -1;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_DECONV_Q8_H_
