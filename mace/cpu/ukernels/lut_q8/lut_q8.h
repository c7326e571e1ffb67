// Micro-kernels that look up each value of 8 bits in a table.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_LUT_Q8_LUT_Q8_H_
#define MACE_CPU_UKERNELS_LUT_Q8_LUT_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// y[i] = table[x[i]].
struct LutQ8Args {
  size_t n;
  const uint8_t* table;  // 256 values
  const uint8_t* x;
  uint8_t* y;  // may be x
};

using LutQ8Fn = void(const LutQ8Args& args);

LutQ8Fn lut_q8__scalar, lut_q8__avx2, lut_q8__avx512, lut_q8__aarch64;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_LUT_Q8_LUT_Q8_H_
