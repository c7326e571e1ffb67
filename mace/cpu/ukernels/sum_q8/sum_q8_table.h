// The micro-kernels of this build that add codes, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_SUM_Q8_SUM_Q8_TABLE_H_
#define MACE_CPU_UKERNELS_SUM_Q8_SUM_Q8_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/sum_q8/sum_q8.h"

namespace mace::cpu {

struct SumQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  SumQ8Fn* fn;
};

// The dispatcher chooses the first row whose `isa` the CPU has. The last one is
// plain C++, with which tests compare the others.
inline constexpr SumQ8 kSumQ8[] = {
#if defined(__x86_64__)
    {"sum_q8__avx512", kCpuAvx512, sum_q8__avx512},
    {"sum_q8__avx2", kCpuAvx2Fma, sum_q8__avx2},
#elif defined(__aarch64__)
    {"sum_q8__aarch64", kCpuNeon, sum_q8__aarch64},
#endif
#if defined(__aarch64__) || defined(__arm__)
    {"sum_q8__neon", kCpuNeon, sum_q8__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"sum_q8__scalar", 0, sum_q8__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_SUM_Q8_SUM_Q8_TABLE_H_
