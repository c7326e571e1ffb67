// Every GEMM micro-kernel of fp16 in this build, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_HALF_TABLE_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_HALF_TABLE_H_

#include "mace/cpu/ukernels/gemm/gemm_f32_table.h"
#include "mace/cpu/ukernels/gemm/gemm_half.h"

namespace mace::cpu {

// The last rows are the references of tests: a CPU that has no other computes
// in float32.
inline constexpr GemmF32 kGemmBf16[] = {
#if defined(__x86_64__)
    {"gemm_bf16_14x32__avx512bf16",
     kCpuAvx512 | kCpuAvx512Bf16,
     14,
     32,
     gemm_bf16_14x32__avx512bf16,
     gemm_bf16_pack_14__avx512bf16,
     {2, 2, 32}},
#elif defined(__aarch64__)
    {"gemm_bf16_8x8__bf16",
     kCpuNeon | kCpuBf16,
     8,
     8,
     gemm_bf16_8x8__bf16,
     gemm_bf16_pack_8__bf16,
     {2, 4, 4}},
#endif
    {"gemm_bf16_4x4__scalar",
     0,
     4,
     4,
     gemm_bf16_4x4__scalar,
     gemm_bf16_pack_4__scalar,
     {2, 2, 2}},
};

inline constexpr GemmF32 kGemmF16[] = {
#if defined(__aarch64__)
    {"gemm_f16_8x16__fp16",
     kCpuNeon | kCpuFp16,
     8,
     16,
     gemm_f16_8x16__fp16,
     gemm_f16_pack_8__fp16,
     {2, 1, 8}},
#endif
    {"gemm_f16_4x4__scalar",
     0,
     4,
     4,
     gemm_f16_4x4__scalar,
     gemm_f16_pack_4__scalar,
     {2, 1, 2}},
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_HALF_TABLE_H_
