// The micro-kernels for depthwise windows that only some models have.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_DEPTHWISE_WIDE_DWCONV_H_
#define MACE_CPU_DEPTHWISE_WIDE_DWCONV_H_

#include <cstdint>

#include "mace/cpu/ukernels/dwconv/dwconv_f32_table.h"

namespace mace::cpu {

// Returns the row for windows of this width and stride, without dilation, that
// the CPU has and that passes its test. Null: there is none, or this library is
// without the kernels `depthwise`. fp16 rows exist on aarch64 only.
const DwconvF32* WideDwconvF32(int64_t kernel, int64_t stride,
                               CpuFeatures features);
const DwconvF16* WideDwconvF16(int64_t kernel, int64_t stride,
                               CpuFeatures features);

}  // namespace mace::cpu

#endif  // MACE_CPU_DEPTHWISE_WIDE_DWCONV_H_
