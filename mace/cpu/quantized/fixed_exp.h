// exp(x) and 1 / x in fixed point.
// SPDX-License-Identifier: Apache-2.0
//
// A number with `b` integer bits is an int32 whose unit is 2^(b - 31). Source:
// the formulas of gemmlowp's fixed-point library.
#ifndef MACE_CPU_QUANTIZED_FIXED_EXP_H_
#define MACE_CPU_QUANTIZED_FIXED_EXP_H_

#include <cstdint>

#include "mace/cpu/quantized/fixed_point.h"

namespace mace::cpu {

// Returns exp(x), without integer bits, of x with 5 integer bits. REQUIRES: x
// <= 0. exp(0) is 2^31 - 1, the largest number below 1.
int32_t FixedExp(int32_t x);

// 1 / x as a fraction with no integer bits, times 2^-bits_over_unit.
struct FixedReciprocal {
  int32_t fraction = 0;
  int bits_over_unit = 0;
};

// REQUIRES: x > 0, with `integer_bits` integer bits.
FixedReciprocal Reciprocal(int32_t x, int integer_bits);

}  // namespace mace::cpu

#endif  // MACE_CPU_QUANTIZED_FIXED_EXP_H_
