// The micro-kernels of this build that find the largest quantized values, best
// first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_MAXPOOL_Q8_MAXPOOL_Q8_TABLE_H_
#define MACE_CPU_UKERNELS_MAXPOOL_Q8_MAXPOOL_Q8_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/maxpool_q8/maxpool_q8.h"

namespace mace::cpu {

struct MaxpoolQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  MaxpoolQ8Fn* fn;
};

// The dispatcher chooses the first row whose `isa` the CPU has.
inline constexpr MaxpoolQ8 kMaxpoolQ8[] = {
#if defined(__x86_64__)
    {"maxpool_q8__avx2", kCpuAvx2Fma, maxpool_q8__avx2},
#elif defined(__aarch64__) || defined(__arm__)
    {"maxpool_q8__neon", kCpuNeon, maxpool_q8__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"maxpool_q8__scalar", 0, maxpool_q8__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_MAXPOOL_Q8_MAXPOOL_Q8_TABLE_H_
