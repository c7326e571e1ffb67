// The micro-kernels of this build that requantize sums, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_REQUANTIZE_Q8_REQUANTIZE_Q8_TABLE_H_
#define MACE_CPU_UKERNELS_REQUANTIZE_Q8_REQUANTIZE_Q8_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/requantize_q8/requantize_q8.h"

namespace mace::cpu {

struct RequantizeQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  // |sum + row_add| * 2^left must be less than 2^bits, and `right` at most
  // `max_right`. Otherwise results differ from the definition, and nothing is
  // undefined. On x86, 4 * sum * 2^left must fit 32 bits, hence 29; and so must
  // zero_point * 2^(right + 1), hence 21 (fixed_point_avx512.h).
  int bits, max_right;
  RequantizeQ8Fn* fn;
};

// ChooseRow (mace/cpu/common/choose.h) takes the first row whose `isa` the CPU
// has, whose limits hold for all channels of a node, and which passes its
// self-test. The last row has no limits. Tests compare rows with the one in
// plain C++.
inline constexpr RequantizeQ8 kRequantizeQ8[] = {
#if defined(__x86_64__)
    {"requantize_q8__avx512", kCpuAvx512, 29, 21, requantize_q8__avx512},
    {"requantize_q8__avx2", kCpuAvx2Fma, 29, 21, requantize_q8__avx2},
#elif defined(__aarch64__)
    {"requantize_q8__aarch64", kCpuNeon, 32, 31, requantize_q8__aarch64},
#endif
#if defined(__aarch64__) || defined(__arm__)
    {"requantize_q8__neon", kCpuNeon, 32, 31, requantize_q8__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"requantize_q8__scalar", 0, 32, 31, requantize_q8__scalar},
#endif
};

// The micro-kernels that round once; they have no limits.
inline constexpr RequantizeQ8 kRequantizeOnceQ8[] = {
#if defined(__x86_64__)
    {"requantize_once_q8__avx512", kCpuAvx512, 32, 31,
     requantize_once_q8__avx512},
    {"requantize_once_q8__avx2", kCpuAvx2Fma, 32, 31, requantize_once_q8__avx2},
#elif defined(__aarch64__)
    {"requantize_once_q8__aarch64", kCpuNeon, 32, 31,
     requantize_once_q8__aarch64},
#elif defined(__arm__)
    {"requantize_once_q8__neon", kCpuNeon, 32, 31, requantize_once_q8__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"requantize_once_q8__scalar", 0, 32, 31, requantize_once_q8__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_REQUANTIZE_Q8_REQUANTIZE_Q8_TABLE_H_
