// The micro-kernels of this build that make floats of codes, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_EXPAND_Q8_EXPAND_Q8_TABLE_H_
#define MACE_CPU_UKERNELS_EXPAND_Q8_EXPAND_Q8_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/expand_q8/expand_q8.h"

namespace mace::cpu {

struct ExpandQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  ExpandQ8Fn* bits8;
  ExpandQ8Fn* bits4;
};

// The dispatcher chooses the first row whose `isa` the CPU has. The last one is
// plain C++, with which tests compare the others.
inline constexpr ExpandQ8 kExpandQ8[] = {
#if defined(__x86_64__)
    {"expand_q8__avx512", kCpuAvx512, expand_8bits_q8__avx512,
     expand_4bits_q8__avx512},
    {"expand_q8__avx2", kCpuAvx2Fma, expand_8bits_q8__avx2,
     expand_4bits_q8__avx2},
#elif defined(__aarch64__) || defined(__arm__)
    {"expand_q8__neon", kCpuNeon, expand_8bits_q8__neon, expand_4bits_q8__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"expand_q8__scalar", 0, expand_8bits_q8__scalar, expand_4bits_q8__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_EXPAND_Q8_EXPAND_Q8_TABLE_H_
