// The micro-kernels of this build that look up codes, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_LOOKUP_Q8_LOOKUP_Q8_TABLE_H_
#define MACE_CPU_UKERNELS_LOOKUP_Q8_LOOKUP_Q8_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/lookup_q8/lookup_q8.h"

namespace mace::cpu {

struct LookupQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  LookupQ8Fn* fn;
};

// The dispatcher chooses the first row whose `isa` the CPU has. The last one is
// plain C++, with which tests compare the others.
inline constexpr LookupQ8 kLookupQ8[] = {
#if defined(__x86_64__)
    {"lookup_q8__avx512", kCpuAvx512, lookup_q8__avx512},
    {"lookup_q8__avx2", kCpuAvx2Fma, lookup_q8__avx2},
#elif defined(__aarch64__)
    {"lookup_q8__aarch64", kCpuNeon, lookup_q8__aarch64},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"lookup_q8__scalar", 0, lookup_q8__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_LOOKUP_Q8_LOOKUP_Q8_TABLE_H_
