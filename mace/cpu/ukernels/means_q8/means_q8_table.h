// The micro-kernels of this build that compute means of codes, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_MEANS_Q8_MEANS_Q8_TABLE_H_
#define MACE_CPU_UKERNELS_MEANS_Q8_MEANS_Q8_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/means_q8/means_q8.h"

namespace mace::cpu {

struct MeansQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  MeansQ8Fn* fn;
};

// The dispatcher chooses the first row whose `isa` the CPU has.
inline constexpr MeansQ8 kMeansQ8[] = {
#if defined(__x86_64__)
    {"means_q8__avx2", kCpuAvx2Fma, means_q8__avx2},
#elif defined(__aarch64__) || defined(__arm__)
    {"means_q8__neon", kCpuNeon, means_q8__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"means_q8__scalar", 0, means_q8__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_MEANS_Q8_MEANS_Q8_TABLE_H_
