// The micro-kernels of this build that find the largest codes, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_MAXIMA_Q8_MAXIMA_Q8_TABLE_H_
#define MACE_CPU_UKERNELS_MAXIMA_Q8_MAXIMA_Q8_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/maxima_q8/maxima_q8.h"

namespace mace::cpu {

struct MaximaQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  MaximaQ8Fn* fn;
};

// The dispatcher chooses the first row whose `isa` the CPU has.
inline constexpr MaximaQ8 kMaximaQ8[] = {
#if defined(__x86_64__)
    {"maxima_q8__avx2", kCpuAvx2Fma, maxima_q8__avx2},
#elif defined(__aarch64__) || defined(__arm__)
    {"maxima_q8__neon", kCpuNeon, maxima_q8__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"maxima_q8__scalar", 0, maxima_q8__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_MAXIMA_Q8_MAXIMA_Q8_TABLE_H_
