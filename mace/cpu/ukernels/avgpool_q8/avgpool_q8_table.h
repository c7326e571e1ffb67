// The micro-kernels of this build that compute means of quantized values, best
// first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_AVGPOOL_Q8_AVGPOOL_Q8_TABLE_H_
#define MACE_CPU_UKERNELS_AVGPOOL_Q8_AVGPOOL_Q8_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/avgpool_q8/avgpool_q8.h"

namespace mace::cpu {

struct AvgpoolQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  AvgpoolQ8Fn* fn;
};

// The dispatcher chooses the first row whose `isa` the CPU has.
inline constexpr AvgpoolQ8 kAvgpoolQ8[] = {
#if defined(__x86_64__)
    {"avgpool_q8__avx2", kCpuAvx2Fma, avgpool_q8__avx2},
#elif defined(__aarch64__) || defined(__arm__)
    {"avgpool_q8__neon", kCpuNeon, avgpool_q8__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"avgpool_q8__scalar", 0, avgpool_q8__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_AVGPOOL_Q8_AVGPOOL_Q8_TABLE_H_
