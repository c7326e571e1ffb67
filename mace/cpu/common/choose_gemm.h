// Chooses a GEMM micro-kernel by its types.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_CHOOSE_GEMM_H_
#define MACE_CPU_COMMON_CHOOSE_GEMM_H_

#include "mace/cpu/common/choose.h"
#include "mace/cpu/ukernels/gemm/gemm_blocks_table.h"
#include "mace/cpu/ukernels/gemm/gemm_table.h"

namespace mace::cpu {

// Returns the best row of these types for a CPU with these features. REQUIRES:
// the table has the combination of types.
inline const GemmUkernel& BestGemm(const GemmTypes& types,
                                   CpuFeatures features) {
  return ChooseRow(kGemm, features, [&types](const GemmUkernel& row) {
    return row.types == types;
  });
}

// The same for rows whose weights are in blocks (kI8Blocks, kU4Blocks), which
// have a table and a test of their own.
inline const GemmUkernel& BestGemmOfBlocks(const GemmTypes& types,
                                           CpuFeatures features) {
  constexpr RowTest kTest = {
      [](const void* row, TestMemory& memory) {
        return SelfTestOfBlocks(*static_cast<const GemmUkernel*>(row), memory);
      },
      Element::kF32};
  return ChooseRow(
      kGemmBlocks, features,
      [&types](const GemmUkernel& row) { return row.types == types; }, kTest);
}

// Returns the best row for quantized values and a filter whose lowest value is
// `b_min` or more; a row takes filters down to its own packing.b_min. REQUIRES:
// the build has kernels of 8 bits.
inline const GemmUkernel& BestGemmQ8(int b_min, CpuFeatures features) {
  return ChooseRow(kGemm, features, [b_min](const GemmUkernel& row) {
    return row.is_quantized() && row.packing.b_min <= b_min;
  });
}

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_CHOOSE_GEMM_H_
