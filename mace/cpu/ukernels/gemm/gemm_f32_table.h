// Every f32 GEMM micro-kernel of this build, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_F32_TABLE_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_F32_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/cpu/ukernels/gemm/gemm_f32.h"

namespace mace::cpu {

struct GemmF32 {
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  int mr, nr;       // the largest tile
  GemmF32Fn* fn;
  GemmF32PackFn* pack = nullptr;  // null: rows are never packed
  GemmOperands operands = {};
};

// The dispatcher takes the first row whose `isa` the CPU has; tests and
// benchmarks loop over all of them.
inline constexpr GemmF32 kGemmF32[] = {
#if defined(__x86_64__)
    {"gemm_f32_14x32__avx512", kCpuAvx512, 14, 32, gemm_f32_14x32__avx512},
    {"gemm_f32_8x48__avx512", kCpuAvx512, 8, 48, gemm_f32_8x48__avx512},
    {"gemm_f32_6x16__avx2", kCpuAvx2Fma, 6, 16, gemm_f32_6x16__avx2},
#elif defined(__ARM_NEON)
#if defined(__aarch64__)
    {"gemm_f32_8x8__aarch64", kCpuNeon, 8, 8, gemm_f32_8x8__aarch64,
     gemm_f32_pack_8__aarch64},
#endif
    {"gemm_f32_4x8__neon", kCpuNeon, 4, 8, gemm_f32_4x8__neon},
#endif
    {"gemm_f32_4x4__scalar", 0, 4, 4, gemm_f32_4x4__scalar},
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_F32_TABLE_H_
