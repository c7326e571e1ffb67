// The micro-kernels of this build that dequantize values, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_DEQUANTIZE_Q8_DEQUANTIZE_Q8_TABLE_H_
#define MACE_CPU_UKERNELS_DEQUANTIZE_Q8_DEQUANTIZE_Q8_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/dequantize_q8/dequantize_q8.h"

namespace mace::cpu {

struct DequantizeRowsQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  DequantizeRowsQ8Fn* bits8;
  DequantizeRowsQ8Fn* bits4;
};

// The dispatcher chooses the first row whose `isa` the CPU has. The last one is
// plain C++, with which tests compare the others.
inline constexpr DequantizeRowsQ8 kDequantizeRowsQ8[] = {
#if defined(__x86_64__)
    {"dequantize_rows_q8__avx512", kCpuAvx512, dequantize_8bits_q8__avx512,
     dequantize_4bits_q8__avx512},
    {"dequantize_rows_q8__avx2", kCpuAvx2Fma, dequantize_8bits_q8__avx2,
     dequantize_4bits_q8__avx2},
#elif defined(__aarch64__) || defined(__arm__)
    {"dequantize_rows_q8__neon", kCpuNeon, dequantize_8bits_q8__neon,
     dequantize_4bits_q8__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"dequantize_rows_q8__scalar", 0, dequantize_8bits_q8__scalar,
     dequantize_4bits_q8__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_DEQUANTIZE_Q8_DEQUANTIZE_Q8_TABLE_H_
