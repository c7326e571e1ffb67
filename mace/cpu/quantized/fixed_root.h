// 1 / sqrt(x) in fixed point.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_QUANTIZED_FIXED_ROOT_H_
#define MACE_CPU_QUANTIZED_FIXED_ROOT_H_

#include <cstdint>

#include "mace/cpu/quantized/fixed_point.h"

namespace mace::cpu {

// Returns 1 / sqrt(x), as TFLite's reference kernels compute it for quantized
// L2 normalization; of numbers below 1 that of 1.
FixedFactor InverseRoot(int32_t x);

}  // namespace mace::cpu

#endif  // MACE_CPU_QUANTIZED_FIXED_ROOT_H_
