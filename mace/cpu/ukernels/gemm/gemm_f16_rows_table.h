// Every GEMM micro-kernel from fp16 to fp16 in this build, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_F16_ROWS_TABLE_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_F16_ROWS_TABLE_H_

#include "mace/cpu/ukernels/gemm/gemm_f16_rows.h"
#include "mace/cpu/ukernels/gemm/gemm_f32_table.h"

namespace mace::cpu {

struct GemmF16 {
  // Name, tile and how b is packed; without functions of floats.
  GemmF32 tile;
  GemmF16Fn* fn;
};

// The last row is the reference of tests, and what a CPU without vectors of
// halves would compute with.
inline constexpr GemmF16 kGemmF16Rows[] = {
#if defined(__aarch64__)
    {{"gemm_f16_8x16_rows__fp16",
      kCpuNeon | kCpuFp16,
      8,
      16,
      nullptr,
      nullptr,
      {2, 1, 8}},
     gemm_f16_8x16_rows__fp16},
#endif
    {{"gemm_f16_8x4_rows__scalar", 0, 8, 4, nullptr, nullptr, {2, 1, 8}},
     gemm_f16_8x4_rows__scalar},
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_F16_ROWS_TABLE_H_
