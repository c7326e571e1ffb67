// The micro-kernels of this build that look up values, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_LUT_Q8_LUT_Q8_TABLE_H_
#define MACE_CPU_UKERNELS_LUT_Q8_LUT_Q8_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/lut_q8/lut_q8.h"

namespace mace::cpu {

// Micro-kernels find values by permutations within vectors. Those of armv7
// reach too few bytes: there, the row in plain C++ looks values up in memory.
struct LutQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  LutQ8Fn* fn;
};

// ChooseRow (mace/cpu/common/choose.h) takes the first row whose `isa` the CPU
// has and which passes its self-test. Tests compare rows with the one in plain
// C++, which libraries for 64-bit Arm do not contain.
inline constexpr LutQ8 kLutQ8[] = {
#if defined(__x86_64__)
    {"lut_q8__avx512", kCpuAvx512, lut_q8__avx512},
    {"lut_q8__avx2", kCpuAvx2Fma, lut_q8__avx2},
#elif defined(__aarch64__)
    {"lut_q8__aarch64", kCpuNeon, lut_q8__aarch64},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"lut_q8__scalar", 0, lut_q8__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_LUT_Q8_LUT_Q8_TABLE_H_
