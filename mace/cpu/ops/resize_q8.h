// Bilinear interpolation of codes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_OPS_RESIZE_Q8_H_
#define MACE_CPU_OPS_RESIZE_Q8_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Prepares a Resize node of mode LINEAR whose input is quantized i8 or u8.
// Results are those of TFLite's reference kernel: integers with 10 fraction
// bits for i8, floats for u8. Errors: MACE_UNSUPPORTED for scales in place of a
// size, and for coordinates other than ASYMMETRIC, HALF_PIXEL and
// ALIGN_CORNERS.
Result<KernelPtr> PrepareResizeQ8(const Node& node, CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_OPS_RESIZE_Q8_H_
