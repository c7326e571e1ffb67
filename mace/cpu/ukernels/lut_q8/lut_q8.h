// Micro-kernels that look up each value of 8 bits in a table.
// SPDX-License-Identifier: Apache-2.0
//
// A table has the results of a function of one quantized value, for all 256
// inputs: activations, and other elementwise ops of one tensor
// (quantized/lut_q8.h).
#ifndef MACE_CPU_UKERNELS_LUT_Q8_LUT_Q8_H_
#define MACE_CPU_UKERNELS_LUT_Q8_LUT_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// y[i] = table[x[i]]. int8 values are read and written as the uint8 with the
// same bits: entry 0x80 is that of -128. No operand needs any alignment, and
// nothing beyond n values is read or written.
struct LutQ8Args {
  size_t n;              // may be 0
  const uint8_t* table;  // 256 values, which y does not overlap
  const uint8_t* x;
  uint8_t* y;  // may be x; otherwise does not overlap it
};

using LutQ8Fn = void(const LutQ8Args& args);

LutQ8Fn lut_q8__scalar, lut_q8__avx2, lut_q8__avx512, lut_q8__aarch64;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_LUT_Q8_LUT_Q8_H_
