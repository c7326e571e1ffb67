// The exact definition of GEMM micro-kernels from fp16 to fp16.
// SPDX-License-Identifier: Apache-2.0
//
// Rows of a are packed by tiles of mr rows; the last tile may have fewer. A
// tile of m rows has kGemmF16Step elements of each row in turn, with zeros
// behind the end of a row:
//
//   [ceil(k / 8)][m][8]
//
// Products are added up by fused multiply-adds in binary16, kGemmF16Block of k
// at a time; a rest of less than kGemmF16Step belongs to the block before it.
// The sums of blocks, the bias and the addend are added up in binary16, too. A
// result is off by at most (kGemmF16Block + k / kGemmF16Block + 10) * 2^-11 of
// the sum of the magnitudes, which must stay below 65504. A result is
//
//   ((bias + block 0) + block 1) + ... + addend, clamped
//
// where the accumulator of block 0 starts with the bias. All micro-kernels
// agree to the bit, since each keeps this order.
//
// A block of 256 and a depth of 4096 give 282 * 2^-11: blocks of about the
// square root of the depth would be the most exact, but each block costs a load
// and a store of all sums. Rows are fp16 already, so that packing only copies
// them.
//
// Files are named gemm_f16_{MR}x{NR}_rows__{isa}.cc.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_F16_ROWS_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_F16_ROWS_H_

#include "mace/cpu/ukernels/gemm/gemm.h"

namespace mace::cpu {

// Consecutive k of a row that are adjacent: a vector of fp16, whose lanes
// multiply eight rows of b. Also k_tile and k_step of the table.
constexpr size_t kGemmF16Step = 8;
// Products that are added up in one accumulator.
constexpr size_t kGemmF16Block = 256;  // a multiple of the step

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_F16_ROWS_H_
