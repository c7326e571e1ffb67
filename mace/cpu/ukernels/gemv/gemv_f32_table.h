// The f32 matrix-vector micro-kernels of this build, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_GEMV_GEMV_F32_TABLE_H_
#define MACE_CPU_UKERNELS_GEMV_GEMV_F32_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/gemv/gemv_f32.h"

namespace mace::cpu {

struct GemvF32 {
  static constexpr Element kType = Element::kF32;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  GemvF32Fn* fn;
};

// The dispatcher chooses the first row whose `isa` the CPU has.
inline constexpr GemvF32 kGemvF32[] = {
#if defined(__x86_64__)
    {"gemv_f32__avx512", kCpuAvx512, gemv_f32__avx512},
    {"gemv_f32__avx2", kCpuAvx2Fma, gemv_f32__avx2},
#elif defined(__ARM_NEON)
#if defined(__aarch64__)
    {"gemv_f32__aarch64", kCpuNeon, gemv_f32__aarch64},
#endif
#if MACE_HAS_ARMV7_ROWS
    {"gemv_f32__neon", kCpuNeon, gemv_f32__neon},
#endif
#endif
#if MACE_HAS_SCALAR_ROWS
    {"gemv_f32__scalar", 0, gemv_f32__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMV_GEMV_F32_TABLE_H_
