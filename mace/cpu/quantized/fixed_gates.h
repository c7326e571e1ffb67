// The sigmoid and the hyperbolic tangent in fixed point of 16 bits.
// SPDX-License-Identifier: Apache-2.0
//
// A number with `b` integer bits is an int16 whose unit is 2^(b - 15). Source:
// the formulas of gemmlowp's fixed-point library; results are compared with
// those of LiteRT's reference kernels.
#ifndef MACE_CPU_QUANTIZED_FIXED_GATES_H_
#define MACE_CPU_QUANTIZED_FIXED_GATES_H_

#include <cstdint>

namespace mace::cpu {

// Each takes x with 0 <= integer_bits <= 6, and returns the function of it
// without integer bits: the largest result, 32767, stands for almost 1.
int16_t FixedSigmoid16(int16_t x, int integer_bits);
int16_t FixedTanh16(int16_t x, int integer_bits);

}  // namespace mace::cpu

#endif  // MACE_CPU_QUANTIZED_FIXED_GATES_H_
