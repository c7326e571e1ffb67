// The matrix-vector micro-kernels of this build for quantized values, best
// first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_GEMV_Q8_GEMV_Q8_TABLE_H_
#define MACE_CPU_UKERNELS_GEMV_Q8_GEMV_Q8_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/gemv_q8/gemv_q8.h"

namespace mace::cpu {

struct GemvQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  GemvQ8Fn* bits8;
  GemvQ8Fn* bits4;
};

// The dispatcher chooses the first row whose `isa` the CPU has. The last one is
// plain C++, with which tests compare the others.
inline constexpr GemvQ8 kGemvQ8[] = {
#if defined(__x86_64__)
    {"gemv_q8__avx512", kCpuAvx512, gemv_8bits_q8__avx512,
     gemv_4bits_q8__avx512},
    {"gemv_q8__avx2", kCpuAvx2Fma, gemv_8bits_q8__avx2, gemv_4bits_q8__avx2},
#elif defined(__aarch64__) || defined(__arm__)
    {"gemv_q8__neon", kCpuNeon, gemv_8bits_q8__neon, gemv_4bits_q8__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"gemv_q8__scalar", 0, gemv_8bits_q8__scalar, gemv_4bits_q8__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMV_Q8_GEMV_Q8_TABLE_H_
