// The micro-kernels of this build that add quantized values, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_ADD_Q8_ADD_Q8_TABLE_H_
#define MACE_CPU_UKERNELS_ADD_Q8_ADD_Q8_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/add_q8/add_q8.h"

namespace mace::cpu {

// All rows compute the same to the bit.
struct AddQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  AddQ8Fn* fn;
};

// ChooseRow (mace/cpu/common/choose.h) takes the first row whose `isa` the CPU
// has and which passes its self-test. Tests compare all rows with the plain
// C++, which libraries for armv8 leave out.
inline constexpr AddQ8 kAddQ8[] = {
#if defined(__x86_64__)
    {"add_q8__avx512", kCpuAvx512, add_q8__avx512},
    {"add_q8__avx2", kCpuAvx2Fma, add_q8__avx2},
#elif defined(__aarch64__)
    {"add_q8__aarch64", kCpuNeon, add_q8__aarch64},
#endif
#if defined(__aarch64__) || defined(__arm__)
    {"add_q8__neon", kCpuNeon, add_q8__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"add_q8__scalar", 0, add_q8__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_ADD_Q8_ADD_Q8_TABLE_H_
